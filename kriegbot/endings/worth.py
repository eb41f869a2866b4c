"""How many more moves a set of king squares costs us: the estimate at the horizon of the search.

The idea is that of metapositions: what counts is the region in which the lone king is shut up, how much of it he may be
in, how near the edge he is and how near our king is (Ciancarini, Dalla Libera and Maran 1997; Bolognesi and Ciancarini
2003). Departs from them in its unit: an estimate is in moves to mate, so that estimates, mates found and draws can be
weighed against each other for any material.
"""

from kriegbot.endings.seen import moves_in_view
from kriegbot.endings.sets import Men, attacks_of, every, steps_from
from kriegbot.kernels.hearing import DARK_SQUARES
from kriegbot.kernels.jit import kernel, popcount, words
from kriegbot.kernels.position import NONE
from kriegbot.kernels.types import Word, Words

EDGE, RING, CENTRE = words(0xFF818181818181FF, 0x007E424242427E00, 0x00003C3C3C3C0000)
"""Squares at the edge, next to it, and inside (the innermost four are counted again)."""
(INNERMOST,) = words(0x0000001818000000)
LIGHT_CORNERS, DARK_CORNERS = words(1 << 7 | 1 << 56, 1 | 1 << 63)

@kernel
def region_of(squares: Word, free: Word) -> Word:
    """Where a king on these squares can walk to while our men stand still."""
    region = NONE
    more = squares
    while more != region:
        region = more
        more = region | (steps_from(region) & free)
    return region


@kernel
def mean_distance(squares: Word, targets: Word) -> float:
    """King's steps from the nearest target to these squares, on average."""
    total, reached, count = 0, targets, popcount(squares)
    left = squares & ~reached
    while left:
        total += popcount(left)
        reached |= steps_from(reached)
        left &= ~reached
    return float(total) / float(count)


@kernel
def estimate(tables: Words, rows: Words, men: Men, squares: Word) -> float:
    """Moves to mate from a set with us to move; 1 at least."""
    attacks, own = attacks_of(tables, men), every(men)
    free = ~attacks.all & ~own
    region = region_of(squares, free)
    boards, area = float(popcount(squares)), float(popcount(region))
    nearness = mean_distance(squares, men.king)
    edge = (popcount(squares & ~EDGE) + popcount(squares & CENTRE) + popcount(squares & INNERMOST)) / boards
    bishops, rooks = men.diagonals & ~men.orthogonals, men.orthogonals & ~men.diagonals
    if popcount(rooks) > 1:
        return 2.0 + 0.12 * area + 0.08 * boards + 0.8 * edge + 0.5 * nearness
    if men.orthogonals:
        return moves_in_view(rows, men, squares) + 0.15 * area + 0.12 * boards
    if men.pawns:
        return moves_in_view(rows, men, squares) + 8.0
    if men.knights == NONE:
        return moves_in_view(rows, men, squares) + 0.25 * area + 0.12 * boards
    return moves_in_view(rows, men, squares) + 0.1 * area + 0.5 * boards
