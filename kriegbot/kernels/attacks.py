"""Attacks, checks and pins; and static exchange evaluation, both sides taking on one square in turn.

In Kriegspiel both sides know the square of a capture, and a sensible opponent looks there first. Whoever takes, takes
with the cheapest man and stops when it likes; men behind the taker join in, pins are not seen (the "SEE" of chess
programs).
"""

from typing import NamedTuple

from kriegbot.kernels import tables as at
from kriegbot.kernels.jit import Word, Words, kernel, lsb, word, words
from kriegbot.kernels.position import NONE, ONE, Position, bit, forward, kind_of, men_of, side_to_move

NOT_FILE_A, NOT_FILE_H = words(0xFEFEFEFEFEFEFEFE, 0x7F7F7F7F7F7F7F7F)


@kernel
def shifted(bits: Word, squares: int) -> Word:
    """Bitboard moved up the board by a number of squares (8 a rank), down if negative; what falls off wraps."""
    return (bits << word(squares & 63)) | (bits >> word(-squares & 63))


@kernel
def between(tables: Words, a: int, b: int) -> Word:
    """Squares strictly between two squares of a rank, file or diagonal; none if they share no line."""
    return tables[at.BETWEEN + 64 * a + b]


@kernel
def line(tables: Words, a: int, b: int) -> Word:
    """The whole rank, file or diagonal through two squares; none if they share no line."""
    return tables[at.LINE + 64 * a + b]


@kernel
def king_attacks(tables: Words, square: int) -> Word:
    """Squares that a king attacks."""
    return tables[at.KING + square]


@kernel
def knight_attacks(tables: Words, square: int) -> Word:
    """Squares that a knight attacks."""
    return tables[at.KNIGHT + square]


@kernel
def pawn_attacks(tables: Words, side: int, square: int) -> Word:
    """Squares that a side's pawn attacks: those from which an enemy pawn would attack it."""
    return tables[at.PAWN + 64 * side + square]


@kernel
def slider_attacks(tables: Words, slider: int, square: int, occupied: Word) -> Word:
    """Squares that a bishop (`slider` is at.BISHOP) or a rook (at.ROOK) attacks, blocked by `occupied`."""
    i = slider + square
    place = ((occupied & tables[i]) * tables[i + at.MAGIC]) >> tables[i + at.SHIFT]
    return tables[tables[i + at.FIRST] + place]


@kernel
def bishop_attacks(tables: Words, square: int, occupied: Word) -> Word:
    """Squares that a bishop attacks, blocked by `occupied`."""
    return slider_attacks(tables, at.BISHOP, square, occupied)


@kernel
def rook_attacks(tables: Words, square: int, occupied: Word) -> Word:
    """Squares that a rook attacks, blocked by `occupied`."""
    return slider_attacks(tables, at.ROOK, square, occupied)


@kernel
def sliders_at(tables: Words, position: Position, square: int, occupied: Word) -> Word:
    """Bishops, rooks and queens of both sides that attack a square, blocked by `occupied`."""
    diagonals = bishop_attacks(tables, square, occupied) & position.diagonals
    return diagonals | rook_attacks(tables, square, occupied) & position.orthogonals


@kernel
def attacked_by(tables: Words, position: Position, side: int, occupied: Word) -> Word:
    """Squares that a side attacks, including its own men (which it protects), sliders blocked by `occupied`."""
    men, _ = men_of(position, side)
    pawns = position.pawns & men
    attacks = shifted(pawns & NOT_FILE_A, forward(side) - 1) | shifted(pawns & NOT_FILE_H, forward(side) + 1)
    attacks |= king_attacks(tables, lsb(position.kings & men))
    rest = position.knights & men
    while rest:
        attacks |= knight_attacks(tables, lsb(rest))
        rest &= rest - ONE
    rest = position.diagonals & men
    while rest:
        attacks |= bishop_attacks(tables, lsb(rest), occupied)
        rest &= rest - ONE
    rest = position.orthogonals & men
    while rest:
        attacks |= rook_attacks(tables, lsb(rest), occupied)
        rest &= rest - ONE
    return attacks


class Reach(NamedTuple):
    """Squares that a side attacks or protects: with any man, any but the king, more than one, officers of a kind."""

    every: Word
    but_king: Word
    twice: Word
    knights: Word
    bishops: Word
    rooks: Word
    queens: Word


@kernel
def reach(tables: Words, position: Position, side: int) -> Reach:
    """What a side reaches."""
    own, other = men_of(position, side)
    pawns, occupied = position.pawns & own, own | other
    left, right = shifted(pawns & NOT_FILE_A, forward(side) - 1), shifted(pawns & NOT_FILE_H, forward(side) + 1)
    every, twice = left | right, left & right
    knights, bishops, rooks, queens = NONE, NONE, NONE, NONE
    rest = own & ~position.pawns & ~position.kings
    while rest:
        square = lsb(rest)
        man = bit(square)
        rest ^= man
        if man & position.knights:
            attacks = knight_attacks(tables, square)
            knights |= attacks
        elif man & ~position.orthogonals:
            attacks = bishop_attacks(tables, square, occupied)
            bishops |= attacks
        elif man & ~position.diagonals:
            attacks = rook_attacks(tables, square, occupied)
            rooks |= attacks
        else:
            attacks = bishop_attacks(tables, square, occupied) | rook_attacks(tables, square, occupied)
            queens |= attacks
        twice |= every & attacks
        every |= attacks
    near = king_attacks(tables, lsb(position.kings & own))
    return Reach(every | near, every, twice | every & near, knights, bishops, rooks, queens)


@kernel
def is_attacked(tables: Words, position: Position, square: int, men: Word, occupied: Word) -> bool:
    """Whether any of these men, of the side not to move in `position`, attacks a square."""
    attackers = pawn_attacks(tables, side_to_move(position), square) & position.pawns
    attackers |= knight_attacks(tables, square) & position.knights
    attackers |= king_attacks(tables, square) & position.kings
    attackers |= sliders_at(tables, position, square, occupied)
    return attackers & men != NONE


@kernel
def check_info(tables: Words, position: Position) -> tuple[Word, Word]:
    """Men that give check to the side to move, and its own men that are pinned to its king."""
    side = side_to_move(position)
    own, other = men_of(position, side)
    king = lsb(position.kings & own)
    checkers = pawn_attacks(tables, side, king) & position.pawns & other
    checkers |= knight_attacks(tables, king) & position.knights & other
    pinned = NONE
    # Sliders that would check if our own men were lifted off the board: one man in between is pinned; none is check.
    snipers = sliders_at(tables, position, king, other) & other
    while snipers:
        sniper = snipers & (NONE - snipers)
        shield = between(tables, king, lsb(snipers)) & (own | other)
        if shield == NONE:
            checkers |= sniper
        elif shield & (shield - ONE) == NONE:
            pinned |= shield & own
        snipers ^= sniper
    return checkers, pinned


VALUES = (100, 300, 350, 500, 900, 20_000)
"""Centipawns, pawn to king. A king is worth so much that it takes only where no one takes back."""


@kernel
def cheapest_attacker(tables: Words, position: Position, square: int, side: int, occupied: Word) -> Word:
    """The cheapest man of a side, of those in `occupied`, that attacks a square; none if there is none."""
    men, _ = men_of(position, side)
    men &= occupied
    pawns = pawn_attacks(tables, 1 - side, square) & position.pawns & men
    if pawns:
        return pawns & (NONE - pawns)
    knights = knight_attacks(tables, square) & position.knights & men
    if knights:
        return knights & (NONE - knights)
    diagonals = bishop_attacks(tables, square, occupied) & position.diagonals & men
    bishops = diagonals & ~position.orthogonals
    if bishops:
        return bishops & (NONE - bishops)
    orthogonals = rook_attacks(tables, square, occupied) & position.orthogonals & men
    rooks = orthogonals & ~position.diagonals
    if rooks:
        return rooks & (NONE - rooks)
    queens = diagonals | orthogonals
    if queens:
        return queens & (NONE - queens)
    return king_attacks(tables, square) & position.kings & men


@kernel
def gain(tables: Words, position: Position, square: int, side: int, standing: int, occupied: Word) -> int:
    """What `side` wins by taking a man worth `standing` on a square with the men in `occupied`; never below 0."""
    attacker = cheapest_attacker(tables, position, square, side, occupied)
    if attacker == NONE:
        return 0
    back = gain(tables, position, square, 1 - side, VALUES[kind_of(position, attacker)], occupied & ~attacker)
    return max(0, standing - back)


@kernel
def exchange(tables: Words, position: Position, square: int) -> int:
    """Centipawns that the side to move wins by taking on a square, where an enemy man stands or nobody does."""
    men = position.white | position.black
    if not bit(square) & men & ~position.kings:
        return 0
    standing = VALUES[kind_of(position, bit(square))]
    return gain(tables, position, square, side_to_move(position), standing, men)
