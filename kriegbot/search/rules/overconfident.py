"""Eq. 2 of Parker, Nau and Subrahmanian (AAAI 2006): the opponent is a chance player, and everything is averaged."""

from kriegbot.kernels.types import Reals
from kriegbot.search.backup import Backup, fold


@fold
def add_weighted(totals: Reals, weight: float, values: Reals) -> None:
    """Sum of weighted values."""
    totals[0] += weight * values[0]


overconfident = Backup("overconfident", (0.0,), add_weighted, is_sum=True)
