"""A terminal for tests: kriegbot runs in it, keys go in, and what stands on the screen comes out as text."""

from __future__ import annotations

import codecs
import os
import re
import select
import struct
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import pytest

_SEQUENCE = re.compile(r"\x1b(?:\[[0-9;?]*[A-Za-z]|[=>()][0-9A-Za-z]?|\][^\x07]*\x07)")
NOTHING: Mapping[str, str] = MappingProxyType({})
CLEAR = "\x1b[2J"


class Terminal:
    """`kriegbot` with these arguments at a terminal of this size, in an environment; saves unasked in `cwd`/data.

    Attributes:
      output: all that came, as it came.
      met: the text that was waited for last.
    """

    def __init__(
        self, *arguments: str, cwd: Path, columns: int = 80, rows: int = 24, settings: Mapping[str, str] = NOTHING
    ) -> None:
        if not hasattr(os, "openpty"):
            pytest.skip("there are no terminals for tests")
        import fcntl
        import pty
        import termios

        self._end, inner = pty.openpty()
        modes = termios.tcgetattr(inner)
        modes[3] |= termios.NOFLSH  # else a Ctrl-C discards output that this test has not read yet
        termios.tcsetattr(inner, termios.TCSANOW, modes)
        fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        environment = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "COLUMNS", "LINES")}
        environment |= {
            "TERM": "xterm-256color",
            "COLORTERM": "truecolor",
            "PYTHONIOENCODING": "utf-8",
            "LC_ALL": "C.UTF-8",
        }
        environment |= {"XDG_DATA_HOME": str(cwd / "data"), **settings}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "kriegbot", *arguments],
            stdin=inner,
            stdout=inner,
            stderr=inner,
            cwd=cwd,
            env=environment,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(inner)
        self.output = self.met = ""
        self._seen = 0
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")  # a chessman may come in two pieces

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._end)

    def until(self, *texts: str, seconds: float = 90.0) -> str:
        """Wait until one of these texts comes anew; return what came before it, without colours."""
        deadline = time.monotonic() + seconds
        wanted = re.compile("|".join(map(re.escape, texts)))
        while (found := wanted.search(self.output, self._seen)) is None:
            if not self._more(deadline):
                raise AssertionError(f"{' or '.join(texts)!r} did not come, but {self.output[self._seen :]!r}")
        passage = self.output[self._seen : found.start()]
        self._seen, self.met = found.end(), found[0]
        return plain(passage)

    def press(self, keys: str) -> None:
        """Types."""
        os.write(self._end, keys.encode())

    def rest(self) -> tuple[int, str]:
        """Wait for the end; return the exit code and the last output, without colours."""
        deadline = time.monotonic() + 90
        while self._more(deadline):
            pass
        return self.process.wait(10), plain(self.output[self._seen :])

    def _more(self, deadline: float) -> bool:
        if not select.select([self._end], [], [], max(0.0, deadline - time.monotonic()))[0]:
            return False
        try:
            data = os.read(self._end, 65536)
        except OSError:  # the other end is closed
            return False
        self.output += self._decoder.decode(data)
        return bool(data)


def plain(text: str) -> str:
    """Text as it was meant, without colours and moves of the cursor."""
    return _SEQUENCE.sub("", text).replace("\r\n", "\n")
