"""The time of a game: what each side has used or, under a time control, what is left to it.

The control is Fischer's: seconds at the start, and some more for each move. Clocks are switched when a side is shown
that it is its turn, so they tell no more than that moment does.
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass

import chess

from kriegbot.request import Refused
from kriegbot.web.replies import Clocks
from referee import GameRecord
from referee.text import quoted

MAX_BASE, MAX_INCREMENT = 36_000, 600  # seconds


@dataclass(frozen=True, slots=True)
class TimeControl:
    """Seconds at the start, and for each move."""

    base: int
    increment: int

    @classmethod
    def of(cls, text: str | None) -> TimeControl | None:
        """Of a text such as "300+5", which is also how PGN's TimeControl has it; None for none."""
        if text is None:
            return None
        match = re.fullmatch(r"([0-9]{1,5})\+([0-9]{1,3})", text)
        if match is None or not 1 <= int(match[1]) <= MAX_BASE or int(match[2]) > MAX_INCREMENT:
            takes = f"seconds from 1 to {MAX_BASE} and, for each move, from 0 to {MAX_INCREMENT}, such as 300+5"
            raise Refused(f"illegal clock {quoted(text)}: it takes {takes}.")
        return cls(int(match[1]), int(match[2]))

    def __str__(self) -> str:
        return f"{self.base}+{self.increment}"

    def turn(self) -> float:
        """Seconds that a program may take for a turn and yet not run out of time in a long game."""
        return max(0.1, round(self.base / 60 + 0.7 * self.increment, 1))


class GameClock:
    """Both sides' time; of a game begun the times that were not measured count as nothing."""

    def __init__(self, control: TimeControl | None, begun: GameRecord | None = None) -> None:
        self.control = control
        self._used = dict.fromkeys(chess.COLORS, 0.0)
        self._running: chess.Color | None = None
        self._since = time.monotonic()
        if begun is not None:
            first = chess.Board(begun.start).turn
            for ply, turn in enumerate(begun.turns):
                self._charge(first if ply % 2 == 0 else not first, turn.seconds or 0.0, is_moved=True)

    def switch(self, color: chess.Color | None) -> None:
        """Starts this side's clock, or none, and stops the other's, which has moved."""
        now = time.monotonic()
        if self._running is not None:
            self._charge(self._running, now - self._since, is_moved=color is (not self._running))
        self._running, self._since = color, now

    def left(self, color: chess.Color) -> float | None:
        """Seconds left to a side; None without a time control."""
        return None if self.control is None else self.control.base - self._now(color)

    def shown(self, running: chess.Color | None) -> Clocks:
        """For the page: seconds used or left now, and whose clock runs."""
        base = 0 if self.control is None else self.control.base
        white, black = (round(abs(base - self._now(color)), 1) for color in chess.COLORS)
        names = None if running is None else chess.COLOR_NAMES[running]
        return {"white": white, "black": black, "running": names, "left": self.control is not None}

    def _charge(self, color: chess.Color, seconds: float, *, is_moved: bool) -> None:
        gained = self.control.increment if self.control is not None and is_moved else 0
        self._used[color] += seconds - gained

    def _now(self, color: chess.Color) -> float:
        running = time.monotonic() - self._since if color == self._running else 0.0
        return self._used[color] + running
