"""What a player is: an object that plays one game for one side, asked for a try whenever it is its turn."""

from dataclasses import dataclass
from typing import Protocol

from referee import Action, View


@dataclass(frozen=True, slots=True)
class Report:
    """What a player reports of how it chose, for statistics; all of it optional.

    seconds: time taken. samples: histories drawn. depth: plies searched. leaves: positions evaluated. particles:
    distinct boards in the belief; effective: its effective sample size. rescue: "" or the gravest of "replay", "last
    observation", "blind" that the belief needed for this try; astray: whether, after such a rescue, it no longer fits
    all that was heard. overrun: whether the time budget was missed.
    """

    seconds: float = 0.0
    samples: int = 0
    depth: int = 0
    leaves: int = 0
    particles: int = 0
    effective: float = 0.0
    rescue: str = ""
    astray: bool = False
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
