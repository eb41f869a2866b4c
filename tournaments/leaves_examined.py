"""Leaves that IMP-alpha-beta examines, as in Figure 6 of van Lent and Mutchler (AAAI Fall Symposium 1993).

"A Pruning Algorithm for Imperfect Information Games" gives the share of the (kb)^(d-1) leaves of IMP-model by the depth
d, for several k and b. Payoffs are 0..10 with equal probabilities. A set is named by its number among those of its
depth in the regular tree.
"""

import csv
import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import astuple, dataclass, fields
from functools import cache
from pathlib import Path

import numpy as np

from kriegbot import kernels as kb
from tournaments.statistics import NORMAL_95

MOST_LEAVES = 10**9
"""Leaves of the largest tree that is measured; at some 100 million leaves a second, ten seconds a trial at most."""
SEVERAL_K, SEVERAL_B = (2, 4, 6, 8, 10), (2, 3, 4, 6, 8, 10)  # of the two graphs: k at b = 2, and b at k = 2
DEEPEST_LEAVES = 7 * 10**7  # each graph goes as deep as this many leaves allow
BLOCK = 30  # trials done at a time, until the interval is narrow enough
NARROW = 0.002  # half width of the widest 95% interval of a point
HIGHEST = 10  # payoffs are 0..HIGHEST
(ELEVEN,) = kb.words(HIGHEST + 1)


@dataclass(frozen=True, slots=True)
class Share:
    """Mean share of the leaves of IMP-model(k, b, depth) that the search examined, with half its 95% interval."""

    k: int
    b: int
    depth: int
    leaves: int
    trials: int
    share: float
    half_width: float


@kb.kernel
def payoff(seed: kb.Word, leaf: int) -> int:
    """Return the payoff of a leaf: the word of SplitMix64 at its number, as in `kriegbot.kernels.random`, modulo 11."""
    return kb.number(kb.mix64(seed + kb.word(leaf) * kb.GAMMA) % ELEVEN)


@kb.kernel
def max_set(k: int, b: int, choices: int, prob: int, place: int, prune: int, seed: kb.Word, examined: kb.Ints) -> int:
    """Return Max-Set, with Mixed-Set inlined, of the set number `place` of its depth; see `imp_alphabeta`.

    `choices` is the number of choices down to the leaves, this one included. Probabilities are integers, so all is
    exact: a leaf has 1, a set of `prob` nodes `prob`.
    """
    best = prune
    part = prob // k
    for alternative in range(b):
        total = 0
        left = prob
        for i in range(k):
            left -= part
            child = (place * b + alternative) * k + i
            if choices == 1:
                total += payoff(seed, child)
                examined[0] += 1
            else:
                total += max_set(k, b, choices - 1, part, child, best - total - HIGHEST * left, seed, examined)
            if total + HIGHEST * left <= best:
                total = best
                break
        if total > best:
            best = total
            if best == HIGHEST * prob:
                break
    return best


@kb.entry
def _search(k: int, b: int, d: int, seed: kb.Word, examined: kb.IntArray) -> int:
    return max_set(k, b, d - 1, k ** (d - 1), 0, -1, seed, kb.pointer(examined))  # every payoff is above -1


@cache  # `figure6` measures again with more trials
def searched(k: int, b: int, d: int, seed: int) -> tuple[int, int]:
    """Run IMP-alpha-beta on IMP-model(k, b, d) with seeded payoffs; return V k^(d-1) and the leaves examined."""
    examined = np.zeros(1, np.int64)
    value = _search(k, b, d, seed, examined)
    return int(value), int(examined[0])


def measured(k: int, b: int, d: int, trials: int, seed: int = 0) -> Share:
    """Measure the mean share of leaves examined in random IMP-models, each with payoffs of its own.

    A set has `b` alternatives, and the nodes below one split into `k` sets of equal size. Raise ValueError if there are
    more than MOST_LEAVES, or it is too deep.
    """
    if (d - 1) * math.log2(max(k * b, 2)) > math.log2(MOST_LEAVES):
        raise ValueError(f"IMP-model({k}, {b}, {d}): (kb)^(d-1) and 2^(d-1) may be {MOST_LEAVES:,} at most")
    leaves = (k * b) ** (d - 1)
    examined = [searched(k, b, d, kb.subseed(seed, k, b, d, trial))[1] for trial in range(trials)]
    shares = np.array(examined) / leaves
    half_width = NORMAL_95 * float(shares.std(ddof=1)) / math.sqrt(trials)
    return Share(k, b, d, leaves, trials, float(shares.mean()), half_width)


def figure6(seed: int = 0) -> Iterator[Share]:
    """Yield the points of both graphs by k, b and depth, each with enough trials for a narrow interval."""
    models = {(k, 2) for k in SEVERAL_K} | {(2, b) for b in SEVERAL_B}
    for k, b in sorted(models):
        d = 2
        while (k * b) ** (d - 1) <= DEEPEST_LEAVES:
            trials = BLOCK
            while (share := measured(k, b, d, trials, seed)).half_width >= NARROW:
                trials += BLOCK
            yield share
            d += 1


class PlotsMissing(Exception):
    """matplotlib is not installed; the one-line message says how to install it."""


@contextmanager
def plotting() -> Iterator[None]:
    """Configure matplotlib so that the same figures give the same SVG; raise PlotsMissing without it."""
    try:
        import matplotlib
    except ModuleNotFoundError:
        raise PlotsMissing("plots need matplotlib, which is missing: pip install matplotlib") from None
    with matplotlib.rc_context({"svg.hashsalt": "kriegbot", "svg.fonttype": "none", "font.size": 11}):
        yield


def save(points: list[Share], folder: Path) -> None:
    """Write figure6.csv, and figure6.svg unless it raises PlotsMissing. The same points give the same files."""
    with (folder / "figure6.csv").open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow([field.name for field in fields(Share)])
        for point in points:
            table.writerow([f"{value:.6f}" if isinstance(value, float) else value for value in astuple(point)])
    with plotting():
        from matplotlib.figure import Figure

        figure = Figure(figsize=(9.0, 4.2), layout="constrained")
        left, right = figure.subplots(1, 2, sharey=True)
        by_k = {f"k = {k}": [point for point in points if (point.k, point.b) == (k, 2)] for k in SEVERAL_K}
        by_b = {f"b = {b}": [point for point in points if (point.k, point.b) == (2, b)] for b in SEVERAL_B}
        for axes, title, series in ((left, "b = 2", by_k), (right, "k = 2", by_b)):
            for name, line in series.items():
                xs, ys = [point.depth for point in line], [100 * point.share for point in line]
                bars = [100 * point.half_width for point in line]
                axes.errorbar(xs, ys, bars, marker="o", markersize=3, label=name)
            axes.set(title=title, xlabel="depth d", ylim=(0, 100))
            axes.grid(alpha=0.3)
            axes.legend()
        left.set_ylabel("% of leaves examined")
        figure.savefig(folder / "figure6.svg", metadata={"Date": None, "Title": "Leaves examined by IMP-alpha-beta"})
