"""Where a player sits: what a game asks of it, and what can go wrong.

A game talks to seats, not to players. A program sits in a process of its own (`kriegbot.game.process`), so that it
can be stopped and has nothing but the views it is sent; a person, or a player trusted not to hang, sits in this
process.
"""

import reprlib
import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable
from enum import Enum
from types import UnionType
from typing import Self

import chess

from kriegbot.game.protocol import REPORTED, plain
from kriegbot.players.base import Choice, Leave, Player, SeatAction, notify
from kriegbot.report import Report
from referee import Action, View
from referee.referee import plain_move
from referee.text import one_line


class Failure(Enum):
    """How a player can fail.

    KILLED: the process of one of ours was ended from outside, by a person or by a system short of memory; a player from
    outside has DIED, whatever ended it. REFUSED: it cannot be made from its spec, so no game began.
    """

    RAISED = "raised"
    HUNG = "hung"
    OVERRAN = "overran its time"
    DIED = "died"
    KILLED = "was killed"
    NONSENSE = "answered nonsense"
    EARLY = "answered out of turn"
    FLOODED = "wrote too much"
    REFUSED = "refused its spec"
    STUBBORN = "tried for ever"


class PlayerFailed(Exception):
    """A player failed to answer as a player must.

    detail: one line, such as "raised ValueError: no such square". log: what its author may want to read: the traceback.
    """

    def __init__(self, failure: Failure, detail: str, log: str = "") -> None:
        super().__init__(detail)
        self.failure, self.detail, self.log = failure, detail, log


class Seat(ABC):
    """A place at the board, for one player after another.

    Attributes:
      name: who sits here, as records say it: a spec.
      about: what records add for a player from outside: its files and their hashes, its version, its seed.
    """

    name: str
    about = ""

    @abstractmethod
    def begin(self, seed: int) -> Leave | None:
        """Seat a player for a new game; return Leave if the game must not begin. Raise PlayerFailed."""

    def ready(self) -> None:  # noqa: B027 - most are, once a game has begun
        """Waits until the player can be asked, while no clock runs; raises PlayerFailed."""

    @abstractmethod
    def ask(self, view: View) -> Choice:
        """Return the player's answer; raise PlayerFailed if it gives none."""

    def wait(self, view: View) -> None:  # noqa: B027 - programs need not be shown it
        """Shows a view while the opponent is to move."""

    def end(self, view: View) -> None:  # noqa: B027 - few players care
        """Shows the last view of a game that has ended to a player who wants it; raises PlayerFailed."""

    def log(self) -> str:
        """What the player has written during the game, as far as it is kept."""
        return ""

    def close(self) -> None:  # noqa: B027 - people may stay
        """Vacates the seat. Idempotent."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class SeatAround(Seat):
    """Another seat, to which a subclass adds something; whoever made the other one closes it."""

    def __init__(self, seat: Seat) -> None:
        self.name, self._seat = seat.name, seat

    @property
    def about(self) -> str:  # type: ignore[override]  # known once its player sits
        """What records add for a player from outside."""
        return self._seat.about

    def begin(self, seed: int) -> Leave | None:
        """Seat a player for a new game."""
        return self._seat.begin(seed)

    def ready(self) -> None:
        """Waits until the player can be asked."""
        self._seat.ready()

    def ask(self, view: View) -> Choice:
        """The player's answer."""
        return self._seat.ask(view)

    def wait(self, view: View) -> None:
        """Shows a view while the opponent is to move."""
        self._seat.wait(view)

    def end(self, view: View) -> None:
        """Shows the last view of a game."""
        self._seat.end(view)

    def log(self) -> str:
        """What the player has written."""
        return self._seat.log()


class HereSeat(Seat):
    """A seat in this process: it cannot stop a player that hangs.

    Args:
      name: who sits here.
      source: makes the player of a game from its seed.
      on_wait: shown the player's own view while the opponent is to move.
    """

    def __init__(
        self, name: str, source: Callable[[int], Player], on_wait: Callable[[View], None] | None = None
    ) -> None:
        self.name = name
        self._source, self._on_wait = source, on_wait
        self._player: Player | None = None
        self._known = -1

    def begin(self, seed: int) -> None:
        """Makes the player of a new game."""
        try:
            self._player, self._known = self._source(seed), -1
        except Exception as error:
            raise raised(error) from error

    def ask(self, view: View) -> Choice:
        """The player's answer."""
        if self._player is None:
            raise RuntimeError("ask before begin: nobody sits here")
        try:
            self._known = notify(self._player, view, self._known)
            answer = self._player.choose(view)
        except PlayerFailed:
            raise
        except Exception as error:
            raise raised(error) from error
        return validated(answer, SeatAction)

    def wait(self, view: View) -> None:
        """Shows a view while the opponent is to move."""
        if self._on_wait is not None:
            self._on_wait(view)

    def end(self, view: View) -> None:
        """Shows the last view of a game to a player who wants it."""
        if self._player is not None:
            try:
                self._known = notify(self._player, view, self._known)
            except Exception as error:
                raise raised(error) from error

    def close(self) -> None:
        """Lets the player go."""
        self._player = None


def raised(error: BaseException) -> PlayerFailed:
    """A player's exception as a failure."""
    what = traceback.format_exception_only(error)[-1].strip() or type(error).__name__
    log = "".join(traceback.format_exception(error))
    return PlayerFailed(Failure.RAISED, f"raised {one_line(what, 200)}", log)


def validated(answer: object, allowed: UnionType = Action) -> Choice:
    """Return an answer rebuilt from plain values.

    Args:
      answer: the object that a player returned.
      allowed: the actions that it may choose from: `SeatAction` for a player in this process.

    Raises:
      PlayerFailed: it is no Choice of such an action and a report.
    """
    if not isinstance(answer, Choice):
        raise _nonsense(answer, "not a Choice")
    action = answer.action
    try:
        if isinstance(action, chess.Move) or not isinstance(action, allowed):
            action = plain_move(action)  # type: ignore[arg-type]  # which raises TypeError
    except TypeError:
        raise _nonsense(answer.action, "not a move between squares of the board") from None
    try:
        return Choice(action, Report(**{name: plain(name, getattr(answer.report, name)) for name in REPORTED}))
    except (AttributeError, TypeError, ValueError, OverflowError):
        raise _nonsense(answer.report, "not a Report") from None


def _nonsense(what: object, why: str) -> PlayerFailed:
    shown = type(what).__name__ if isinstance(what, chess.Move) else reprlib.repr(what)  # a wrong Move's repr raises
    return PlayerFailed(Failure.NONSENSE, f"answered nonsense: {one_line(shown, 100)}, {why}")
