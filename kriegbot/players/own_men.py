"""One's own men on a board on which nothing else is seen: how they move, what they attack, what stands in their way."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TypeAlias

import chess

from referee import View

Men: TypeAlias = Mapping[chess.Square, chess.PieceType]

WORTH: Mapping[chess.PieceType, float] = MappingProxyType(
    {chess.PAWN: 1.0, chess.KNIGHT: 3.0, chess.BISHOP: 3.1, chess.ROOK: 5.0, chess.QUEEN: 9.0, chess.KING: 20.0}
)
"""What a man is worth in pawns; the king, when he takes part in an exchange."""


def squares_of(men: Men) -> chess.Bitboard:
    """Where the men stand."""
    return sum(chess.BB_SQUARES[square] for square in men)


def attacks(color: chess.Color, man: chess.PieceType, square: chess.Square, occupied: chess.Bitboard) -> chess.Bitboard:
    """What a man on a square attacks past these obstacles."""
    match man:
        case chess.PAWN:
            return chess.BB_PAWN_ATTACKS[color][square]
        case chess.KNIGHT:
            return chess.BB_KNIGHT_ATTACKS[square]
        case chess.KING:
            return chess.BB_KING_ATTACKS[square]
    seen = 0
    if man != chess.ROOK:
        seen |= chess.BB_DIAG_ATTACKS[square][chess.BB_DIAG_MASKS[square] & occupied]
    if man != chess.BISHOP:
        seen |= chess.BB_RANK_ATTACKS[square][chess.BB_RANK_MASKS[square] & occupied]
        seen |= chess.BB_FILE_ATTACKS[square][chess.BB_FILE_MASKS[square] & occupied]
    return seen


def attacked(color: chess.Color, men: Men) -> chess.Bitboard:
    """All that the men attack or protect, as if nobody else stood on the board."""
    own, seen = squares_of(men), 0
    for square, man in men.items():
        seen |= attacks(color, man, square, own)
    return seen


def moved(men: Men, move: chess.Move) -> dict[chess.Square, chess.PieceType]:
    """The men after a move of theirs."""
    after = dict(men)
    man = after.pop(move.from_square)
    after[move.to_square] = move.promotion or man
    if is_castling(men, move):
        rook, beside = _rook_in_castling(move)
        after[beside] = after.pop(rook)
    return after


def is_castling(men: Men, move: chess.Move) -> bool:
    """Whether a try castles."""
    return men[move.from_square] == chess.KING and chess.square_distance(move.from_square, move.to_square) == 2


def way(men: Men, move: chess.Move) -> chess.Bitboard:
    """The squares that have to be empty for a try to be legal."""
    if is_castling(men, move):
        return chess.between(move.from_square, _rook_in_castling(move)[0])
    between = chess.between(move.from_square, move.to_square)
    is_ahead = chess.square_file(move.from_square) == chess.square_file(move.to_square)
    if men[move.from_square] == chess.PAWN and is_ahead:
        between |= chess.BB_SQUARES[move.to_square]
    return between


def rank_of(color: chess.Color, square: chess.Square) -> int:
    """How far up the board a square is for a side: 0 is its back rank, 7 where pawns promote."""
    return chess.square_rank(square) if color == chess.WHITE else 7 - chess.square_rank(square)


def king_of(view: View) -> chess.Square:
    """Where one's own king stands."""
    return next(square for square, man in view.men.items() if man == chess.KING)


def _rook_in_castling(move: chess.Move) -> tuple[chess.Square, chess.Square]:
    """Where the rook comes from and where it goes."""
    rank = chess.square_rank(move.from_square)
    if chess.square_file(move.to_square) == 6:
        return chess.square(7, rank), chess.square(5, rank)
    return chess.square(0, rank), chess.square(3, rank)
