"""Commands that are interrupted, and thousands of command lines: no traceback, no hang, and one line for a refusal."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

CODES = (0, 1, 2, 130)

INTERRUPTED = [
    ("learn",),
    ("play", "--opponent", "rand"),
    ("tournament", "kriegbot:depth=4,time=60", "rand", "--games", "2", "--out", "t.sqlite"),
    ("check-player", "rand"),
    ("trees", "figure6"),
]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="no signals between processes")
@pytest.mark.parametrize("pause", [0.0, 0.02, 0.2])
@pytest.mark.parametrize("arguments", INTERRUPTED, ids=" ".join)
def test_ctrl_c_three_times_prints_no_traceback(arguments: tuple[str, ...], pause: float, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "kriegbot", *arguments]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.STDOUT, cwd=tmp_path) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        for _ in range(3):
            process.send_signal(signal.SIGINT)
            time.sleep(pause)
        output, _ = process.communicate(timeout=60)
    assert process.returncode == 130, output
    assert b"Traceback" not in first + output
