"""The player of an online game: where it sits, and how much of the clock a try may take, so that no flag falls.

A try gets a twentieth of what is on the clock above a reserve of half a minute, which is kept for lost connections.
So any number of refused tries in a turn never reaches the reserve; and with ten seconds added for every move, a clock
settles where a turn takes ten, at some three or four minutes. Of 25 minutes the first try gets 73 seconds at most. A
player whose own budget is less keeps it.

A player's time is fixed when it sits down (`time=` of its spec). On a low clock the same player sits down again with
half of that time, a quarter, and so on; its belief follows from the view. Whatever a player does, it is waited for no
longer than half of what is above `HURRY`, and at `HURRY` nobody is asked any more.
"""

import secrets

from kriegbot.game.process import ProcessSeat, budget_of, patience_of
from kriegbot.game.turn import Attempt, ask_player
from kriegbot.players.specs import BadSpec, PlayerSpec
from referee import View

RESERVE, SHARES = 30.0, 20
HURRY = 10.0  # seconds on the clock at which any allowed try is played at once
LEAST = 0.05  # seconds that a try gets, however low the clock
SHORTEST = 0.5  # seconds that a player is always waited for


class ClockPlayer:
    """A player that sits down when it is asked, and again when its clock or a failure demands it."""

    def __init__(self, spec: PlayerSpec) -> None:
        self.seed = secrets.randbits(63)
        self._spec = spec
        self._seat: ProcessSeat | None = None
        self._seated: PlayerSpec | None = None

    def ask(self, view: View, left: float) -> Attempt:
        """Return its action with `left` seconds on its clock. After PlayerFailed the next call seats it again."""
        spec = spec_for(self._spec, left)
        if self._seat is None:
            self._seat = ProcessSeat(spec)
        if spec != self._seated:
            self._seat.invite(spec)
            self._seat.begin(self.seed)
            self._seated = spec
        self._seat.patience = patience_for(spec, left)
        return ask_player(self._seat, view)

    def stand_up(self) -> None:
        """Makes it sit down anew when it is asked next."""
        self._seated = None

    def close(self) -> None:
        """Ends its process."""
        if self._seat is not None:
            self._seat.close()


def seconds_for(left: float) -> float:
    """Seconds that a try may take with so many on the clock."""
    return max(LEAST, (left - RESERVE) / SHARES)


def spec_for(spec: PlayerSpec, left: float) -> PlayerSpec:
    """The player with a budget that its clock allows; the same player, if it has no budget in seconds."""
    budget = budget_of(spec)
    if budget is None:
        return spec
    halved = budget
    while halved > seconds_for(left):
        halved /= 2
    if halved == budget:
        return spec
    for name in ("extra", "time"):
        try:
            spec = spec.with_option(name, f"{max(0.01, halved):.3f}") if name == "time" or spec.get(name) else spec
        except BadSpec:  # its time is not to be set: a level, a program
            continue
    return spec


def patience_for(spec: PlayerSpec, left: float) -> float:
    """Seconds after which a player is not waited for any longer."""
    return min(patience_of(spec), max(SHORTEST, (left - HURRY) / 2))
