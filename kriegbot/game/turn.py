"""One turn: view -> player -> try -> referee -> views, until the referee accepts a try or the game ends.

Commands, tournaments, the page and the environments all play their turns here. Online play shares `ask_player`, since
its referee is a server. Refused tries cost nothing, so a player could go on for ever: 20 nonsense tries in one turn
(`Attempt.is_nonsense`) lose the game.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

import chess

from kriegbot.game.seat import Failure, PlayerFailed, Seat
from kriegbot.players.base import AgreeDraw, Choice, FlagFell, Leave, SeatAction
from referee import Answer, AskAny, Referee, Resign, View

MAX_NONSENSE = 20  # nonsense tries and questions in one turn


@dataclass(frozen=True, slots=True)
class Attempt:
    """One action of a player.

    Attributes:
      view: the player's view when it chose.
      choice: its action, and its report.
      seconds: time that it took, measured outside its process.
      answer: the referee's answer to a try or question, once there is one.
    """

    view: View
    choice: Choice
    seconds: float
    answer: Answer | None = None

    @property
    def is_nonsense(self) -> bool:
        """True if the view shows that the try or question is impossible or repeated."""
        match self.choice.action:
            case AskAny():
                return not self.view.may_ask
            case chess.Move() as move:
                return not self.view.is_open(move)
            case _:
                return False


def ask_player(seat: Seat, view: View) -> Attempt:
    """Ask the player of a seat for its next action; raise PlayerFailed if it gives none."""
    seat.ready()
    start = time.perf_counter()
    choice = seat.ask(view)
    return Attempt(view, choice, time.perf_counter() - start)


def apply_action(referee: Referee, action: SeatAction) -> Answer | None:
    """Apply an action of the side to move; return the referee's answer to a try or question, else None."""
    match action:
        case AskAny():
            return referee.ask_any()
        case Resign():
            referee.resign(referee.turn)
        case AgreeDraw():
            referee.agree()
        case FlagFell():
            referee.forfeit(referee.turn, "lost on time")
        case Leave(why):
            referee.abandon(why)
        case move:
            return referee.try_move(move)
    return None


def turn(referee: Referee, seat: Seat, opponent: Seat | None = None) -> Iterator[Attempt]:
    """Play one turn of the side to move; yield each of its actions after the referee's answer.

    Show the opponent, if there is one, its own view before every try. Raise PlayerFailed if the player fails or makes
    `MAX_NONSENSE` nonsense tries.
    """
    color, nonsense = referee.turn, 0
    while referee.turn == color and referee.end is None:
        view = referee.view(color)
        if opponent is not None and opponent.on_wait is not None:
            opponent.on_wait(referee.view(not color))
        attempt = ask_player(seat, view)
        attempt = replace(attempt, answer=apply_action(referee, attempt.choice.action))
        yield attempt
        nonsense += attempt.is_nonsense
        if nonsense == MAX_NONSENSE:
            detail = f"tried for ever: {nonsense} impossible or repeated tries in one turn"
            raise PlayerFailed(Failure.STUBBORN, detail)
