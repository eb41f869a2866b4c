"""Seats: the interface between a game and its players, and the ways in which a player can fail.

A game talks to seats, never to players. The spec of a program from outside gets a process (`kriegbot.game.process`), so
that the game can stop it and sends it nothing but its views. A person sits in this process; a built-in program may sit
in either.
"""

import reprlib
import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable
from enum import Enum
from types import UnionType
from typing import Self

import chess

from kriegbot.game.protocol import REPORTED, parse_field
from kriegbot.players.base import Choice, Leave, Player, SeatAction, notify
from kriegbot.report import Report
from referee import Action, View
from referee.referee import plain_move
from referee.text import one_line


class Failure(Enum):
    """The ways in which a player can fail."""

    RAISED = "raised"
    HUNG = "hung"
    OVERRAN = "overran its time"
    DIED = "died"  # for a player from outside, whatever ended its process
    OURS = "was stopped by kriegbot or its machine"  # which no player is to blame for
    INVALID = "gave an invalid answer"
    EARLY = "answered out of turn"
    FLOODED = "wrote too much"
    REFUSED = "refused its spec"  # so no game began
    STUBBORN = "tried for ever"


class PlayerFailed(Exception):
    """A player failed, mostly in an answer. `detail` describes the failure in one line; `log` may hold a traceback."""

    def __init__(self, failure: Failure, detail: str, log: str = "") -> None:
        super().__init__(detail)
        self.failure, self.detail, self.log = failure, detail, log


class Seat(ABC):
    """A place at the board for one player after another. Methods stand in the order in which a game calls them."""

    name: str  # the player's, for records: mostly its spec
    about = ""  # files from outside with hashes; of a player from outside version and seed, too; for records
    on_wait: Callable[[View], None] | None = None  # called with the seat's own view while the opponent is to move
    is_ours = False  # True if nothing of the player is from outside: then it is at fault only for its time

    @abstractmethod
    def begin(self, seed: int) -> Leave | None:
        """Seat a player for a new game; return Leave if the game must not begin. Raise PlayerFailed, CannotStart."""

    def ready(self) -> None:  # noqa: B027 - most are ready after `begin`
        """Wait until the player can answer, before its clock starts; raise PlayerFailed."""

    @abstractmethod
    def ask(self, view: View) -> Choice:
        """Return the player's answer; raise PlayerFailed if it gives none."""

    def end(self, view: View) -> None:  # noqa: B027 - few players define `on_end`
        """Show the player the last view of a game; raise PlayerFailed."""

    def log(self) -> str:
        """Return the end of the player's output in this game."""
        return ""

    def close(self) -> None:  # noqa: B027 - people may stay
        """Vacate the seat. Idempotent."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class HereSeat(Seat):
    """A seat in this process. It cannot stop a player that hangs. `make` makes the player of a game from its seed."""

    def __init__(self, name: str, make: Callable[[int], Player], on_wait: Callable[[View], None] | None = None) -> None:
        self.name, self.on_wait, self._make = name, on_wait, make
        self._player: Player | None = None
        self._known = -1

    def begin(self, seed: int) -> Leave | None:
        """Make the player of a new game; raise PlayerFailed."""
        try:
            self._player, self._known = self._make(seed), -1
        except Exception as error:
            raise failure_from(error) from error
        return None

    def ask(self, view: View) -> Choice:
        """Return the player's answer; raise PlayerFailed, or RuntimeError if nobody sits here."""
        if self._player is None:
            raise RuntimeError("ask before begin: nobody sits here")
        self._notify(view)
        try:
            answer = self._player.choose(view)
        except PlayerFailed:
            raise
        except Exception as error:
            raise failure_from(error) from error
        return validated(answer, SeatAction)

    def _notify(self, view: View) -> None:
        if self._player is not None:
            try:
                self._known = notify(self._player, view, self._known)
            except Exception as error:
                raise failure_from(error) from error

    end = _notify

    def close(self) -> None:
        """Drop the player."""
        self._player = None


def failure_from(error: BaseException) -> PlayerFailed:
    """Return a player's exception as a failure."""
    what = traceback.format_exception_only(error)[-1].strip() or type(error).__name__
    log = "".join(traceback.format_exception(error))
    failure = Failure.OURS if isinstance(error, MemoryError) else Failure.RAISED
    return PlayerFailed(failure, f"raised {one_line(what, 200)}", log)


def validated(answer: object, allowed: UnionType = Action) -> Choice:
    """Return an answer with move and report rebuilt from plain values; raise PlayerFailed if it is not valid."""
    if not isinstance(answer, Choice):
        raise _invalid(answer, "not a Choice")
    action = answer.action
    try:
        if isinstance(action, chess.Move) or not isinstance(action, allowed):
            action = plain_move(action)  # type: ignore[arg-type]  # which raises TypeError
    except TypeError:
        raise _invalid(answer.action, "not a move between squares of the board") from None
    try:
        return Choice(action, Report(**{name: parse_field(name, getattr(answer.report, name)) for name in REPORTED}))
    except (AttributeError, TypeError, ValueError, OverflowError):
        raise _invalid(answer.report, "not a Report") from None


def _invalid(answer: object, why: str) -> PlayerFailed:
    text = type(answer).__name__ if isinstance(answer, chess.Move) else reprlib.repr(answer)  # some Moves have no repr
    return PlayerFailed(Failure.INVALID, f"gave an invalid answer: {one_line(text, 100)}, {why}")
