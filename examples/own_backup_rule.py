"""Your own backup rule: the value of a try is nine parts its average and one part its best outcome.

    kriegbot match search:samples=321,backup=examples/own_backup_rule.py:hopeful rand --seed 1

In the project it would stand in kriegbot/search/backup.py, listed in `BACKUPS`, and `backup=hopeful` would find it.
"""

from kriegbot import Backup, Reals, fold, settle

HOPE = 0.1


@fold
def add_and_take_best(totals: Reals, weights: Reals, values: Reals, count: int) -> None:
    """Keep the sum of weighted values, and the maximum; `values` holds two numbers for each weight."""
    for i in range(count):
        totals[0] += weights[i] * values[2 * i]
        totals[1] = max(totals[1], values[2 * i + 1])


@settle
def mix(totals: Reals, weight: float, parameters: Reals, passed_up: Reals) -> float:
    """Return the mixed value of a try; an information set has the value of its best try."""
    value: float = (1.0 - parameters[0]) * totals[0] / weight + parameters[0] * totals[1]
    passed_up[0], passed_up[1] = weight * value, value
    return value


hopeful = Backup("hopeful", (0.0, float("-inf")), add_and_take_best, mix, (HOPE,))
