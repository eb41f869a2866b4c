"""A mixture of Eq. 2 and Eq. 3: 0.7 of the average of all that may follow, and 0.3 of the worst.

Each try keeps its average and its minimum until we choose, and mixes them there. StrangeFish2 (reconnaissance
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
def mix(totals: Reals, weight: float, parameters: Reals, passed_up: Reals) -> float:
    """Return (1 - share) * mean + share * minimum. The set above takes it as both mean and minimum."""
    share = parameters[0]
    value = (1.0 - share) * totals[0] / weight + share * totals[1]
    passed_up[0], passed_up[1] = weight * value, value
    return value


mixed = Backup("mixed", (0.0, float("inf")), add_and_take_worst, mix, (0.3,))
