"""Boards in colours: as large as there is room for, with every man and every chance on them."""

from __future__ import annotations

import io
import sys

import chess
import pytest
from rich.color import Color
from rich.console import Console
from rich.style import Style

from kriegbot.cli import screen
from kriegbot.cli.screen import GLYPHS, MAX_SCALE, BoardPicture, board, fitting, size_of
from kriegbot.narration.glance import Men, rows

MEN: Men = chess.Board().piece_map()


@pytest.mark.parametrize("scale", range(1, MAX_SCALE + 1))
@pytest.mark.parametrize("bottom", chess.COLORS)
def test_a_board_has_the_size_it_says_and_all_men_in_their_rows(scale: int, bottom: chess.Color) -> None:
    lines = board(BoardPicture(MEN, bottom), scale).plain.replace("♟\ufe0e", "♟").split("\n")
    assert (max(map(len, lines)), len(lines)) == size_of(scale)
    ranks = [line for line in lines if line[:3].strip().isdigit()]
    assert [int(line[:3]) for line in ranks] == (list(range(8, 0, -1)) if bottom else list(range(1, 9)))
    assert [sum(line.count(glyph) for glyph in GLYPHS.values()) for line in ranks] == [8, 8, 0, 0, 0, 0, 8, 8]
    kings = [line.index(GLYPHS[chess.KING]) for line in (ranks[0], ranks[-1])]
    assert kings == [lines[-1].index("e")] * 2


@pytest.mark.parametrize(
    ("columns", "rows", "scale"),
    [(10, 5, 1), (35, 16, 1), (43, 18, 2), (42, 18, 1), (43, 17, 1), (59, 25, 3), (95, 36, 4), (500, 200, MAX_SCALE)],
)
def test_the_largest_board_that_fits_is_chosen(columns: int, rows: int, scale: int) -> None:
    assert fitting(columns, rows) == scale


@pytest.mark.parametrize("scale", range(1, MAX_SCALE + 1))
def test_chances_are_told_in_per_cent_on_boards_of_any_size(scale: int) -> None:
    heat = [0.0] * 64
    heat[chess.A5], heat[chess.B5], heat[chess.C5], heat[chess.D5] = 1.0, 0.57, 0.06, 0.004
    text = board(BoardPicture(MEN, heat=heat), scale).plain
    assert ["5", "100", "57", "6"] in [line.split() for line in text.split("\n")]


def grounds(picture: BoardPicture) -> dict[str, Color]:
    """Return the colour of each square."""
    styles = [span.style for span in board(picture, 1).spans if span.style != "dim"]
    squares = [chess.square_name(square) for row in rows(picture.bottom) for square in row]
    pairs = zip(squares, styles, strict=True)
    return {name: style.bgcolor for name, style in pairs if isinstance(style, Style) and style.bgcolor is not None}


def test_chances_and_marks_colour_their_squares() -> None:
    heat = [0.0] * 64
    heat[chess.A3], heat[chess.B3] = 1.0, 0.5
    tinted = grounds(BoardPicture(MEN, marks=frozenset({chess.A4}), heat=heat))
    found = {name: tuple(tinted[name].get_truecolor()) for name in ("a1", "b1", "a3", "b3", "a4")}
    plain = {"a1": (118, 84, 46), "b1": (168, 142, 108)}
    assert found == {**plain, "a3": (224, 122, 24), "b3": (196, 132, 66), "a4": (174, 79, 62)}
    sixteen = grounds(BoardPicture(MEN, marks=frozenset({chess.A4}), heat=heat, has_tints=False))
    assert {name: sixteen[name].name for name in found} == {
        "a1": "blue",
        "b1": "cyan",
        "a3": "blue",
        "b3": "cyan",
        "a4": "red",
    }


def test_men_that_cannot_answer_a_check_are_faint() -> None:
    text = board(BoardPicture(MEN, faint=frozenset({chess.A1})), 1)
    shown = [span.style for span in text.spans if text.plain[span.start : span.end].strip() == GLYPHS[chess.ROOK]]
    styles = {square: str(style) for square, style in zip(["a8", "h8", "a1", "h1"], shown, strict=True)}
    assert styles["h1"].startswith("bold #ffffff")
    assert styles["a1"].startswith("not bold")
    assert "#ffffff" not in styles["a1"]


@pytest.mark.parametrize("scale", range(1, MAX_SCALE + 1))
def test_pawns_are_never_drawn_as_emojis(scale: int) -> None:
    text = board(BoardPicture(MEN), scale)
    assert text.plain.count("♟") == text.plain.count("♟\ufe0e") == 16
    assert text.cell_len > 0
    assert max(line.cell_len for line in text.split("\n")) == size_of(scale)[0]


@pytest.mark.parametrize(
    ("system", "environment", "has_symbols"),
    [
        ("linux", {"TERM": "linux"}, False),
        ("linux", {"TERM": "xterm-256color"}, True),
        ("win32", {}, False),
        ("win32", {"WT_SESSION": "1"}, True),
        ("darwin", {"TERM": "xterm"}, True),
    ],
)
def test_where_the_font_has_no_chess_symbols_letters_are_drawn(
    system: str, environment: dict[str, str], has_symbols: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("TERM", "TERM_PROGRAM", "WT_SESSION", "LC_ALL", "LC_CTYPE", "LANG", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"COLORTERM": "truecolor", **environment}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(screen, "is_terminal", lambda: True)
    monkeypatch.setattr(sys, "platform", system)
    shown = Console(force_terminal=True, color_system="truecolor", file=io.TextIOWrapper(io.BytesIO(), "utf-8"))
    monkeypatch.setattr(screen, "Console", lambda **_: shown)
    assert (screen.drawing_console() is not None) == has_symbols
