"""A game that was broken off is played on at the terminal: the same game, with nothing told of the other side."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

import chess
import pytest

from kriegbot.cli.main import main
from kriegbot.request import playing
from referee import End, GameRecord, Reason, Referee, load_record, save_record

Ask: TypeAlias = Callable[..., tuple[int, str, str]]
GAME = "game.pgn"


@pytest.fixture
def ask(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Ask:
    """Run a command with lines, separated by spaces, as its input: exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))

    def run(lines: str, *arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines.split())))
        return (main(arguments), *capsys.readouterr())

    return run


def begun(**headers: str) -> GameRecord:
    """Return a game of two plies between a person and `rand`, or whom the headers name, broken off."""
    referee = Referee()
    for move in ("e2e4", "a7a5"):
        referee.try_move(chess.Move.from_uci(move))
    referee.abandon()
    return GameRecord.of(referee, {"White": "human", "Black": "rand", "Seed": "3"} | headers)


@pytest.mark.parametrize(
    ("color", "lines"),
    [("white", ("e4", "d4 Nf3")), pytest.param("black", ("e5", "d5 Nf6"), marks=pytest.mark.slow)],
)
def test_a_game_goes_on_in_its_file_until_it_ends(ask: Ask, color: str, lines: tuple[str, str]) -> None:
    _, out, _ = ask(lines[0], "play", "--opponent", "rand", "--seed", "3", "--color", color, "--save", GAME)
    assert out.endswith(f"Saved to {GAME}.\nTo continue: kriegbot resume {GAME}\n")
    first = load_record(GAME)
    code, out, err = ask(lines[1], "resume", GAME)
    assert (code, err) == (0, "")
    second = load_record(GAME)
    assert len(first.turns) < len(second.turns)
    assert second.turns[: len(first.turns)] == first.turns
    assert second.headers["Seed"] == "3"
    assert out.count("yes.") == 3, "the log begins with what was tried before"
    code, out, _ = ask("resign", "resume", GAME)
    assert code == 0
    assert "The board at the end:" in out
    assert out.endswith(f"Seed: 3\nSaved to {GAME}.\n")
    assert load_record(GAME).result == ("0-1" if color == "white" else "1-0")
    assert sorted(os.listdir()) == [GAME]


@pytest.mark.slow
def test_nothing_of_the_other_side_is_told_as_long_as_a_game_may_go_on(ask: Ask) -> None:
    for arguments in (("play", "--opponent", "rand", "--save", GAME), ("resume", GAME)):
        _, out, _ = ask("board e4 d4 board quit", *arguments)
        boards = [line[2:] for line in out.splitlines() if line[:2] in {f"{rank} " for rank in range(1, 9)}]
        assert len(boards) >= 2 * 8
        assert not any(char in "pnbrqk" for line in boards for char in line)
        assert "Seed" not in out
        assert load_record(GAME).headers["Seed"] not in out


@pytest.mark.slow
def test_a_game_that_cannot_go_on_hides_nothing(ask: Ask) -> None:
    _, out, _ = ask("e4", "play", "--opponent", "rand")
    assert "The board at the end:" in out
    assert "resume" not in out


def test_without_a_file_the_last_game_that_was_broken_off_goes_on(ask: Ask, tmp_path: Path) -> None:
    folder = tmp_path / "data/kriegbot/games"
    code, _, err = ask("", "resume")
    assert (code, err) == (2, f"kriegbot: there is no unfinished game in '{folder}'; give the file of one.\n")
    over = replace(begun(), end=End(Reason.RESIGNATION, chess.BLACK))
    games = {"old": begun(), "last": replace(begun(), end=None), "over": over, "theirs": begun(White="rand")}
    for age, (name, record) in enumerate(games.items()):
        save_record(record, folder / f"{name}.pgn")
        os.utime(folder / f"{name}.pgn", (age, age))
    (folder / "broken.pgn").write_text('[Termination "abandoned"]\n\n1. e9 *\n', encoding="utf-8")
    with playing(folder / "last.pgn"), playing(folder / "old.pgn"):
        code, _, err = ask("", "resume")
        passed_over = "Passed over: 'broken.pgn': it is no game of Kriegspiel.\n"
        why = f"kriegbot: there is no unfinished game in '{folder}'; give the file of one.\n"
        assert (code, err) == (2, passed_over + why)
        code, _, err = ask("", "resume", str(folder / "old.pgn"))
        assert code == 2
        assert err.endswith("is being played now, on the page or at another terminal.\n")
    code, out, _ = ask("resign", "resume")
    assert code == 0
    assert f"Saved to {folder}/last.pgn.\n" in out


@pytest.mark.parametrize(
    ("record", "why"),
    [
        (begun(White="rand"), "it takes an unfinished game between a person"),
        (begun(Black="program:touch ran"), "it takes an unfinished game between a person"),
        (begun(Black="bot.py:Bot"), "it takes an unfinished game between a person"),
        (begun(Black="human"), "continue it with `kriegbot play --web`"),
        (begun(Black="rand", TimeControl="300+5"), "it has a clock"),
    ],
)
def test_a_game_that_cannot_be_played_on_here_is_refused_in_a_line(ask: Ask, record: GameRecord, why: str) -> None:
    save_record(record, GAME)
    before = Path(GAME).read_bytes()
    code, out, err = ask("e4", "resume", GAME)
    assert (code, out) == (2, "")
    assert err.startswith(f"kriegbot: '{GAME}' cannot be continued here: ")
    assert why in err
    assert err.count("\n") == 1
    assert (os.listdir(), Path(GAME).read_bytes()) == ([GAME], before)


def test_a_file_that_is_no_game_is_refused_in_a_line(ask: Ask) -> None:
    Path("none.pgn").write_text("hello", encoding="utf-8")
    for name in ("none.pgn", "missing.pgn"):
        code, out, err = ask("", "resume", name)
        assert (code, out) == (2, "")
        assert err.startswith("kriegbot: ")
        assert err.count("\n") == 1
        assert err.endswith(".\n")


@pytest.mark.slow
def test_help_that_a_game_was_played_with_stays_in_its_record(ask: Ask) -> None:
    save_record(begun(Help="1 hint"), GAME)
    assert ask("d4 resign", "resume", GAME)[0] == 0
    assert load_record(GAME).headers["Help"] == "1 hint"


@pytest.mark.slow
def test_a_game_that_is_resumed_or_replaced_through_a_link_keeps_the_link(ask: Ask, tmp_path: Path) -> None:
    save_record(begun(), tmp_path / "real.pgn")
    Path("link.pgn").symlink_to("real.pgn")
    assert ask("d4 resign", "resume", "link.pgn")[0] == 0
    assert Path("link.pgn").is_symlink()
    assert load_record("real.pgn").result == "0-1"
    older = Path("real.pgn").read_bytes()
    assert ask("e4 resign", "play", "--opponent", "rand", "--save", "link.pgn")[0] == 0
    assert Path("link.pgn").is_symlink()
    assert Path("real.pgn~").read_bytes() == older != Path("real.pgn").read_bytes()
    Path("loop.pgn").symlink_to("loop.pgn")
    code, out, err = ask("e4", "play", "--opponent", "rand", "--save", "loop.pgn")
    assert (code, out, err) == (2, "", "kriegbot: cannot save to 'loop.pgn': its links lead nowhere.\n")
