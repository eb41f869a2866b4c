"""Single keys of a terminal."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

if sys.platform == "win32":
    import msvcrt
else:
    import select
    import termios
    import tty

KEYS = {
    "A": "left",
    "B": "right",
    "C": "right",
    "D": "left",
    "H": "home",
    "F": "end",
    "1~": "home",
    "4~": "end",
    "5~": "page up",
    "6~": "page down",
    "": "escape",
}
"""Keys by what a terminal sends after Escape and "[" or "O"; up and down are other names of left and right."""
WINDOWS_KEYS = {"H": "left", "K": "left", "M": "right", "P": "right"}
WINDOWS_KEYS |= {"G": "home", "O": "end", "I": "page up", "Q": "page down"}
"""Keys by the second of two characters that Windows sends (docs.python.org/3/library/msvcrt.html, getwch)."""


@contextmanager
def single_keys() -> Iterator[None]:
    """Read each key at once, without echo. Ctrl-C works as usual."""
    if sys.platform == "win32":
        yield
        return
    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)
    try:
        tty.setcbreak(descriptor)
        yield
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)


def next_key() -> str:
    """Return the next key: a character, or a name in `KEYS`. Raise EOFError at the end of input."""
    if sys.platform == "win32":
        key = msvcrt.getwch()
        return WINDOWS_KEYS.get(msvcrt.getwch(), "") if key in "\0\xe0" else KEYS[""] if key == "\x1b" else key
    descriptor = sys.stdin.fileno()
    data = os.read(descriptor, 1)
    if not data:
        raise EOFError
    if data == b"\x1b":
        while len(data) < 6 and select.select([descriptor], [], [], 0.03)[0]:
            data += os.read(descriptor, 1)
            if (data[-1:].isalpha() and data != b"\x1bO") or data.endswith(b"~"):
                break
    text = data.decode(errors="replace")
    return KEYS.get(text[1:].lstrip("[O"), text) if text[0] == "\x1b" else text
