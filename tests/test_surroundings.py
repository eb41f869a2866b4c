"""Forty surroundings in which people run commands: closed streams, readers that leave, no home, odd locales, limits."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.effort import many

if sys.platform == "win32":
    pytest.skip("these are shells of Unix", allow_module_level=True)

COMMANDS = ["--version", "players", "rules", "match rand rand --seed 1", "tournament rand rand --games 2 --out FILE"]
SURROUNDINGS = {
    "stdout closed": "{} >&-",
    "stdin closed": "{} <&-",
    "stderr closed": "{} 2>&-",
    "all closed": "{} <&- >&- 2>&-",
    "a reader that leaves": "({}; echo $? >code) | true; exit $(cat code)",
    "no home": "env -u HOME {}",
    "a home that is a file": "HOME=/dev/null {}",
    "an empty environment": "env -i {}",
    "an unknown locale": "LC_ALL=xx_YY.KOI8-R {}",
    "ASCII only": "PYTHONIOENCODING=ascii:strict LC_ALL=C {}",
    "few open files": "(ulimit -n 48; {})",
    "a mask that hides files": "(umask 777; cd / && {})",
    "numba switched off": "NUMBA_DISABLE_JIT=1 {}",
}
FAST = [("--version", "stdout closed"), ("players", "stderr closed"), ("rules", "a reader that leaves")]
ALL = [
    (command, around)
    for command in COMMANDS
    for around in SURROUNDINGS
    if "FILE" not in command or "mask" not in around
]


@pytest.mark.parametrize(
    ("command", "around"),
    [pytest.param(*case) for case in FAST]
    + [pytest.param(*case, marks=[pytest.mark.slow]) for case in ALL[:: many(1, 10)] if case not in FAST],
)
def test_a_command_works_and_prints_no_traceback(command: str, around: str, tmp_path: Path) -> None:
    kriegbot = shlex.join([sys.executable, "-m", "kriegbot", *command.replace("FILE", str(tmp_path / "t")).split()])
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")}
    shell = ["/bin/sh", "-c", SURROUNDINGS[around].format(kriegbot)]
    done = subprocess.run(
        shell, cwd=tmp_path, env=environment, capture_output=True, encoding="utf-8", check=False, timeout=120
    )
    assert (done.returncode, done.stderr.count("Traceback")) == (0, 0), done.stderr
    if "FILE" in command:
        assert (tmp_path / "t").stat().st_size
