"""A saved game again: arrow keys at a terminal, three views, and the text of it elsewhere."""

from __future__ import annotations

import sys
from pathlib import Path

import chess
import pytest

from kriegbot.cli.main import main
from kriegbot.narration.moments import moments
from referee import BERKELEY, Announcement, GameRecord, OwnTry, Referee, Turn, View

if sys.platform == "win32":
    pytest.skip("needs a pseudo-terminal", allow_module_level=True)

from tests.terminal import CLEAR, Terminal

RIGHT, LEFT, HOME, END = "\x1b[C", "\x1b[D", "\x1b[H", "\x1b[F"


@pytest.fixture
def game(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """Return a short game that ends in mate."""
    path = tmp_path / "game.pgn"
    assert main(["match", "rand", "rand", "--seed", "63", "--quiet", "--save", str(path)]) == 0
    capsys.readouterr()
    return path


@pytest.mark.slow
def test_arrow_keys_step_through_a_game(game: Path) -> None:
    with Terminal("replay", game.name, cwd=game.parent) as terminal:
        terminal.until(CLEAR)
        first = terminal.until("q quit")
        assert "The game begins." in first
        assert first.count("♚") == 4  # one to each side, two to the referee
        terminal.press(RIGHT)
        assert "1 of " in terminal.until("q quit")
        for key, at in ((RIGHT, "2 of "), (LEFT, "1 of ")):
            terminal.press(key)
            assert at in terminal.until("q quit")
        terminal.press(END)
        assert "0-1: checkmate, Black wins, after 32 plies" in terminal.until("q quit")
        for key in (HOME, LEFT):
            terminal.press(key)
            assert "0 of " in terminal.until("q quit")
        terminal.press("q")
        code, rest = terminal.rest()
        assert code == 0
        assert rest.endswith("0-1: checkmate, Black wins, after 32 plies\n")


@pytest.mark.slow
def test_v_goes_from_view_to_view(game: Path) -> None:
    with Terminal("replay", game.name, cwd=game.parent) as terminal:
        terminal.until("q quit")
        for name, kings in (("The referee's board", 2), ("White's view", 1), ("Black's view", 1), ("referee", 4)):
            terminal.press("v")
            terminal.until(CLEAR)
            screen = terminal.until("q quit")
            assert name in screen
            assert screen.count("♚") == kings
        terminal.press("\x03")
        assert terminal.rest()[0] == 0


@pytest.mark.slow
def test_elsewhere_the_game_comes_as_text(game: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", str(game)]) == 0
    assert capsys.readouterr().out == (Path(__file__).parent / "golden" / "berkeley.txt").read_text(encoding="utf-8")


@pytest.mark.slow
def test_a_turn_with_many_refused_tries_is_told_without_copying_what_was_heard_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    referee, move = Referee(), chess.Move.from_uci("e2d3")
    tries = tuple(OwnTry(move, referee.try_move(move)) for _ in range(3000))
    referee.try_move(chess.Move.from_uci("e2e4"))
    turn = Turn(chess.Move.from_uci("e2e4"), Announcement(), tries)
    record = GameRecord(rules=BERKELEY, turns=(turn,), headers={"White": "a", "Black": "b"})
    asked, view = [], Referee.view

    def counted(self: Referee, color: chess.Color) -> View:
        asked.append(color)
        return view(self, color)

    monkeypatch.setattr(Referee, "view", counted)
    told = list(moments(record))
    assert len(told) == 3002
    assert len(asked) == 4  # at the beginning and after the move, however many tries there were
    assert told[-1].event_counts == {chess.WHITE: 3001, chess.BLACK: 2}
