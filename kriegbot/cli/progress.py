"""A line on the terminal while kernels are compiled, which happens once."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from kriegbot.players.specs import Progress


@contextmanager
def preparing() -> Iterator[Progress]:
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
