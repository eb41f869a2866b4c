"""Actions as numbers from 0 to 4168, the same for both sides, as learners want them; and what they bring.

    64 * from + to                           a try; of a pawn that reaches the last rank, to a queen
    4096 + 9 * file + 3 * aside + kind       a promotion by the pawn on that file: aside is 0 towards file a, 1 straight
                                             ahead, 2 towards file h; kind is 0 to a knight, 1 a bishop, 2 a rook
    4168                                     the question "Any?"

Squares count from a1 = 0 to h8 = 63, as in python-chess, for Black too.
"""

import chess

from kriegbot.game.turn import answered
from referee import Action, AskAny, Referee, Resign, View

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
    answered(referee, action_of(number, referee.view(referee.turn)))


def reward_of(referee: Referee, color: chess.Color) -> float:
    """1 for a win, -1 for a loss, otherwise 0."""
    if referee.end is None or referee.end.winner is None:
        return 0.0
    return 1.0 if referee.end.winner == color else -1.0
