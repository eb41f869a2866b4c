"""What a player is: an object that plays one game for one side, asked for a try whenever it is its turn."""

from dataclasses import dataclass
from typing import Protocol

from kriegbot.search.statistics import Searched
from referee import Action, View

WORDS = {"rescue": 40, "why": 200}
"""The parts of a report that are text, and how long each may be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report(Searched):
    """What a player reports of how it chose, for statistics; all of it optional.

    seconds: time taken. overrun: whether the time budget was missed. The others: see `Searched`.
    """

    seconds: float = 0.0
    overrun: bool = False


@dataclass(frozen=True, slots=True)
class Choice:
    """A player's answer: what it does, and its report."""

    action: Action
    report: Report = Report()


class Player(Protocol):
    """Plays one game for one side. It gets views and nothing else."""

    def choose(self, view: View) -> Choice:
        """Answer a view in which it is this side's turn."""
        ...


class PlayerLeft(Exception):
    """A person leaves the game, which ends without a result; the message says why."""


class DrawAgreed(Exception):
    """Two people agree to a draw."""


class OutOfTime(Exception):
    """The clock of the player to move has run out."""
