"""Placements of our pieces up to symmetry, numbered, for the endings that `proofs` has.

The board is turned until our king is on one of ten squares (32 with a pawn). With the king on the diagonal there are
two such turns: the lesser number decides. If both give the same number, the placement is its own mirror image.
"""

from kriegbot import kernels as kb
from kriegbot.endgames.king_sets import Pieces, all_pieces

QUEENS, ROOKS, PAWNS, BISHOPS, KNIGHTS, PAIRS, END = 0, 640, 1280, 3328, 44288, 85248, 126208
"""First placement of each ending: our king's square, of ten (32), and those of one piece, or of two."""
ENDINGS = {"KQK": QUEENS, "KRK": ROOKS, "KPK": PAWNS, "KBBK": BISHOPS, "KBNK": KNIGHTS, "KRRK": PAIRS}
NO_PLACEMENT = -1  # of other pieces


@kb.inlined
def transformed(square: int, symmetry: int) -> int:
    """Return a square of the turned board: bits 0-5 reflect it, then bit 6 swaps files and ranks."""
    square ^= symmetry & 63
    return (square >> 3 | (square & 7) << 3) if symmetry & 64 else square


@kb.inlined
def restored(square: int, symmetry: int) -> int:
    """Return the square whose transform this is."""
    return (square >> 3 | (square & 7) << 3 if symmetry & 64 else square) ^ symmetry & 63


@kb.kernel
def transformed_set(squares: kb.Word, symmetry: int) -> kb.Word:
    """Return the transforms of squares."""
    found = kb.NONE
    while squares:
        found |= kb.bit(transformed(kb.lsb(squares), symmetry))
        squares &= squares - kb.ONE
    return found


@kb.kernel
def restored_set(squares: kb.Word, symmetry: int) -> kb.Word:
    """Return the squares whose transforms these are."""
    found = kb.NONE
    while squares:
        found |= kb.bit(restored(kb.lsb(squares), symmetry))
        squares &= squares - kb.ONE
    return found


@kb.inlined
def code_of_squares(first: int, second: int, alike: bool, symmetry: int) -> int:
    """Return the turned squares of two pieces as a number; equal pieces are in order of their squares."""
    first, second = transformed(first, symmetry), transformed(second, symmetry)
    return 64 * second + first if alike and first > second else 64 * first + second


@kb.kernel
def ending_of(ours: Pieces) -> int:
    """Return the first placement of the ending of our pieces; NO_PLACEMENT for an ending without tables."""
    queens, rooks, bishops = ours.diagonals & ours.orthogonals, ours.orthogonals, ours.diagonals
    count = kb.popcount(all_pieces(ours)) - 1
    if count == 1:
        return QUEENS if queens else ROOKS if rooks else PAWNS if ours.pawns else NO_PLACEMENT
    if count != 2 or queens or ours.pawns:
        return NO_PLACEMENT
    if kb.popcount(rooks) == 2:
        return PAIRS
    if bishops & kb.DARK_SQUARES and bishops & ~kb.DARK_SQUARES:
        return BISHOPS
    return KNIGHTS if bishops and ours.knights else NO_PLACEMENT


@kb.kernel
def placement(ours: Pieces) -> int:
    """Return the placement of our pieces times 256, plus the symmetry that leads to it; NO_PLACEMENT of other pieces.

    Bit 7 says that the placement is its own mirror image: symmetry ^ 64 leads to it, too.
    """
    begin, king = ending_of(ours), kb.lsb(ours.king)
    if begin == NO_PLACEMENT:
        return NO_PLACEMENT
    others = all_pieces(ours) ^ ours.king
    first, second = kb.lsb(others), kb.lsb(others & (others - kb.ONE) if begin >= BISHOPS else others)
    if begin == KNIGHTS:
        first, second = kb.lsb(ours.diagonals), kb.lsb(ours.knights)
    symmetry, alike = 7 if king & 4 else 0, begin != KNIGHTS
    if begin == PAWNS:
        king ^= symmetry
        return (begin + 64 * ((king >> 3) * 4 + (king & 3)) + transformed(first, symmetry)) << 8 | symmetry
    symmetry |= 56 if king & 32 else 0
    king ^= symmetry
    symmetry |= 64 if king >> 3 > king & 7 else 0
    rank, file = min(king >> 3, king & 7), max(king >> 3, king & 7)
    code, both = code_of_squares(first, second, alike, symmetry), 0
    if rank == file:
        other = code_of_squares(first, second, alike, symmetry | 64)
        both = 128 if other == code else 0
        if other < code:
            code, symmetry = other, symmetry | 64
    king = file * (file + 1) // 2 + rank
    place = begin + 64 * king + (code & 63) if begin < BISHOPS else begin + 4096 * king + code
    return place << 8 | both | symmetry


@kb.kernel
def placed(place: int) -> Pieces:
    """Return the pieces of a placement. Those of an impossible one have another placement, or none."""
    last = kb.bit(place & 63)
    if PAWNS <= place < BISHOPS:
        king = (place - PAWNS) >> 6
        return Pieces(last, kb.NONE, kb.NONE, kb.NONE, kb.bit(king >> 2 << 3 | king & 3))
    king, file = (place >> 6 if place < PAWNS else (place - BISHOPS) >> 12) % 10, 0
    while (file + 1) * (file + 2) // 2 <= king:
        file += 1
    where = kb.bit((king - file * (file + 1) // 2) << 3 | file)
    if place < PAWNS:
        return Pieces(kb.NONE, kb.NONE, last if place < ROOKS else kb.NONE, last, where)
    first = kb.bit((place - BISHOPS) >> 6 & 63)
    if place >= PAIRS:
        return Pieces(kb.NONE, kb.NONE, kb.NONE, first | last, where)
    if place >= KNIGHTS:
        return Pieces(kb.NONE, last, first, kb.NONE, where)
    return Pieces(kb.NONE, kb.NONE, first | last, kb.NONE, where)


@kb.kernel
def decode_try(ours: Pieces, code: int) -> int:
    """Return the try of a byte: a target, plus 64 or 128 for our first or second piece. Pawns promote to queens."""
    others, target = all_pieces(ours) ^ ours.king, code & 63
    origin = ours.king if code < 64 else others if code < 128 else others & (others - kb.ONE)
    promotes = kb.bit(kb.lsb(origin)) & ours.pawns and target >= 56
    return kb.lsb(origin) | target << 6 | (kb.QUEEN << 12 if promotes else 0)
