"""Systems that lack what Linux has: Windows gets a line, macOS goes on without it, workers start in any way.

None of them was at hand; what they lack is taken away here.
"""

from __future__ import annotations

import os
import select
import subprocess
import sys
from pathlib import Path

import pytest

from kriegbot.cli.main import main
from kriegbot.game.children import Talker


@pytest.mark.parametrize(
    "arguments",
    [("play", "--opponent", "rand"), ("match", "rand", "rand"), ("tournament", "rand", "rand", "--games", "2")],
)
def test_where_programs_cannot_be_talked_to_one_line_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delattr(select, "poll")
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    last = err.splitlines()[-1]
    assert last.startswith("kriegbot: programs play through pipes")
    assert last.endswith("on Windows, use WSL.")


@pytest.mark.parametrize("has_waitid", [True, False])
def test_how_a_child_ended_is_known(monkeypatch: pytest.MonkeyPatch, has_waitid: bool) -> None:
    if not has_waitid:
        monkeypatch.delattr(os, "waitid")
    assert Talker(["sh", "-c", "exit 7"]).end(patience=10) == 7
    assert Talker(["sleep", "60"]).end(patience=0.1) is None


@pytest.mark.slow
def test_a_tournament_runs_where_workers_come_from_a_fork_server(tmp_path: Path) -> None:
    """The default from Python 3.14 on."""
    code = """
import multiprocessing, sys
from kriegbot.cli.main import main
if __name__ == "__main__":
    multiprocessing.set_start_method("forkserver")
    arguments = "tournament rand rand --games 4 --jobs 2 --limits plies=6 --out games.sqlite"
    sys.exit(main(arguments.split()))
"""
    (tmp_path / "run.py").write_text(code)
    path = os.pathsep.join(part or os.getcwd() for part in sys.path)
    done = subprocess.run(
        [sys.executable, "run.py"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert (done.returncode, "4 of 4" in done.stdout) == (0, True), done.stdout + done.stderr


def test_without_single_keys_a_game_is_shown_as_text(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    from rich.console import Console

    from kriegbot.cli import replay

    game = str(tmp_path / "game.pgn")
    assert main(["match", "rand", "rand", "--seed", "1", "--limits", "plies=2", "--quiet", "--save", game]) == 0
    capsys.readouterr()
    monkeypatch.setattr(replay, "drawing_console", Console)
    monkeypatch.setattr(replay, "HAS_KEYS", False)
    assert main(["replay", game]) == 0
    out, err = capsys.readouterr()
    assert err == "Single keys cannot be read on this system, so here is the whole game.\n"
    assert "The board at the end:" in out
