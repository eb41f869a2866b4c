"""How many more moves a set of king squares costs us: the estimate at the horizon of the search.

What it costs on average over his squares to mate a king who is seen one move late (`seen_late`), and on top of that
something for every square on which he may be. Where there are pawns, that is the least of the cost with our strongest
men and the costs with each pawn alone, which has to promote first. That the number of squares counts is the idea of
metapositions (Ciancarini, Dalla Libera and Maran 1997; Bolognesi and Ciancarini 2003). Departs from them in its unit:
an estimate is in moves, so that estimates, mates found and draws can be weighed against each other for any material.
Of a king who is not seen, the tables say too little, and with a rook by more than with a queen: so a rook that could
wait for a pawn to promote is taken to need longer. Both numbers were found by trial with `benchmarks/mating.py`.

Bishop and knight mate only by squares that they and the king cover together, so what they need was learnt from games:

    cost = UNIT * (b + sum_h v_h * max(0, a_h + sum_i w_ih * x_i))

The inputs x are five boards of 64 squares (our king, bishop and knight, where he may be, what we attack), turned as
`seen_late` turns them; then what it says of a king who is seen, on average over his squares, and their number. The
weights are fitted by `benchmarks/fit_mating.py` to how many moves were left in games of the search against a king that
sees everything.
"""

from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from kriegbot import kernels as kb
from kriegbot.endgames.delayed_information import KNIGHTS, PAIRS, mean_cost, placing, viewed
from kriegbot.endgames.king_sets import Men, attacks_of
from kriegbot.kernels import NONE, ShortArray, Word, Words, kernel, popcount

FILE = Path(__file__).with_name("network.npz")
HIDDEN = 64
BOARDS_SEEN = 320  # inputs that are 0 or 1; behind them come the cost of a king who is seen, and the number of squares
INPUTS = BOARDS_SEEN + 2
MOST_LISTED = 3 + 64 + 64
UNIT, SQUARES = 30.0, 20.0  # moves, and squares, that count as 1
SIZE = (INPUTS + 2) * HIDDEN + 1  # numbers of a network: w, a row of HIDDEN for each input; a; v; b


class Network(NamedTuple):
    """A network: SIZE numbers, not looked at unless it is there; room for HIDDEN and MOST_LISTED."""

    is_there: bool
    weights: kb.RealArray
    hidden: kb.RealArray
    listed: kb.IntArray

    @classmethod
    def of(cls, weights: kb.RealArray) -> "Network":
        """A network with room to work in, from its SIZE numbers or from none; raises ValueError if they are others."""
        if len(weights) not in (0, SIZE):
            raise ValueError(f"a network of {len(weights)} numbers: it takes {SIZE}, or 0 for none")
        return cls(len(weights) == SIZE, weights, np.zeros(HIDDEN), np.zeros(MOST_LISTED, np.int64))


@cache
def load_network() -> kb.RealArray:
    """The SIZE numbers of the network that comes with kriegbot."""
    with np.load(FILE) as found:
        return np.asarray(found["weights"], np.float64)


@kb.kernel
def is_bishop_and_knight(men: Men) -> bool:
    """Whether we have a bishop, a knight, and nothing else."""
    place = placing(men) >> 7
    return place >= KNIGHTS and place < PAIRS and kb.popcount(men.knights) == 1 and kb.popcount(men.diagonals) == 1


@kb.kernel
def list_inputs(tables: kb.Words, men: Men, squares: kb.Word, listed: kb.Ints) -> int:
    """Write the inputs that are 1 for a bishop and knight; return how many there are."""
    view, attacked = placing(men) & 127, attacks_of(tables, men).all
    listed[0] = viewed(kb.lsb(men.king), view)
    listed[1] = 64 + viewed(kb.lsb(men.diagonals), view)
    listed[2] = 128 + viewed(kb.lsb(men.knights), view)
    count = 3
    while squares:
        listed[count] = 192 + viewed(kb.lsb(squares), view)
        squares &= squares - kb.ONE
        count += 1
    while attacked:
        listed[count] = 256 + viewed(kb.lsb(attacked), view)
        attacked &= attacked - kb.ONE
        count += 1
    return count


@kb.kernel
def learnt_cost(tables: kb.Words, network: Network, now: kb.Shorts, men: Men, squares: kb.Word) -> float:
    """Moves to mate from a set with us to move, who have bishop and knight; `now` is the table of `seen_late`."""
    weights, hidden = network.weights, network.hidden
    count = list_inputs(tables, men, squares, network.listed)
    last, biases = kb.advance(weights, BOARDS_SEEN * HIDDEN), kb.advance(weights, INPUTS * HIDDEN)
    seen, number = mean_cost(now, men, squares) / UNIT, float(kb.popcount(squares)) / SQUARES
    for h in range(HIDDEN):
        hidden[h] = biases[h] + seen * last[h] + number * last[HIDDEN + h]
    for i in range(count):
        row = kb.advance(weights, HIDDEN * network.listed[i])
        for h in range(HIDDEN):
            hidden[h] += row[h]
    outputs = kb.advance(biases, HIDDEN)
    cost = outputs[HIDDEN]
    for h in range(HIDDEN):
        cost += outputs[h] * max(hidden[h], 0.0)
    return max(UNIT * cost, 1.0)


BOARDS = 0.3
"""What each square costs on which he may be; a third of it for bishop and knight, which have to let him run."""
WAITING = 2.0
"""What the cost with our strongest men is multiplied by while there are pawns, and no queen."""


class Yardstick(NamedTuple):
    """What sets are measured by: the tables of `seen_late`, and the network."""

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
    if pawns and men.diagonals & men.orthogonals == NONE:
        least *= WAITING
    while pawns:
        pawn = pawns & (NONE - pawns)
        least = min(least, mean_cost(costs, Men(pawn, NONE, NONE, NONE, men.king), known))
        pawns ^= pawn
    return boards + least
