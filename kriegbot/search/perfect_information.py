"""What tries are worth if both sides saw the board: a second opinion beside that of the information-set search.

HS (Parker, Nau and Subrahmanian, IJCAI 2005) chooses by such values alone. An opponent who sees everything finds the
best reply on each board, and every exchange after our answer to it, which a search of two plies against the replies
expected does not; but he is no opponent of ours, so these values only count beside the others
(`settings.Settings.opinion`). Departs from HS where a try may be illegal: over the boards that refuse it, it is worth
the best of what can be tried next, and over the others mostly the mean, partly the mean of the worst fifth.
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
"""How much the worst boards count beside the mean, and which share of the boards they are."""


class Valued:
    """Boards of one turn, and what alpha-beta finds each open try worth on them.

    A refusal changes none of it: it leaves fewer boards and fewer tries. Boards that differ in their labels alone are
    valued once.
    """

    def __init__(self, histories: InformationSet, method: Method) -> None:
        """None yet; `histories` are those of the turn's first try."""
        self._tries, self._terms, self._evaluator = histories.tries, histories.terms, method.evaluator
        self._found: dict[int, dict[bytes, kb.IntArray]] = {DEPTH - 1: {}, DEPTH: {}}

    def depths(self, rows: kb.Rows) -> kb.IntArray:
        """How deep [N] each of the boards was searched, 0 if it was not."""
        less, most = self._found.values()
        return np.array([DEPTH if board in most else DEPTH - 1 if board in less else 0 for board in _boards(rows)])

    def values(self, rows: kb.Rows, tries: Tries, depth: int, stop: kb.IntArray) -> kb.IntArray:
        """As `value_boards` finds them, with the same arguments."""
        boards, known = _boards(rows), self._found[depth]
        new = {board: i for i, board in enumerate(boards) if board not in known}
        found, _ = value_boards(rows[list(new.values())], tries, depth, self._evaluator, self._terms, stop)
        are_open = np.isin(self._tries, tries)
        for board, values in zip(new, found, strict=False):  # fewer if it was stopped
            known[board] = np.zeros(len(self._tries), np.int64)
            known[board][are_open] = values
        done = list(takewhile(known.__contains__, boards))
        return np.array([known[board][are_open] for board in done], np.int64).reshape(len(done), len(tries))


def _boards(rows: kb.Rows) -> list[bytes]:
    """Boards without their labels, as keys."""
    every = kb.without_type_ids(rows).tobytes()
    return [every[i : i + 64] for i in range(0, len(every), 64)]


def open_values(
    histories: InformationSet, method: Method, seconds: float | None, seed: int, valued: Valued
) -> RealArray | None:
    """What each try [M] is worth over some of the boards, squeezed as `Method.scale` has it; None if none is valued.

    Boards that were valued at an earlier try of the turn come first, and count though no time is left; `valued` has
    them, and gets those valued now.
    """
    depths = valued.depths(histories.rows)
    some = np.lexsort((kb.uniforms(seed, len(histories.rows)), -depths))[:MOST_BOARDS]
    rows, weights = histories.rows[some], histories.weights[some]
    found = np.empty((0, len(histories.tries)), np.int64)
    passes = [(BOARDS, DEPTH)] if seconds is None else [(BOARDS, DEPTH - 1), (MOST_BOARDS, DEPTH)]
    if (depths[some[:BOARDS]] == DEPTH).all():
        passes = passes[-1:]
    with stop_after(seconds) as stop:
        for boards, depth in passes:
            deeper = valued.values(rows[:boards], histories.tries, depth, stop)
            found = deeper if len(deeper) >= len(found) else found
    if len(found) == 0:
        return None
    values = squeezed(found.astype(np.float64), method.scale)
    for i, move in enumerate(histories.tries):
        values[list_refusing(rows[: len(found)], int(move)), i] = np.nan
    return worth_of_tries(values, weights[: len(found)])[0]


def squeezed(values: RealArray, scale: float) -> RealArray:
    """Values as `Method.scale` has them."""
    return values / np.sqrt(1.0 + (values / scale) ** 2) if scale else values


def worth_of_tries(values: RealArray, weights: RealArray) -> tuple[RealArray, RealArray]:
    """What each try is worth, and the probability that it is legal.

    Args:
      values: [boards, tries] of each move on each board, nan where it is illegal.
      weights: [boards] positive.

    Returns:
      worth [tries] in the unit of `values`, and legal [tries], in [0, 1].
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
    """The mean of each column where it is not nan, and of its worst `WORST_SHARE` the mean again, as one number."""
    order = np.argsort(values, axis=0, kind="stable")  # nan is last
    values = np.take_along_axis(values, order, axis=0)
    parts = weights[order] * ~np.isnan(values)
    parts = parts / np.maximum(parts.sum(axis=0), weights.min())  # a column may be all nan
    values = np.nan_to_num(values)
    worst = np.clip(WORST_SHARE - (np.cumsum(parts, axis=0) - parts), 0.0, parts)
    return (1.0 - WORST) * (parts * values).sum(axis=0) + WORST * (worst * values).sum(axis=0) / WORST_SHARE
