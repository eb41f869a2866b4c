"""Estimates of the moves to mate from a set of king squares, for the horizon of the search.

The estimate is the mean cost of mating a king seen one move late (`delayed_information`), plus a cost per possible
square. With pawns it is the least of the cost with our strongest pieces and the costs with each pawn alone, which has
to promote first. Counting the squares is the idea of metapositions (Ciancarini, Dalla Libera and Maran 1997; Bolognesi
and Ciancarini 2003). Departs from them in its unit, moves, so that estimates, mates and draws of any material compare.
The tables are too low for a king that we do not see, and more so for a rook than for a queen. So a rook that could wait
for a pawn to promote counts as slower. Both constants were found by experiment (`benchmarks/mating.py`).

Bishop and knight mate only if they and the king cover squares together. Their cost is learnt from games:

    cost = UNIT * (b + sum_h v_h * max(0, a_h + sum_i w_ih * x_i))

The inputs x are five boards of 64 squares (our king, bishop, knight, the squares of the king, the squares we attack),
transformed as for the tables, then the mean cost of a king that we see, and the number of squares. The weights are
fitted by `benchmarks/fit_mating.py` to the moves left in games of the search against a king that sees everything.
"""

from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from kriegbot import kernels as kb
from kriegbot.endgames.delayed_information import KNIGHTS, PAIRS, DelayedTables, mean_cost, placement, transformed
from kriegbot.endgames.king_sets import KingSet, Pieces, attacks_of

FILE = Path(__file__).with_name("network.npz")
HIDDEN = 64
BINARY_INPUTS = 320
INPUTS = BINARY_INPUTS + 2  # and the mean cost of a king that we see, and the number of squares
MAX_ACTIVE = 3 + 64 + 64
UNIT, SQUARES = 30.0, 20.0  # moves, and squares, that count as 1
SIZE = (INPUTS + 2) * HIDDEN + 1  # numbers of a network: w, a row of HIDDEN for each input; a; v; b


class Network(NamedTuple):
    """A network, or none: its SIZE numbers, and scratch for HIDDEN and MAX_ACTIVE values."""

    exists: bool
    weights: kb.RealArray
    hidden: kb.RealArray
    active: kb.IntArray

    @classmethod
    def of(cls, weights: kb.RealArray) -> "Network":
        """Return a network of SIZE numbers, or none for 0 numbers; raise ValueError for another number."""
        if len(weights) not in (0, SIZE):
            raise ValueError(f"a network of {len(weights)} numbers: it takes {SIZE}, or 0 for none")
        return cls(len(weights) == SIZE, weights, np.zeros(HIDDEN), np.zeros(MAX_ACTIVE, np.int64))


@cache
def load_network() -> kb.RealArray:
    """Return the SIZE numbers of the network that comes with kriegbot."""
    with np.load(FILE) as file:
        return np.asarray(file["weights"], np.float64)


@kb.kernel
def is_bishop_and_knight(ours: Pieces) -> bool:
    """Return True if we have a king, a bishop, a knight, and nothing else."""
    place = placement(ours) >> 7
    return place >= KNIGHTS and place < PAIRS and kb.popcount(ours.knights) == 1 and kb.popcount(ours.diagonals) == 1


@kb.kernel
def list_inputs(tables: kb.Words, ours: Pieces, squares: kb.Word, active: kb.Ints) -> int:
    """Write the indices of the inputs that are 1; return their number."""
    symmetry, attacked = placement(ours) & 127, attacks_of(tables, ours).all
    active[0] = transformed(kb.lsb(ours.king), symmetry)
    active[1] = 64 + transformed(kb.lsb(ours.diagonals), symmetry)
    active[2] = 128 + transformed(kb.lsb(ours.knights), symmetry)
    count = 3
    while squares:
        active[count] = 192 + transformed(kb.lsb(squares), symmetry)
        squares &= squares - kb.ONE
        count += 1
    while attacked:
        active[count] = 256 + transformed(kb.lsb(attacked), symmetry)
        attacked &= attacked - kb.ONE
        count += 1
    return count


@kb.kernel
def learnt_cost(tables: kb.Words, network: Network, current: kb.Shorts, ours: Pieces, squares: kb.Word) -> float:
    """Return the estimate for bishop and knight, us to move; `current` is the table of `delayed_information`."""
    weights, hidden = network.weights, network.hidden
    count = list_inputs(tables, ours, squares, network.active)
    last, biases = kb.advance(weights, BINARY_INPUTS * HIDDEN), kb.advance(weights, INPUTS * HIDDEN)
    seen, number = mean_cost(current, ours, squares) / UNIT, float(kb.popcount(squares)) / SQUARES
    for h in range(HIDDEN):
        hidden[h] = biases[h] + seen * last[h] + number * last[HIDDEN + h]
    for i in range(count):
        row = kb.advance(weights, HIDDEN * network.active[i])
        for h in range(HIDDEN):
            hidden[h] += row[h]
    outputs = kb.advance(biases, HIDDEN)
    cost = outputs[HIDDEN]
    for h in range(HIDDEN):
        cost += outputs[h] * max(hidden[h], 0.0)
    return max(UNIT * cost, 1.0)


SQUARE_COST = 0.3
"""Cost of each possible square; a third of it with a knight, which has to let the king run."""
WAITING = 2.0
"""Factor on the cost with our strongest pieces if we have pawns and no queen."""


@kb.kernel
def estimate(tables: kb.Words, costs: DelayedTables, network: Network, node: KingSet) -> float:
    """Return the estimated moves to mate from a set with us to move."""
    ours, squares = node.pieces, node.squares
    if network.exists and is_bishop_and_knight(ours):
        return learnt_cost(tables, network, costs.current, ours, squares)
    cost = (SQUARE_COST / 3.0 if ours.knights else SQUARE_COST) * float(kb.popcount(squares))
    table, places = (costs.delayed, node.before) if node.before else (costs.current, squares)
    least, pawns = mean_cost(table, ours, places), ours.pawns
    if pawns and ours.diagonals & ours.orthogonals == kb.NONE:
        least *= WAITING
    while pawns:
        pawn = pawns & (kb.NONE - pawns)
        least = min(least, mean_cost(table, Pieces(pawn, kb.NONE, kb.NONE, kb.NONE, ours.king), places))
        pawns ^= pawn
    return cost + least
