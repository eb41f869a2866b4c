"""Whether there is a terminal to draw on."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console


def drawing_console() -> Console | None:
    """The terminal, if stdin and stdout are one that shows colours and chessmen; None means plain text."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return None
    from rich.console import Console

    console = Console(highlight=False)
    has_colors = console.color_system is not None and not console.no_color
    return console if has_colors and console.encoding.lower().startswith("utf") else None
