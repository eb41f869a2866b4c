"""Where a bare king may stand: every square that fits all that was heard since he was bare, and no other.

Departs from `belief` in that nothing is ever sampled or weighed, so nothing is lost: there are 64 squares at most. What
was heard before he was bare is not used.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import chess
import numpy as np

from kriegbot.endgames.king_sets import checking_squares, making_illegal, reachable
from kriegbot.kernels import TABLES, WordArray, encode_move
from referee import Announcement, Answer, Event, OpponentMoved, OwnTry, View
from referee.men import Men, is_castling, men_of, moved

PLACES = {
    chess.PAWN: (0,),
    chess.KNIGHT: (1,),
    chess.BISHOP: (2,),
    chess.ROOK: (3,),
    chess.QUEEN: (2, 3),
    chess.KING: (4,),
}
"""Which words of `king_sets.Men` a man stands in."""


@dataclass(frozen=True, slots=True)
class BareKing:
    """Our men and the squares on which the bare king may stand, as python-chess has them.

    hears: whether checks are announced.
    """

    color: chess.Color
    men: Men
    squares: chess.Bitboard
    hears: bool = True

    @classmethod
    def anywhere(cls, color: chess.Color, men: Men) -> BareKing:
        """A king of whom nothing is known but that it is our turn."""
        return cls(color, men, turned(int(reachable(TABLES, men_row(color, men), chess.BB_ALL)), color))

    @classmethod
    def of(cls, view: View) -> BareKing | None:
        """What a view tells of a bare king; None if the opponent has other men."""
        if view.opponent_men > 1:
            return None
        board = chess.Board(view.start)
        men = men_of(board, view.color)
        others = chess.popcount(board.occupied_co[not view.color])
        squares = board.pieces_mask(chess.KING, not view.color) if others == 1 else chess.BB_ALL
        bare = cls(view.color, men, squares, view.rules.checks_told)
        for event in view.events:
            match event:
                case OwnTry(_, Answer.ACCEPTED, announcement) if announcement is not None:
                    if announcement.captured_square is not None:
                        others -= 1
                        bare = replace(bare, squares=unattacked(view.color, bare.men, announcement.captured_square))
                    bare = bare.after(event)
                case OpponentMoved(announcement) if others > 1:
                    bare = bare.without(announcement.captured_square)
                case _ if others == 1:
                    bare = bare.after(event)
        return bare

    def after(self, event: Event) -> BareKing:
        """What is possible after an event of the view."""
        match event:
            case OwnTry(move, Answer.ACCEPTED | Answer.ILLEGAL, announcement):
                return self.after_own_try(move, announcement)
            case OpponentMoved(announcement):
                return self.after_opponent(announcement)
        return self

    def after_own_try(self, move: chess.Move, announcement: Announcement | None) -> BareKing:
        """What is possible after a try of ours: accepted, or without an announcement refused.

        A refusal that no square explains, of a try that is impossible whatever the king does, tells nothing.
        """
        illegal = chess.BB_EMPTY
        is_capture = announcement is not None and announcement.capture is not None
        if not is_castling(move, self.men) and not (is_capture and self.men[move.from_square] == chess.PAWN):
            code = encode_move(turned_move(move, self.color))
            illegal = turned(int(making_illegal(TABLES, men_row(self.color, self.men), code)), self.color)
        if announcement is None:
            return replace(self, squares=self.squares & illegal or self.squares)
        men = moved(self.men, move)
        squares = self.squares & ~illegal & ~chess.SquareSet(men).mask
        if self.hears:
            squares &= turned(
                int(checking_squares(TABLES, men_row(self.color, men), int(announcement.checks))), self.color
            )
        return replace(self, men=men, squares=squares)

    def after_opponent(self, announcement: Announcement) -> BareKing:
        """What is possible after a move of the king's."""
        if announcement.capture is not None:
            taken = self.without(announcement.capture)
            return replace(taken, squares=chess.BB_SQUARES[announcement.capture])
        squares = turned(self.squares, self.color)
        reached = int(reachable(TABLES, men_row(self.color, self.men), squares))
        return replace(self, squares=turned(reached, self.color))

    def without(self, square: chess.Square | None) -> BareKing:
        """The same without our man on a square."""
        return replace(self, men={s: kind for s, kind in self.men.items() if s != square})


def unattacked(color: chess.Color, men: Men, last: chess.Square) -> chess.Bitboard:
    """Squares on which a king may stand with us to move, and one other man of his on a square."""
    board = chess.Board(None)
    for square, kind in men.items():
        board.set_piece_at(square, chess.Piece(kind, color))
    board.set_piece_at(last, chess.Piece(chess.PAWN, not color))
    return chess.SquareSet(s for s in chess.SquareSet(~board.occupied) if not board.is_attacked_by(color, s)).mask


def turned(squares: chess.Bitboard, color: chess.Color) -> chess.Bitboard:
    """Squares as kernels see them, with our pawns going up the board; and back."""
    return squares if color == chess.WHITE else chess.flip_vertical(squares)


def turned_move(move: chess.Move, color: chess.Color) -> chess.Move:
    """The same for a move."""
    if color == chess.WHITE:
        return move
    return chess.Move(chess.square_mirror(move.from_square), chess.square_mirror(move.to_square), move.promotion)


def men_row(color: chess.Color, men: Men) -> WordArray:
    """Our men as kernels take them: uint64[5], with our pawns going up the board."""
    row = [0] * 5
    for square, kind in men.items():
        for place in PLACES[kind]:
            row[place] |= turned(chess.BB_SQUARES[square], color)
    return np.array(row, np.uint64)
