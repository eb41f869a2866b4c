"""A progress bar with the remaining time, on a terminal."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn


def steps(what: str, done_of: Iterable[tuple[int, int]]) -> None:
    """Runs an iterable of (done, total) to its end, showing progress."""
    console = Console(stderr=True, highlight=False)
    columns = TextColumn("{task.description}"), BarColumn(20), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
        task = progress.add_task(what, total=None)
        for done, total in done_of:
            progress.update(task, completed=done, total=total)
