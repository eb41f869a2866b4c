"""Eq. 3 of Parker, Nau and Subrahmanian (AAAI 2006): the opponent sees everything, and the worst counts."""

from kriegbot.kernels import Reals
from kriegbot.search.backup import Backup, fold
from kriegbot.search.pruned import paranoid_values


@fold
def take_worst(totals: Reals, weights: Reals, values: Reals, count: int) -> None:  # noqa: ARG001 - `Fold`
    """Take the minimum, however unlikely."""
    total = totals[0]
    for i in range(count):
        total = min(total, values[i])
    totals[0] = total


paranoid = Backup("paranoid", (float("inf"),), take_worst, pruned=paranoid_values)
