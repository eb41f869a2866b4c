"""Backup rules: how the values of histories, of the opponent's moves and of announcements become one value.

Overconfident (Parker, Nau and Subrahmanian, AAAI 2006, Eq. 2) averages: the opponent is a chance player. Paranoid
(Eq. 3) takes the worst: every average becomes a minimum. That is the whole difference between the two searches.

A rule is a value to start from and a kernel that folds one more value in. Averages are kept as sums of weighted values,
not divided: only comparisons between tries of one information set matter below the root, and there the divisor is the
same (this is the V of IMP-minimax: Blair, Mutchler and Liu 1993).
"""

from dataclasses import dataclass
from typing import Any

from numba import types

from kriegbot.kernels.jit import REAL, part

BACKUP = REAL(REAL, REAL, REAL)
"""(value so far, weight, value) -> value so far."""
BACKUP_TYPE = types.FunctionType(BACKUP)


@part(BACKUP)
def add_weighted(so_far: float, weight: float, value: float) -> float:
    """Eq. 2: sum of weighted values."""
    return so_far + weight * value


@part(BACKUP)
def take_worst(so_far: float, weight: float, value: float) -> float:  # noqa: ARG001 - the rule's signature
    """Eq. 3: the minimum, however unlikely."""
    return min(so_far, value)


@dataclass(frozen=True)
class Backup:
    """A backup rule: the value of no history at all, and the kernel that folds one more in.

    A child's value, itself made of weighted values, is folded into its parent with weight 1.
    """

    name: str
    start: float
    fold: Any
    is_sum: bool
    """Whether values at the root are to be divided by the weight of all histories."""


OVERCONFIDENT = Backup("overconfident", 0.0, add_weighted, is_sum=True)
PARANOID = Backup("paranoid", float("inf"), take_worst, is_sum=False)
