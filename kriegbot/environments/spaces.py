"""Actions and observations of a side, as numbers and arrays for learners; docs/environments.md has both in tables.

An action is a number from 0 to 4168, the same for both sides: a try between two squares, another promotion than to a
queen, or the question "Any?". Squares count from a1 = 0 to h8 = 63, as in python-chess, for Black too.

An observation is bytes [34, 8, 8]: planes of the board, from a1 at [0, 0] to h8 at [7, 7]. It is computed from a
`View`, so it contains nothing else. `Batch` computes the same on kernels.
"""

import operator
from typing import SupportsIndex

import chess
import numpy as np
import numpy.typing as npt

import referee
from kriegbot.game.match import apply_action
from referee import AskAny, Referee, View
from referee.text import quoted

VERSION = 1  # of planes and actions; a network is for the version that it learnt with
UNDERPROMOTIONS = 64 * 64
ASK = UNDERPROMOTIONS + 8 * 3 * 3
ACTIONS = ASK + 1


def number_of(action: referee.Action) -> int:
    """Return the number of an action. Raise ValueError for a resignation, or a promotion to a pawn or king.

    >>> number_of(chess.Move.from_uci("e2e4")), number_of(AskAny())
    (796, 4168)
    """
    if isinstance(action, AskAny):
        return ASK
    if isinstance(action, referee.Resign) or action.promotion in (chess.PAWN, chess.KING):
        raise ValueError(f"illegal action {action}: it takes a try, or the question 'Any?'")
    if action.promotion in (None, chess.QUEEN):
        return 64 * action.from_square + action.to_square
    file, aside = chess.square_file(action.from_square), chess.square_file(action.to_square) + 1
    return UNDERPROMOTIONS + 9 * file + 3 * (aside - file) + action.promotion - chess.KNIGHT


def action_of(number: SupportsIndex, view: View) -> referee.Action:
    """Return the action of a number, for the side of a view. Raise ValueError if there is none."""
    given = number
    try:
        number = -1 if isinstance(number, bool) else operator.index(number)
    except TypeError:
        number = -1
    if not 0 <= number < ACTIONS:
        raise ValueError(f"illegal action {quoted(given)}: it takes a whole number from 0 to {ACTIONS - 1}")
    if number == ASK:
        return AskAny()
    if number < UNDERPROMOTIONS:
        origin, target = divmod(number, 64)
        promotes = view.men.get(origin) == chess.PAWN and chess.BB_SQUARES[target] & chess.BB_BACKRANKS
        return chess.Move(origin, target, chess.QUEEN if promotes else None)
    file, rest = divmod(number - UNDERPROMOTIONS, 9)
    aside, piece = divmod(rest, 3)
    ranks = (6, 7) if view.color == chess.WHITE else (1, 0)
    origin, target = chess.square(file, ranks[0]), chess.square((file + aside - 1) & 7, ranks[1])
    return chess.Move(origin, target, chess.KNIGHT + piece)


def open_actions(view: View) -> list[int]:
    """Return the numbers of a side's open tries, and of "Any?" if it may ask."""
    return [number_of(move) for move in view.tries()] + [ASK] * view.may_ask


def answer(game: Referee, number: SupportsIndex) -> None:
    """Apply an action of the side to move, by its number. Raise ValueError if there is none, or GameIsOver."""
    apply_action(game, action_of(number, game.view(game.turn)))


def reward_of(game: Referee, color: chess.Color) -> float:
    """Return 1 for a win, -1 for a loss, otherwise 0."""
    if game.end is None or game.end.winner is None:
        return 0.0
    return 1.0 if game.end.winner == color else -1.0


# Planes. The first six are our pieces, pawns to king; those from THEIR_CHECKS on hold one number everywhere
(CASTLING, ORIGIN, TARGET, REFUSED_FROM, REFUSED_TO, OWN_CAPTURE, THEIR_CAPTURE, TRY_SQUARES) = range(6, 14)
THEIR_CHECKS, OWN_CHECKS = 14, 19
EN_PASSANT, PROMOTION, PAWN_TRIES, IS_WHITE, IS_TURN, PLY, ENEMIES, REFUSALS, THEIR_ANSWER, ANSWER = range(24, 34)
PLANES = 34
MAX_BYTE = 255
CHECKS = 5

Bytes = npt.NDArray[np.uint8]


def observe(view: View) -> Bytes:
    """Return the observation [34, 8, 8] of a view."""
    planes = np.zeros((PLANES, 64), np.uint8)
    for square, piece in view.men.items():
        planes[piece - chess.PAWN, square] = 1
    home = 0 if view.color == chess.WHITE else chess.A8
    planes[CASTLING, home + chess.H1], planes[CASTLING, home + chess.A1] = view.kingside, view.queenside
    for move in view.refused:
        planes[REFUSED_FROM, move.from_square] += 1
        planes[REFUSED_TO, move.to_square] += 1
    _write_events(view, planes)
    tries = view.pawn_tries
    planes[PAWN_TRIES] = 0 if tries is None else 1 + min(tries.at_least, 29)
    if isinstance(tries, referee.PawnTrySquares):
        planes[TRY_SQUARES, list(tries.squares)] = 1
    elif tries is not None and view.rules.has_any:
        planes[ANSWER] = 2 + (not view.obliged) if tries.at_least else 1
    planes[IS_WHITE], planes[ENEMIES] = view.color, view.opponent_men
    planes[IS_TURN] = view.turn == view.color and view.end is None
    planes[PLY] = min(view.ply, MAX_BYTE)
    return planes.reshape(PLANES, 8, 8)


def mask_of(view: View) -> npt.NDArray[np.bool_]:
    """Return the mask [4169] of a side's open actions; all False out of turn."""
    mask = np.zeros(ACTIONS, np.bool_)
    mask[open_actions(view)] = True
    return mask


def _write_events(view: View, planes: Bytes) -> None:
    """Write the announcement of our last move, and everything announced since."""
    for event in reversed(view.events):
        match event:
            case referee.OwnTry(move, announcement=referee.Announcement() as ours):
                planes[ORIGIN, move.from_square] = planes[TARGET, move.to_square] = 1
                _write_announcement(ours, planes, OWN_CAPTURE, OWN_CHECKS)
                return
            case referee.OpponentMoved(theirs):
                _write_announcement(theirs, planes, THEIR_CAPTURE, THEIR_CHECKS)
                planes[EN_PASSANT], planes[PROMOTION] = theirs.en_passant, theirs.promotion
            case referee.OpponentRefused():
                planes[REFUSALS] += planes[REFUSALS] < MAX_BYTE
            case referee.OpponentAsked(answer):
                planes[THEIR_ANSWER] = 1 + (answer is referee.Answer.YES)
            case _:
                pass


def _write_announcement(announcement: referee.Announcement, planes: Bytes, capture: int, checks: int) -> None:
    if announcement.capture is not None:
        planes[capture, announcement.capture] = 1 + (announcement.captured is referee.CapturedKind.PAWN)
    for bit in range(CHECKS):
        planes[checks + bit] = announcement.checks >> bit & 1
