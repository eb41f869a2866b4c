"""Boards as coloured squares."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import chess
from rich.color import Color
from rich.style import Style
from rich.text import Text

from kriegbot.telling.board import Men, file_names, rows

Rgb = tuple[int, int, int]

LIGHT: Rgb = (168, 142, 108)
DARK: Rgb = (118, 84, 46)
CAPTURE: Rgb = (176, 58, 46)
HEAT: Rgb = (224, 122, 24)
MAN_COLORS: dict[chess.Color, Rgb] = {chess.WHITE: (255, 255, 255), chess.BLACK: (0, 0, 0)}
GLYPHS = {
    chess.PAWN: "♟",
    chess.KNIGHT: "♞",
    chess.BISHOP: "♝",
    chess.ROOK: "♜",
    chess.QUEEN: "♛",
    chess.KING: "♚",
}
BIG_SIZE = (43, 18)
"""Columns and rows of a big board."""
SMALL_SIZE = (26, 9)


@dataclass(frozen=True, slots=True)
class Picture:
    """What is on a board, and how it is seen.

    Attributes:
      men: the men shown.
      bottom: the side at the bottom.
      marks: squares to highlight: where the last man fell, a king in check.
      heat: [64] for each square the chance, in [0, 1], that an unseen man stands there; empty if there is no map.
      has_tints: whether the terminal has more than sixteen colours.
    """

    men: Men
    bottom: chess.Color = chess.WHITE
    marks: frozenset[chess.Square] = frozenset()
    heat: Sequence[float] = field(default_factory=tuple)
    has_tints: bool = True


def small_board(picture: Picture) -> Text:
    """A board of squares one row high."""
    text = Text()
    for row in rows(picture.bottom):
        text.append(f"{chess.square_rank(row[0]) + 1} ", "dim")
        for square in row:
            text.append(f" {_sign(picture, square, 1)} ", _style(picture, square))
        text.append("\n")
    text.append("   " + "  ".join(file_names(picture.bottom)), "dim")
    return text


def big_board(picture: Picture) -> Text:
    """A board of squares two rows high: a row of men, and half a row of colour above and below."""
    text = Text()
    above: list[chess.Square] | None = None
    for row in rows(picture.bottom):
        _edge(text, picture, above, row)
        text.append(f"{chess.square_rank(row[0]) + 1:>2} ", "dim")
        for square in row:
            text.append(_sign(picture, square, 3).center(5), _style(picture, square))
        text.append("\n")
        above = row
    _edge(text, picture, above, None)
    text.append("   " + "".join(name.center(5) for name in file_names(picture.bottom)), "dim")
    return text


def _edge(text: Text, picture: Picture, above: list[chess.Square] | None, below: list[chess.Square] | None) -> None:
    """The half rows between two rows of squares, or at the rim."""
    text.append("   ")
    for file in range(8):
        upper = _ground(picture, above[file]) if above else None
        lower = _ground(picture, below[file]) if below else None
        if upper is None:
            text.append("▄" * 5, Style(color=lower))
        else:
            text.append("▀" * 5, Style(color=upper, bgcolor=lower))
    text.append("\n")


def _sign(picture: Picture, square: chess.Square, width: int) -> str:
    """A man, or the chance in per cent that one stands there unseen."""
    man = picture.men.get(square)
    if man is not None:
        return GLYPHS[man.piece_type]
    percent = round(100 * picture.heat[square]) if picture.heat else 0
    return str(percent) if percent and len(str(percent)) <= width else " "


def _style(picture: Picture, square: chess.Square) -> Style:
    man = picture.men.get(square)
    if man is None:
        return Style(color=_color((235, 225, 210), picture), bgcolor=_ground(picture, square))
    return Style(color=_color(MAN_COLORS[man.color], picture), bgcolor=_ground(picture, square), bold=True)


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
