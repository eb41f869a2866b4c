"""Attacks, checks, pins and static exchange evaluation (SEE).

The referee announces the square of a capture, so a sensible opponent tries to recapture there first. In the exchange
each side captures with its cheapest piece and may stop at any time. Sliders behind it join in; pins are ignored.
"""

from kriegbot.kernels import tables as layout
from kriegbot.kernels.jit import inlined, kernel, words
from kriegbot.kernels.position import NONE, ONE, Position, bit, forward, pieces_of, side_to_move, type_of
from kriegbot.kernels.types import Word, Words, lsb, word

NOT_FILE_A, NOT_FILE_H = words(0xFEFEFEFEFEFEFEFE, 0x7F7F7F7F7F7F7F7F)


@kernel
def shifted(bits: Word, squares: int) -> Word:
    """Shift a bitboard up by a number of squares (8 a rank), or down if negative; bits that fall off wrap around."""
    return (bits << word(squares & 63)) | (bits >> word(-squares & 63))


@kernel
def between(tables: Words, a: int, b: int) -> Word:
    """Return the squares strictly between two squares of a rank, file or diagonal; none if they share no line."""
    return tables[layout.BETWEEN + 64 * a + b]


@kernel
def line(tables: Words, a: int, b: int) -> Word:
    """Return the whole rank, file or diagonal through two squares; none if they share no line."""
    return tables[layout.LINE + 64 * a + b]


@kernel
def king_attacks(tables: Words, square: int) -> Word:
    """Return the squares that a king attacks."""
    return tables[layout.KING + square]


@kernel
def knight_attacks(tables: Words, square: int) -> Word:
    """Return the squares that a knight attacks."""
    return tables[layout.KNIGHT + square]


@kernel
def pawn_attacks(tables: Words, side: int, square: int) -> Word:
    """Return the squares that a pawn of a side attacks, from which an enemy pawn would attack it."""
    return tables[layout.PAWN + 64 * side + square]


@kernel
def slider_attacks(tables: Words, slider: int, square: int, occupied: Word) -> Word:
    """Return the squares that a bishop (`slider` is layout.BISHOP) or a rook attacks, blocked by `occupied`."""
    i = slider + square
    offset = ((occupied & tables[i]) * tables[i + layout.MAGIC]) >> tables[i + layout.SHIFT]
    return tables[tables[i + layout.FIRST] + offset]


@kernel
def bishop_attacks(tables: Words, square: int, occupied: Word) -> Word:
    """Return the squares that a bishop attacks, blocked by `occupied`."""
    return slider_attacks(tables, layout.BISHOP, square, occupied)


@kernel
def rook_attacks(tables: Words, square: int, occupied: Word) -> Word:
    """Return the squares that a rook attacks, blocked by `occupied`."""
    return slider_attacks(tables, layout.ROOK, square, occupied)


@kernel
def sliders_at(tables: Words, position: Position, square: int, occupied: Word) -> Word:
    """Return the bishops, rooks and queens of both sides that attack a square, blocked by `occupied`."""
    diagonals = bishop_attacks(tables, square, occupied) & position.diagonals
    return diagonals | rook_attacks(tables, square, occupied) & position.orthogonals


@inlined
def attacks_of_pawns(pawns: Word, side: int) -> tuple[Word, Word]:
    """Return the squares that pawns of a side attack towards file a, and towards file h."""
    return shifted(pawns & NOT_FILE_A, forward(side) - 1), shifted(pawns & NOT_FILE_H, forward(side) + 1)


@kernel
def attacked_by(tables: Words, position: Position, side: int, occupied: Word) -> Word:
    """Return the squares that a side attacks or defends, its sliders blocked by `occupied`."""
    own, _ = pieces_of(position, side)
    left, right = attacks_of_pawns(position.pawns & own, side)
    attacks = left | right
    attacks |= king_attacks(tables, lsb(position.kings & own))
    rest = position.knights & own
    while rest:
        attacks |= knight_attacks(tables, lsb(rest))
        rest &= rest - ONE
    rest = position.diagonals & own
    while rest:
        attacks |= bishop_attacks(tables, lsb(rest), occupied)
        rest &= rest - ONE
    rest = position.orthogonals & own
    while rest:
        attacks |= rook_attacks(tables, lsb(rest), occupied)
        rest &= rest - ONE
    return attacks


@kernel
def is_attacked(tables: Words, position: Position, square: int, side: int, pieces: Word, occupied: Word) -> bool:
    """Return True if any of these pieces of a side attacks or defends a square, its sliders blocked by `occupied`."""
    attackers = pawn_attacks(tables, 1 - side, square) & position.pawns
    attackers |= knight_attacks(tables, square) & position.knights
    attackers |= king_attacks(tables, square) & position.kings
    attackers |= sliders_at(tables, position, square, occupied)
    return attackers & pieces != NONE


@kernel
def check_info(tables: Words, position: Position) -> tuple[Word, Word]:
    """Return the pieces that give check to the side to move, and its own pieces that are pinned to its king."""
    side = side_to_move(position)
    own, other = pieces_of(position, side)
    king = lsb(position.kings & own)
    checkers = pawn_attacks(tables, side, king) & position.pawns & other
    checkers |= knight_attacks(tables, king) & position.knights & other
    pinned = NONE
    # Sliders that would give check without our own pieces: one piece in between is pinned, none means check.
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
"""Centipawns, pawn to king. At this price a king captures only where nobody can recapture."""


@kernel
def cheapest_attacker(tables: Words, position: Position, square: int, side: int, occupied: Word) -> Word:
    """Return the cheapest piece of a side in `occupied` that attacks a square, or NONE."""
    own, _ = pieces_of(position, side)
    own &= occupied
    cheapest = pawn_attacks(tables, 1 - side, square) & position.pawns & own
    if cheapest == NONE:
        cheapest = knight_attacks(tables, square) & position.knights & own
    if cheapest == NONE:
        diagonals = bishop_attacks(tables, square, occupied) & position.diagonals & own
        cheapest = diagonals & ~position.orthogonals
        if cheapest == NONE:
            orthogonals = rook_attacks(tables, square, occupied) & position.orthogonals & own
            rooks = orthogonals & ~position.diagonals
            cheapest = rooks if rooks else diagonals | orthogonals
    if cheapest == NONE:
        cheapest = king_attacks(tables, square) & position.kings & own
    return cheapest & (NONE - cheapest)


@kernel
def gain(tables: Words, position: Position, square: int, side: int, standing: int, occupied: Word) -> int:
    """Return the gain of `side` from capturing a piece of value `standing` on a square, at least 0."""
    attacker = cheapest_attacker(tables, position, square, side, occupied)
    if attacker == NONE:
        return 0
    loss = gain(tables, position, square, 1 - side, VALUES[type_of(position, attacker)], occupied & ~attacker)
    return max(0, standing - loss)


@kernel
def exchange(tables: Words, position: Position, square: int) -> int:
    """Return the centipawns that the mover wins by capturing an enemy piece on a square; 0 for none or a king."""
    occupied = position.white | position.black
    if not bit(square) & occupied & ~position.kings:
        return 0
    standing = VALUES[type_of(position, bit(square))]
    return gain(tables, position, square, side_to_move(position), standing, occupied)
