"""The tries open to a side: every move that could be legal as far as that side can see.

Its own men block its way and those it does not see do not; its pawns may try both diagonals at any time.
Nothing is concluded from checks or captures heard: what is open depends only on the side's men and castling
rights, and on one thing heard: that no pawn capture is legal, or none but from these squares, which rules out
every other diagonal.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

import chess

PROMOTIONS = (chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN)

Told: TypeAlias = int | bool | tuple[chess.Square, ...] | None
"""What a side was told of its legal pawn captures; see `Announcement.pawn_tries`."""


def open_tries(
    color: chess.Color,
    men: Mapping[chess.Square, chess.PieceType],
    kingside: bool,
    queenside: bool,
    pawn_tries: Told = None,
) -> list[chess.Move]:
    """Every try open to a side, ordered by square of departure, square of arrival and promotion.

    Args:
      color: the side that tries.
      men: its own men.
      kingside: its own right to castle with the rook on the h-file.
      queenside: its own right to castle with the rook on the a-file.
      pawn_tries: what it was told of its legal pawn captures, as in `Announcement`; None for nothing.
    """
    own = _squares(men)
    tries: list[chess.Move] = []
    for square in sorted(men):
        for target in chess.scan_forward(_targets(color, men, square, own, kingside, queenside, pawn_tries)):
            if men[square] == chess.PAWN and chess.BB_SQUARES[target] & chess.BB_BACKRANKS:
                tries.extend(chess.Move(square, target, promotion) for promotion in PROMOTIONS)
            else:
                tries.append(chess.Move(square, target))
    return tries


def is_open(
    move: chess.Move,
    color: chess.Color,
    men: Mapping[chess.Square, chess.PieceType],
    kingside: bool,
    queenside: bool,
    pawn_tries: Told = None,
) -> bool:
    """Whether a move is among `open_tries`, without listing them."""
    man = men.get(move.from_square)
    target = chess.BB_SQUARES[move.to_square]
    if man is None or move.drop is not None:
        return False
    if not target & _targets(color, men, move.from_square, _squares(men), kingside, queenside, pawn_tries):
        return False
    promotes = man == chess.PAWN and target & chess.BB_BACKRANKS
    return move.promotion in PROMOTIONS if promotes else move.promotion is None


def may_capture(told: Told) -> chess.Bitboard:
    """Squares from which pawns may try to capture, after this was told of pawn captures."""
    if isinstance(told, tuple):
        return _squares(told)
    return chess.BB_ALL if told is None or told else chess.BB_EMPTY


def is_pawn_capture(move: chess.Move, men: Mapping[chess.Square, chess.PieceType]) -> bool:
    """Whether a try is a pawn's diagonal step, which can only be legal as a capture."""
    is_aside = chess.square_file(move.from_square) != chess.square_file(move.to_square)
    return men.get(move.from_square) == chess.PAWN and is_aside


def _squares(squares: Iterable[chess.Square]) -> chess.Bitboard:
    found = chess.BB_EMPTY
    for square in squares:
        found |= chess.BB_SQUARES[square]
    return found


def _targets(
    color: chess.Color,
    men: Mapping[chess.Square, chess.PieceType],
    square: chess.Square,
    own: chess.Bitboard,
    kingside: bool,
    queenside: bool,
    pawn_tries: Told,
) -> chess.Bitboard:
    """Squares that the man on a square may try to go to."""
    man = men[square]
    if man == chess.PAWN:
        return _pawn_targets(color, square, own, diagonals=bool(may_capture(pawn_tries) & chess.BB_SQUARES[square]))
    targets = _attacks(man, square, own) & ~own
    if man == chess.KING:
        targets |= _castling_targets(color, own, kingside, queenside)
    return targets


def _attacks(piece_type: chess.PieceType, square: chess.Square, occupied: chess.Bitboard) -> chess.Bitboard:
    """Squares that a man other than a pawn attacks when only its own side's men stand on the board."""
    if piece_type == chess.KNIGHT:
        return chess.BB_KNIGHT_ATTACKS[square]
    if piece_type == chess.KING:
        return chess.BB_KING_ATTACKS[square]
    attacks = 0
    if piece_type in (chess.BISHOP, chess.QUEEN):
        attacks |= chess.BB_DIAG_ATTACKS[square][chess.BB_DIAG_MASKS[square] & occupied]
    if piece_type in (chess.ROOK, chess.QUEEN):
        attacks |= chess.BB_RANK_ATTACKS[square][chess.BB_RANK_MASKS[square] & occupied]
        attacks |= chess.BB_FILE_ATTACKS[square][chess.BB_FILE_MASKS[square] & occupied]
    return attacks


def _castling_targets(color: chess.Color, own: chess.Bitboard, kingside: bool, queenside: bool) -> chess.Bitboard:
    """Where the king would land by castling: it needs the right and no own man between king and rook."""
    home = chess.BB_RANK_1 if color == chess.WHITE else chess.BB_RANK_8
    targets = 0
    if kingside and not own & home & (chess.BB_FILE_F | chess.BB_FILE_G):
        targets |= home & chess.BB_FILE_G
    if queenside and not own & home & (chess.BB_FILE_B | chess.BB_FILE_C | chess.BB_FILE_D):
        targets |= home & chess.BB_FILE_C
    return targets


def _pawn_targets(color: chess.Color, square: chess.Square, own: chess.Bitboard, *, diagonals: bool) -> chess.Bitboard:
    forward = 8 if color == chess.WHITE else -8
    targets = chess.BB_SQUARES[square + forward] & ~own
    if targets and chess.square_rank(square) == (1 if color == chess.WHITE else 6):
        targets |= chess.BB_SQUARES[square + 2 * forward] & ~own
    if diagonals:
        targets |= chess.BB_PAWN_ATTACKS[color][square] & ~own
    return targets
