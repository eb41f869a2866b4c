"""The terminal: whether it can be drawn on, its keys one by one without Enter, and boards as coloured squares."""

from __future__ import annotations

import os
import select
import sys
import termios
import tty
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeAlias

import chess
from rich.color import Color
from rich.console import Console
from rich.style import Style
from rich.text import Text

from kriegbot.narration.known import Men, file_names, rows
from referee import View

KEYS = {
    b"\x1b[C": "right",
    b"\x1bOC": "right",
    b"\x1b[D": "left",
    b"\x1bOD": "left",
    b"\x1b[A": "left",
    b"\x1bOA": "left",
    b"\x1b[B": "right",
    b"\x1bOB": "right",
    b"\x1b[H": "home",
    b"\x1bOH": "home",
    b"\x1b[1~": "home",
    b"\x1b[F": "end",
    b"\x1bOF": "end",
    b"\x1b[4~": "end",
    b"\x1b[5~": "page up",
    b"\x1b[6~": "page down",
    b"\x1b": "escape",
}
"""What terminals send for keys; up and down are other names of left and right."""


def is_terminal() -> bool:
    """Whether a person sits at it: stdin and stdout are no pipes and no files."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def drawing_console() -> Console | None:
    """The terminal, if stdin and stdout are one that shows colours and chessmen; None means plain text."""
    if not is_terminal():
        return None
    console = Console(highlight=False)
    has_colors = console.color_system is not None and not console.no_color
    has_chessmen = console.encoding.lower().startswith("utf") and not _is_ascii_wanted()
    return console if has_colors and has_chessmen else None


def has_tints(console: Console) -> bool:
    """Whether a terminal has more than sixteen colours."""
    return console.color_system in ("256", "truecolor")


def _is_ascii_wanted() -> bool:
    """Whether the locale C was chosen; Python takes it for UTF-8, and says so in LC_CTYPE."""
    kind = os.environ.get("LC_CTYPE", "")
    chosen = os.environ.get("LC_ALL") or ("" if kind == "C.UTF-8" else kind) or os.environ.get("LANG")
    return chosen in ("C", "POSIX")


@contextmanager
def single_keys() -> Iterator[None]:
    """Within, the terminal passes on each key at once without echoing it; Ctrl-C works as usual."""
    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)
    try:
        tty.setcbreak(descriptor)
        yield
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)


def next_key() -> str:
    """The next key: a character, or one of `KEYS`; raises EOFError at the end of input."""
    descriptor = sys.stdin.fileno()
    data = os.read(descriptor, 1)
    if not data:
        raise EOFError
    if data == b"\x1b":
        while len(data) < 6 and select.select([descriptor], [], [], 0.03)[0]:
            data += os.read(descriptor, 1)
            if (data[-1:].isalpha() and data != b"\x1bO") or data.endswith(b"~"):
                break
    return KEYS.get(data, data.decode(errors="replace"))


Rgb = tuple[int, int, int]

LIGHT: Rgb = (168, 142, 108)
DARK: Rgb = (118, 84, 46)
CAPTURE: Rgb = (176, 58, 46)
HEAT: Rgb = (224, 122, 24)
MAN_COLORS: dict[chess.Color, Rgb] = {chess.WHITE: (255, 255, 255), chess.BLACK: (0, 0, 0)}
GLYPHS = {kind: chess.UNICODE_PIECE_SYMBOLS[chess.piece_symbol(kind)] for kind in chess.PIECE_TYPES}
"""Filled men, which are coloured."""
MOST_SCALE = 6  # a chessman is one letter high, and is lost on larger squares

Heat: TypeAlias = Callable[[View], Sequence[float]]
"""For each square the chance, in [0, 1], that an enemy man stands there; empty if nothing is known."""


@dataclass(frozen=True, slots=True)
class Picture:
    """What is on a board, and how it is seen.

    Attributes:
      men: the men shown.
      bottom: the side at the bottom.
      marks: squares to highlight: where the last man fell, a king in check.
      heat: [64] for each square the chance, in [0, 1], that an unseen man stands there; empty if there is no map.
      faint: squares whose men are drawn faintly.
      has_tints: whether the terminal has more than sixteen colours.
    """

    men: Men
    bottom: chess.Color = chess.WHITE
    marks: frozenset[chess.Square] = frozenset()
    heat: Sequence[float] = field(default_factory=tuple)
    faint: frozenset[chess.Square] = frozenset()
    has_tints: bool = True


def size_of(scale: int) -> tuple[int, int]:
    """Columns and rows of a board at a scale."""
    return _margin(scale) + 8 * _columns(scale), 8 * scale + 2 - scale % 2


def fitting(columns: int, rows: int) -> int:
    """The largest scale at which a board fits into so much room; 1 if none does."""
    scales = range(MOST_SCALE, 1, -1)
    return next((scale for scale in scales if size_of(scale)[0] <= columns and size_of(scale)[1] <= rows), 1)


def board(picture: Picture, scale: int) -> Text:
    """A board of squares that are so many rows high; a man stands in the middle row.

    If the number is even, that takes half a row of colour above and below.
    """
    text = Text()
    wide, margin = _columns(scale), _margin(scale)
    is_even = scale % 2 == 0
    full = scale - 1 if is_even else scale
    above: list[chess.Square] | None = None
    for row in rows(picture.bottom):
        if is_even:
            _edge(text, picture, above, row, scale)
        for line in range(full):
            is_middle = line == full // 2
            name = f"{chess.square_rank(row[0]) + 1} " if is_middle else ""
            text.append(name.rjust(margin), "dim")
            for square in row:
                sign = _sign(picture, square) if is_middle else ""
                text.append(sign.center(wide), _style(picture, square))
            text.append("\n")
        above = row
    if is_even:
        _edge(text, picture, above, None, scale)
    text.append(" " * margin + "".join(name.center(wide) for name in file_names(picture.bottom)), "dim")
    return text


def _columns(scale: int) -> int:
    """Of a square: a letter is about twice as high as it is wide."""
    return 2 * scale + 1


def _margin(scale: int) -> int:
    """Columns at the left, for the numbers of the ranks."""
    return 2 if scale == 1 else 3


def _edge(
    text: Text, picture: Picture, above: list[chess.Square] | None, below: list[chess.Square] | None, scale: int
) -> None:
    """The half rows between two rows of squares, or at the rim."""
    text.append(" " * _margin(scale))
    for file in range(8):
        upper = _ground(picture, above[file]) if above else None
        lower = _ground(picture, below[file]) if below else None
        if upper is None:
            text.append("▄" * _columns(scale), Style(color=lower))
        else:
            text.append("▀" * _columns(scale), Style(color=upper, bgcolor=lower))
    text.append("\n")


def _sign(picture: Picture, square: chess.Square) -> str:
    """A man, or the chance in per cent that one stands there unseen."""
    man = picture.men.get(square)
    if man is not None:
        return GLYPHS[man.piece_type]
    percent = round(100 * picture.heat[square]) if picture.heat else 0
    return str(percent) if percent else " "


def _style(picture: Picture, square: chess.Square) -> Style:
    man = picture.men.get(square)
    if man is None:
        return Style(color=_color((235, 225, 210), picture), bgcolor=_ground(picture, square))
    is_faint, ground, rgb = square in picture.faint, _ground(picture, square), MAN_COLORS[man.color]
    if is_faint and picture.has_tints:
        rgb = _mixed(rgb, ground.get_truecolor(), 0.55)
    return Style(color=_color(rgb, picture), bgcolor=ground, bold=not is_faint)


def _ground(picture: Picture, square: chess.Square) -> Color:
    """The colour of a square."""
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


def _color(rgb: Rgb, picture: Picture) -> Color:
    if not picture.has_tints:
        return Color.parse("black" if sum(rgb) < 300 else "bright_white")
    return Color.from_rgb(*rgb)


def _mixed(one: Rgb, other: Rgb, share: float) -> Rgb:
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(one, other, strict=True))
    return red, green, blue
