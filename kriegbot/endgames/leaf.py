"""How many more moves a set of king squares costs us: the estimate at the horizon of the search.

What it costs on average over his squares to mate a king who is seen one move late (`late`), and on top of that
something for every square on which he may be. Where there are pawns, that is the least of the cost with our strongest
men and the costs with each pawn alone, which has to promote first. That the number of squares counts is the idea of
metapositions (Ciancarini, Dalla Libera and Maran 1997; Bolognesi and Ciancarini 2003). Departs from them in its unit:
an estimate is in moves, so that estimates, mates found and draws can be weighed against each other for any material.
The price of a square was found by trial with `benchmarks/mating.py`. What a bishop and knight need was learnt
(`learnt`).
"""

from typing import NamedTuple

from kriegbot.endgames.king_sets import Men
from kriegbot.endgames.network import Network, is_bishop_and_knight, learnt_cost
from kriegbot.endgames.seen_late import mean_cost
from kriegbot.kernels import NONE, ShortArray, Word, Words, kernel, popcount

BOARDS = 0.3
"""What each square costs on which he may be; a third of it for bishop and knight, which have to let him run."""


class Yardstick(NamedTuple):
    """What sets are measured by: the tables of `late`, and the network of `learnt`."""

    late: ShortArray
    now: ShortArray
    network: Network


@kernel
def estimate(tables: Words, by: Yardstick, men: Men, squares: Word, before: Word) -> float:
    """Moves to mate from a set with us to move; `before` are the squares he stepped from, none if he did not step."""
    if by.network.is_there and is_bishop_and_knight(men):
        return learnt_cost(tables, by.network, by.now, men, squares)
    boards = (BOARDS / 3.0 if men.knights else BOARDS) * float(popcount(squares))
    costs, known = (by.late, before) if before else (by.now, squares)
    least, pawns = mean_cost(costs, men, known), men.pawns
    while pawns:
        pawn = pawns & (NONE - pawns)
        least = min(least, mean_cost(costs, Men(pawn, NONE, NONE, NONE, men.king), known))
        pawns ^= pawn
    return boards + least
