"""What a backup rule is: how the values of histories, of the opponent's moves and of announcements become one value.

A rule keeps a few numbers, the totals, for each try of an information set. Whatever may follow the try is folded into
them, be it histories, replies or announcements, since we do not choose there. Where we choose, the totals are settled:
tries are compared by one value, and the best passes its totals on to the set above. `search/rules/` has one rule to a
file.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from kriegbot.kernels import Reals, part_of

Fold: TypeAlias = Callable[[Reals, Reals, Reals, int], None]
"""(totals, weights, values, count): fold `count` sets of values, weighing `weights`, into `totals`.

totals [width], weights [count], values [count, width]. A known value (of a leaf, or of the end of the game) is passed
as each of its `width` values. Weights need not sum to 1."""
Settle: TypeAlias = Callable[[Reals, float, Reals, Reals], float]
"""(totals, weight, parameters, settled) -> the value, in centipawns, by which tries of one set are compared.

`weight` is the total weight of its histories. Writes to `settled` the totals that the set has when this try is
chosen."""


def fold(function: Fold) -> Fold:
    """Compile how a rule folds values in; raises TypeError if the annotations are not those of `Fold`."""
    return part_of(Fold, function)


def settle(function: Settle) -> Settle:
    """Compile how a rule settles totals; raises TypeError if the annotations are not those of `Settle`."""
    return part_of(Settle, function)


@settle
def as_it_stands(totals: Reals, weight: float, parameters: Reals, settled: Reals) -> float:  # noqa: ARG001 - SETTLE's signature
    """For rules that keep one number: it is compared, and passed on."""
    settled[0] = totals[0]
    return totals[0]


@dataclass(frozen=True)
class Backup:
    """A backup rule.

    Attributes:
      name: as in specs.
      start: the totals of no history at all; as many numbers as the rule keeps.
      fold: a `Fold`, decorated with `fold`.
      settle: a `Settle`, decorated with `settle`; a rule that keeps one number needs none.
      parameters: numbers passed to `settle`.
      is_sum: whether settled values are sums over histories, still to be divided by their weight at the root. (Between
        tries of one set the divisor is the same; this is V of IMP-minimax: Blair, Mutchler and Liu 1993.)
      pruned: a search of this rule that prunes and finds the same best tries, with the arguments and results of
        `pruned.paranoid_values`; None if there is none.
    """

    name: str
    start: tuple[float, ...]
    fold: Fold
    settle: Settle = as_it_stands
    parameters: tuple[float, ...] = ()
    is_sum: bool = False
    pruned: Callable[..., Any] | None = None
