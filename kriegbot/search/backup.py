"""Backup rules: how values of histories, of the opponent's replies and of announcements become one value.

A rule accumulates a few numbers, the totals, for each try of an information set. `fold` adds all that may follow the
try to them: histories, replies and announcements, among which we do not choose. Once all are in, `settle` turns the
totals of a try into the value by which we choose. What it passes up for the best try goes on to the set above.

Totals go up as they are: those of the replies to one move, weights summing to 1, are folded as a row of values into
those of our try. So a row of totals must mean what the values behind it mean. Sums and extremes do; a sum of squares,
whose fold squares it again from depth 2 on, does not, and `players.part_checks` refuses it. Settling the replies first
would give another rule: the spread of replies on each board, not of all that may follow.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from kriegbot.kernels import Reals, part_of
from kriegbot.parts import Parts

Fold: TypeAlias = Callable[[Reals, Reals, Reals, int], None]
"""(totals, weights, values, count): fold `count` sets of values, weighing `weights`, into `totals`.

totals [width], weights [count], values [count * width]. The value of a leaf or of an ended game stands in all of its
`width` places. Weights need not sum to 1."""
Settle: TypeAlias = Callable[[Reals, float, Reals, Reals], float]
"""(totals, weight, parameters, passed_up) -> the value that compares tries of one set: centipawns, or if the rule
`is_sum` their weighted sum.

`weight` is the total weight of the set's histories. `passed_up` gets the totals of the set if this try is chosen."""


def fold(function: Fold) -> Fold:
    """Declare a kernel that adds values to totals; raise TypeError unless its annotations are those of `Fold`."""
    return part_of(Fold, function)


def settle(function: Settle) -> Settle:
    """Declare a kernel that values totals; raise TypeError unless its annotations are those of `Settle`."""
    return part_of(Settle, function)


@settle
def as_it_stands(totals: Reals, weight: float, parameters: Reals, passed_up: Reals) -> float:  # noqa: ARG001 - `Settle`
    """Return the only number that a rule keeps, and pass it on."""
    passed_up[0] = totals[0]
    return totals[0]


@dataclass(frozen=True)
class Backup:
    """A backup rule by its name in specs."""

    name: str
    start: tuple[float, ...]
    """Totals before any history; as many numbers as the rule keeps."""
    fold: Fold
    settle: Settle = as_it_stands
    """A rule that keeps one number needs none of its own."""
    parameters: tuple[float, ...] = ()
    """Numbers passed to `settle`."""
    is_sum: bool = False
    """True if values are sums over histories, as V in IMP-minimax (Blair, Mutchler and Liu 1993): nothing divides them
    within the tree, and the search divides those at the root by the total weight of the histories."""
    is_minimum: bool = False
    """True if values are minima over histories and replies: then `pruned.paranoid_values` finds the same best tries."""


BACKUPS = Parts("backup rule", __name__, "kriegbot.backups", ("mixed", "overconfident", "paranoid"))


def load_backup(name: str) -> Any:
    """Return the backup rule of a name such as `paranoid`, or of FILE.py:NAME or MODULE:NAME; raise `NotFound`."""
    return BACKUPS.load(name)


@fold
def add_weighted(totals: Reals, weights: Reals, values: Reals, count: int) -> None:
    """Add the weighted values."""
    total = totals[0]
    for i in range(count):
        total += weights[i] * values[i]
    totals[0] = total


@fold
def take_worst(totals: Reals, weights: Reals, values: Reals, count: int) -> None:  # noqa: ARG001 - `Fold`
    """Take the minimum, however unlikely."""
    total = totals[0]
    for i in range(count):
        total = min(total, values[i])
    totals[0] = total


@fold
def add_and_take_worst(totals: Reals, weights: Reals, values: Reals, count: int) -> None:
    """Add the weighted values, and take the minimum."""
    for i in range(count):
        totals[0] += weights[i] * values[2 * i]
        totals[1] = min(totals[1], values[2 * i + 1])


@settle
def mix(totals: Reals, weight: float, parameters: Reals, passed_up: Reals) -> float:
    """Return (1 - share) * mean + share * minimum. The set above takes it as both mean and minimum."""
    share = parameters[0]
    value = (1.0 - share) * totals[0] / weight + share * totals[1]
    passed_up[0], passed_up[1] = weight * value, value
    return value


overconfident = Backup("overconfident", (0.0,), add_weighted, is_sum=True)
"""Eq. 2 of Parker, Nau and Subrahmanian (AAAI 2006): the opponent plays by chance, and values are averaged."""
paranoid = Backup("paranoid", (float("inf"),), take_worst, is_minimum=True)
"""Eq. 3: the opponent sees everything, and the worst counts."""
mixed = Backup("mixed", (0.0, float("inf")), add_and_take_worst, mix, (0.3,))
"""0.7 of the average of all that may follow and 0.3 of the worst, as in StrangeFish2 (reconnaissance blind chess). Each
try keeps both until we choose."""
