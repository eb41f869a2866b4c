"""Single keys from a terminal, without Enter."""

from __future__ import annotations

import os
import select
import sys
from collections.abc import Iterator
from contextlib import contextmanager

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


@contextmanager
def single_keys() -> Iterator[None]:
    """Within, the terminal passes on each key at once without echoing it; Ctrl-C works as usual."""
    import termios
    import tty

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
