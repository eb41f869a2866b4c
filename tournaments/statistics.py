"""Statistics of results: how sure a share of games is."""

import math

NORMAL_95 = 1.959964
"""Half width of a 95 % interval in standard deviations of a normal distribution."""


def wilson_interval(successes: int, trials: int) -> tuple[float, float]:
    """95 % interval of a probability, in [0, 1]: Wilson, "Probable Inference" (JASA 1927).

    Finite and within [0, 1] also where all trials succeeded or none did.

    Raises:
      ValueError: no trials, or more successes than trials.
    """
    if not 0 <= successes <= trials or trials < 1:
        raise ValueError(
            f"{successes} successes of {trials} trials: it takes at least one trial, and 0 to all successes"
        )
    share, z2 = successes / trials, NORMAL_95**2 / trials
    centre = (share + z2 / 2) / (1 + z2)
    half = math.sqrt(z2 * share * (1 - share) + z2**2 / 4) / (1 + z2)
    return max(0.0, centre - half), min(1.0, centre + half)
