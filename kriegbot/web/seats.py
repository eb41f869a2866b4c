"""The seats of the page's programs: processes that are kept for later games, and that can be told to break off."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator

from kriegbot.players.base import Choice, PlayerLeft
from kriegbot.players.process import ProcessSeat
from kriegbot.players.seat import PlayerFailed
from kriegbot.players.specs import PlayerSpec, Progress, parse_spec
from referee import View

MOST_FREE = 2
"""Processes kept for later games."""
WARM = "overconfident"
"""The player that makes a process load all kernels."""


class HouseSeat(ProcessSeat):
    """A seat in a process, where a game can be broken off from another thread."""

    _why = ""

    @property
    def is_good(self) -> bool:
        """Whether its process can play another game."""
        return self._process is not None and not self._why

    def leave(self, why: str) -> None:
        """Kills the process, and so abandons the game that waits for its answer; does no harm more than once."""
        self._why = why
        process = self._process
        if process is not None:
            with contextlib.suppress(ValueError, AttributeError):  # it has ended meanwhile
                process.kill()

    def begin(self, seed: int) -> None:
        """Seats a player for a new game; raises PlayerFailed, or PlayerLeft once the game was broken off."""
        with self._leaving():
            super().begin(seed)

    def ask(self, view: View) -> Choice:
        """The player's answer; raises PlayerFailed, or PlayerLeft once the game was broken off."""
        with self._leaving():
            return super().ask(view)

    @contextlib.contextmanager
    def _leaving(self) -> Iterator[None]:
        try:
            if self._why:
                raise PlayerLeft(self._why)
            yield
        except PlayerFailed:
            if self._why:
                raise PlayerLeft(self._why) from None
            raise


class Seats:
    """The seats of all games, and those that are free.

    Args:
      report: told how far the kernels are, if they have to be compiled; in any thread.
    """

    def __init__(self, report: Progress) -> None:
        self._report = report
        self._free: list[HouseSeat] = []
        self._taken: set[HouseSeat] = set()
        self._lock = threading.Lock()
        self._is_closed = False

    def warm(self) -> None:
        """Starts a process and has it load the kernels, before anybody asks for one."""
        seat = self.take(parse_spec(WARM))
        with contextlib.suppress(PlayerFailed, PlayerLeft):
            seat.begin(0)
        self.release(seat)

    def take(self, spec: PlayerSpec) -> HouseSeat:
        """A seat for one game of this player."""
        with self._lock:
            seat = self._free.pop() if self._free else HouseSeat(spec, report=self._report, gives_way=True)
            self._taken.add(seat)
            if self._is_closed:
                seat.leave("the page was closed")
        seat.invite(spec)
        return seat

    def release(self, seat: HouseSeat) -> None:
        """Takes a seat back after a game, however that ended."""
        with self._lock:
            self._taken.discard(seat)
            is_kept = seat.is_good and not self._is_closed and len(self._free) < MOST_FREE
            if is_kept:
                self._free.append(seat)
        if not is_kept:
            seat.close()

    def close(self) -> None:
        """Ends all processes; may be called twice."""
        with self._lock:
            self._is_closed = True
            free, self._free = self._free, []
            for seat in self._taken:
                seat.leave("the page was closed")
        for seat in free:
            seat.close()
