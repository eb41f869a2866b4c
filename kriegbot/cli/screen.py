"""The terminal: whether it can be drawn on, and its keys, one by one, without Enter."""

from __future__ import annotations

import os
import select
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console

try:
    import termios
    import tty
except ImportError:  # on Windows
    HAS_KEYS = False
else:
    HAS_KEYS = True

NAMES = {
    b"\x1b[C": "right",
    b"\x1bOC": "right",
    b"\x1b[D": "left",
    b"\x1bOD": "left",
    b"\x1b[A": "left",
    b"\x1bOA": "left",
    b"\x1b[B": "right",
    b"\x1bOB": "right",
    b"\x1b[H": "home",
    b"\x1bOH": "home",
    b"\x1b[1~": "home",
    b"\x1b[F": "end",
    b"\x1bOF": "end",
    b"\x1b[4~": "end",
    b"\x1b[5~": "page up",
    b"\x1b[6~": "page down",
    b"\x1b": "escape",
}
"""What terminals send for keys; up and down are other names of left and right."""


def is_terminal() -> bool:
    """Whether a person sits at it: stdin and stdout are no pipes and no files."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def drawing_console() -> Console | None:
    """The terminal, if stdin and stdout are one that shows colours and chessmen; None means plain text."""
    if not is_terminal():
        return None
    console = Console(highlight=False)
    has_colors = console.color_system is not None and not console.no_color
    has_chessmen = console.encoding.lower().startswith("utf") and not _is_ascii_wanted()
    return console if has_colors and has_chessmen else None


def _is_ascii_wanted() -> bool:
    """Whether the locale C was chosen; Python takes it for UTF-8, and says so in LC_CTYPE."""
    kind = os.environ.get("LC_CTYPE", "")
    chosen = os.environ.get("LC_ALL") or ("" if kind == "C.UTF-8" else kind) or os.environ.get("LANG")
    return chosen in ("C", "POSIX")


@contextmanager
def single_keys() -> Iterator[None]:
    """Within, the terminal passes on each key at once without echoing it; Ctrl-C works as usual."""
    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)
    try:
        tty.setcbreak(descriptor)
        yield
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)


def next_key() -> str:
    """The next key: a character, or one of `NAMES`; raises EOFError at the end of input."""
    descriptor = sys.stdin.fileno()
    data = os.read(descriptor, 1)
    if not data:
        raise EOFError
    if data == b"\x1b":
        while len(data) < 6 and select.select([descriptor], [], [], 0.03)[0]:
            data += os.read(descriptor, 1)
            if (data[-1:].isalpha() and data != b"\x1bO") or data.endswith(b"~"):
                break
    return NAMES.get(data, data.decode(errors="replace"))
