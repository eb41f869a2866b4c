"""What a side can do and what it knows, as numbers and arrays for learners.

Actions are numbers from 0 to 4168, the same for both sides:

    64 * from + to                           a try; of a pawn that reaches the last rank, to a queen
    4096 + 9 * file + 3 * aside + kind       a promotion by the pawn on that file: aside is 0 towards file a, 1 straight
                                             ahead, 2 towards file h; kind is 0 to a knight, 1 a bishop, 2 a rook
    4168                                     the question "Any?"

Squares count from a1 = 0 to h8 = 63, as in python-chess, for Black too.

An observation is bytes [34, 8, 8], planes of the board from a1 at [0, 0] to h8 at [7, 7]:

    0-5      own pawns, knights, bishops, rooks, queens, king
    6        own rooks with which the king may still castle
    7, 8     where the own last move began, and where it ended
    9, 10    tries refused this turn: how many from a square, and how many to it
    11       what the own last move captured: 1, or 2 if a pawn was announced
    12       what the opponent's last move captured, in the same way
    13       squares that were told to have pawn tries
    14-18 *  checks announced of the opponent's last move: rank, file, long diagonal, short diagonal, knight
    19-23 *  checks announced of the own last move
    24, 25 * whether the opponent's last move was announced as en passant, as a promotion
    26 *     0 if nothing was told of own pawn tries; otherwise 1 + what was told: a number up to 29, 1 for "some", or
             how many squares
    27 *     1 for White
    28 *     1 if it is the own turn
    29 *     moves made in the game, both sides together, at most 255
    30 *     men that the opponent has left
    31 *     illegal tries of the opponent heard since the own last move
    32 *     the answer to the opponent's "Any?" since then: 0 it was not asked, 1 no, 2 yes
    33 *     the answer to one's own this turn: 0 it was not asked, 1 no, 2 yes, 3 yes and one is free again

A plane with a star holds one number, in all its places. "The opponent's last move" is one since the own last move.

All this is computed from a `View`, so nothing else can be in it. `kriegbot.environments.batch_kernel` is its fast twin.
"""

import chess
import numpy as np
import numpy.typing as npt

from kriegbot.game.turn import apply_action
from referee import (
    Action,
    Announcement,
    Answer,
    AskAny,
    Asking,
    CapturedKind,
    OpponentAsked,
    OpponentMoved,
    OpponentRefused,
    OwnTry,
    PawnTrySquares,
    Referee,
    Resign,
    View,
)

UNDERPROMOTIONS = 64 * 64
ASK = UNDERPROMOTIONS + 8 * 3 * 3
ACTIONS = ASK + 1


def number_of(action: Action) -> int:
    """The number of an action.

    Raises:
      ValueError: it is a resignation, or promotes to what no pawn can become.
    """
    if isinstance(action, AskAny):
        return ASK
    if isinstance(action, Resign) or action.promotion in (chess.PAWN, chess.KING):
        raise ValueError(f"illegal action {action}: it takes a try, or the question 'Any?'")
    if action.promotion in (None, chess.QUEEN):
        return 64 * action.from_square + action.to_square
    file, aside = chess.square_file(action.from_square), chess.square_file(action.to_square) + 1
    return UNDERPROMOTIONS + 9 * file + 3 * (aside - file) + action.promotion - chess.KNIGHT


def action_of(number: int, view: View) -> Action:
    """The action that a number stands for, for the side of a view.

    Raises:
      ValueError: it stands for none.
    """
    if not 0 <= number < ACTIONS:
        raise ValueError(f"illegal action {number}: it takes a number from 0 to {ACTIONS - 1}")
    if number == ASK:
        return AskAny()
    if number < UNDERPROMOTIONS:
        origin, target = divmod(number, 64)
        promotes = view.men.get(origin) == chess.PAWN and chess.BB_SQUARES[target] & chess.BB_BACKRANKS
        return chess.Move(origin, target, chess.QUEEN if promotes else None)
    file, rest = divmod(number - UNDERPROMOTIONS, 9)
    aside, kind = divmod(rest, 3)
    ranks = (6, 7) if view.color == chess.WHITE else (1, 0)
    origin, target = chess.square(file, ranks[0]), chess.square((file + aside - 1) & 7, ranks[1])
    return chess.Move(origin, target, chess.KNIGHT + kind)


def open_actions(view: View) -> list[int]:
    """The numbers of all that a side may sensibly do now: its open tries, and "Any?" where it may be asked."""
    return [number_of(move) for move in view.tries()] + [ASK] * view.may_ask


def answer(referee: Referee, number: int) -> None:
    """Lets the referee answer an action of the side to move, by its number.

    Raises:
      ValueError: the number stands for no action.
      GameIsOver: the game has ended.
    """
    apply_action(referee, action_of(number, referee.view(referee.turn)))


def reward_of(referee: Referee, color: chess.Color) -> float:
    """1 for a win, -1 for a loss, otherwise 0."""
    if referee.end is None or referee.end.winner is None:
        return 0.0
    return 1.0 if referee.end.winner == color else -1.0


(CASTLING, ORIGIN, TARGET, REFUSED_FROM, REFUSED_TO, TAKEN, LOST, TOLD_SQUARES) = range(6, 14)
(CHECKED, CHECKING, EN_PASSANT, PROMOTION, TOLD, IS_WHITE, IS_TURN, PLY, ENEMIES, REFUSALS, THEIR_ANSWER, ANSWER) = (
    14,
    19,
    *range(24, 34),
)
PLANES = 34
MOST = 255
CHECKS = 5

Bytes = npt.NDArray[np.uint8]


def observe(view: View) -> Bytes:
    """The array [34, 8, 8] of a view."""
    planes = np.zeros((PLANES, 64), np.uint8)
    for square, man in view.men.items():
        planes[man - chess.PAWN, square] = 1
    home = 0 if view.color == chess.WHITE else chess.A8
    planes[CASTLING, home + chess.H1], planes[CASTLING, home + chess.A1] = view.kingside, view.queenside
    for move in view.refused:
        planes[REFUSED_FROM, move.from_square] += 1
        planes[REFUSED_TO, move.to_square] += 1
    _heard(view, planes)
    tries = view.pawn_tries
    planes[TOLD] = 0 if tries is None else 1 + min(tries.at_least, 29)
    if isinstance(tries, PawnTrySquares):
        planes[TOLD_SQUARES, list(tries.squares)] = 1
    elif tries is not None and view.rules.asking is not Asking.NONSENSE:
        planes[ANSWER] = 2 + (not view.obliged) if tries.at_least else 1
    planes[IS_WHITE], planes[ENEMIES] = view.color, view.opponent_men
    planes[IS_TURN] = view.turn == view.color and view.end is None
    planes[PLY] = min(view.ply, MOST)
    return planes.reshape(PLANES, 8, 8)


def mask_of(view: View) -> npt.NDArray[np.bool_]:
    """The actions [4169] that are open to a side; none out of turn."""
    mask = np.zeros(ACTIONS, np.bool_)
    mask[open_actions(view)] = True
    return mask


def _heard(view: View, planes: Bytes) -> None:
    """Writes what was announced of the own last move, and all that was heard since."""
    for event in reversed(view.events):
        match event:
            case OwnTry(move, announcement=Announcement() as ours):
                planes[ORIGIN, move.from_square] = planes[TARGET, move.to_square] = 1
                _announced(ours, planes, TAKEN, CHECKING)
                return
            case OpponentMoved(theirs):
                _announced(theirs, planes, LOST, CHECKED)
                planes[EN_PASSANT], planes[PROMOTION] = theirs.en_passant, theirs.promotion
            case OpponentRefused():
                planes[REFUSALS] += planes[REFUSALS] < MOST
            case OpponentAsked(answer):
                planes[THEIR_ANSWER] = 1 + (answer is Answer.YES)
            case _:
                pass


def _announced(heard: Announcement, planes: Bytes, capture: int, checks: int) -> None:
    if heard.capture is not None:
        planes[capture, heard.capture] = 1 + (heard.captured is CapturedKind.PAWN)
    for place in range(CHECKS):
        planes[checks + place] = heard.checks >> place & 1
