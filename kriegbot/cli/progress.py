"""What is shown on stderr while something takes long: kernels being compiled, steps, the games of a tournament."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import TypeVar

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from kriegbot.players import specs
from tournaments.play import Finished, Outcome
from tournaments.statistics import expected_utility, expected_utility_interval
from tournaments.store import Store

T = TypeVar("T")

SHARES = 10  # how many lines a whole tournament prints without a terminal
PATIENCE = 2.0  # seconds before progress is shown


@contextmanager
def preparing() -> Iterator[specs.Progress]:
    """Yields a function that reports progress; the line disappears at the end."""
    is_shown = False

    def report(what: str, done: int, total: int) -> None:
        nonlocal is_shown
        if sys.stderr.isatty():
            ending = "" if done < total else "\r\x1b[K"
            text = progress_text(what, done, total)[: shutil.get_terminal_size().columns - 1]  # one row can be cleared
            print(f"\r\x1b[K{text}{ending}", end="", file=sys.stderr, flush=True)
            is_shown = done < total
        elif not is_shown:
            print("Compiling kernels, once ...", file=sys.stderr, flush=True)
            is_shown = True

    try:
        yield report
    finally:
        if is_shown and sys.stderr.isatty():
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def progress_text(what: str, done: int, total: int) -> str:
    """Progress in words."""
    return f"Compiling kernels, once: {done} of {total} ({what})"


def steps(what: str, done_of: Iterable[tuple[int, int]]) -> None:
    """Runs an iterable of (done, total) to its end, showing progress."""
    console = Console(stderr=True, highlight=False)
    columns = TextColumn("{task.description}"), BarColumn(20), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
        task = progress.add_task(what, total=None)
        for done, total in done_of:
            progress.update(task, completed=done, total=total)


def patiently(what: str, made: Iterator[T], total: int) -> list[T]:
    """All that is made, one after another; progress is shown once that has taken long."""
    begin, all_made = time.monotonic(), list[T]()

    def counted() -> Iterator[tuple[int, int]]:
        for one in made:
            all_made.append(one)
            yield len(all_made), total

    work = counted()
    for _ in work:
        if time.monotonic() - begin > PATIENCE:
            steps(what, work)
    return all_made


class Scoreboard:
    """Counts outcomes and shows them on stderr; a context manager. Of `wanted` games, `done` are in the store."""

    def __init__(self, store: Store, missing: int) -> None:
        self.done = len(store.done())
        self.wanted = self.done + missing
        self._begun, self._played = time.monotonic(), 0
        self._is_single = len(store.settings.pairings) == 1
        self._points = [0, 0, 0]  # lost, drawn, won by the first player of the only pairing
        for game in store.game_rows():
            self._score(game.result, game.number)
        console = Console(stderr=True, highlight=False)
        self._progress = Progress(
            BarColumn(20),
            MofNCompleteColumn(),
            TextColumn("{task.fields[standing]}"),
            TimeRemainingColumn(),
            console=console,
            disable=not console.is_terminal,
        )
        self._task = self._progress.add_task("", total=self.wanted, completed=self.done, standing=self.standing())
        self._console = console

    def __enter__(self) -> Scoreboard:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._progress.stop()

    def count(self, outcome: Outcome) -> None:
        """Takes in the outcome of a game."""
        game = outcome.game
        if not isinstance(outcome, Finished):
            self._progress.console.print(f"Game {game.id}: {outcome.what}, attempt {outcome.attempts}.", markup=False)
            return
        self.done += 1
        self._played += 1
        self._score(outcome.result, game.number)
        for side in (outcome.white, outcome.black):
            if side.failure:
                self._progress.console.print(f"Game {game.id}: {side.player} {side.failure}.", markup=False)
        if self._console.is_terminal:
            self._progress.update(self._task, completed=self.done, standing=self.standing())
        elif self.done * SHARES // self.wanted > (self.done - 1) * SHARES // self.wanted:
            print(f"{self.done} of {self.wanted} games, {self.standing()}, {self._left()}", file=self._console.file)

    def standing(self) -> str:
        """Results so far, of the first player if there are only two, and the speed."""
        speed = f"{self._played / max(time.monotonic() - self._begun, 1e-9):.2f} games/s"
        lost, drawn, won = self._points
        if not self._is_single or not lost + drawn + won:
            return speed
        low, high = expected_utility_interval(lost, drawn, won)
        utility = expected_utility(lost, drawn, won)
        return f"W/D/L {won}/{drawn}/{lost}  EU {utility:.1f} % ({low:.1f} to {high:.1f})  {speed}"

    def _score(self, result: str, number: int) -> None:
        winner = {"1-0": 0, "0-1": 1}.get(result)
        self._points[1 if winner is None else 2 if winner == number % 2 else 0] += 1

    def _left(self) -> str:
        seconds = (time.monotonic() - self._begun) / self._played * (self.wanted - self.done)
        return f"{int(seconds) // 3600}:{int(seconds) // 60 % 60:02}:{int(seconds) % 60:02} left"
