"""Where a bare king may stand: every square that fits all that was heard since he was bare, and no other.

Departs from `belief` in that nothing is ever sampled, weighed or lost: at most 64 squares are held, whoever moves.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import chess
import numpy as np

from kriegbot.endings.sets import everywhere, reachable, still_possible
from kriegbot.kernels.position import encode_move
from kriegbot.kernels.tables import TABLES
from kriegbot.kernels.types import WordArray
from referee import Announcement

PLACES = {chess.PAWN: (0,), chess.KNIGHT: (1,), chess.BISHOP: (2,), chess.ROOK: (3,), chess.QUEEN: (2, 3), chess.KING: (4,)}
"""Which of the words of `sets.Men` a man stands in."""


@dataclass(frozen=True, slots=True)
class BareKing:
    """Our men and the squares on which the bare king may stand.

    Attributes:
      color: our side.
      men: ours, as in a view.
      squares: bit 0 = a1, as in python-chess.
    """

    color: chess.Color
    men: Mapping[chess.Square, chess.PieceType]
    squares: chess.Bitboard

    @classmethod
    def anywhere(cls, color: chess.Color, men: Mapping[chess.Square, chess.PieceType]) -> BareKing:
        """A king of whom nothing is known but that it is our turn."""
        return cls(color, men, turned(int(everywhere(TABLES, men_row(color, men))), color))

    def after_own_try(self, move: chess.Move, announcement: Announcement | None) -> BareKing:
        """What is possible after a try of ours, accepted or, without an announcement, refused."""
        directions = -1 if announcement is None else int(announcement.checks)
        row, squares = men_row(self.color, self.men), np.uint64(turned(self.squares, self.color))
        code = encode_move(turned_move(move, self.color))
        left = turned(int(still_possible(TABLES, row, squares, code, directions)), self.color)
        if announcement is None:
            return BareKing(self.color, self.men, left)
        men = {square: kind for square, kind in self.men.items() if square != move.from_square}
        men[move.to_square] = move.promotion or self.men[move.from_square]
        return BareKing(self.color, men, left)

    def after_opponent(self, announcement: Announcement) -> BareKing:
        """What is possible after a move of the king, heard."""
        taken = announcement.capture
        if taken is not None:
            men = {square: kind for square, kind in self.men.items() if square != taken}
            return BareKing(self.color, men, chess.BB_SQUARES[taken])
        squares = np.uint64(turned(self.squares, self.color))
        return BareKing(
            self.color, self.men, turned(int(reachable(TABLES, men_row(self.color, self.men), squares)), self.color)
        )


def turned(squares: chess.Bitboard, color: chess.Color) -> chess.Bitboard:
    """Squares as kernels see them, with our pawns going up the board; and back."""
    return squares if color == chess.WHITE else chess.flip_vertical(squares)


def turned_move(move: chess.Move, color: chess.Color) -> chess.Move:
    """The same for a move."""
    if color == chess.WHITE:
        return move
    return chess.Move(chess.square_mirror(move.from_square), chess.square_mirror(move.to_square), move.promotion)


def men_row(color: chess.Color, men: Mapping[chess.Square, chess.PieceType]) -> WordArray:
    """Our men as kernels take them: uint64[5], with our pawns going up the board."""
    row = [0] * 5
    for square, kind in men.items():
        for place in PLACES[kind]:
            row[place] |= turned(chess.BB_SQUARES[square], color)
    return np.array(row, np.uint64)
