"""Statistics of results: how well a player did, and how sure that is.

Results are counted by score, worst first: (losses, draws, wins) of games, or for pairs of games (same seed, colours
exchanged) how many scored 0, 1/2, 1, 3/2 and 2 points. The two games of a pair have much in common, so the variance of
a score is better estimated from pairs than from games (the pentanomial model, as in fishtest and fastchess).
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

NORMAL_95 = 1.959964  # half width of a 95 % interval in standard deviations of a normal distribution
HALVINGS = 60  # halvings of an interval that leave nothing but rounding error

Counts = Sequence[int]
"""How often each score occurred, worst first: 3 numbers for games, 5 for pairs of games.

Functions that take counts raise ValueError for any other number of them, for a negative one, and if all are 0.
"""
Reals = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Elo:
    """An Elo difference: the estimate, half the width of its 95 % interval, and the interval. All finite."""

    difference: float
    error: float
    low: float
    high: float


def wilson_interval(successes: float, trials: int) -> tuple[float, float]:
    """95 % interval of a probability, in [0, 1]: Wilson, "Probable Inference" (JASA 1927).

    Finite and within [0, 1] even if all trials succeeded or none did. `successes` may be a sum of scores from [0, 1]:
    no score varies more than one that is all or nothing, so the interval is then too wide rather than too narrow.

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


def mean_and_variance(counts: Counts) -> tuple[float, float]:
    """Mean score of a game or pair, in [0, 1], and the variance of a single one about it."""
    shares, scores = shares_of(counts)
    mean = float(shares @ scores)
    return mean, float(shares @ (scores - mean) ** 2)


def shares_of(counts: Sequence[float]) -> tuple[Reals, Reals]:
    """Share of each score, and the scores themselves, from 0 to 1 in even steps."""
    if len(counts) not in (3, 5) or min(counts) < 0 or not sum(counts):
        raise ValueError(f"counts {tuple(counts)}: it takes 3 for games or 5 for pairs, from 0, and not all 0")
    return np.asarray(counts, np.float64) / sum(counts), np.linspace(0, 1, len(counts))


def expected_utility(losses: int, draws: int, wins: int) -> float:
    """EU in percent, 100 (wins - losses) / games: Parker, Nau, Subrahmanian (AAAI 2006). -100 to 100."""
    return 100 * (2 * mean_and_variance((losses, draws, wins))[0] - 1)


def expected_utility_interval(losses: int, draws: int, wins: int) -> tuple[float, float]:
    """95 % interval of EU in percent: the score interval of Tango (Statistics in Medicine 1998, 17:891).

    (Wins - losses) / games is what Tango's interval is for: a difference of paired proportions, draws being the pairs
    that agree. It holds each EU = D that is at most 1.96 standard deviations from what was observed,

      |wins - losses - n D| <= 1.96 sqrt(n (2 q + D (1 - D)))    with q the likeliest share of losses for that D,

    which is Wilson's interval if there are no draws, and has a width even if all games ended the same way.
    """
    games, seen = losses + draws + wins, expected_utility(losses, draws, wins) / 100

    def is_outside(difference: float) -> bool:
        b = (2 * games - wins + losses) * difference - wins - losses
        c = -losses * difference * (1 - difference)
        lost = (math.sqrt(max(0.0, b * b - 8 * games * c)) - b) / (4 * games)
        variance = max(0.0, (2 * lost + difference * (1 - difference)) / games)
        return abs(seen - difference) > NORMAL_95 * math.sqrt(variance)

    return -100 * _last_inside(lambda x: is_outside(-x), -seen), 100 * _last_inside(is_outside, seen)


def score_interval(counts: Counts) -> tuple[float, float]:
    """95 % interval of the mean score, in [0, 1], with a width even if all ended the same way.

    Of games Tango's, of pairs Wilson's.
    """
    mean, _ = mean_and_variance(counts)
    if len(counts) == 5:
        return wilson_interval(mean * sum(counts), sum(counts))
    low, high = expected_utility_interval(*counts)
    return (1 + low / 100) / 2, (1 + high / 100) / 2


def _last_inside(is_outside: Callable[[float], bool], inside: float) -> float:
    """The largest number up to 1 that is not outside, given that `inside` is not."""
    outside = 1.0
    if not is_outside(outside):
        return outside
    for _ in range(HALVINGS):
        middle = (inside + outside) / 2
        inside, outside = (inside, middle) if is_outside(middle) else (middle, outside)
    return inside


def elo(counts: Counts) -> Elo:
    """Elo difference with a 95 % interval, from games or from pairs.

    A score s is a difference of 400 log10(s / (1 - s)). The error is half the distance between the ends of the interval
    s +- 1.96 sqrt(variance / n), as in cutechess and fastchess. If all ended the same way, or that interval leaves
    (0, 1), `score_interval` replaces it. No score counts as nearer to 0 or 1 than one more drawn game would make it, so
    all numbers are finite.
    """
    mean, variance = mean_and_variance(counts)
    number = sum(counts)
    nearest = 0.5 / (number + 1)
    half = NORMAL_95 * math.sqrt(variance / number)
    low, high = mean - half, mean + half
    if not (half and nearest <= low and high <= 1 - nearest):
        low, high = score_interval(counts)
    difference, low, high = (elo_of(min(max(score, nearest), 1 - nearest)) for score in (mean, low, high))
    return Elo(difference, (high - low) / 2, low, high)


def elo_of(score: float) -> float:
    """The Elo difference at which a score in (0, 1) is the expected one."""
    return 400 * math.log10(score / (1 - score))


def likelihood_of_superiority(counts: Counts) -> float:
    """LOS: probability, in [0, 1], that the player is the stronger one.

    By the normal approximation, as in cutechess and fastchess.

    If all games or pairs ended the same way, the variance is taken about 1/2, as between equal players.
    """
    mean, variance = mean_and_variance(counts)
    error = math.sqrt((variance or (mean - 0.5) ** 2) / sum(counts))
    return (1 + math.erf((mean - 0.5) / error / math.sqrt(2))) / 2 if error else 0.5
