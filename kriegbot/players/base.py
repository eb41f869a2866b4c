"""The interface of a player: an object that plays one game for one side and chooses an action at each of its turns."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

import chess

from kriegbot.options import Option
from kriegbot.report import Report
from referee import Action, OpponentMoved, View


@dataclass(frozen=True, slots=True)
class Leave:
    """The side leaves: the game ends without a result, and its record says why."""

    why: str


@dataclass(frozen=True, slots=True)
class AgreeDraw:
    """Both sides agree to a draw."""


@dataclass(frozen=True, slots=True)
class Forfeiture:
    """A side, perhaps the other one, loses for another reason than chess."""

    loser: chess.Color
    why: str


SeatAction: TypeAlias = Action | Leave | AgreeDraw | Forfeiture
"""Everything that a side can do. Programs choose an `Action`; the others are for people and clocks in this process."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The answer of a side: an action, and a report on how it was chosen."""

    action: SeatAction
    report: Report = field(default_factory=Report)


class Player(Protocol):
    """Plays one game for one side, and learns about it from its views alone. Only `choose` is required.

    All hooks, in the order of their calls:

        class Bot:
            version = "1.0"  # for records

            def __init__(self, seed: int, **options: int | float | str) -> None:
                self.random = random.Random(seed)

            def on_time(self, seconds: float) -> None:  # before each `choose` of a game with a clock
                print("I have", seconds, "seconds for the rest of this turn")

            def on_begin(self, view: View) -> None:
                print("I play", chess.COLOR_NAMES[view.color], "under", view.rules.title)

            def on_opponent_moved(self, view: View) -> None:
                print("The referee announced", view.last_announcement)

            def choose(self, view: View) -> Choice:  # again after each refusal
                return Choice(self.random.choice(view.tries()))

            def on_end(self, view: View) -> None:
                print(view.end.text())
    """

    def choose(self, view: View) -> Choice:
        """Answer a view in which it is this side's turn."""
        ...


def notify(player: Player, view: View, known: int) -> int:
    """Call the player's hooks for everything after `known` events (-1: at the beginning); return their number now."""
    has_moved = any(isinstance(event, OpponentMoved) for event in view.events[max(known, 0) :])
    for name, is_new in (("on_begin", known < 0), ("on_opponent_moved", has_moved), ("on_end", view.end is not None)):
        hook = getattr(player, name, None)
        if is_new and hook is not None:
            hook(view)
    return len(view.events)


@dataclass(frozen=True, slots=True)
class PlayerKind:
    """A player's description of itself. Each file kriegbot/players/NAME.py that defines NAME adds a player."""

    summary: str
    make: Callable[..., Player] | None
    """Called with a seed and all options by name, returns a player for one game. None for a person."""
    options: tuple[Option, ...] = ()
    exclusive: tuple[str, ...] = ()  # names of options that exclude each other
    words: str = ""  # its play in words for people who choose an opponent; by default the summary
    rank: int = 100  # its place in lists for people; the least comes first
    has_kernels: bool = False  # True if `make` needs compiled kernels
    begins_early: bool = False  # True if a few kernels are enough to begin; see `kernels.prepare_first`
