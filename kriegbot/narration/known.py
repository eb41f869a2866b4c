"""What a view tells at a glance: its men on a board in text, where to look, what was taken and what was lost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

import chess

from referee import Announcement, Check, Man, OwnTry, View
from referee.announcement import check_direction
from referee.pieces import attacks, is_castling, is_pawn_capture, king_of, squares_of


def marks(view: View) -> frozenset[chess.Square]:
    """Where the opponent captured just now, and the own king if it is in check."""
    last = view.last_reply
    if last is None or view.turn != view.color:
        return frozenset()
    kings = [king_of(view.men)] if last.checks else []
    return frozenset([*kings, *([] if last.capture is None else [last.capture])])


@dataclass(frozen=True, slots=True)
class InCheck:
    """A side is in check and to move.

    Attributes:
      text: the directions, as announced: "Check on the file."
      line: where a man that gives the check may stand, and its way to the king.
      idle: open tries that surely do not answer it, whatever the other side's men are.
    """

    text: str
    line: chess.SquareSet
    idle: list[chess.Move]

    def idlers(self, view: View) -> frozenset[chess.Square]:
        """The men whose every open try is idle."""
        answering = {move.from_square for move in view.tries() if move not in self.idle}
        return frozenset(move.from_square for move in self.idle) - answering


def in_check(view: View) -> InCheck | None:
    """The announced check that a side has to answer, from its own men alone; None if there is none."""
    last = view.last_reply
    if last is None or not last.checks or view.turn != view.color or view.end is not None:
        return None
    king, own = king_of(view.men), squares_of(view.men)
    reach = chess.SquareSet(attacks(view.color, chess.QUEEN, king, own) & ~own)
    line = chess.SquareSet(square for square in reach if check_direction(king, square) & last.checks)
    if Check.KNIGHT in last.checks:
        line |= chess.BB_KNIGHT_ATTACKS[king] & ~own
    is_double = last.checks.bit_count() > 1

    def is_idle(move: chess.Move) -> bool:
        if move.from_square == king:
            return is_castling(move, view.men)
        is_capture = is_pawn_capture(move, view.men)
        passed = chess.square(chess.square_file(move.to_square), chess.square_rank(move.from_square))
        if is_double or not (move.to_square in line or (is_capture and passed in line)):
            return True  # it takes no man that may give the check, nor comes in between
        return last.checks == Check.KNIGHT and view.men[move.from_square] == chess.PAWN and not is_capture

    text = Announcement(checks=last.checks).text()
    return InCheck(text, line, [move for move in view.tries() if is_idle(move)])


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
