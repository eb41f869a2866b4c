"""Information-set search: walk the tree with one history after the other until the sample or the time is used up.

This is the statistical sampling of Parker, Nau and Subrahmanian (AAAI 2006). `recursion` walks with one history, and
the backup rules combine values. Minima have a pruned search, which takes the whole sample at once and is faster.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kriegbot.kernels import MAX_MOVES, TABLES, RealArray
from kriegbot.models.built_in import uniform
from kriegbot.search.information_set import InformationSet, Tries
from kriegbot.search.pruned import paranoid_values
from kriegbot.search.recursion import HistoryBatch, plant, walk_batch
from kriegbot.search.settings import Method
from kriegbot.search.tree import FULL, LEAVES, MISFIT, MOST_NODES, STOPPED, Lists, SearchTree, back_up

SMALL_TREES = {1: 1, 2: MAX_MOVES}
"""Most information sets of a search to depth 1 or 2. A deeper search starts with DEEP_TREE and grows."""
DEEP_TREE = 1 << 16
GROWTH = 8
PRUNED_FROM = 2
"""Depth from which pruning is faster; at depth 1 the lists of moves save more."""
FIRST_BOARDS = 16
"""Boards with which a pruned search begins if time is limited."""
CHUNK_SECONDS = 0.01
CHUNK_BOARDS = 256
"""Seconds, or histories, after which the values are backed up again. A search that stops within a history returns the
last ones."""


@dataclass(frozen=True, slots=True)
class TryValues:
    """Values of the `tries` [M] of an information set, as kernels encode moves.

    `values` [M] are centipawns from our side, `legal` [M] the probability that each is legal. If `is_pruned`, values of
    tries below the best may be too high. `depth` is 1 if time ran out within the first board. `leaves` counts positions
    evaluated.
    """

    tries: Tries
    values: RealArray
    legal: RealArray
    boards: int
    depth: int
    leaves: int
    is_pruned: bool = False

    def best(self) -> list[int]:
        """Return all tries of the highest value."""
        return [int(move) for move in self.tries[self.values == self.values.max()]]


class TreeValues(NamedTuple):
    """Values [M] at the root after some boards, and the probability [M] that each try is legal."""

    boards: int
    values: RealArray
    legal: RealArray


NO_VALUES = TreeValues(0, np.empty(0), np.empty(0))


def search_tries(
    histories: InformationSet,
    method: Method,
    seconds: float | None = None,
    lists: Lists | None = None,
    may_prune: bool = True,
) -> TryValues:
    """Value the tries of an information set.

    >>> import chess
    >>> import numpy as np
    >>> from kriegbot import kernels as kb
    >>> from kriegbot.search.settings import Settings
    >>> from referee import Referee
    >>> view, board = Referee().view(True), chess.Board()
    >>> histories = InformationSet.of(view, kb.from_board(board).reshape(1, 8), np.ones(1))
    >>> result = search_tries(histories, Method.of(Settings(depth=1, evaluator="material")))
    >>> len(result.tries), float(result.values.max()), result.boards
    (34, 0.0, 1)

    `lists` are moves of these histories, filled by the first search of a turn and reused by later ones. `may_prune` is
    True if only the best tries need exact values. Fewer histories count if `seconds` ran out or the tree reached
    MOST_NODES information sets; the first count.

    Raises:
      ValueError: depth < 1, no histories, no tries, or positions that are not of one set.
    """
    depth, boards, tries = method.depth, len(histories.rows), len(histories.tries)
    if depth < 1 or boards == 0 or tries == 0:
        raise ValueError(f"search to depth {depth} of {boards} positions, {tries} tries: each must be at least 1")
    is_pruned = may_prune and method.backup.is_minimum and method.is_paper_method and depth >= PRUNED_FROM
    if is_pruned:
        found, leaves = _search_pruned(histories, method, seconds)
    else:
        found, leaves = _search_tree(histories, method, seconds, lists)
    if found.boards == 0:  # not one board is done; depth 1 takes less than a millisecond
        start, depth, is_pruned = method.backup.start, 1, False
        tree, lists = SearchTree.empty(SMALL_TREES[1], np.zeros(1, np.int64), start), Lists.empty(1, 1, len(start))
        found = _walk(tree, histories.first(64), replace(method, depth=1, free_refusals=0), lists, False)
        leaves += int(tree.counters[LEAVES])
    return TryValues(histories.tries, found.values, found.legal, found.boards, depth, leaves, is_pruned)


def _search_tree(
    histories: InformationSet, method: Method, seconds: float | None, lists: Lists | None
) -> tuple[TreeValues, int]:
    """Return values and leaves; begin anew with a larger tree while there is no room."""
    start, found, leaves = method.backup.start, NO_VALUES, 0
    lists = Lists.empty(1, method.depth, len(start)) if lists is None else lists
    nodes = SMALL_TREES.get(method.depth, DEEP_TREE) if method.free_refusals == 0 else DEEP_TREE
    with stop_after(seconds) as stop:
        while True:
            tree = SearchTree.empty(nodes, stop, start)
            latest = _walk(tree, histories, method, lists, seconds is not None)
            found = max(latest, found, key=lambda one: one.boards)
            leaves += int(tree.counters[LEAVES])
            if not tree.counters[FULL] or stop[0] or nodes == MOST_NODES:
                return found, leaves
            nodes = min(GROWTH * nodes, MOST_NODES)


def _search_pruned(histories: InformationSet, method: Method, seconds: float | None) -> tuple[TreeValues, int]:
    """Run the pruned search on all boards; with a time limit, on a few first and then on more and more."""
    begun = time.perf_counter()
    every, leaves, found = len(histories.rows), 0, NO_VALUES
    boards = every if seconds is None else min(every, FIRST_BOARDS)
    with stop_after(seconds) as stop:
        while found.boards < every:
            started = time.perf_counter()
            again = paranoid_values(histories.first(boards), method, stop)
            leaves += again.leaves
            if not again.is_done:
                break
            found = TreeValues(boards, again.values, again.legal)
            if seconds is not None:  # as many more as time seems to allow
                now = time.perf_counter()
                growth = (seconds - (now - begun)) / (now - started)
                boards = min(every, int(boards * min(max(growth, 1.5), GROWTH)))
    return found, leaves


def _walk(tree: SearchTree, histories: InformationSet, method: Method, lists: Lists, is_timed: bool) -> TreeValues:
    """Walk an empty tree with all boards, or until it stops or is full; back values up in between."""
    backup, tries, opponent = method.backup, histories.tries, method.opponent
    arguments = method.numbers, histories.rules, method.evaluator, backup.fold, opponent, opponent is uniform
    plant(tree, tries)
    found = NO_VALUES
    can_stop = is_timed or method.depth not in SMALL_TREES or method.free_refusals > 0
    chunk = (1 if is_timed else CHUNK_BOARDS) if can_stop else len(histories.rows)
    while found.boards < len(histories.rows):
        begun = time.perf_counter()
        end = min(found.boards + chunk, len(histories.rows))
        batch = HistoryBatch(histories.rows, histories.weights, found.boards, end, histories.theirs)
        done = walk_batch(TABLES, tree, arguments, batch, lists)
        if tree.counters[MISFIT]:
            raise ValueError("positions that are over, or that differ in our own pieces: not one information set")
        if tree.counters[STOPPED] or done == 0:
            break
        boards = found.boards + done
        weight, values = histories.weights[:boards].sum(), back_up(tree, backup, len(tries))
        found = TreeValues(boards, values / weight if backup.is_sum else values, tree.legal[: len(tries)] / weight)
        if boards < end:
            break
        if is_timed:
            spent = time.perf_counter() - begun
            chunk = max(1, min(2 * chunk, int(chunk * CHUNK_SECONDS / spent)))
    return found


@contextmanager
def stop_after(seconds: float | None) -> Iterator[npt.NDArray[np.int64]]:
    """Yield a flag int64[1] that becomes 1 once `seconds` are over; None sets no limit."""
    is_over = seconds is not None and seconds <= 0.0
    stop = np.full(1, is_over, np.int64)
    if seconds is None or is_over:
        yield stop
        return
    timer = threading.Timer(seconds, stop.fill, (1,))
    timer.daemon = True
    timer.start()
    try:
        yield stop
    finally:
        timer.cancel()
