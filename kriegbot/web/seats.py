"""The seats of the page's programs: processes that are kept for later games, and whose games can be abandoned."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator

import chess

from kriegbot.game.children import CannotStart
from kriegbot.game.process import ProcessSeat
from kriegbot.game.seat import PlayerFailed
from kriegbot.players.base import Choice, PlayerLeft
from kriegbot.players.specs import PlayerSpec, Progress, parse_spec
from referee import View

MOST_FREE = 2
"""Processes kept for later games."""
WARM = "overconfident"
"""The player that makes a process load all kernels."""


class HouseSeat(ProcessSeat):
    """A seat in a process, where a game can be abandoned from another thread."""

    color: chess.Color | None = None
    """The side that its process has played for."""
    _why = ""

    @property
    def is_good(self) -> bool:
        """Whether its process can play another game."""
        return self._talker is not None and not self._why and not self._spec.is_outside

    def leave(self, why: str) -> None:
        """Kills the process, and so abandons the game that waits for its answer. Idempotent."""
        self._why = why
        talker = self._talker
        if talker is not None:
            talker.kill()

    def begin(self, seed: int) -> None:
        """Seats a player for a new game; raises PlayerFailed, or PlayerLeft once the game was abandoned."""
        with self._leaving():
            super().begin(seed)

    def ask(self, view: View) -> Choice:
        """The player's answer; raises PlayerFailed, or PlayerLeft once the game was abandoned."""
        with self._leaving():
            return super().ask(view)

    @contextlib.contextmanager
    def _leaving(self) -> Iterator[None]:
        try:
            if self._why:
                raise PlayerLeft(self._why)
            yield
        except CannotStart as error:
            raise PlayerLeft(str(error)) from None
        except PlayerFailed:
            if self._why:
                raise PlayerLeft(self._why) from None
            raise


class Seats:
    """The seats of all games, and those that are free.

    Args:
      report: called with the progress of compiling kernels, if needed; in any thread.
    """

    def __init__(self, report: Progress) -> None:
        self._report = report
        self._free: list[HouseSeat] = []
        self._taken: set[HouseSeat] = set()
        self._lock = threading.Lock()
        self._is_closed = False

    def warm(self) -> None:
        """Starts a process and has it load the kernels, before one is needed."""
        seat = self.take(parse_spec(WARM))
        with contextlib.suppress(PlayerFailed, PlayerLeft):
            seat.begin(0)
        self.release(seat)

    def take(self, spec: PlayerSpec, color: chess.Color | None = None) -> HouseSeat:
        """A seat for one game of this player; no process plays for one side and later for the other."""
        with self._lock:
            seat = next((free for free in self._free if color is None or free.color in (None, color)), None)
            if seat is None:
                seat = HouseSeat(spec, report=self._report, gives_way=True)
            else:
                self._free.remove(seat)
            seat.color = color
            self._taken.add(seat)
            if self._is_closed:
                seat.leave("the page was closed")
        seat.invite(spec)
        return seat

    def release(self, seat: HouseSeat) -> None:
        """Takes back a seat after a game, however it ended."""
        with self._lock:
            self._taken.discard(seat)
            is_kept = seat.is_good and not self._is_closed and len(self._free) < MOST_FREE
            if is_kept:
                self._free.append(seat)
        if not is_kept:
            seat.close()

    def close(self) -> None:
        """Ends all processes. Idempotent."""
        with self._lock:
            self._is_closed = True
            free, self._free = self._free, []
            for seat in self._taken:
                seat.leave("the page was closed")
        for seat in free:
            seat.close()
