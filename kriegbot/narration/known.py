"""What a view tells at a glance: its men on a board in text, where to look, what was taken and what was lost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import chess

from referee import Man, OwnTry, View
from referee.men import king_of


def marks(view: View) -> frozenset[chess.Square]:
    """Where the opponent captured just now, and the own king if it is in check."""
    last = view.last_reply
    if last is None or view.turn != view.color:
        return frozenset()
    kings = [king_of(view.men)] if last.checks else []
    return frozenset([*kings, *([] if last.capture is None else [last.capture])])


def taken(view: View) -> str:
    """What a side has captured, as far as it was told: "1 pawn and 2 pieces", "3 men", "" for nothing."""
    own = [event.announcement for event in view.events if isinstance(event, OwnTry) and event.announcement is not None]
    captures = [announcement.captured for announcement in own if announcement.capture is not None]
    kinds = [("man", "men", None), ("pawn", "pawns", Man.PAWN), ("piece", "pieces", Man.PIECE)]
    counts = [(captures.count(kind), one, many) for one, many, kind in kinds]
    return " and ".join(f"{count} {one if count == 1 else many}" for count, one, many in counts if count)


def lost(view: View) -> list[chess.PieceType]:
    """A side's own men that fell, queens first, as far as they can be told from those that promoted."""
    start = chess.Board(view.start)
    kinds = (chess.QUEEN, chess.ROOK, chess.BISHOP, chess.KNIGHT, chess.PAWN)
    men = list(view.men.values())
    return [kind for kind in kinds for _ in range(len(start.pieces(kind, view.color)) - men.count(kind))]


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
