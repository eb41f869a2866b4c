"""Whether there is a terminal to draw on."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console


def is_terminal() -> bool:
    """Whether a person sits at it: stdin and stdout are no pipes and no files."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def drawing_console() -> Console | None:
    """The terminal, if stdin and stdout are one that shows colours and chessmen; None means plain text."""
    if not is_terminal():
        return None
    from rich.console import Console

    console = Console(highlight=False)
    has_colors = console.color_system is not None and not console.no_color
    has_chessmen = console.encoding.lower().startswith("utf") and not _is_ascii_wanted()
    return console if has_colors and has_chessmen else None


def _is_ascii_wanted() -> bool:
    """Whether the locale C was chosen; Python takes it for UTF-8, and says so in LC_CTYPE."""
    kind = os.environ.get("LC_CTYPE", "")
    chosen = os.environ.get("LC_ALL") or ("" if kind == "C.UTF-8" else kind) or os.environ.get("LANG")
    return chosen in ("C", "POSIX")
