"""Backup rules: how values of histories, of the opponent's replies and of announcements become one value.

A rule accumulates a few numbers, the totals, for each try of an information set. `fold` adds all that may follow the
try to them: histories, replies and announcements, among which we do not choose. Once all are in, `settle` turns the
totals of a try into the value by which we choose. The totals of the best try go on to the set above.

Each file NAME.py here defines NAME, a `Backup`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from kriegbot.kernels import Reals, part_of
from kriegbot.parts import Parts

Fold: TypeAlias = Callable[[Reals, Reals, Reals, int], None]
"""(totals, weights, values, count): fold `count` sets of values, weighing `weights`, into `totals`.

totals [width], weights [count], values [count, width]. The value of a leaf or of an ended game stands in all of its
`width` places. Weights need not sum to 1."""
Settle: TypeAlias = Callable[[Reals, float, Reals, Reals], float]
"""(totals, weight, parameters, passed_up) -> the value, in centipawns, that compares tries of one set.

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
    """True if values are sums over histories: V of IMP-minimax (Blair, Mutchler and Liu 1993). The search divides those
    of the root by their weight, which is the same for all tries of a set."""
    pruned: Callable[..., Any] | None = None
    """A search that prunes and finds the same best tries, with arguments and results as `pruned.paranoid_values`."""


BACKUPS = Parts("backup rule", "kriegbot.search.backup", "kriegbot.backups")


def load_backup(name: str) -> Any:
    """Return the backup rule of a name such as `paranoid`, or of FILE.py:NAME or MODULE:NAME; raise `NotFound`."""
    return BACKUPS.load(name)
