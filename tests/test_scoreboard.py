"""Progress of a tournament on stderr, and the exit code that its games leave."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from kriegbot.cli.main import main
from kriegbot.cli.tournament import Scoreboard
from tests.stores import changed, store_with
from tournaments.schedule import Died, Finished
from tournaments.store import Store

SAME = ("tournament", "rand", "rand", "--limits", "plies=20", "--seed", "1", "--games", "6")
"""What the games of `finished` are of."""


def test_games_count_as_they_end_and_a_line_says_how_far_it_is(
    tmp_path: Path, finished: list[Finished], capsys: pytest.CaptureFixture[str]
) -> None:
    first, second, third, fourth, *_ = finished
    path = store_with(tmp_path / "t", [replace(first, result="1-0"), replace(second, result="1/2-1/2")])
    with Store.open(path) as store:
        board = Scoreboard(store, 4)
        assert (board.done, board.wanted) == (2, 6)
        board.count(Died(third.game, "signal 9", 2))
        assert (board.done, capsys.readouterr().err) == (2, "Game 3: signal 9, attempt 2.\n")
        board.count(replace(third, result="1-0"))
        first_line = capsys.readouterr().err
        board.count(replace(fourth, result="1-0", white=replace(fourth.white, failure="raised OSError")))
        failed, last_line = capsys.readouterr().err.splitlines()
    assert first_line.startswith("3 of 6 games, W/D/L 2/1/0  EU ")
    assert failed == "Game 4: rand raised OSError."
    assert last_line.startswith("4 of 6 games, W/D/L 2/1/1  EU 25.0% (")  # White is the second player in every other
    assert re.fullmatch(r".* games/s, 0:00:\d\d left", last_line)


def test_the_time_that_is_left_is_that_of_the_games_played_now(
    tmp_path: Path, finished: list[Finished], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 100.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    with Store.open(store_with(tmp_path / "t", finished[:2])) as store:
        board = Scoreboard(store, 4)
        now = 110.0
        board.count(finished[2])
        now = 114.0
        board.count(finished[3])
    one, two = capsys.readouterr().err.splitlines()
    assert one.endswith("  0.10 games/s, 0:00:30 left")
    assert two.endswith("  0.14 games/s, 0:00:14 left")


@pytest.mark.parametrize(
    ("statement", "code"),
    [
        ("", 0),
        ("UPDATE sides SET failure = 'raised OSError' WHERE game = 1 AND color = 'white'", 1),
        ("INSERT INTO incidents VALUES (1, 3, '2025-01-01T10:00:00', 'signal 9', 0)", 1),
    ],
)
def test_a_finished_tournament_is_reported_again_and_forfeits_or_incidents_are_exit_code_1(
    statement: str, code: int, tmp_path: Path, finished: list[Finished], capsys: pytest.CaptureFixture[str]
) -> None:
    path = store_with(tmp_path / "t", finished)
    if statement:
        changed(path, statement)
    assert main([*SAME, "--out", str(path)]) == code
    out, err = capsys.readouterr()
    assert "0 games to play" in err
    assert "Results of the first player" in out


@pytest.mark.parametrize("name", ["", "."])
def test_a_tournament_is_not_saved_to_a_folder(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*SAME, "--out", name]) == 2
    assert capsys.readouterr().err == f"kriegbot: cannot save to '{name}': it takes a file name.\n"


def test_a_game_of_a_tournament_is_read_by_its_number(
    tmp_path: Path, finished: list[Finished], capsys: pytest.CaptureFixture[str]
) -> None:
    path = store_with(tmp_path / "t", finished)
    assert main(["replay", f"{path}#2"]) == 0
    assert f"after {finished[1].plies} plies\n" in capsys.readouterr().out
    assert main(["replay", str(path)]) == 2
    assert capsys.readouterr().err.endswith(f"a tournament; it takes one of its games, such as '{path}#1'.\n")
