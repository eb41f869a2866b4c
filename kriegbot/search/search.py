"""Information-set search: walk the tree with one history after the other until the sample or the time is used up.

The histories are those of `sampled`: a drawn sample, or the whole belief in random order. `recursion` walks with
one history, and the backup rules combine values. Minima may have a faster, pruned search, which takes the whole sample
at once or, by time, larger and larger parts of it.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from evaluators.protocol import MAX_CENTIPAWNS, OUT_OF_RANGE
from kriegbot.kernels import MAX_MOVES, TABLES, IntArray, RealArray
from kriegbot.models.built_in import uniform
from kriegbot.parts import BadPart
from kriegbot.search.information_set import InformationSet, Tries
from kriegbot.search.pruned import paranoid_values
from kriegbot.search.recursion import WalkArguments, walk_batch
from kriegbot.search.settings import Method
from kriegbot.search.tree import COUNTERS, FULL, LEAVES, MISFIT, MOST_NODES, STOPPED, Lists, SearchTree, back_up
from kriegbot.threads import mapped, slices

SMALL_DEPTH, SMALL_TREE = 2, MAX_MOVES
"""A search to this depth with at most one free refusal has no more information sets: the root, and one for each try.
Others start with DEEP_TREE and grow."""
DEEP_TREE = 1 << 16
GROWTH = 8
PRUNED_FROM = 2  # depth from which pruning is faster; at depth 1 the lists of moves save more
FIRST_BOARDS = 16  # boards with which a pruned search begins if time is limited
CHUNK_SECONDS = 0.03
CHUNK_BOARDS = 256
"""Seconds or histories between two back-ups. A search that stops within a history returns the last values."""
LISTED = 50  # histories whose moves a thread lists at a time, about


@dataclass(frozen=True, slots=True)
class TryValues:
    """Values of the `tries` [M] of an information set, as kernels encode moves.

    `values` [M] are centipawns from our side, `legal` [M] the probability that each is legal. If `is_pruned`, values of
    tries below the best may be too high. `depth` is 1 if time ran out before any result. `leaves` are evaluations.
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
    True if only the best tries need exact values. If `seconds` run out, or the tree reaches MOST_NODES information
    sets, only the first histories are used. Raises ValueError: depth < 1, nothing to search, or a board with no legal
    move or with one that is not among the tries.
    """
    depth, boards, tries = method.depth, len(histories.rows), len(histories.tries)
    if depth < 1 or boards == 0 or tries == 0:
        raise ValueError(f"search to depth {depth} of {boards} positions, {tries} tries: each must be at least 1")
    is_pruned = may_prune and method.backup.is_minimum and method.is_paper_method and depth >= PRUNED_FROM
    if is_pruned:
        found, leaves = _search_pruned(histories, method, seconds)
    else:
        found, leaves = _search_tree(histories, method, seconds, lists)
    if found.boards == 0:  # not one board is done; 64 at depth 1 take less than a millisecond
        depth, is_pruned = 1, False
        found, more = _search_tree(histories.first(64), replace(method, depth=1, free_refusals=0), None, None)
        leaves += more
    return TryValues(histories.tries, found.values, found.legal, found.boards, depth, leaves, is_pruned)


def _search_tree(
    histories: InformationSet, method: Method, seconds: float | None, lists: Lists | None
) -> tuple[TreeValues, int]:
    """Return values and leaves; begin again with a larger tree when one is full."""
    start, found, leaves = method.backup.start, NO_VALUES, 0
    # a tree for each thread, with some of the tries at the root and all that follows them: no sum changes. From depth 3
    # on there is one tree, since a walk then writes to the lists that others read; with three free refusals, since one
    # tree might drop histories for which several have room
    count = method.threads if method.depth <= SMALL_DEPTH and method.free_refusals < 3 else 1
    lists = Lists.empty(1 if count == 1 else CHUNK_BOARDS, method.depth, len(start)) if lists is None else lists
    nodes = SMALL_TREE if method.depth <= SMALL_DEPTH and method.free_refusals <= 1 else DEEP_TREE
    deadline = None if seconds is None else time.perf_counter() + seconds
    with stop_after(seconds) as stop:
        while True:
            trees = [SearchTree.with_root(histories.tries, nodes, stop, start) for _ in range(count)]
            latest = _walk(trees, histories, method, lists, deadline)
            found = max(latest, found, key=lambda one: one.boards)
            leaves += sum(int(tree.counters[LEAVES]) for tree in trees)
            if not any(tree.counters[FULL] for tree in trees) or stop[0] or nodes == MOST_NODES:
                return found, leaves
            nodes = min(GROWTH * nodes, MOST_NODES)


def _search_pruned(histories: InformationSet, method: Method, seconds: float | None) -> tuple[TreeValues, int]:
    """Run the pruned search on all boards; with a time limit, on a few first and then on more and more."""
    begun, every, leaves, found = time.perf_counter(), len(histories.rows), 0, NO_VALUES
    boards = every if seconds is None else min(every, FIRST_BOARDS)
    with stop_after(seconds) as stop:
        while found.boards < every:
            started = time.perf_counter()
            values, legal, more = paranoid_values(histories.first(boards), method, stop)
            leaves += more
            if stop[0]:
                break
            found = TreeValues(boards, values, legal)
            if seconds is not None:  # as many more as time seems to allow
                now = time.perf_counter()
                growth = (seconds - (now - begun)) / (now - started)
                boards = min(every, int(boards * min(max(growth, 1.5), GROWTH)))
    return found, leaves


def _walk(
    trees: list[SearchTree], histories: InformationSet, method: Method, lists: Lists, deadline: float | None
) -> TreeValues:
    """Walk trees with all boards, or until one stops or is full; back values up in between."""
    backup, tries = method.backup, histories.tries
    numbers = method.depth, method.free_refusals, float(method.exchange), float(method.value_scale)
    kernels = method.evaluator, backup.fold, method.opponent, method.opponent is uniform
    arguments, found = (*numbers, histories.rules, *kernels), NO_VALUES
    # a smaller tree that gets full is walked again
    is_in_chunks = trees[0].most_nodes == MOST_NODES or (len(trees) > 1 and not lists.is_kept)
    least = 1 if len(trees) == 1 else len(trees) * LISTED  # threads that wait for each other too often lose time
    most = CHUNK_BOARDS if is_in_chunks else len(histories.rows)
    for part in parts_within(deadline, len(histories.rows), most, least):
        places = lists._replace(places=lists.places[part]) if lists.is_kept else lists
        walked = replace(histories, rows=histories.rows[part], weights=histories.weights[part])
        done = _walk_part(trees, arguments, walked, places)
        counters = np.sum([tree.counters for tree in trees], axis=0)
        if counters[MISFIT]:
            raise ValueError("positions that are over, or that differ in our own pieces: not one information set")
        if counters[STOPPED] or done == 0:
            break
        boards = part.start + done
        weight, values, legal = histories.weights[:boards].sum(), np.empty(len(tries)), np.empty(len(tries))
        for number, tree in enumerate(trees):
            own = slice(number, None, len(trees))
            values[own], legal[own] = back_up(tree, backup, len(tries), own), tree.legal[: len(tries)][own]
        found = TreeValues(boards, values / weight if backup.is_sum else values, legal / weight)
        if boards < part.stop:
            break
    return found


def _walk_part(trees: list[SearchTree], arguments: WalkArguments, histories: InformationSet, lists: Lists) -> int:
    """Walk each tree with the same histories, on as many threads; return how many are done on all."""
    rows, weights, theirs, threads = histories.rows, histories.weights, histories.theirs, len(trees)
    if threads == 1:
        return int(walk_batch(TABLES, trees[0], arguments, rows, weights, theirs, lists, 0, 1))
    if not lists.is_kept:
        lists = lists.keep_histories(np.empty(0, np.int64), len(rows))
    unlisted = np.flatnonzero(lists.listed[lists.places[: len(rows)]] < 0)

    def list_moves(part: slice) -> IntArray:
        tree, chosen = trees[0]._replace(counters=np.zeros(COUNTERS, np.int64)), unlisted[part]
        own = lists._replace(places=lists.places[chosen], scratch=np.empty_like(lists.scratch))
        walk_batch(TABLES, tree, arguments, rows[chosen], weights[chosen], theirs, own, 0, 0)
        return tree.counters

    count = threads * max(1, round(len(unlisted) / (threads * LISTED)))  # slices, as many for each thread
    for counters in mapped(list_moves, slices(len(unlisted), 1 + len(unlisted) // count), threads):
        trees[0].counters[:] += counters
    are_listed = lists.listed[lists.places[: len(rows)]] >= 0
    done = len(rows) if are_listed.all() else int(are_listed.argmin())

    def walk(number: int) -> None:
        # not stopped: it takes little of a part's time, and all trees must have the same histories
        tree = trees[number]._replace(stop=np.zeros(1, np.int64))
        own = lists._replace(scratch=np.empty_like(lists.scratch))
        walk_batch(TABLES, tree, arguments, rows[:done], weights[:done], theirs, own, number, threads)

    mapped(walk, range(threads), threads)
    return done


def parts_within(deadline: float | None, boards: int, most: int, least: int = 1) -> Iterator[slice]:
    """Yield slices of `most` boards; up to a deadline (`time.perf_counter`) of as many as time allows, or `least`."""
    done, size = 0, most if deadline is None else least
    while done < boards:
        begun = time.perf_counter()
        yield slice(done, min(done + size, boards))
        done += size
        if deadline is not None:  # the timer of `stop_after` alone may fire late on a busy machine
            now = time.perf_counter()
            if now >= deadline:
                return
            size = max(least, min(2 * size, int(size * min(CHUNK_SECONDS, deadline - now) / (now - begun))))


@contextmanager
def stop_after(seconds: float | None) -> Iterator[IntArray]:
    """Yield a flag int64[1], 1 after `seconds` or if no thread can start; raise BadPart if `evaluate` has set it."""
    stop = np.full(1, seconds is not None and seconds <= 0.0, np.int64)
    timer = threading.Timer(seconds or 0.0, stop.fill, (1,))
    timer.daemon = True
    if seconds is not None and not stop[0]:
        try:
            timer.start()
        except RuntimeError:  # no more threads
            stop.fill(1)
    try:
        yield stop
    finally:
        timer.cancel()
    if stop[0] == OUT_OF_RANGE:
        raise BadPart(f"the evaluator gives a value beyond -{MAX_CENTIPAWNS} to {MAX_CENTIPAWNS} centipawns")
