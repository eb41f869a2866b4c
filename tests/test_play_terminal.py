"""A person at a terminal: the board in colours, the spinner, and the terminal as it was at the end."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from referee import load_record

if sys.platform == "win32":
    pytest.skip("needs a pseudo-terminal", allow_module_level=True)

from tests.terminal import CLEAR, Terminal

pytestmark = pytest.mark.slow

SECOND_SCREEN, FIRST_SCREEN = "\x1b[?1049h", "\x1b[?1049l"
PROMPT = " to try: "


def test_a_game_to_mate_at_a_terminal(tmp_path: Path) -> None:
    with Terminal("play", "--opponent", "rand", "--seed", "2", cwd=tmp_path) as terminal:
        screen = terminal.until(PROMPT)
        assert "Berkeley" in screen
        assert "White, 16 men" in screen
        assert screen.count("♟") == 8
        for move in ("e4", "Qh5", "Bc4"):
            terminal.press(f"{move}\r")
            screen = terminal.until(PROMPT)
            assert f"{move}: yes." in screen
            assert "is thinking" in screen
        terminal.press("Qxf7\r")
        assert "♚" in terminal.until("1-0: checkmate, White wins, after 7 plies")
        terminal.until("another name] ")
        terminal.press("\r")
        code, rest = terminal.rest()
        assert code == 0
        assert "Saved to kriegspiel-" in rest
        assert terminal.output.count(SECOND_SCREEN) == terminal.output.count(FIRST_SCREEN) == 1
    (saved,) = tmp_path.iterdir()
    assert load_record(saved).result == "1-0"


def test_answers_stand_beside_the_board_and_the_board_hides_the_opponent(tmp_path: Path) -> None:
    with Terminal("play", "--opponent", "rand", "--seed", "3", cwd=tmp_path) as terminal:
        terminal.until(PROMPT)
        terminal.press("tries\r")
        assert "Nf3" in terminal.until(PROMPT)
        terminal.press("Nd2\r")
        screen = terminal.until(PROMPT)
        assert "'Nd2': no knight of yours" in screen
        assert screen.count("♚") == 1
        terminal.press("help\r")
        assert "give up the game" in terminal.until(PROMPT)
        terminal.press("exd3\r")
        assert "1. exd3? No." in terminal.until(PROMPT)
        terminal.press("quit\r")
        terminal.until("abandoned, no result (the person left)")
        terminal.until("another name] ")
        terminal.press("n\r")
        assert terminal.rest()[0] == 0
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("key", "why", "code"), [("\x04", "end of input", 0), ("\x03", "interrupted", 130)])
def test_a_game_that_is_broken_off_at_a_terminal_is_saved(tmp_path: Path, key: str, why: str, code: int) -> None:
    with Terminal("play", "--opponent", "rand", "--color", "black", "--save", "game.pgn", cwd=tmp_path) as terminal:
        terminal.until(PROMPT)
        time.sleep(0.5)  # readline misses a Ctrl-C in the moment between its prompt and its waiting
        terminal.press(key)
        terminal.press(key)
        terminal.until(f"abandoned, no result ({why})")
        assert terminal.output.count(FIRST_SCREEN) == 1
        ended, rest = terminal.rest()
    record = load_record(tmp_path / "game.pgn")
    assert (ended, rest) == (code, f", after 1 ply\nSeed: {record.headers['Seed']}\nSaved to game.pgn.\n")
    assert len(record.turns) == 1


def test_an_interrupt_while_the_opponent_thinks_breaks_the_game_off(tmp_path: Path) -> None:
    opponent = "overconfident:depth=4,time=600"
    with Terminal("play", "--opponent", opponent, "--save", "game.pgn", cwd=tmp_path) as terminal:
        terminal.until(PROMPT)
        terminal.press("e4\r")
        terminal.until("Black is thinking")
        terminal.press("\x03")
        terminal.until("abandoned, no result (interrupted), after 1 ply")
        assert terminal.rest()[0] == 130
    assert len(load_record(tmp_path / "game.pgn").turns) == 1


@pytest.mark.parametrize(("columns", "rows"), [(40, 12), (60, 18), (80, 24), (200, 60)])
def test_what_is_drawn_fits_the_terminal(tmp_path: Path, columns: int, rows: int) -> None:
    arguments = ("play", "--opponent", "rand", "--seed", "1", "--rules", "wild16")
    with Terminal(*arguments, cwd=tmp_path, columns=columns, rows=rows) as terminal:
        terminal.until(PROMPT)
        terminal.press("e4\r")
        for _ in "thinking", "asking":
            terminal.until(CLEAR)
        lines = terminal.until(PROMPT).split("\n")
        assert max(map(len, lines)) <= columns
        assert columns < 60 or len(lines) <= rows
