"""Estimates of the moves to mate from a set of king squares, for the horizon of the search.

The estimate is the mean cost of mating a king seen one move late (`delayed_information`), plus a cost per possible
square. With pawns it is the least of the cost with our strongest pieces and the costs with each pawn alone, which has
to promote first. Counting the squares is the idea of metapositions (Ciancarini, Dalla Libera and Maran 1997; Bolognesi
and Ciancarini 2003). It differs in its unit, moves, so that estimates, mates and draws of any material compare. The
tables are too low for a king that we do not see, and more so for a rook than for a queen. So a rook that could wait for
a pawn to promote counts as slower. Both constants were found by experiment (`benchmarks/mating.py`).

A rook, two bishops, and bishop and knight each have a network that corrects the estimate. It is learnt from games:

    correction = UNIT * (b + sum_h v_h * max(0, a_h + sum_i w_ih * x_i))

The inputs x are boards of 64 squares, transformed as for the tables: our king, rook or bishops, and knight, the squares
of the king (one board for each of the ten squares of our king), and the squares that we attack. The last two are the
mean cost of a king that we see, and the number of squares. `benchmarks/fit_mating.py` fits the weights.
"""

from functools import cache
from pathlib import Path
from typing import NamedTuple

import chess
import numpy as np

from kriegbot import kernels as kb
from kriegbot.endgames.delayed_information import DelayedTables, mean_cost, placement, transformed
from kriegbot.endgames.king_sets import KingSet, Pieces, attacks_of
from referee.pieces import Men

FILE = Path(__file__).with_name("networks.npz")
HIDDEN = 64
BINARY_INPUTS = 64 * 14
INPUTS = BINARY_INPUTS + 2  # and the mean cost of a king that we see, and the number of squares
MAX_ACTIVE = 4 + 64 + 64
UNIT, SQUARES = 30.0, 20.0  # moves, and squares, that count as 1
SIZE = (INPUTS + 2) * HIDDEN + 1  # numbers of a network: w, a row of HIDDEN for each input; a; v; b


class Network(NamedTuple):
    """A network, or none: its SIZE numbers, and scratch for the hidden values and the inputs."""

    exists: bool
    weights: kb.RealArray
    hidden: kb.RealArray
    active: kb.IntArray
    real: kb.RealArray

    @classmethod
    def of(cls, weights: kb.RealArray) -> "Network":
        """Return a network of SIZE numbers, or none for 0 numbers; raise ValueError for another number."""
        if len(weights) not in (0, SIZE):
            raise ValueError(f"a network of {len(weights)} numbers: it takes {SIZE}, or 0 for none")
        return cls(len(weights) == SIZE, weights, np.zeros(HIDDEN), np.zeros(MAX_ACTIVE, np.int64), np.zeros(2))


@cache
def load_networks() -> dict[str, kb.RealArray]:
    """Return the numbers of each network that comes with kriegbot, by its ending, such as "KBNK"."""
    with np.load(FILE) as file:
        return {ending: np.asarray(file[ending], np.float64) for ending in file.files}


def network_for(men: Men) -> Network:
    """Return the network for our pieces."""
    ending = "".join(sorted(chess.piece_symbol(kind).upper() for kind in men.values() if kind != chess.KING))
    return Network.of(load_networks().get(f"K{ending}K", np.zeros(0)))


@kb.kernel
def list_inputs(
    tables: kb.Words, current: kb.Shorts, ours: Pieces, squares: kb.Word, active: kb.Ints, real: kb.Reals
) -> int:
    """Write the indices of the inputs that are 1, and the last two inputs; return the number of indices."""
    symmetry = placement(ours) & 127
    king, count = transformed(kb.lsb(ours.king), symmetry), 1
    active[0] = king
    file, rank = max(king & 7, king >> 3), min(king & 7, king >> 3)
    boards = ours.diagonals | ours.orthogonals, ours.knights, squares, attacks_of(tables, ours).all
    firsts = 64, 128, 192 + 64 * (file * (file + 1) // 2 + rank), 832
    for i in range(len(boards)):
        rest = boards[i]
        while rest:
            active[count] = firsts[i] + transformed(kb.lsb(rest), symmetry)
            rest &= rest - kb.ONE
            count += 1
    real[0] = mean_cost(current, ours, squares) / UNIT
    real[1] = float(kb.popcount(squares)) / SQUARES
    return count


@kb.kernel
def correction(tables: kb.Words, network: Network, current: kb.Shorts, ours: Pieces, squares: kb.Word) -> float:
    """Return the output of a network, in units, us to move; `current` is the table of `delayed_information`."""
    weights, hidden, real = network.weights, network.hidden, network.real
    count = list_inputs(tables, current, ours, squares, network.active, real)
    last, biases = kb.advance(weights, BINARY_INPUTS * HIDDEN), kb.advance(weights, INPUTS * HIDDEN)
    for h in range(HIDDEN):
        hidden[h] = biases[h] + real[0] * last[h] + real[1] * last[HIDDEN + h]
    for i in range(count):
        row = kb.advance(weights, HIDDEN * network.active[i])
        for h in range(HIDDEN):
            hidden[h] += row[h]
    outputs = kb.advance(biases, HIDDEN)
    cost = outputs[HIDDEN]
    for h in range(HIDDEN):
        cost += outputs[h] * max(hidden[h], 0.0)
    return cost


SQUARE_COST = 0.3
"""Cost of each possible square; a third of it with a knight, which has to let the king run."""
WAITING = 2.0
"""Factor on the cost with our strongest pieces if we have pawns and no queen."""
MOST = 100.0
"""Greatest cost with a network."""


@kb.kernel
def estimate(tables: kb.Words, costs: DelayedTables, network: Network, node: KingSet) -> float:
    """Return the estimated moves to mate from a set with us to move."""
    ours, squares = node.pieces, node.squares
    cost = (SQUARE_COST / 3.0 if ours.knights else SQUARE_COST) * float(kb.popcount(squares))
    table, places = (costs.delayed, node.before) if node.before else (costs.current, squares)
    least, pawns = mean_cost(table, ours, places), ours.pawns
    if network.exists:
        learnt = UNIT * correction(tables, network, costs.current, ours, squares)
        return min(max(cost + least + learnt, 1.0), MOST)
    if pawns and ours.diagonals & ours.orthogonals == kb.NONE:
        least *= WAITING
    while pawns:
        pawn = pawns & (kb.NONE - pawns)
        least = min(least, mean_cost(table, Pieces(pawn, kb.NONE, kb.NONE, kb.NONE, ours.king), places))
        pawns ^= pawn
    return cost + least
