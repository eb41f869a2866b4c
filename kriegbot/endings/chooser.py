"""The next try against a bare king.

Deepens by one move of ours at a time, until the time or the budget of sets is spent or the mate found is certain to be
the soonest.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass

import chess
import numpy as np

from kriegbot.endings.mating import MARGIN, MOST_VISITS, Arrays, cost_of_tries, list_ordered, note_visit
from kriegbot.endings.seen import soonest
from kriegbot.endings.squares import BareKing, men_row, turned, turned_move
from kriegbot.kernels.position import decode_move
from kriegbot.kernels.random import uniforms
from kriegbot.kernels.tables import TABLES
from kriegbot.kernels.types import WordArray

DEEPEST = 12
FIRST_RATE = 1_000_000
"""Sets a second that a search is taken to look at, before it is known."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """A try against a bare king.

    Attributes:
      move: the try.
      cost: what it is expected to cost, in moves to mate.
      depth: moves of ours looked ahead.
      sets: sets of squares looked at.
    """

    move: chess.Move
    cost: float
    depth: int
    sets: int


def no_visits() -> WordArray:
    """Room to remember the sets of a game."""
    return np.zeros(MOST_VISITS + 1, np.uint64)


def needs_minors(men: Mapping[chess.Square, chess.PieceType]) -> bool:
    """Whether minor pieces alone have to mate."""
    return not {chess.QUEEN, chess.ROOK, chess.PAWN} & set(men.values())


def best_try(
    king: BareKing, visits: WordArray, seconds: float = 0.2, nodes: int | None = None, seed: int = 0
) -> Chosen:
    """The try that brings a bare king to mate soonest, as far as can be seen.

    Args:
      king: our men, and every square on which he may stand with us to move; after refusals this turn, those that are
        left.
      seconds: to think.
      nodes: sets to look at instead, for games that a seed repeats on any machine.
      seed: chooses among tries that are as good.

    Raises:
      ValueError: no try of ours can be legal.
    """
    begun = time.perf_counter()
    row, squares = men_row(king.color, king.men), np.uint64(turned(king.squares, king.color))
    room = Arrays.empty(soonest(needs_minors(king.men)), visits)
    note_visit(row, squares, visits)
    count = list_ordered(TABLES, row, squares, room)
    if count == 0:
        raise ValueError(f"no try can be legal: {dict(king.men)} against a king on {king.squares:#x}")
    tries, costs, depth = room.moves[:count].copy(), room.costs[:count].copy(), 1
    best = tries[costs <= costs[0] + MARGIN]
    for ahead in range(2, DEEPEST + 1):
        passed = time.perf_counter() - begun
        rate = FIRST_RATE if ahead == 2 else room.spent[0] / passed
        room.spent[1] = room.spent[0] + int(rate * max(seconds - passed, 0.0)) if nodes is None else nodes
        known = cost_of_tries(TABLES, row, squares, tries, ahead, room)
        if known == 0:
            break
        costs, depth = room.costs[:known].copy(), ahead
        best = tries[:known][costs <= costs.min() + MARGIN]
        order = np.argsort(costs, kind="stable")
        tries[:known] = tries[:known][order]
        if known < count or costs.min() <= ahead:
            break
    chosen = decode_move(int(best[int(uniforms(seed, 1)[0] * len(best))]))
    return Chosen(turned_move(chosen, king.color), float(costs.min()), depth, int(room.spent[0]))
