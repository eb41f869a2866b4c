"""Information-set search: histories go into the tree one by one until the sample or the time is used up.

The recursion stands in `walk.py`, what is combined how in `backup.py`; here is what Parker, Nau and Subrahmanian (AAAI
2006) call statistical sampling: fold sampled histories in, stop at any moment, answer with the values so far.
"""

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from kriegbot.kernels.hearing import Terms
from kriegbot.kernels.magics import Words
from kriegbot.kernels.moves import MOST_MOVES
from kriegbot.kernels.tables import TABLES
from kriegbot.search.backup import Backup
from kriegbot.search.tree import FULL, LEAVES, STOPPED, TreeArrays, back_up
from kriegbot.search.walk import LISTS, OUTCOMES, fold_all, legal_weights, list_tries, plant

Reals = npt.NDArray[np.float64]
Moves = npt.NDArray[np.int32]

FIRST_ROOM = {1: 1, 2: MOST_MOVES}
"""Information sets that a search of depth 1 or 2 can reach at most; deeper ones start with DEEP_ROOM and grow."""
DEEP_ROOM = 1 << 14
MOST_ROOM = 1 << 21
CHUNK_SECONDS = 0.01
"""Between two looks at the values, so that a search cut off within a history can answer from before it."""


class TreeTooLarge(Exception):
    """The search has met more information sets than MOST_ROOM; fewer plies or fewer histories would do."""


@dataclass(frozen=True, slots=True)
class TryValues:
    """What a search has found of the tries open in an information set.

    tries [M] as kernels encode moves; values [M] in centipawns from our side; legal [M] the probability that each is
    legal, in [0, 1]; boards: positions folded in; depth: plies that `values` look ahead, less than asked where time
    did not suffice for one board; leaves: positions evaluated; seconds: time spent.
    """

    tries: Moves
    values: Reals
    legal: Reals
    boards: int
    depth: int
    leaves: int
    seconds: float

    def best(self) -> list[int]:
        """Tries of the highest value, all of them where several share it."""
        return [int(move) for move in self.tries[self.values == self.values.max()]]


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

    Raises:
      ValueError: depth < 1, nothing to search, nothing to choose from, or positions that are not of one set.
      TreeTooLarge: no time limit is set and there are too many information sets to keep.
    """
    if depth < 1 or len(rows) == 0 or len(tries) == 0:
        raise ValueError(
            f"search to depth {depth} of {len(rows)} positions, {len(tries)} tries: each must be at least 1"
        )
    begun = time.perf_counter()
    room = FIRST_ROOM.get(depth, DEEP_ROOM)
    with stop_after(seconds) as stop:
        while True:
            tree = TreeArrays(room)
            tree.stop = stop
            folding = _Folding(rows, weights, tries, depth, backup, evaluator, terms, tree)
            values, boards = folding.run(timed=seconds is not None)
            if not tree.counters[FULL] or stop[0]:
                break
            if room >= MOST_ROOM:
                if seconds is None:
                    raise TreeTooLarge(
                        f"depth {depth} over {len(rows)} positions: more than {MOST_ROOM} information sets; "
                        "take a smaller depth or a smaller sample"
                    )
                break
            room *= 8
    leaves = int(tree.counters[LEAVES])
    if boards == 0:  # not one board was done in time: depth 1 answers, in less than a millisecond
        few = min(len(rows), 64)
        shallow = search(rows[:few], weights[:few], tries, 1, backup, evaluator, terms)
        values, boards, depth, leaves = shallow.values, shallow.boards, 1, leaves + shallow.leaves
    legal = np.zeros(len(tries))
    moves = np.empty(MOST_MOVES, np.int32)
    if not legal_weights(TABLES, rows[:boards], weights[:boards], tries, moves, legal):
        raise ValueError(
            "positions that differ in our own men, or tries that leave out legal moves: not one information set"
        )
    legal /= weights[:boards].sum()
    return TryValues(tries, values, legal, boards, depth, leaves, time.perf_counter() - begun)


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


class _Folding:
    """The folding of one batch into one tree, in chunks between which the values are looked at."""

    def __init__(
        self,
        rows: Words,
        weights: Reals,
        tries: Moves,
        depth: int,
        backup: Backup,
        evaluator: Any,
        terms: Terms,
        tree: TreeArrays,
    ) -> None:
        levels = depth // 2 + 1
        self.rows, self.weights, self.tries = rows, weights, tries
        self.depth, self.backup, self.evaluator, self.terms = depth, backup, evaluator, terms
        self.tree = tree
        self.moves = np.empty(LISTS * MOST_MOVES * levels, np.int32)
        self.outcomes = np.empty((OUTCOMES * MOST_MOVES + 1) * levels)
        plant(tree.arrays(), backup.start, tries)

    def run(self, timed: bool) -> tuple[Reals, int]:
        """Fold until done, stopped or full; return the values [M] and the number of boards that they speak of."""
        values, boards = np.zeros(len(self.tries)), 0
        chunk = 1 if timed else len(self.rows)
        while boards < len(self.rows):
            begun = time.perf_counter()
            end = min(boards + chunk, len(self.rows))
            done = self._fold(boards, end)
            cut_within_a_board = self.tree.counters[STOPPED] != 0
            if cut_within_a_board:
                break
            boards += done
            if done:
                values = self._values(boards)
            if boards < end:
                break
            spent = time.perf_counter() - begun
            chunk = max(1, min(2 * chunk, int(chunk * CHUNK_SECONDS / spent)))
        return values, boards

    def _fold(self, begin: int, end: int) -> int:
        return fold_all(
            TABLES,
            self.tree.arrays(),
            self.backup.start,
            self.rows,
            self.weights,
            begin,
            end,
            self.depth,
            self.terms,
            self.evaluator,
            self.backup.fold,
            self.moves,
            self.outcomes,
        )

    def _values(self, boards: int) -> Reals:
        values = np.empty(len(self.tries))
        back_up(self.tree.arrays(), self.backup.start, self.tries, self.backup.fold, values)
        return values / self.weights[:boards].sum() if self.backup.is_sum else values
