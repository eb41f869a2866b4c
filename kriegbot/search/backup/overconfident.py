"""Eq. 2 of Parker, Nau and Subrahmanian (AAAI 2006): the opponent plays by chance, and values are averaged."""

from kriegbot.kernels import Reals
from kriegbot.search.backup import Backup, fold


@fold
def add_weighted(totals: Reals, weights: Reals, values: Reals, count: int) -> None:
    """Add the weighted values."""
    total = totals[0]
    for i in range(count):
        total += weights[i] * values[i]
    totals[0] = total


overconfident = Backup("overconfident", (0.0,), add_weighted, is_sum=True)
