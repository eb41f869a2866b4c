"""How many more moves a set of king squares costs us: the estimate at the horizon of the search.

How many moves mate would take if the king were in view, on average over the squares, and on top of that something for
not seeing him: for every square on which he may be, and every square of the region in which he is shut up. That such
regions and numbers are what counts is the idea of metapositions (Ciancarini, Dalla Libera and Maran 1997; Bolognesi and
Ciancarini 2003). Departs from them in its unit: an estimate is in moves, so that estimates, mates found and draws can
be weighed against each other for any material. The numbers were found by trial with `benchmarks/mating.py`.
"""

from kriegbot.endings.seen import moves_in_view
from kriegbot.endings.sets import Men, attacks_of, every, steps_from
from kriegbot.kernels.jit import inlined, kernel, popcount, words
from kriegbot.kernels.position import NONE
from kriegbot.kernels.types import Word, Words

EDGE, CENTRE, INNERMOST = words(0xFF818181818181FF, 0x00003C3C3C3C0000, 0x0000001818000000)
"""Squares at the edge, the sixteen inside and the four innermost."""


@inlined
def free_of(tables: Words, men: Men) -> Word:
    """Squares that our men neither attack nor stand on."""
    return ~attacks_of(tables, men).all & ~every(men)


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
    rooks = men.orthogonals & ~men.diagonals
    boards, area = float(popcount(squares)), float(popcount(region_of(squares, free_of(tables, men))))
    if popcount(rooks) > 1:
        inside = popcount(squares & ~EDGE) + popcount(squares & CENTRE) + popcount(squares & INNERMOST)
        return 2.0 + 0.12 * area + 0.08 * boards + 0.8 * inside / boards + 0.5 * mean_distance(squares, men.king)
    seen = moves_in_view(rows, men, squares)
    if men.orthogonals:
        return seen + 0.15 * area + 0.12 * boards
    if men.pawns:
        return seen + 8.0
    if men.knights == NONE:
        return seen + 0.25 * area + 0.12 * boards
    return seen + 0.1 * area + 0.5 * boards
