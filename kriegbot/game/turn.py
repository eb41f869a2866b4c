"""One turn: view -> player -> try -> referee -> views, until a try is accepted or the game ends.

Commands, tournaments, the page and the environments all play their turns here. Where the referee is far away
(`kriegbot.online`), `asked` is the half that stays the same. Refused tries cost nothing, so a player could go on for
ever; whatever its own view shows to be nonsense is counted, and stops it.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

import chess

from kriegbot.game.seat import Failure, PlayerFailed, Seat
from kriegbot.players.base import AgreeDraw, Choice, FlagFell, Leave, SeatAction
from referee import Answer, AskAny, Referee, Resign, View

MOST_NONSENSE = 20  # impossible or repeated tries and questions in one turn, before a player counts as trying for ever


@dataclass(frozen=True, slots=True)
class Attempt:
    """One action of a player.

    Attributes:
      view: the player's view when it chose.
      choice: its action, and its report.
      seconds: time that it took, measured on this side of its process.
      answer: the referee's answer to a try or question; None before there is one, and for any other action.
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
    begun = time.perf_counter()
    choice = seat.ask(view)
    return Attempt(view, choice, time.perf_counter() - begun)


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
    """Plays one turn of the side to move, whose seat is given; yields every try of it, answered.

    The opponent, if given, is shown its own view before every try. Raises PlayerFailed if the player fails, or tries
    for ever.
    """
    color, nonsense = referee.turn, 0
    while referee.turn == color and referee.end is None:
        view = referee.view(color)
        if opponent is not None:
            opponent.wait(referee.view(not color))
        tried = ask_player(seat, view)
        tried = replace(tried, answer=apply_action(referee, tried.choice.action))
        yield tried
        nonsense += tried.is_nonsense
        if nonsense == MOST_NONSENSE:
            what = f"tried for ever: {nonsense} impossible or repeated tries in one turn"
            raise PlayerFailed(Failure.STUBBORN, what)
