"""The terminal: its colours, and boards of coloured squares."""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeAlias

import chess
import typer
from rich.color import Color
from rich.console import Console
from rich.style import Style
from rich.table import Table
from rich.text import Text

from kriegbot.narration.glance import Men, file_names, rows
from referee import View


def is_terminal() -> bool:
    """Return True if stdin and stdout are a terminal."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def drawing_console() -> Console | None:
    """Return the terminal if it shows colours and chess symbols, otherwise None."""
    if not is_terminal():
        return None
    console = Console(highlight=False)
    has_colors = console.color_system is not None and not console.no_color
    has_symbols = console.encoding.lower().startswith("utf") and not _is_ascii_wanted() and _has_chess_font()
    return console if has_colors and has_symbols else None


def _has_chess_font() -> bool:
    """Return False for the consoles of Linux and of old Windows, whose fonts have no chess symbols."""
    is_modern = any(map(os.environ.get, ("WT_SESSION", "TERM_PROGRAM", "TERM")))
    return os.environ.get("TERM") != "linux" and (sys.platform != "win32" or is_modern)


def has_tints(console: Console) -> bool:
    """Return True if the terminal has more than sixteen colours."""
    return console.color_system in ("256", "truecolor")


def draw_beside(console: Console, title: Text, *columns: Text) -> None:
    """Clear the terminal, and draw a title and texts beside each other."""
    grid = Table.grid(padding=(0, 2 if len(columns) == 2 else 1))
    grid.add_row(*columns)
    console.clear()
    console.print(title, no_wrap=True, overflow="ellipsis")
    console.print(grid)
    console.print()


@contextmanager
def single_keys() -> Iterator[Callable[[], str]]:
    """Yield a function that waits for keys, without Enter or echo, and returns their characters. Ctrl-C interrupts."""
    if sys.platform == "win32":
        yield typer.getchar
        return
    from kriegbot import posix

    descriptor = sys.stdin.fileno()

    def read() -> str:
        if not (data := os.read(descriptor, 32)):
            raise EOFError
        return data.decode(errors="replace")

    with posix.unbuffered(descriptor):
        yield read


def _is_ascii_wanted() -> bool:
    """Return True for the locale C. Python takes it for UTF-8, and sets LC_CTYPE to C.UTF-8."""
    ctype = os.environ.get("LC_CTYPE", "")
    locale = os.environ.get("LC_ALL") or ("" if ctype == "C.UTF-8" else ctype) or os.environ.get("LANG")
    return locale in ("C", "POSIX")


Rgb = tuple[int, int, int]

LIGHT: Rgb = (168, 142, 108)
DARK: Rgb = (118, 84, 46)
CAPTURE: Rgb = (176, 58, 46)
HEAT: Rgb = (224, 122, 24)
PIECE_COLORS: dict[chess.Color, Rgb] = {chess.WHITE: (255, 255, 255), chess.BLACK: (0, 0, 0)}
GLYPHS = {kind: chess.UNICODE_PIECE_SYMBOLS[chess.piece_symbol(kind)] for kind in chess.PIECE_TYPES}
"""Filled symbols, which take any colour."""
PAWN = GLYPHS[chess.PAWN]
ROUNDING = 1e-9  # of sums of weights
MAX_SCALE = 6  # a symbol is one letter high, and is lost on larger squares

Heat: TypeAlias = Callable[[View], tuple[Sequence[float], str]]
"""A function from a view to the chance of an opponent's piece on each square, in [0, 1], and the boards behind it in
words; no chances if unknown."""


@dataclass(frozen=True, slots=True)
class BoardPicture:
    """A board to be drawn."""

    men: Men
    bottom: chess.Color = chess.WHITE
    marks: frozenset[chess.Square] = frozenset()  # squares to highlight: the last capture, a king in check
    heat: Sequence[float] = ()  # [64] chances, in [0, 1], that an unseen piece stands on a square; empty for no map
    faint: frozenset[chess.Square] = frozenset()  # squares whose pieces are drawn faintly
    has_tints: bool = True  # False if the terminal has only sixteen colours


def size_of(scale: int) -> tuple[int, int]:
    """Return the columns and rows of a board at a scale."""
    return _margin(scale) + 8 * _columns(scale), 8 * scale + 2 - scale % 2


def fitting(columns: int, rows: int) -> int:
    """Return the largest scale at which a board fits; 1 if none does."""
    scales = range(MAX_SCALE, 1, -1)
    return next((scale for scale in scales if size_of(scale)[0] <= columns and size_of(scale)[1] <= rows), 1)


def board(picture: BoardPicture, scale: int) -> Text:
    """Draw a board whose squares are `scale` rows high; an even scale has half a row of colour above and below."""

    def ground(square: chess.Square | None) -> Color | None:
        return None if square is None else _ground(picture, square)

    text, wide, margin = Text(), _columns(scale), _margin(scale)
    halves: list[Sequence[chess.Square | None]] = [row for row in rows(picture.bottom) for _ in range(2 * scale)]
    if scale % 2 == 0:
        halves = [[None] * 8, *halves, [None] * 8]
    for line, (above, below) in enumerate(zip(halves[::2], halves[1::2], strict=True)):
        is_middle = line % scale == scale // 2
        text.append((f"{chess.square_rank(below[0] or 0) + 1} " if is_middle else "").rjust(margin), "dim")
        for upper, lower in zip(above, below, strict=True):
            if upper is None:
                text.append("▄" * wide, Style(color=ground(lower)))
            elif upper != lower:
                text.append("▀" * wide, Style(color=ground(upper), bgcolor=ground(lower)))
            else:
                sign = (_sign(picture, upper) if is_middle else "").center(wide)
                text.append(no_emoji(sign), _style(picture, upper))
        text.append("\n")
    text.append(" " * margin + "".join(name.center(wide) for name in file_names(picture.bottom)), "dim")
    return text


def no_emoji(text: str) -> str:
    """Return a text whose pawns are drawn as symbols, also by fonts that have an emoji for them."""
    return text.replace(PAWN, f"{PAWN}\ufe0e")


def _columns(scale: int) -> int:
    return 2 * scale + 1  # a letter is about twice as high as it is wide


def _margin(scale: int) -> int:
    return 2 if scale == 1 else 3  # columns for the numbers of the ranks


def _sign(picture: BoardPicture, square: chess.Square) -> str:
    if (piece := picture.men.get(square)) is not None:
        return GLYPHS[piece.piece_type]
    percent = whole_percent(picture.heat[square]) if picture.heat else 0
    return str(percent) if percent else " "


def whole_percent(chance: float) -> int:
    """Return a chance in percent, which is 100 only if it is certain."""
    return min(round(100 * chance), 99 if chance < 1 - ROUNDING else 100)


def _style(picture: BoardPicture, square: chess.Square) -> Style:
    piece = picture.men.get(square)
    if piece is None:
        return Style(color=_color((235, 225, 210), picture), bgcolor=_ground(picture, square))
    is_faint, ground, rgb = square in picture.faint, _ground(picture, square), PIECE_COLORS[piece.color]
    if is_faint and picture.has_tints:
        rgb = _mixed(rgb, ground.get_truecolor(), 0.55)
    return Style(color=_color(rgb, picture), bgcolor=ground, bold=not is_faint)


def _ground(picture: BoardPicture, square: chess.Square) -> Color:
    is_light = (chess.square_file(square) + chess.square_rank(square)) % 2 == 1
    if not picture.has_tints:
        name = "red" if square in picture.marks else "cyan" if is_light else "blue"
        return Color.parse(name)
    ground = LIGHT if is_light else DARK
    if picture.heat and square not in picture.men:
        ground = _mixed(ground, HEAT, min(1.0, picture.heat[square]))
    if square in picture.marks:
        ground = _mixed(ground, CAPTURE, 0.75)
    return Color.from_rgb(*ground)


def _color(rgb: Rgb, picture: BoardPicture) -> Color:
    if not picture.has_tints:
        return Color.parse("black" if sum(rgb) < 300 else "bright_white")
    return Color.from_rgb(*rgb)


def _mixed(one: Rgb, other: Rgb, share: float) -> Rgb:
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(one, other, strict=True))
    return red, green, blue
