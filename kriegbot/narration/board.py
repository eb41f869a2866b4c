"""A board as plain text, and the order in which its squares are seen from either side."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import chess

from referee import View

Men: TypeAlias = Mapping[chess.Square, chess.Piece]


def own_men(view: View) -> dict[chess.Square, chess.Piece]:
    """The men of a view."""
    return {square: chess.Piece(kind, view.color) for square, kind in view.men.items()}


def rows(bottom: chess.Color) -> list[list[chess.Square]]:
    """The squares row by row from the top, each from left to right, with a side at the bottom."""
    down = [[chess.square(file, rank) for file in range(8)] for rank in range(7, -1, -1)]
    return down if bottom == chess.WHITE else [row[::-1] for row in down[::-1]]


def file_names(bottom: chess.Color) -> str:
    """The letters of the files from left to right."""
    return "abcdefgh" if bottom == chess.WHITE else "hgfedcba"


def plain_board(men: Men, bottom: chess.Color = chess.WHITE) -> list[str]:
    """A board as nine lines of letters and dots, as python-chess prints it, with coordinates."""
    lines = []
    for row in rows(bottom):
        symbols = [men[square].symbol() if square in men else "." for square in row]
        lines.append(f"{chess.square_rank(row[0]) + 1} {' '.join(symbols)}")
    return [*lines, "  " + " ".join(file_names(bottom))]
