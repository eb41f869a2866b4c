"""Attacks, checkers and pins."""

from numba import types

from kriegbot.kernels import tables as at
from kriegbot.kernels.jit import INT, WORD, WORDS, kernel, lowest, word, words
from kriegbot.kernels.magics import Words
from kriegbot.kernels.position import NONE, ONE, POSITION, WHITE, Position, men_of, side_to_move

NOT_FILE_A, NOT_FILE_H = words(0xFEFEFEFEFEFEFEFE, 0x7F7F7F7F7F7F7F7F)


@kernel(WORD(WORD, INT))
def shifted(bits: int, squares: int) -> int:
    """Move a bitboard up the board by so many squares (8 a rank), down if negative; what falls off wraps."""
    return (bits << word(squares & 63)) | (bits >> word(-squares & 63))


@kernel(WORD(WORDS, INT, WORD))
def rook_attacks(tables: Words, square: int, occupied: int) -> int:
    """Squares that a rook attacks, blocked by `occupied`."""
    i = at.ROOK + square
    place = ((occupied & tables[i]) * tables[i + at.MAGIC]) >> tables[i + at.SHIFT]
    return tables[tables[i + at.FIRST] + place]


@kernel(WORD(WORDS, INT, WORD))
def bishop_attacks(tables: Words, square: int, occupied: int) -> int:
    """Squares that a bishop attacks, blocked by `occupied`."""
    i = at.BISHOP + square
    place = ((occupied & tables[i]) * tables[i + at.MAGIC]) >> tables[i + at.SHIFT]
    return tables[tables[i + at.FIRST] + place]


@kernel(WORD(WORD, INT))
def pawn_attacks(pawns: int, side: int) -> int:
    """Squares that a side's pawns attack."""
    if side == WHITE:
        return shifted(pawns & NOT_FILE_A, 7) | shifted(pawns & NOT_FILE_H, 9)
    return shifted(pawns & NOT_FILE_A, -9) | shifted(pawns & NOT_FILE_H, -7)


@kernel(WORD(WORDS, POSITION, INT, WORD))
def attacked_by(tables: Words, position: Position, side: int, occupied: int) -> int:
    """Squares that a side attacks, its own men among them (those are protected), sliders blocked by `occupied`."""
    men, _ = men_of(position, side)
    attacks = pawn_attacks(position.pawns & men, side) | tables[at.KING + lowest(position.kings & men)]
    rest = position.knights & men
    while rest:
        attacks |= tables[at.KNIGHT + lowest(rest)]
        rest &= rest - ONE
    rest = position.diagonals & men
    while rest:
        attacks |= bishop_attacks(tables, lowest(rest), occupied)
        rest &= rest - ONE
    rest = position.orthogonals & men
    while rest:
        attacks |= rook_attacks(tables, lowest(rest), occupied)
        rest &= rest - ONE
    return attacks


@kernel(types.UniTuple(WORD, 2)(WORDS, POSITION))
def checkers_and_pins(tables: Words, position: Position) -> tuple[int, int]:
    """Men that give check to the side to move, and its own men that are pinned to its king."""
    side = side_to_move(position)
    own, other = men_of(position, side)
    occupied = own | other
    king = lowest(position.kings & own)
    checkers = tables[at.PAWN + 64 * side + king] & position.pawns & other
    checkers |= tables[at.KNIGHT + king] & position.knights & other
    pinned = NONE
    # Sliders that would give check if our own men were lifted off the board: one man between is pinned, none is check.
    snipers = bishop_attacks(tables, king, other) & position.diagonals & other
    snipers |= rook_attacks(tables, king, other) & position.orthogonals & other
    while snipers:
        sniper = lowest(snipers)
        between = tables[at.BETWEEN + 64 * king + sniper] & occupied
        if between == NONE:
            checkers |= snipers & (NONE - snipers)
        elif between & (between - ONE) == NONE:
            pinned |= between & own
        snipers &= snipers - ONE
    return checkers, pinned
