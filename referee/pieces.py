"""A side's own pieces on a board that shows nothing else: moves, attacks, open tries and their names.

A try is open if it could be legal as far as its side can see. Own pieces block it, unseen ones do not, and a pawn may
try both diagonals at any time. Announced checks and capturing pieces change nothing, only announced pawn tries: if
no pawn capture is legal, or only those from some squares, all other diagonals are closed.

A try's short name is like a move's in chess, by what its side sees: "Nbd2" if another knight of that side might also go
to d2, "exd5" for a pawn that tries the diagonal, "O-O".
"""

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import TypeAlias

import chess

from referee.announcement import PawnTryInfo, PawnTrySquares

Men: TypeAlias = Mapping[chess.Square, chess.PieceType]

PROMOTIONS = (chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN)
PIECE_VALUES: Mapping[chess.PieceType, float] = MappingProxyType(
    {chess.PAWN: 1.0, chess.KNIGHT: 3.0, chess.BISHOP: 3.1, chess.ROOK: 5.0, chess.QUEEN: 9.0, chess.KING: 20.0}
)
"""Values in pawns; the king's is for exchanges in which it takes part."""


def men_of(board: chess.BaseBoard, color: chess.Color) -> dict[chess.Square, chess.PieceType]:
    """Return the pieces of one side, by ascending square."""
    men = {square: board.piece_type_at(square) for square in chess.scan_forward(board.occupied_co[color])}
    return {square: piece for square, piece in men.items() if piece is not None}


def squares_of(squares: Iterable[chess.Square]) -> chess.Bitboard:
    """Return squares, such as those of pieces, as a bitboard."""
    return chess.SquareSet(squares).mask


def king_of(men: Men) -> chess.Square:
    """Return the king's square."""
    return next(square for square, piece in men.items() if piece == chess.KING)


def relative_rank(color: chess.Color, square: chess.Square) -> int:
    """Return the rank of a square as a side sees it: 0 is its back rank, 7 where its pawns promote."""
    return chess.square_rank(square) if color == chess.WHITE else 7 - chess.square_rank(square)


def is_pawn_capture(move: chess.Move, men: Men) -> bool:
    """Return True for a pawn's diagonal step, which is legal only as a capture."""
    is_pawn = men.get(move.from_square) == chess.PAWN
    return is_pawn and chess.square_file(move.from_square) != chess.square_file(move.to_square)


def is_castling(move: chess.Move, men: Men) -> bool:
    """Return True for the king's move of two squares to the side."""
    is_sideways = chess.square_rank(move.from_square) == chess.square_rank(move.to_square)
    return men.get(move.from_square) == chess.KING and is_sideways and abs(move.to_square - move.from_square) == 2


def moved(men: Men, move: chess.Move) -> dict[chess.Square, chess.PieceType]:
    """Return the pieces after a move of one of them."""
    after = dict(men)
    piece = after.pop(move.from_square)
    after[move.to_square] = move.promotion or piece
    if is_castling(move, men):
        rook, target = rook_in_castling(move)
        after[target] = after.pop(rook)
    return after


def must_be_empty(move: chess.Move, men: Men) -> chess.Bitboard:
    """Return the squares that must be empty for a try to be legal."""
    if is_castling(move, men):
        return chess.between(move.from_square, rook_in_castling(move)[0])
    between = chess.between(move.from_square, move.to_square)
    if men[move.from_square] == chess.PAWN and not is_pawn_capture(move, men):
        between |= chess.BB_SQUARES[move.to_square]
    return between


def rook_in_castling(move: chess.Move) -> tuple[chess.Square, chess.Square]:
    """Return where the rook begins and ends."""
    files = (7, 5) if chess.square_file(move.to_square) == 6 else (0, 3)
    return chess.square(files[0], chess.square_rank(move.from_square)), (move.from_square + move.to_square) // 2


def attacks(
    color: chess.Color, piece: chess.PieceType, square: chess.Square, occupied: chess.Bitboard
) -> chess.Bitboard:
    """Return the squares that a piece on a square attacks past these obstacles."""
    match piece:
        case chess.PAWN:
            return chess.BB_PAWN_ATTACKS[color][square]
        case chess.KNIGHT:
            return chess.BB_KNIGHT_ATTACKS[square]
        case chess.KING:
            return chess.BB_KING_ATTACKS[square]
    targets = chess.BB_EMPTY
    if piece != chess.ROOK:
        targets |= chess.BB_DIAG_ATTACKS[square][chess.BB_DIAG_MASKS[square] & occupied]
    if piece != chess.BISHOP:
        targets |= chess.BB_RANK_ATTACKS[square][chess.BB_RANK_MASKS[square] & occupied]
        targets |= chess.BB_FILE_ATTACKS[square][chess.BB_FILE_MASKS[square] & occupied]
    return targets


def attacked(color: chess.Color, men: Men) -> chess.Bitboard:
    """Return the squares that a side attacks or protects, as if it were alone on the board."""
    own, targets = squares_of(men), chess.BB_EMPTY
    for square, piece in men.items():
        targets |= attacks(color, piece, square, own)
    return targets


def open_tries(
    color: chess.Color,
    men: Men,
    kingside: bool,
    queenside: bool,
    pawn_tries: PawnTryInfo | None = None,
    origin: chess.Square | None = None,
) -> list[chess.Move]:
    """Return the tries open to a side, or only those from `origin`, ordered by origin, target and promotion.

    The other arguments are as in a `View` of the side to move.
    """
    own, capturing = squares_of(men), may_capture(pawn_tries)
    tries = []
    for square in sorted(men if origin is None else men.keys() & {origin}):
        targets = attacks(color, men[square], square, own) & ~own
        promotions: tuple[chess.PieceType | None, ...] = (None,)
        if men[square] == chess.KING:
            targets |= _castling_targets(color, men, kingside, queenside)
        elif men[square] == chess.PAWN:
            forward, rank = 8 if color == chess.WHITE else -8, relative_rank(color, square)
            pushes = chess.BB_SQUARES[square + forward] & ~own
            if pushes and rank == 1:
                pushes |= chess.BB_SQUARES[square + 2 * forward] & ~own
            targets = pushes | (targets if capturing & chess.BB_SQUARES[square] else chess.BB_EMPTY)
            promotions = PROMOTIONS if rank == 6 else promotions
        tries += [chess.Move(square, to, promotion) for to in chess.scan_forward(targets) for promotion in promotions]
    return tries


def may_capture(pawn_tries: PawnTryInfo | None) -> chess.Bitboard:
    """Return the squares from which pawns may try to capture."""
    if isinstance(pawn_tries, PawnTrySquares):
        return squares_of(pawn_tries.squares)
    return chess.BB_ALL if pawn_tries is None or pawn_tries.at_least else chess.BB_EMPTY


def _castling_targets(color: chess.Color, men: Men, kingside: bool, queenside: bool) -> chess.Bitboard:
    """Return the king's targets in castling, for which it needs the right and no own piece up to the rook."""
    home, targets = 0 if color == chess.WHITE else 56, chess.BB_EMPTY
    if kingside and men.keys().isdisjoint((home + 5, home + 6)):
        targets |= chess.BB_SQUARES[home + 6]
    if queenside and men.keys().isdisjoint((home + 1, home + 2, home + 3)):
        targets |= chess.BB_SQUARES[home + 2]
    return targets


def try_name(move: chess.Move, color: chess.Color, men: Men, kingside: bool, queenside: bool) -> str:
    """Return the name of a side's try; UCI for a null move, or if none of its pieces stands where it begins."""
    piece = men.get(move.from_square)
    if piece is None or not move:
        return move.uci()
    start, target = chess.square_name(move.from_square), chess.square_name(move.to_square)
    if piece == chess.PAWN:
        promotion = "=" + chess.piece_symbol(move.promotion).upper() if move.promotion else ""
        return (f"{start[0]}x" if is_pawn_capture(move, men) else "") + target + promotion
    if is_castling(move, men):
        return "O-O" if chess.square_file(move.to_square) == 6 else "O-O-O"
    others = [square for square, other in men.items() if other == piece and square != move.from_square]
    rivals = [
        chess.square_name(square)
        for square in others
        if chess.Move(square, move.to_square) in open_tries(color, men, kingside, queenside, origin=square)
    ]
    parts = "", start[0], start[1]  # the file and the rank, which distinguish as in SAN
    distinct = next((part for part in parts if not any(part in rival for rival in rivals)), start)
    return chess.piece_symbol(piece).upper() + distinct + target


def matches_san(move: chess.Move, men: Men, match: re.Match[str]) -> bool:
    """Return True if a name such as "Nbd2" or "bxa8=Q" may mean a try. Castling has other names.

    The match has the letter of the piece, file and rank of its start, sign of a capture, target, letter of a promotion.
    """
    letter, file, rank, sign, target, promotion = match.groups()
    start, piece = chess.square_name(move.from_square), men.get(move.from_square)
    return (
        chess.square_name(move.to_square) == target
        and piece == chess.PIECE_SYMBOLS.index(letter.lower() or "p")
        and file in ("", start[0])
        and rank in ("", start[1])
        and promotes_to(move, promotion)
        and not is_castling(move, men)
        and (piece != chess.PAWN or bool(file) or is_pawn_capture(move, men) == (sign == "x"))
    )


def promotes_to(move: chess.Move, letter: str | None) -> bool:
    """Return True if a move promotes to the piece of a letter, by default to a queen, if it promotes at all."""
    if letter:
        return move.promotion == chess.PIECE_SYMBOLS.index(letter.lower())
    return move.promotion in (None, chess.QUEEN)
