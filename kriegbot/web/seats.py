"""Where people and programs sit in a game of the page; both play by its clock.

What the browser is sent before the end is made by a person's seat, which knows its side's views alone. Even the timing
tells nothing more: when a view brings nothing new, nothing is sent. Programs sit in processes that are kept for later
games, and whose games can be abandoned.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import TypeVar

import chess

import referee
from kriegbot.game.children import CannotStart
from kriegbot.game.process import ProcessSeat
from kriegbot.game.seat import PlayerFailed, Seat, SeatAround
from kriegbot.narration.diary import Diary, EvenTime
from kriegbot.players.base import AgreeDraw, Choice, FlagFell, Leave, SeatAction
from kriegbot.players.making import Progress
from kriegbot.players.notation import read_action
from kriegbot.players.specs import PlayerSpec, parse_spec
from kriegbot.report import Report
from kriegbot.request import Refused
from kriegbot.web import replies
from kriegbot.web.clock import GameClock
from kriegbot.web.show import shown
from referee import View

T = TypeVar("T")

MAX_FREE = 2  # processes kept for later games
WARM = "overconfident"  # the player that makes a process load all kernels


class PooledSeat(ProcessSeat):
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

    def begin(self, seed: int) -> Leave | None:
        """Seat a player for a new game, unless the game was abandoned; raise PlayerFailed if it cannot sit down."""
        self._unless_left(lambda: super(PooledSeat, self).begin(seed))
        return Leave(self._why) if self._why else None

    def ready(self) -> None:
        """Wait until the player can be asked, unless the game was abandoned; raise PlayerFailed."""
        self._unless_left(super().ready)

    def ask(self, view: View) -> Choice:
        """Return the player's answer, or `Leave` once the game was abandoned; raise PlayerFailed."""
        return self._unless_left(lambda: super(PooledSeat, self).ask(view)) or Choice(Leave(self._why))

    def _unless_left(self, act: Callable[[], T]) -> T | None:
        """Return what `act` does; None if the game is abandoned before it is done, or no process can be started."""
        if self._why:
            return None
        try:
            return act()
        except CannotStart as error:
            self._why = str(error)
        except PlayerFailed:
            if not self._why:
                raise
        return None


class SeatPool:
    """The seats of all games, and those that are free; progress of compiling kernels is reported in any thread."""

    def __init__(self, report: Progress) -> None:
        self._report = report
        self._free: list[PooledSeat] = []
        self._taken: set[PooledSeat] = set()
        self._lock = threading.Lock()
        self._is_closed = False

    def warm(self) -> None:
        """Starts a process and has it load the kernels, before one is needed."""
        seat = self.take(parse_spec(WARM))
        with contextlib.suppress(PlayerFailed):
            seat.begin(0)
            seat.ready()
        self.release(seat)

    def take(self, spec: PlayerSpec, color: chess.Color | None = None) -> PooledSeat:
        """A seat for one game of this player; no process plays for one side and later for the other."""
        with self._lock:
            seat = next((free for free in self._free if color is None or free.color in (None, color)), None)
            if seat is None:
                seat = PooledSeat(spec, report=self._report, gives_way=True, begins_late=True)
            else:
                self._free.remove(seat)
            seat.color = color
            self._taken.add(seat)
            if self._is_closed:
                seat.leave("the page was closed")
        seat.invite(spec)
        return seat

    def release(self, seat: PooledSeat) -> None:
        """Takes back a seat after a game, however it ended."""
        with self._lock:
            self._taken.discard(seat)
            is_kept = seat.is_good and not self._is_closed and len(self._free) < MAX_FREE
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


class PersonSeat(Seat):
    """Where a person sits, who may still have to come; the game begins as soon as all are here.

    `publish` is called with each view that brings something new, and its message for the browser, in the game's thread.
    `takes_back` says that the person has left the game only to play it on from an earlier turn.
    """

    name = "human"

    def __init__(self, publish: Callable[[View, replies.SideView], None], clock: GameClock, *, is_here: bool) -> None:
        self._publish, self._clock = publish, clock
        self._diary, self._even = Diary(for_person=True), EvenTime()
        self._shown: View | None = None
        self._asked: View | None = None
        self._has_resigned = self.takes_back = False
        self._answers: SimpleQueue[SeatAction] = SimpleQueue()
        self._lock = threading.Lock()
        self._here = threading.Event()
        if is_here:
            self.come()

    def come(self) -> None:
        """The person is there. Idempotent."""
        self._here.set()

    def begin(self, seed: int) -> None:  # noqa: ARG002 - every seat is given one
        """Waits for the person; whatever was shown is forgotten."""
        self.takes_back = False
        self._diary, self._even, self._shown = Diary(for_person=True), EvenTime(), None
        self._here.wait()

    def ask(self, view: View) -> Choice:
        """Return what the person does before its clock runs out."""
        self._even.hold(view)
        self._clock.switch(view.color)
        begun = time.perf_counter()
        with self._lock:
            self._asked = view
        self.wait(view)
        left = self._clock.left(view.color)
        try:
            action = self._answers.get(timeout=None if left is None else max(0.0, left))
        except Empty:
            with self._lock:
                self._asked = None
            action = FlagFell()
        return Choice(action, Report(seconds=time.perf_counter() - begun))

    def wait(self, view: View) -> None:
        """Shows a view, if it brings anything new."""
        self._even.begin(view)
        if view == self._shown:
            return
        self._shown = view
        self._diary.take(view)
        clocks = self._clock.shown(None if view.end is not None else view.turn)
        self._publish(view, shown(view, self._diary.entries, clocks))

    def answer(self, text: str) -> None:
        """The person tries something, or asks "Any?"; raises BadTry."""
        with self._lock:
            self._answers.put(read_action(text, self._turn()))
            self._asked = None

    def take_back(self) -> None:
        """The person takes the last move back, and with it the reply."""
        with self._lock:
            if self._turn().ply < 2:
                raise Refused("You have no move to take back.")
            self.takes_back, self._asked = True, None
            self._answers.put(Leave("a move was taken back"))

    def asked(self) -> View:
        """The view in which the person is to try."""
        with self._lock:
            return self._turn()

    def resign(self) -> bool:
        """The person gives up; returns whether that takes effect at once, or after the opponent's move."""
        with self._lock:
            is_asked = self._asked is not None
            if not self._has_resigned:
                self._has_resigned, self._asked = True, None
                self._answers.put(referee.Resign())
            return is_asked

    def agree(self) -> None:
        """A draw is agreed."""
        with self._lock:
            self._asked = None
            self._answers.put(AgreeDraw())

    def leave(self, why: str) -> None:
        """The person leaves, or has to. Idempotent."""
        with self._lock:
            self._asked = None
            self._answers.put(Leave(why))
        self.come()

    def _turn(self) -> View:
        if self._has_resigned:
            raise Refused("You have resigned.")
        if self._asked is None:
            raise Refused("It is not your turn.")
        return self._asked


class ClockedSeat(SeatAround):
    """A program's seat, where its clock runs while it thinks; it is made to leave when its time is up."""

    def __init__(self, seat: PooledSeat, clock: GameClock) -> None:
        super().__init__(seat)
        self._leave, self._clock = seat.leave, clock

    def ask(self, view: View) -> Choice:
        """Return the player's answer, or `FlagFell` if its time runs out before."""
        self._clock.switch(view.color)
        left = self._clock.left(view.color)
        if left is None:
            return super().ask(view)
        flag = threading.Timer(max(0.0, left), self._leave, ["its time was up"])
        flag.start()
        try:
            choice = super().ask(view)
        finally:
            flag.cancel()
        is_out_of_time = isinstance(choice.action, Leave) and (self._clock.left(view.color) or 0.0) <= 0
        return Choice(FlagFell()) if is_out_of_time else choice
