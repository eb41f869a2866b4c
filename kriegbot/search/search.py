"""Information-set search: histories go into the tree one by one until the sample or the time is used up.

The recursion stands in `walk.py`, what is combined how in `backup.py`; here is what Parker, Nau and Subrahmanian (AAAI
2006) call statistical sampling: fold sampled histories in, stop at any moment, answer with the values so far. Under the
paranoid rule the best tries are found sooner by the alpha-beta of `pruned.py`, which takes the whole sample at once.
"""

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from kriegbot.kernels.hearing import Terms
from kriegbot.kernels.magics import Words
from kriegbot.kernels.moves import MOST_MOVES
from kriegbot.kernels.tables import TABLES
from kriegbot.search.backup import Backup
from kriegbot.search.lists import Lists
from kriegbot.search.pruned import paranoid_values
from kriegbot.search.tree import FULL, LEAVES, MISFIT, MOST_NODES, STOPPED, TreeArrays, back_up
from kriegbot.search.walk import fold_all, list_tries, plant

Reals = npt.NDArray[np.float64]
Moves = npt.NDArray[np.int32]

FIRST_ROOM = {1: 1, 2: MOST_MOVES}
"""Information sets that a search of depth 1 or 2 can reach at most; deeper ones start with DEEP_ROOM and grow."""
DEEP_ROOM = 1 << 16
GROWTH = 8
PRUNED_FROM = 2
"""Depth from which on alpha-beta is faster; at depth 1 the lists that a turn keeps save more."""
FIRST_BOARDS = 16
"""How many boards alpha-beta begins with where time is limited."""
CHUNK_SECONDS = 0.01
CHUNK_BOARDS = 256
"""How much is folded in between two looks at the values, with a time limit and without: a search cut off within a
history answers from the last look."""


@dataclass(frozen=True, slots=True)
class TryValues:
    """What a search has found of the tries open in an information set.

    tries [M] as kernels encode moves; values [M] in centipawns from our side, those of the best tries exact, the others
    perhaps too high where `is_pruned`; legal [M] the probability that each is legal, in [0, 1]; boards: positions
    searched; depth: plies that `values` look ahead, less than asked where time did not suffice for one board; leaves:
    positions evaluated; seconds: time spent.
    """

    tries: Moves
    values: Reals
    legal: Reals
    boards: int
    depth: int
    leaves: int
    seconds: float
    is_pruned: bool = False

    def best(self) -> list[int]:
        """Tries of the highest value, all of them where several share it."""
        return [int(move) for move in self.tries[self.values == self.values.max()]]


class Found(NamedTuple):
    """What a tree says after so many boards: values [M], and the probability [M] that each try is legal."""

    boards: int
    values: Reals
    legal: Reals


def tries_of(row: Words, pawns_may_capture: bool, refused: Sequence[int] = ()) -> Moves:
    """Tries [M] open to the side to move in a position uint64[8], in the order that search needs.

    Args:
      row: any position of the information set; its own men alone count.
      pawns_may_capture: False where the referee has just said that there is no pawn try.
      refused: tries refused this turn, which are left out.
    """
    moves = np.empty(MOST_MOVES, np.int32)
    count = list_tries(TABLES, row, pawns_may_capture, moves)
    return moves[:count][~np.isin(moves[:count], np.array(refused, np.int32))]


def search(
    rows: Words,
    weights: Reals,
    tries: Moves,
    depth: int,
    backup: Backup,
    evaluator: Any,
    terms: Terms,
    seconds: float | None = None,
    lists: Lists | None = None,
    may_prune: bool = True,
) -> TryValues:
    """Value every try open in an information set.

    Args:
      rows: [N, 8] positions that fit the view, N >= 1, we are to move; folded in this order.
      weights: [N] positive; they need not sum to 1.
      tries: [M] from `tries_of`, M >= 1.
      depth: plies below the root, >= 1; 1 is our try alone.
      backup: how values are combined.
      evaluator: E of the equations, from `evaluators.load_evaluator`.
      terms: rule set and limits.
      seconds: stop after so long; None folds in all N.
      lists: of these N positions, used where they are filled and filled where they are not; from an earlier search of
        this turn, to the same depth.
      may_prune: whether it will do to be exact about the best tries alone, where that is faster.

    Returns:
      The values; they speak of fewer boards than were given where the time ran out, or where the tree has grown to
      MOST_NODES information sets.

    Raises:
      ValueError: depth < 1, nothing to search, nothing to choose from, or positions that are not of one set.
    """
    if depth < 1 or len(rows) == 0 or len(tries) == 0:
        raise ValueError(
            f"search to depth {depth} of {len(rows)} positions, {len(tries)} tries: each must be at least 1"
        )
    if may_prune and not backup.is_sum and depth >= PRUNED_FROM:
        return _search_pruned(rows, weights, tries, depth, backup, evaluator, terms, seconds)
    begun = time.perf_counter()
    lists = Lists.empty(1, depth) if lists is None else lists
    room, leaves = FIRST_ROOM.get(depth, DEEP_ROOM), 0
    found = Found(0, np.empty(0), np.empty(0))
    with stop_after(seconds) as stop:
        while True:
            tree = TreeArrays(room, stop)
            again = _fold_in(tree, rows, weights, tries, depth, backup, evaluator, terms, lists, seconds is not None)
            found = max(again, found, key=lambda one: one.boards)
            leaves += int(tree.counters[LEAVES])
            if not tree.counters[FULL] or stop[0] or room == MOST_NODES:
                break
            room = min(GROWTH * room, MOST_NODES)
    if found.boards == 0:  # not one board was done: depth 1 answers, in less than a millisecond
        return _search_a_little(rows, weights, tries, backup, evaluator, terms, leaves, begun)
    return TryValues(tries, found.values, found.legal, found.boards, depth, leaves, time.perf_counter() - begun)


def _search_a_little(
    rows: Words,
    weights: Reals,
    tries: Moves,
    backup: Backup,
    evaluator: Any,
    terms: Terms,
    leaves: int,
    begun: float,
) -> TryValues:
    """Depth 1 of a few boards, for when there is no time; `leaves` and `begun` are of what was tried before."""
    few, tree, lists = min(len(rows), 64), TreeArrays(FIRST_ROOM[1], np.zeros(1, np.int64)), Lists.empty(1, 1)
    found = _fold_in(tree, rows[:few], weights[:few], tries, 1, backup, evaluator, terms, lists, False)
    leaves += int(tree.counters[LEAVES])
    return TryValues(tries, found.values, found.legal, found.boards, 1, leaves, time.perf_counter() - begun)


def _search_pruned(
    rows: Words,
    weights: Reals,
    tries: Moves,
    depth: int,
    backup: Backup,
    evaluator: Any,
    terms: Terms,
    seconds: float | None,
) -> TryValues:
    """Alpha-beta on all boards; with a time limit on a few at first, and then on more and more of them."""
    begun = time.perf_counter()
    boards, leaves, done = len(rows) if seconds is None else min(len(rows), FIRST_BOARDS), 0, 0
    values, legal = np.empty(0), np.empty(0)
    with stop_after(seconds) as stop:
        while done < len(rows):
            started = time.perf_counter()
            again = paranoid_values(rows[:boards], weights[:boards], tries, depth, evaluator, terms, stop)
            leaves += again.leaves
            if not again.is_done:
                break
            values, legal, done = again.values, again.legal, boards
            if seconds is not None:  # as many more as there seems to be time for
                now = time.perf_counter()
                growth = (seconds - (now - begun)) / (now - started)
                boards = min(len(rows), int(boards * min(max(growth, 1.5), GROWTH)))
    if done == 0:
        return _search_a_little(rows, weights, tries, backup, evaluator, terms, leaves, begun)
    return TryValues(tries, values, legal, done, depth, leaves, time.perf_counter() - begun, is_pruned=True)


def _fold_in(
    tree: TreeArrays,
    rows: Words,
    weights: Reals,
    tries: Moves,
    depth: int,
    backup: Backup,
    evaluator: Any,
    terms: Terms,
    lists: Lists,
    is_timed: bool,
) -> Found:
    """Fold boards into an empty tree until all are in, or it is stopped or full; look at the values in between."""
    arrays = tree.arrays()
    plant(arrays, backup.start, tries)
    found = Found(0, np.empty(0), np.empty(0))
    chunk = 1 if is_timed else CHUNK_BOARDS
    while found.boards < len(rows):
        begun = time.perf_counter()
        end = min(found.boards + chunk, len(rows))
        done = fold_all(
            TABLES,
            arrays,
            backup.start,
            rows,
            weights,
            found.boards,
            end,
            depth,
            terms,
            evaluator,
            backup.fold,
            lists.moves.ravel(),
            lists.outcomes.ravel(),
            lists.listed,
            lists.places,
        )
        if tree.counters[MISFIT]:
            raise ValueError("positions that are over, or that differ in our own men: not one information set")
        if tree.counters[STOPPED] or done == 0:
            break
        boards = found.boards + done
        weight, values = weights[:boards].sum(), np.empty(len(tries))
        back_up(arrays, backup.start, tries, backup.fold, values)
        found = Found(boards, values / weight if backup.is_sum else values, tree.legal[: len(tries)] / weight)
        if boards < end:
            break
        if is_timed:
            spent = time.perf_counter() - begun
            chunk = max(1, min(2 * chunk, int(chunk * CHUNK_SECONDS / spent)))
    return found


@contextmanager
def stop_after(seconds: float | None) -> Iterator[npt.NDArray[np.int64]]:
    """Flag int64[1] that a walk looks at, set once `seconds` are over."""
    stop = np.zeros(1, np.int64)
    if seconds is None:
        yield stop
        return
    timer = threading.Timer(max(seconds, 0.0), stop.fill, (1,))
    timer.daemon = True
    timer.start()
    try:
        yield stop
    finally:
        timer.cancel()
