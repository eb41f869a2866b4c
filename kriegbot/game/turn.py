"""One turn: view -> player -> try -> referee -> views, until a try is accepted or the game ends.

Commands, tournaments, the page and the environments all play their turns here. Where the referee is far away
(`kriegbot.online`), `asked` is the half that stays the same. Refused tries cost nothing, so a player could go on for
ever; whatever its own view shows to be nonsense is counted, and stops it.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

from kriegbot.game.seat import Failure, PlayerFailed, Seat
from kriegbot.players.base import Choice
from referee import Action, Answer, AskAny, Referee, Resign, View

MOST_NONSENSE = 20  # impossible or repeated tries and questions in one turn, before a player counts as trying for ever


@dataclass(frozen=True, slots=True)
class Attempt:
    """What a player did when it was asked, in view of all that it knew, and what came of it.

    seconds: time for it, as this side of the player measures it. answer: the referee's; None to a resignation, or as
    long as there is none.
    """

    view: View
    choice: Choice
    seconds: float
    answer: Answer | None = None

    @property
    def is_nonsense(self) -> bool:
        """Whether the view shows that it is impossible or repeated."""
        match self.choice.action:
            case Resign():
                return False
            case AskAny():
                return not self.view.may_ask
            case move:
                return not self.view.is_open(move)


def ask_player(seat: Seat, view: View) -> Attempt:
    """Asks the player of a seat; raises PlayerFailed, or what people raise (`kriegbot.players.base`)."""
    seat.ready()
    begun = time.perf_counter()
    choice = seat.ask(view)
    return Attempt(view, choice, time.perf_counter() - begun)


def apply_action(referee: Referee, action: Action) -> Answer | None:
    """Lets the referee answer the side to move; None to a resignation."""
    match action:
        case Resign():
            referee.resign(referee.turn)
            return None
        case AskAny():
            return referee.ask_any()
        case move:
            return referee.try_move(move)


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
