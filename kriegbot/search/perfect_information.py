"""Perfect-information values: alpha-beta on sampled boards as if both sides saw everything, averaged per try.

HS (Parker, Nau and Subrahmanian, IJCAI 2005) chooses by such values alone. An opponent that sees everything finds the
best reply on each board, and every exchange after our answer to it. A search of two plies against the expected replies
misses these. But our opponent does not see everything, so these values count only beside the others
(`Settings.perfect_info_weight`). Departs from HS where a try may be illegal: over the boards that refuse it, its value
is that of the best next try, and over the others mostly the mean, partly the mean of the worst fifth.
"""

from itertools import takewhile

import numpy as np

from kriegbot import kernels as kb
from kriegbot.belief.filter import list_refusing
from kriegbot.kernels import RealArray
from kriegbot.search.alphabeta import value_boards
from kriegbot.search.information_set import InformationSet, Tries
from kriegbot.search.search import stop_after
from kriegbot.search.settings import Method

BOARDS, MOST_BOARDS, DEPTH = 40, 200, 3
"""Boards valued for each try, the most of them by time, and plies before quiescence; if there is no time for so many
boards, one ply fewer."""
WORST, WORST_SHARE = 0.3, 0.2
"""Weight of the worst boards beside the mean, and the share of the boards that they are."""


class BoardValues:
    """Alpha-beta values of one turn's tries on its boards.

    After a refusal fewer boards and fewer tries remain, with the same values. Boards that differ only in the type of
    the opponent are valued once.
    """

    def __init__(self, histories: InformationSet, method: Method) -> None:
        """Start without values; `histories` are those of the turn's first try."""
        self._tries, self._rules, self._evaluator = histories.tries, histories.rules, method.evaluator
        self._values: dict[int, dict[bytes, kb.IntArray]] = {DEPTH - 1: {}, DEPTH: {}}

    def depths(self, rows: kb.Rows) -> kb.IntArray:
        """Return the depth [N] to which each of the boards was searched, 0 if it was not."""
        less, most = self._values.values()
        return np.array([DEPTH if board in most else DEPTH - 1 if board in less else 0 for board in _boards(rows)])

    def values(self, rows: kb.Rows, tries: Tries, depth: int, stop: kb.IntArray) -> kb.IntArray:
        """Return what `value_boards` returns for the same arguments."""
        boards, known = _boards(rows), self._values[depth]
        new = {board: i for i, board in enumerate(boards) if board not in known}
        valued, _ = value_boards(rows[list(new.values())], tries, depth, self._evaluator, self._rules, stop)
        are_open = np.isin(self._tries, tries)
        for board, values in zip(new, valued, strict=False):  # fewer if it was stopped
            known[board] = np.zeros(len(self._tries), np.int64)
            known[board][are_open] = values
        done = list(takewhile(known.__contains__, boards))
        return np.array([known[board][are_open] for board in done], np.int64).reshape(len(done), len(tries))


def _boards(rows: kb.Rows) -> list[bytes]:
    """Return boards without opponent types, as keys."""
    every = kb.without_type_ids(rows).tobytes()
    return [every[i : i + 64] for i in range(0, len(every), 64)]


def open_values(
    histories: InformationSet, method: Method, seconds: float | None, seed: int, board_values: BoardValues
) -> RealArray | None:
    """Return the value [M] of each try over some of the boards, squashed by `Settings.value_scale`; None without any.

    Boards that were valued at an earlier try of the turn come first, and count even if no time is left. `board_values`
    holds them, and gets those valued now.
    """
    depths = board_values.depths(histories.rows)
    some = np.lexsort((kb.uniforms(seed, len(histories.rows)), -depths))[:MOST_BOARDS]
    rows, weights = histories.rows[some], histories.weights[some]
    best = np.empty((0, len(histories.tries)), np.int64)
    passes = [(BOARDS, DEPTH)] if seconds is None else [(BOARDS, DEPTH - 1), (MOST_BOARDS, DEPTH)]
    if (depths[some[:BOARDS]] == DEPTH).all():
        passes = passes[-1:]
    with stop_after(seconds) as stop:
        for boards, depth in passes:
            deeper = board_values.values(rows[:boards], histories.tries, depth, stop)
            best = deeper if len(deeper) >= len(best) else best
    if len(best) == 0:
        return None
    values = squash(best.astype(np.float64), method.value_scale)
    for i, move in enumerate(histories.tries):
        values[list_refusing(rows[: len(best)], int(move)), i] = np.nan
    return values_of_tries(values, weights[: len(best)])[0]


def squash(values: RealArray, scale: float) -> RealArray:
    """Bound values as `Settings.value_scale` says; 0 leaves them as they are."""
    return values / np.sqrt(1.0 + (values / scale) ** 2) if scale else values


def values_of_tries(values: RealArray, weights: RealArray) -> tuple[RealArray, RealArray]:
    """Return the value of each try, and the probability that it is legal.

    Args:
      values: [boards, tries] of each move on each board, nan where it is illegal.
      weights: [boards] positive.

    Returns:
      values [tries] in the unit of the argument, and legal [tries], in [0, 1].
    """
    legal = ~np.isnan(values)
    share = weights @ legal / weights.sum()
    middling = np.nanmedian(values, axis=1, keepdims=True)
    filled = np.where(legal, values, middling)  # a second refusal in a turn is valued as a middling move
    refusing = weights * ~legal.T
    following = refusing @ filled / np.maximum(refusing.sum(axis=1, keepdims=True), weights.min())
    np.fill_diagonal(following, float(middling.min()) if len(share) == 1 else -np.inf)
    return share * blended(values, weights) + (1.0 - share) * following.max(axis=1), share


def blended(values: RealArray, weights: RealArray) -> RealArray:
    """Blend the mean of each column, nan aside, with the mean of its worst `WORST_SHARE`."""
    order = np.argsort(values, axis=0, kind="stable")  # nan is last
    values = np.take_along_axis(values, order, axis=0)
    parts = weights[order] * ~np.isnan(values)
    parts = parts / np.maximum(parts.sum(axis=0), weights.min())  # a column may be all nan
    values = np.nan_to_num(values)
    worst = np.clip(WORST_SHARE - (np.cumsum(parts, axis=0) - parts), 0.0, parts)
    return (1.0 - WORST) * (parts * values).sum(axis=0) + WORST * (worst * values).sum(axis=0) / WORST_SHARE
