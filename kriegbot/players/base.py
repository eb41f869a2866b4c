"""The interface of a player: an object that plays one game for one side and chooses a try whenever it is its turn.

`recapture` is what the scripted players have in common.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

import chess

from kriegbot.options import Option
from kriegbot.report import Report
from referee import Action, OpponentMoved, View
from referee.pieces import is_pawn_capture


@dataclass(frozen=True, slots=True)
class Leave:
    """The side leaves: the game ends without a result, and its record says why."""

    why: str


@dataclass(frozen=True, slots=True)
class AgreeDraw:
    """Both sides agree to a draw."""


@dataclass(frozen=True, slots=True)
class FlagFell:
    """The clock of the side has run out."""


SeatAction: TypeAlias = Action | Leave | AgreeDraw | FlagFell
"""Everything that a side can do. Only people and clocks in this process leave, agree or lose on time; programs act."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The answer of a side: an action, and a report on how it was chosen."""

    action: SeatAction
    report: Report = field(default_factory=Report)


class Player(Protocol):
    """Plays one game for one side. It gets views and nothing else; docs/bots.md has what it may define besides."""

    def choose(self, view: View) -> Choice:
        """Answer a view in which it is this side's turn."""
        ...


def notify(player: Player, view: View, known: int) -> int:
    """Calls what a player has of `on_begin`, `on_opponent_moved` and `on_end`, each with the view, if that is new.

    Args:
      player: it.
      view: what it knows now: it is about to be asked, or the game has ended.
      known: how many events of the view it was told of before; -1 if it has been told nothing of the game.

    Returns:
      How many it knows now.
    """
    has_moved = any(isinstance(event, OpponentMoved) for event in view.events[max(known, 0) :])
    for name, is_new in (("on_begin", known < 0), ("on_opponent_moved", has_moved), ("on_end", view.end is not None)):
        hook = getattr(player, name, None)
        if is_new and hook is not None:
            hook(view)
    return len(view.events)


def recapture(view: View) -> chess.Move | None:
    """The open try that takes with the cheapest man where the opponent has just captured; None if there is none.

    Asked again after a refusal, it names the next: programs retake whenever they can.
    """
    square = None if view.last_reply is None else view.last_reply.capture
    tries = [] if square is None else [move for move in view.tries() if move.to_square == square]
    taking = [move for move in tries if view.men[move.from_square] != chess.PAWN or is_pawn_capture(move, view.men)]
    return min(taking, key=lambda move: (view.men[move.from_square], -(move.promotion or 0)), default=None)


@dataclass(frozen=True, slots=True)
class PlayerKind:
    """How a player describes itself. Each of ours is a file kriegbot/players/NAME.py that defines NAME, one of these.

    Attributes:
      summary: how it plays.
      make: called with a seed and all options by name; returns a player for one game. None for a person.
      options: what it takes.
      either: names of options of which at most one may be given.
      words: how it plays, for people choosing an opponent; empty if the summary will do.
      rank: its place in lists for people; 1 comes first.
      has_kernels: whether kernels have to be ready before it is made.
      begins_early: whether a few of them are enough to begin; see `kernels.prepare_first`.
    """

    summary: str
    make: Callable[..., Player] | None
    options: tuple[Option, ...] = ()
    either: tuple[str, ...] = ()
    words: str = ""
    rank: int = 100
    has_kernels: bool = False
    begins_early: bool = False
