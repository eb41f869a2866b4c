"""The README's commands print what the README shows, and its Python runs."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
SHOWN = re.findall(r"^    \$ (.+)\n((?:    (?!\$ ).*\n|\n(?=    (?!\$ )))*)", README, re.MULTILINE)


def dedented(block: str) -> str:
    """A block of the README as the program prints it."""
    return "\n".join(line.removeprefix("    ").rstrip() for line in block.strip("\n").splitlines())


def without_times(statistics: Any) -> Any:
    """Statistics of a match less what differs from run to run."""
    if not isinstance(statistics, dict):
        return statistics
    return {key: without_times(value) for key, value in statistics.items() if not key.endswith("seconds")}


@pytest.mark.parametrize(("command", "output"), SHOWN, ids=[command for command, _ in SHOWN])
def test_a_command_prints_what_is_shown(command: str, output: str, tmp_path: Path) -> None:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    ran = subprocess.run(
        ["bash", "-c", command],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"PATH": path},
        stdin=subprocess.DEVNULL,
        cwd=tmp_path,
    )
    if "--json" in command:
        assert without_times(json.loads(ran.stdout)) == without_times(json.loads(dedented(output)))
    else:
        assert "\n".join(line.rstrip() for line in ran.stdout.strip("\n").splitlines()) == dedented(output)


def test_the_commands_shown_are_found() -> None:
    assert len(SHOWN) >= 5


def test_the_python_shown_runs(capsys: pytest.CaptureFixture[str]) -> None:
    (program,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    exec(program, {})
    said = [line.split("# ")[1].split(":")[0] for line in program.splitlines() if line.startswith("print")][:2]
    assert capsys.readouterr().out.splitlines()[:2] == said
