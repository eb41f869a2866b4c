"""A person at a terminal: the board in colours, the spinner, and the terminal as it was at the end."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest
from rich.cells import cell_len

from referee import load_record

if sys.platform == "win32":
    pytest.skip("needs a pseudo-terminal", allow_module_level=True)

from tests.effort import some
from tests.terminal import CLEAR, Terminal, plain

pytestmark = pytest.mark.slow

SECOND_SCREEN, FIRST_SCREEN = "\x1b[?1049h", "\x1b[?1049l"
PROMPT = " to try: "


def test_a_game_to_mate_at_a_terminal(tmp_path: Path) -> None:
    with Terminal("play", "--opponent", "rand", "--seed", "2", cwd=tmp_path) as terminal:
        screen = terminal.until(PROMPT)
        assert "Berkeley" in screen
        assert "White, 16 pieces" in screen
        assert screen.count("♟") == 8
        for move in ("e4", "Qh5", "Bc4"):
            terminal.press(f"{move}\r")
            screen = terminal.until(PROMPT)
            assert f"{move}: yes." in screen
            assert "is thinking" in screen
        terminal.press("Qxf7\r")
        assert "♚" in terminal.until("1-0: checkmate, White wins, after 7 plies")
        assert "This game does not count (a chosen seed)." in terminal.until("another name] ")
        terminal.press("\r")
        code, rest = terminal.rest()
        assert code == 0
        assert "Saved to kriegspiel-" in rest
        assert terminal.output.count(SECOND_SCREEN) == terminal.output.count(FIRST_SCREEN) == 1
    (saved,) = tmp_path.glob("*.pgn")
    assert load_record(saved).result == "1-0"


def test_answers_stand_beside_the_board_and_the_board_hides_the_opponent(tmp_path: Path) -> None:
    with Terminal("play", "--opponent", "rand", "--seed", "3", cwd=tmp_path) as terminal:
        terminal.until(PROMPT)
        terminal.press("tries\r")
        assert "Nf3" in terminal.until(PROMPT)
        terminal.press("Nd2\r")
        screen = terminal.until(PROMPT)
        assert "None of your knights" in screen
        assert screen.count("♚") == 1
        terminal.press("help\r")
        assert "give up the game" in terminal.until(PROMPT)
        terminal.press("exd3\r")
        assert "1. exd3? No." in terminal.until(PROMPT)
        terminal.press("e4\r")
        assert "1. e4: yes." in terminal.until(PROMPT)
        terminal.press("back\r")
        screen = terminal.until(PROMPT)
        assert "1. exd3? No." in screen
        assert "e4: yes" not in screen
        terminal.press("resign\r")
        assert "Type resign again." in terminal.until(PROMPT)
        terminal.press("resign\r")
        terminal.until("resignation, Black wins")
        terminal.until("another name] ")
        terminal.press("n\r")
        assert terminal.rest()[0] == 0
    assert not list(tmp_path.rglob("*.pgn"))


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
    assert (ended, rest) == (code, ", after 1 ply\nSaved to game.pgn.\nTo continue: kriegbot resume game.pgn\n")
    assert len(load_record(tmp_path / "game.pgn").turns) == 1


def test_a_game_that_is_broken_off_unsaved_is_the_one_that_is_resumed(tmp_path: Path) -> None:
    with Terminal("play", "--opponent", "rand", "--seed", "3", cwd=tmp_path) as terminal:
        terminal.until(PROMPT)
        terminal.press("e4\r")
        terminal.until(PROMPT)
        terminal.press("exd5\r")
        terminal.until(PROMPT)
        terminal.press("quit\r")
        assert terminal.until("abandoned, no result (the person left), after 2 plies").count("♚") == 1
        assert terminal.rest()[1].endswith("To continue: kriegbot resume\n")
    (saved,) = (tmp_path / "data/kriegbot/games").glob("*.pgn")
    with Terminal("resume", cwd=tmp_path) as terminal:
        screen = terminal.until(PROMPT)
        assert "1. e4: yes." in screen
        assert "2. exd5? No." in screen
        assert screen.count("♚") == 1
        terminal.press("exd5\r")
        assert "already tried exd5" in terminal.until(PROMPT)
        terminal.press("resign\r")
        terminal.until(PROMPT)
        terminal.press("resign\r")
        assert terminal.until("resignation, Black wins, after 2 plies").count("♚") == 2
        assert terminal.rest() == (0, f"\nSeed: 3\nThis game does not count (a chosen seed).\nSaved to {saved}.\n")
    assert load_record(saved).result == "0-1"
    with Terminal("resume", cwd=tmp_path) as terminal:
        assert "there is no unfinished game in" in terminal.rest()[1]


def test_a_kill_loses_no_move_of_a_game_at_a_terminal(tmp_path: Path) -> None:
    with Terminal("play", "--opponent", "rand", cwd=tmp_path) as terminal:
        for move in ("e4", "Nf3"):
            terminal.until(PROMPT)
            terminal.press(f"{move}\r")
        terminal.until("Nf3: yes.")
        terminal.until(PROMPT)
        terminal.process.kill()
    (saved,) = (tmp_path / "data/kriegbot/games").glob("*.pgn")
    assert len(load_record(saved).turns) == 4
    with Terminal("resume", cwd=tmp_path) as terminal:
        assert "2. Nf3: yes." in terminal.until(PROMPT)


SETTINGS = [{"NO_COLOR": "1"}, {"TERM": "dumb"}, {"LC_ALL": "C"}, {"LC_ALL": "", "LANG": "C"}]


@pytest.mark.parametrize("settings", some(SETTINGS, 2))
def test_a_terminal_without_colours_or_chessmen_shows_the_board_in_every_turn(
    tmp_path: Path, settings: dict[str, str]
) -> None:
    prompt = "White to try:"
    with Terminal("play", "--opponent", "rand", "--seed", "3", cwd=tmp_path, settings=settings) as terminal:
        assert "\n2 P P P P P P P P\n" in terminal.until(prompt)
        terminal.press("e4\r")
        assert "\n4 . . . . P . . .\n" in terminal.until(prompt)
        terminal.press("exd5\r")
        assert "a b c d e f g h" not in terminal.until(prompt)
        terminal.press("d4\r")
        assert "\n4 . . . P P . . .\n" in terminal.until(prompt)
        assert "\x1b[" not in terminal.output


@pytest.mark.parametrize(("settings", "row"), [({}, " 90" * 8), (SETTINGS[0], "7 . . . . . . . .   7" + "  90" * 8)])
@pytest.mark.usefixtures("kernels")
def test_the_map_of_chances_has_numbers_and_room_in_a_small_window(
    tmp_path: Path, settings: dict[str, str], row: str
) -> None:
    arguments = ("play", "--opponent", "rand", "--seed", "3", "--show-belief")
    with Terminal(*arguments, cwd=tmp_path, columns=60, rows=20, settings=settings) as terminal:
        assert terminal.until(" to try:").count("100") == 16
        terminal.press("e4\r")
        terminal.until("Black has moved.")
        lines = terminal.until(" to try:").split("\n")
        assert max(map(len, lines)) <= 60
        assert len(lines) <= 20
        output = plain(terminal.output)
        assert any(row in line for line in output.split("\n"))
        assert ("1. e4: yes. 1... Black has moved." in output) == (
            not settings
        )  # both verdicts, where there is a screen


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


@pytest.mark.parametrize(("columns", "rows"), some(((40, 12), (80, 24), (60, 18), (120, 40), (200, 60)), 2))
def test_what_is_drawn_fits_the_terminal(tmp_path: Path, columns: int, rows: int) -> None:
    arguments = ("play", "--opponent", "rand", "--seed", "1", "--rules", "wild16")
    with Terminal(*arguments, cwd=tmp_path, columns=columns, rows=rows) as terminal:
        terminal.until(PROMPT)
        terminal.press("e4\r")
        for _ in "thinking", "asking":
            terminal.until(CLEAR)
        lines = terminal.until(PROMPT).split("\n")
        assert max(map(cell_len, lines)) <= columns
        assert columns < 60 or len(lines) <= rows


@pytest.mark.parametrize(("columns", "rows"), [(60, 18), (80, 24), (120, 40)])
def test_a_puzzle_with_many_announcements_fits_the_terminal(tmp_path: Path, columns: int, rows: int) -> None:
    with Terminal("learn", "puzzles", "--level", "hard", cwd=tmp_path, columns=columns, rows=rows) as terminal:
        lines = terminal.until("Your answer:").split("\n")
        assert max(map(cell_len, lines)) <= columns
        assert len(lines) <= rows
