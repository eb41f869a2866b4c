"""Clocks, and the seats of people and programs in games on the page.

A person's seat makes the messages on what its side knows, from that side's views and the clocks. It sends nothing
when a view brings nothing new, so that the timing reveals nothing either. Programs sit in processes that serve several
games, and whose games can be abandoned.
"""

import contextlib
import math
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Self, TypeVar

import chess

from kriegbot.children import CannotStart, awake_time
from kriegbot.game.process import ProcessSeat, patience_of
from kriegbot.game.seat import PlayerFailed, Seat
from kriegbot.kernels.preparing import Progress
from kriegbot.narration.diary import Diary
from kriegbot.narration.even_time import EvenTime
from kriegbot.players.base import Choice, Forfeiture, Leave, SeatAction
from kriegbot.players.human import read_action, read_ahead, try_name
from kriegbot.players.specs import PlayerSpec, parse_spec
from kriegbot.report import Report
from kriegbot.request import Refused
from kriegbot.web.notices import Clocks, Prepared, SideView, side_view
from referee import GameRecord, Resign, View
from referee.text import quoted

T = TypeVar("T")

MAX_FREE = 2  # idle processes kept for later games
WARM = "kriegbot"  # the player whose kernels are compiled and loaded ahead of the first game
MAX_BASE, MAX_INCREMENT = 36_000, 600  # seconds
OUT_OF_TIME = "lost on time"
TURNS, INCREMENT_SHARE, LEAST_TURN = 60, 0.7, 0.1
"""A program gets a 60th of its remaining time for a turn, and a share of the increment; at least LEAST_TURN seconds."""


@dataclass(frozen=True, slots=True)
class TimeControl:
    """Fischer's time control: seconds at the start, and for each move."""

    base: int
    increment: int

    @classmethod
    def of(cls, text: str | None) -> Self | None:
        """Parse a text such as "300+5", as in PGN's TimeControl; None stands for no clock."""
        if text is None:
            return None
        match = re.fullmatch(r"([0-9]{1,5})\+([0-9]{1,3})", text)
        if match is None or not 1 <= int(match[1]) <= MAX_BASE or int(match[2]) > MAX_INCREMENT:
            form = f"seconds from 1 to {MAX_BASE} and, for each move, from 0 to {MAX_INCREMENT}, such as 300+5"
            raise Refused(f"Illegal clock {quoted(text)}. Give {form}.")
        return cls(int(match[1]), int(match[2]))

    def __str__(self) -> str:
        return f"{self.base}+{self.increment}"

    def turn(self, left: float) -> float:
        """Return the seconds for a turn, all its tries together, of a program with `left` seconds on its clock."""
        return max(LEAST_TURN, left / TURNS + INCREMENT_SHARE * self.increment)


class GameClock:
    """Seconds that each side has used or, under a time control, has left; also in an earlier part of the game, `begun`.

    It is switched when a side sees that it is its turn, so it tells the opponent no more than that moment does.
    """

    def __init__(self, control: TimeControl | None, begun: GameRecord | None = None) -> None:
        self.control = control
        self._used = dict.fromkeys(chess.COLORS, 0.0)
        self._running: chess.Color | None = None
        self._since: float | None = None  # None while it is held
        if begun is not None:
            color = chess.Board(begun.start).turn
            for turn in begun.turns:
                self._charge(color, turn.seconds or 0.0, has_moved=True)
                color = not color

    def switch(self, color: chess.Color | None) -> None:
        """Stop the running clock, and start this side's; None starts neither."""
        self._stop(has_moved=color is (not self._running))
        self._running, self._since = color, awake_time()

    def hold(self) -> None:
        """Stop the running clock until the next `switch`, which adds the increment of a move."""
        self._stop(has_moved=False)

    def _stop(self, *, has_moved: bool) -> None:
        if self._running is not None:
            self._charge(self._running, self._elapsed(), has_moved=has_moved)
        self._since = None

    def left(self, color: chess.Color) -> float:
        """Return the seconds left to a side, at least 0; infinity without a time control."""
        return math.inf if self.control is None else max(0.0, self.control.base - self._now(color))

    def shown(self, running: chess.Color | None) -> Clocks:
        """Return the clocks for the page, with this side's running."""
        seconds = self._now if self.control is None else self.left
        white, black = (round(seconds(color), 1) for color in chess.COLORS)
        name = None if running is None else chess.COLOR_NAMES[running]
        return Clocks(white, black, name, self.control is not None)

    def _charge(self, color: chess.Color, seconds: float, *, has_moved: bool) -> None:
        gained = self.control.increment if self.control is not None and has_moved else 0
        self._used[color] += seconds - gained

    def _now(self, color: chess.Color) -> float:
        return self._used[color] + (self._elapsed() if color == self._running else 0.0)

    def _elapsed(self) -> float:
        return 0.0 if self._since is None else awake_time() - self._since


class PooledSeat(ProcessSeat):
    """A program's process, in which another thread can abandon the game."""

    color: chess.Color | None = None  # for which its process has played
    clock: GameClock | None = None  # of its game; without one, time is unlimited
    on_ask: Callable[[View], None] | None = None  # called with each view before the program sees it
    on_ready: Callable[[], None] | None = None  # called once its player is prepared, which counts on nobody's clock
    why = ""  # it was left, if it was
    _ply, _after_turn = -1, 0.0  # ply of its turn, and what the clock shows once the turn's budget is used up

    @property
    def is_preparing(self) -> bool:
        """True from `begin` until `begin` or `ready` has read that its player is ready."""
        return self._process is not None and self._process.pending_ready > 0

    def leave(self, why: str) -> None:
        """Abandon the game by killing the process. Idempotent."""
        self.why = why
        self.kill()

    def begin(self, seed: int) -> Leave | None:
        """Seat a player for a new game, unless the game was abandoned; raise PlayerFailed if it cannot sit down."""
        self._ply = -1
        self._unless_left(lambda: super(PooledSeat, self).begin(seed))
        return Leave(self.why) if self.why else None

    def ready(self) -> None:
        """Wait until the player can be asked, unless the game was abandoned; raise PlayerFailed."""
        if not self.is_preparing:
            return
        if self.clock is not None:
            self.clock.hold()
        self._unless_left(super().ready)
        if self.clock is not None and self.color is not None:
            self.clock.switch(self.color)
        if self.on_ready is not None:
            self.on_ready()

    def ask(self, view: View) -> Choice:
        """Return the player's answer, `Forfeiture` when its time is up, or `Leave` once the game was abandoned."""
        if self.on_ask is not None:
            self.on_ask(view)
        clock = self.clock or GameClock(None)
        clock.switch(view.color)
        left = clock.left(view.color)
        self.turn_seconds, self.patience = None, min(patience_of(self.spec), left)
        if clock.control is not None:
            if view.ply != self._ply:
                self._ply, self._after_turn = view.ply, left - clock.control.turn(left)
            self.turn_seconds = max(0.0, left - self._after_turn)
        choice: Choice | None = None
        try:
            choice = self._unless_left(lambda: super(PooledSeat, self).ask(view))
        except PlayerFailed:
            if clock.left(view.color):
                raise
        if not clock.left(view.color):
            return Choice(Forfeiture(view.color, OUT_OF_TIME))
        return choice or Choice(Leave(self.why))

    def _unless_left(self, act: Callable[[], T]) -> T | None:
        """Return the result of `act`; None if the game is abandoned, or if no process can be started."""
        if self.why:
            return None
        try:
            return act()
        except CannotStart as error:
            self.why = str(error)
        except PlayerFailed:
            if not self.why:
                raise
        return None


class SeatPool:
    """The seats of programs: those in games, and some idle ones. `report` may be called in any thread."""

    def __init__(self, report: Progress) -> None:
        self._report = report
        self._free: list[PooledSeat] = []
        self._taken: set[PooledSeat] = set()
        self._lock = threading.Lock()
        self._is_closed = False

    def warm(self) -> None:
        """Start a process and load the kernels in it, ahead of the first game."""
        seat = self.take(parse_spec(WARM))
        with contextlib.suppress(PlayerFailed):
            seat.begin(0)
            seat.ready()
        self.release(seat)

    def take(self, spec: PlayerSpec, color: chess.Color | None = None) -> PooledSeat:
        """Return a seat for one game of this player. No process plays for one side and later for the other."""
        with self._lock:
            seat = next((free for free in self._free if color is None or free.color in (None, color)), None)
            if seat is None:
                seat = PooledSeat(spec, report=self._report, low_priority=True, begins_late=True, for_person=True)
            else:
                self._free.remove(seat)
            seat.color, seat.clock, seat.on_ask, seat.on_wait, seat.on_ready = color, None, None, None, None
            self._taken.add(seat)
            if self._is_closed:
                seat.leave("the page was closed")
        seat.set_player(spec)
        return seat

    def release(self, seat: PooledSeat) -> None:
        """Take a seat back after a game, however it ended."""
        with self._lock:
            self._taken.discard(seat)
            is_good = seat.pid is not None and not seat.why and not seat.spec.is_outside
            is_kept = is_good and not self._is_closed and len(self._free) < MAX_FREE
            if is_kept:
                self._free.append(seat)
        if not is_kept:
            seat.close()

    def close(self) -> None:
        """End all processes. Idempotent."""
        with self._lock:
            self._is_closed = True
            free, self._free = self._free, []
            for seat in self._taken:
                seat.leave("the page was closed")
        for seat in free:
            seat.close()


class PersonSeat(Seat):
    """The seat of a person, who may still have to come. The game begins when everybody is there.

    It publishes, in the game's thread, the browser's message on each view that brings something new.
    """

    name = "human"
    opponent: PooledSeat | None = None  # a program's

    def __init__(self, publish: Callable[[SideView], None], clock: GameClock, *, is_here: bool) -> None:
        self._publish, self._clock = publish, clock
        self._diary, self._even = Diary(for_person=True), EvenTime()
        self.view: View | None = None  # the last published one
        self._turn_view: View | None = None  # of the turn for which the game waits
        self._has_resigned = False
        self.takes_back = False  # True if the person has left the game only to continue it from an earlier turn
        self._actions: SimpleQueue[SeatAction] = SimpleQueue()
        self.on_wait = self.wait
        self._lock = threading.RLock()
        self.here = threading.Event()  # set once the person is there
        if is_here:
            self.here.set()

    def begin(self, seed: int) -> None:  # noqa: ARG002 - every seat gets one
        """Wait for the person, and start with an empty diary."""
        self.takes_back = False
        self._diary, self._even, self.view = Diary(for_person=True), EvenTime(), None
        self.here.wait()

    def ask(self, view: View) -> Choice:
        """Return the person's action, or `Forfeiture` when the clock has run out."""
        self._even.hold(view)
        self._clock.switch(view.color)
        begun = awake_time()
        with self._lock:
            self._turn_view = view
        self.wait(view)
        action: SeatAction | None = None
        while action is None:
            left = self._clock.left(view.color)
            with contextlib.suppress(Empty):
                action = self._actions.get(timeout=min(left, threading.TIMEOUT_MAX))
            if action is None and not left:
                with self._lock:
                    self._turn_view = None
                action = Forfeiture(view.color, OUT_OF_TIME)
        return Choice(action, Report(seconds=awake_time() - begun))

    def wait(self, view: View) -> None:
        """Publish a view, if it brings anything new."""
        self._even.begin(view)
        if view == self.view:
            return
        self.view = view
        self._diary.take(view)
        self._publish(side_view(view, self._diary.entries, self.clocks()))

    def clocks(self) -> Clocks:
        """Return the clocks for the page; none runs before the program is prepared, or after the end."""
        view = self.view
        if view is None or view.end is not None:
            return self._clock.shown(None)
        is_held = view.turn != view.color and self.opponent is not None and self.opponent.is_preparing
        return self._clock.shown(None if is_held else view.turn)

    def answer(self, text: str) -> None:
        """Act on a try or a question "Any?", as the person writes it; raise BadTry."""
        with self._lock:
            self.act(read_action(text, self.turn_view()))

    def prepare(self, text: str) -> Prepared:
        """Return a try or question for the person's next turn; raise BadTry if it can never be possible then."""
        with self._lock:
            view = self.view
            if view is None or view.end is not None or self._has_resigned:
                raise Refused("There is nothing to prepare.")
            action = read_action(text, view) if view.turn == view.color else read_ahead(text, view)
        if not isinstance(action, chess.Move):
            return Prepared("any", "Any?")
        return Prepared(action.uci(), try_name(action, view))

    def take_back(self) -> None:
        """Take back the person's last move and the reply."""
        with self._lock:
            if self.turn_view().ply < 2:
                raise Refused("You have no move to undo.")
            self.takes_back = True
            self.act(Leave("a move was taken back"))

    def turn_view(self) -> View:
        """Return the view of the person's turn; raise Refused if it is not the person's turn."""
        with self._lock:
            if self._has_resigned:
                raise Refused("You have resigned.")
            if self._turn_view is None:
                raise Refused("It is not your turn.")
            return self._turn_view

    def resign(self) -> bool:
        """Resign. Return True if that takes effect at once, and not only after the opponent's move."""
        with self._lock:
            is_turn = self._turn_view is not None
            if not self._has_resigned:
                self._has_resigned = True
                self.act(Resign())
            return is_turn

    def leave(self, why: str) -> None:
        """Leave the game. Idempotent."""
        self.act(Leave(why))
        self.here.set()

    def act(self, action: SeatAction) -> None:
        """Take an action, now or as soon as it is the person's turn."""
        with self._lock:
            self._turn_view = None
            self._actions.put(action)
