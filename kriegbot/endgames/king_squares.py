"""Squares on which the opponent's lone king may stand.

With us to move it is exact for the announcements since the king lost its last piece, but for refused castling, and for
tries that our own pieces rule out, which tell nothing. 64 squares need no sampling.
"""

from dataclasses import dataclass, replace
from typing import Self

import chess
import numpy as np

from kriegbot.kernels import WordArray
from referee import BERKELEY, Announcement, Answer, Check, Event, OpponentMoved, OpponentRefused, OwnTry, RuleSet, View
from referee.announcement import check_direction
from referee.pieces import Men, attacked, attacks, is_pawn_capture, men_of, moved, must_be_empty, open_tries, squares_of

WORDS = {
    chess.PAWN: (0,),
    chess.KNIGHT: (1,),
    chess.BISHOP: (2,),
    chess.ROOK: (3,),
    chess.QUEEN: (2, 3),
    chess.KING: (4,),
}
"""Fields of `king_sets.Pieces` that hold each type of piece."""


@dataclass(frozen=True, slots=True)
class BareKing:
    """Our pieces and the possible squares of the opponent's lone king, after `refused` illegal tries of its turn."""

    color: chess.Color
    men: Men
    squares: chess.Bitboard
    rules: RuleSet = BERKELEY
    refused: int = 0

    @classmethod
    def anywhere(cls, color: chess.Color, men: Men, rules: RuleSet = BERKELEY) -> Self:
        """Return a king on any square that is legal with us to move."""
        bare = cls(color, men, chess.BB_ALL, rules)
        return replace(bare, squares=bare.after_step())

    @classmethod
    def of(cls, view: View) -> Self | None:
        """Return the king of a view; None if the opponent has other pieces."""
        if view.opponent_men > 1:
            return None
        board = chess.Board(view.start)
        men = men_of(board, view.color)
        others = chess.popcount(board.occupied_co[not view.color])
        squares = board.pieces_mask(chess.KING, not view.color) if others == 1 else chess.BB_ALL
        bare = cls(view.color, men, squares, view.rules)
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

    def after(self, event: Event) -> Self:
        """Return the king after an event of the view."""
        match event:
            case OwnTry(move, Answer.ACCEPTED, announcement) if announcement is not None:
                return self.after_own_move(move, announcement)
            case OwnTry(move, Answer.ILLEGAL) if self.is_open(move):
                return replace(self, squares=self.squares & self.refusing(move) or self.squares)
            case OpponentMoved(Announcement(capture=int() as square)):
                return replace(self.without(square), squares=chess.BB_SQUARES[square])
            case OpponentMoved():
                return replace(self, squares=self.after_step(), refused=0)
            case OpponentRefused() if self.rules.nonsense:  # otherwise the king may repeat a try
                return self.after_refusal()
        return self

    def is_open(self, move: chess.Move) -> bool:
        """Return True if our pieces allow a try, other than castling."""
        return move in open_tries(self.color, self.men, False, False, origin=move.from_square)

    def refusing(self, move: chess.Move) -> chess.Bitboard:
        """Return the squares of the king that make a try illegal: all of them for a pawn capture."""
        if is_pawn_capture(move, self.men):
            return chess.BB_ALL
        squares = must_be_empty(move, self.men)
        if self.men[move.from_square] == chess.KING:
            squares |= chess.BB_KING_ATTACKS[move.to_square] | chess.BB_SQUARES[move.to_square]
        return squares

    def after_own_move(self, move: chess.Move, announcement: Announcement) -> Self:
        """Return the king after the referee accepted our try."""
        illegal = chess.BB_EMPTY if is_pawn_capture(move, self.men) else self.refusing(move)
        after = replace(self, men=moved(self.men, move))
        squares = self.squares & ~illegal & ~squares_of(after.men)
        if self.rules.checks_announced:
            squares = squares_of(
                square for square in chess.scan_forward(squares) if after.checks_on(square) == announcement.checks
            )
        return replace(after, squares=squares)

    def checks_on(self, square: chess.Square) -> Check:
        """Return the directions of check that the referee announces of a king on a square."""
        own, checks = squares_of(self.men), Check(0)
        for origin, piece in self.men.items():
            if attacks(self.color, piece, origin, own) & chess.BB_SQUARES[square]:
                checks |= check_direction(square, origin)
        return checks

    def after_step(self) -> chess.Bitboard:
        """Return the squares of the king after a step that captures nothing."""
        near = chess.BB_EMPTY
        for square in chess.scan_forward(self.squares):
            near |= chess.BB_KING_ATTACKS[square]
        return near & ~attacked(self.color, self.men) & ~squares_of(self.men)

    def after_refusal(self) -> Self:
        """Return the king after one more illegal try: it stands beside as many attacked squares."""
        count, covered, squares = self.refused + 1, attacked(self.color, self.men), chess.BB_EMPTY
        for square in chess.scan_forward(self.squares):
            steps = chess.BB_KING_ATTACKS[square]
            if steps & ~covered and chess.popcount(steps & covered) >= count:
                squares |= chess.BB_SQUARES[square]
        return replace(self, squares=squares, refused=count)

    def without(self, square: chess.Square | None) -> Self:
        """Return the king of a new turn, its squares as they are, without our piece on a square, if there is one."""
        return replace(self, men={s: piece for s, piece in self.men.items() if s != square}, refused=0)


def unattacked(color: chess.Color, men: Men, last: chess.Square) -> chess.Bitboard:
    """Return the squares of a king that is not in check, with one other piece on `last`."""
    board = chess.Board(None)
    for square, piece in men.items():
        board.set_piece_at(square, chess.Piece(piece, color))
    board.set_piece_at(last, chess.Piece(chess.PAWN, not color))
    return chess.SquareSet(s for s in chess.SquareSet(~board.occupied) if not board.is_attacked_by(color, s)).mask


def turned(squares: chess.Bitboard, color: chess.Color) -> chess.Bitboard:
    """Flip squares between the real board and that of the kernels, on which our pawns go up."""
    return squares if color == chess.WHITE else chess.flip_vertical(squares)


def turned_move(move: chess.Move, color: chess.Color) -> chess.Move:
    """Flip a move as `turned` flips squares."""
    if color == chess.WHITE:
        return move
    return chess.Move(chess.square_mirror(move.from_square), chess.square_mirror(move.to_square), move.promotion)


def pieces_row(color: chess.Color, men: Men) -> WordArray:
    """Encode our pieces for kernels: uint64[5], our pawns moving up the board."""
    row = [0] * 5
    for square, piece in men.items():
        for word in WORDS[piece]:
            row[word] |= turned(chess.BB_SQUARES[square], color)
    return np.array(row, np.uint64)
