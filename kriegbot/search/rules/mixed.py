"""Between Eq. 2 and Eq. 3: a share of the worst that may follow, and for the rest the average.

Each try keeps its average and its minimum up to where we choose, and mixes them there. StrangeFish2 (reconnaissance
blind chess) mixes 0.7 of the mean with 0.3 of the minimum.
"""

from kriegbot.kernels import Reals
from kriegbot.search.backup import Backup, fold, settle


@fold
def add_and_take_worst(totals: Reals, weights: Reals, values: Reals, count: int) -> None:
    """Add the weighted values, and take the minimum."""
    for i in range(count):
        totals[0] += weights[i] * values[2 * i]
        totals[1] = min(totals[1], values[2 * i + 1])


@settle
def mix(totals: Reals, weight: float, parameters: Reals, settled: Reals) -> float:
    """Return (1 - worst) * mean + worst * minimum, which a settled set has for certain."""
    value = (1.0 - parameters[0]) * totals[0] / weight + parameters[0] * totals[1]
    settled[0], settled[1] = weight * value, value
    return value


mixed = Backup("mixed", (0.0, float("inf")), add_and_take_worst, mix, (0.3,))
