"""Statistics of results: intervals of scores, Elo, and the sequential test of a difference in strength.

Counts of results stand in order of score, worst first: (losses, draws, wins) of games; or, of pairs of games with one
seed and exchanged colours, how many scored 0, 1/2, 1, 3/2 and 2 points. The two games of a pair have much in common, so
pairs estimate the variance of a score better than games (the pentanomial model of fishtest and fastchess).
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

NORMAL_95 = 1.959964  # half width of a 95% interval in standard deviations of a normal distribution
HALVINGS = 60  # of an interval: only rounding error is left

Counts = Sequence[int]
"""Number of results with each score, worst first: 3 for games, 5 for pairs. Anything else raises ValueError."""
Reals = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Elo:
    """An Elo difference, half the width of its 95% interval, and the interval. All are finite."""

    difference: float
    error: float
    low: float
    high: float


def wilson_interval(successes: float, trials: int) -> tuple[float, float]:
    """Return the 95% interval of a probability: Wilson, "Probable Inference" (JASA 1927).

    It has a width even if all trials succeeded or none did. `successes` may be a sum of scores from [0, 1]; then it is
    rather too wide than too narrow.

    >>> print("{:.4f} to {:.4f}".format(*wilson_interval(81, 263)))  # Newcombe, Statistics in Medicine 1998, table I
    0.2553 to 0.3662
    """
    if not 0 <= successes <= trials or trials < 1:
        raise ValueError(f"{successes} successes of {trials}: it takes at least one trial, and 0 to all successes")
    z2 = NORMAL_95**2 / trials

    def lower(share: float) -> float:
        return max(0.0, (share + z2 / 2 - math.sqrt(z2 * share * (1 - share) + z2**2 / 4)) / (1 + z2))

    return lower(successes / trials), 1 - lower(1 - successes / trials)  # exactly 1 if all succeeded


def mean_and_variance(counts: Counts) -> tuple[float, float]:
    """Return the mean score of a game or pair, in [0, 1], and the variance of a single score.

    >>> mean_and_variance((1, 2, 1))
    (0.5, 0.125)
    """
    shares, scores = shares_of(counts)
    mean = float(shares @ scores)
    return mean, float(shares @ (scores - mean) ** 2)


def shares_of(counts: Sequence[float]) -> tuple[Reals, Reals]:
    """Return the share of each score, and the scores themselves, from 0 to 1 in even steps."""
    if len(counts) not in (3, 5) or min(counts) < 0 or not sum(counts):
        raise ValueError(f"counts {tuple(counts)}: it takes 3 for games or 5 for pairs, from 0, and not all 0")
    return np.asarray(counts, np.float64) / sum(counts), np.linspace(0, 1, len(counts))


def expected_utility(losses: int, draws: int, wins: int) -> float:
    """Return EU in percent, 100 (wins - losses) / games: Parker, Nau, Subrahmanian (AAAI 2006). -100 to 100.

    >>> expected_utility(losses=10, draws=20, wins=30)
    33.33...
    """
    return 100 * (2 * mean_and_variance((losses, draws, wins))[0] - 1)


def expected_utility_interval(losses: int, draws: int, wins: int) -> tuple[float, float]:
    """Return the 95% interval of EU in percent: the score interval of Tango (Statistics in Medicine 1998, 17:891).

    Tango's interval is for (wins - losses) / games as a difference of paired proportions, in which draws are the pairs
    that agree. It holds each EU = D at most 1.96 standard deviations from the observed one,

      |wins - losses - n D| <= 1.96 sqrt(n (2 q + D (1 - D)))    with q the likeliest share of losses for that D.

    Without draws this is Wilson's interval. It has a width even if all games ended the same way.

    >>> print("{:.1f} to {:.1f}".format(*expected_utility_interval(losses=10, draws=20, wins=30)))
    13.2 to 50.6
    """
    games, observed = losses + draws + wins, expected_utility(losses, draws, wins) / 100

    def is_outside(difference: float) -> bool:
        b = (2 * games - wins + losses) * difference - wins - losses
        c = -losses * difference * (1 - difference)
        share_lost = (math.sqrt(max(0.0, b * b - 8 * games * c)) - b) / (4 * games)
        variance = max(0.0, (2 * share_lost + difference * (1 - difference)) / games)
        return abs(observed - difference) > NORMAL_95 * math.sqrt(variance)

    return -100 * _last_inside(lambda x: is_outside(-x), -observed), 100 * _last_inside(is_outside, observed)


def score_interval(counts: Counts) -> tuple[float, float]:
    """Return the 95% interval of the mean score, in [0, 1]: Tango's for games, Wilson's for pairs.

    >>> print("{:.3f} to {:.3f}".format(*score_interval((10, 20, 30))))
    0.566 to 0.753
    """
    mean, _ = mean_and_variance(counts)
    if len(counts) == 5:
        return wilson_interval(mean * sum(counts), sum(counts))
    low, high = expected_utility_interval(*counts)
    return (1 + low / 100) / 2, (1 + high / 100) / 2


def _last_inside(is_outside: Callable[[float], bool], inside: float) -> float:
    """Return the largest number up to 1 that is not outside, by bisection from `inside`."""
    if not is_outside(outside := 1.0):
        return outside
    for _ in range(HALVINGS):
        middle = (inside + outside) / 2
        inside, outside = (inside, middle) if is_outside(middle) else (middle, outside)
    return inside


def elo(counts: Counts) -> Elo:
    """Return the Elo difference with a 95% interval, from games or from pairs.

    A score s is a difference of 400 log10(s / (1 - s)). The error is half the distance between the ends of the interval
    s +- 1.96 sqrt(variance / n), as in cutechess and fastchess. No score counts as nearer to 0
    or 1 than one more draw would make it. If all ended alike, or an end comes nearer, `score_interval` serves instead.

    >>> result = elo((25, 0, 75))  # 400 log10(3)
    >>> print(f"{result.difference:.1f} +- {result.error:.1f}, {result.low:.1f} to {result.high:.1f}")
    190.8 +- 81.2, 119.2 to 281.5
    """
    mean, variance = mean_and_variance(counts)
    number = sum(counts)
    nearest = 0.5 / (number + 1)
    half = NORMAL_95 * math.sqrt(variance / number)
    low, high = mean - half, mean + half
    if not (half and nearest <= low and high <= 1 - nearest):
        low, high = score_interval(counts)
    scores = (min(max(score, nearest), 1 - nearest) for score in (mean, low, high))
    difference, low, high = (400 * math.log10(score / (1 - score)) for score in scores)
    return Elo(difference, (high - low) / 2, low, high)


def likelihood_of_superiority(counts: Counts) -> float:
    """Return the probability that the player is the stronger one, by the normal approximation of cutechess.

    If all games or pairs ended the same way, the variance is taken about 1/2, as between equal players.

    >>> round(likelihood_of_superiority((10, 20, 30)), 4)  # half of 1 + erf((30 - 10) / sqrt(2 * 40)), nearly
    0.9997
    """
    mean, variance = mean_and_variance(counts)
    error = math.sqrt((variance or (mean - 0.5) ** 2) / sum(counts))
    return (1 + math.erf((mean - 0.5) / error / math.sqrt(2))) / 2 if error else 0.5


NELO = 800 / math.log(10)
UNSEEN = 1e-3
"""Count of a score that never occurred: with 0 the likeliest distribution may have no finite likelihood ratio."""
STEPS, CLOSE, ROUNDING = 200, 1e-10, 1e-15

Decision: TypeAlias = Literal["H0", "H1"] | None  # the hypothesis accepted; None to play on


@dataclass(frozen=True, slots=True)
class Sprt:
    """Sequential test of the hypothesis H1, nElo = `elo1`, against H0, nElo = `elo0`, which is less.

    Wald's test (1945), generalised: each hypothesis stands for the distribution of scores that makes the results
    likeliest under it. Strength is in normalized Elo, as in fishtest and fastchess: Van den Bergh, "Normalized Elo" and
    "Comments on Normalized Elo" (hardy.uhasselt.be/Fishtest). With mean mu and standard deviation sigma of a score,

      nElo = (800 / ln 10) (mu - 1/2) / sigma.

    It measures how many games it takes to see a difference. Without draws, and for small differences, it equals Elo.

    alpha, beta: probabilities of accepting H1 if H0 holds, and H0 if H1 holds, in (0, 1/2).

    >>> test = Sprt(0, 50)
    >>> print("{:.3f} {:.3f}".format(*test.bounds))  # ln(0.05 / 0.95) and its opposite
    -2.944 2.944
    >>> test.decision((150, 300, 150)), test.decision((5, 10, 5)), test.decision((50, 100, 90))
    ('H0', None, 'H1')
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        if not (math.isfinite(self.elo0) and math.isfinite(self.elo1) and self.elo0 < self.elo1):
            raise ValueError(f"elo0={self.elo0}, elo1={self.elo1}: it takes two numbers, elo0 the smaller one")
        for name, value in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0 < value < 0.5:
                raise ValueError(f"{name}={value}: it takes a probability above 0 and below 0.5")

    @property
    def bounds(self) -> tuple[float, float]:
        """The ratios at which H0 and H1 are accepted: ln(beta / (1 - alpha)) and ln((1 - beta) / alpha)."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def log_likelihood_ratio(self, counts: Counts) -> float:
        """Return LLR = sum of count ln(p1 / p0) over scores, with p0, p1 their likeliest shares under H0 and H1."""
        return _ratio(self.elo0, self.elo1, tuple(counts))

    def decision(self, counts: Counts) -> Decision:
        """Return the decision that these results allow. A test ends at the first results that allow one."""
        ratio, (low, high) = self.log_likelihood_ratio(counts), self.bounds
        return "H0" if ratio <= low else "H1" if ratio >= high else None


@lru_cache(1 << 20)  # finding the end of a test goes through all counts on the way, again and again
def _ratio(elo0: float, elo1: float, counts: tuple[int, ...]) -> float:
    if len(counts) in (3, 5) and not any(counts):
        return 0.0
    shares_of(counts)  # raises ValueError unless they are counts
    positive = [max(count, UNSEEN) for count in counts]
    # a pair's mean score varies half as much as a game's, if its games are independent
    games = math.sqrt(len(counts) // 2)
    under0, under1 = (likeliest(positive, games * elo / NELO) for elo in (elo0, elo1))
    return float(positive @ np.log(under1 / under0))


def likeliest(counts: Sequence[float], t: float) -> Reals:
    """Return the shares p of the scores that make `counts` likeliest, of all p with (mu - 1/2) / sigma = t.

    Where a constraint is sum p c = 0 with fixed c, the likeliest shares are p = f / (1 + theta c), with f the observed
    shares and theta such that the constraint holds (Lagrange; for a mean score s, c = scores - s). Here c is the
    derivative of mu - 1/2 - t sigma by p,

      c = scores - 1/2 - (t sigma / 2) (1 + ((scores - mu) / sigma)^2),

    with mu and sigma of the p of the step before, until p stays (Van den Bergh, "Normalized Elo in practice", 4.1).
    The first p has the right t, so that c has both signs and there is a theta. All counts are positive.
    """
    observed, scores = shares_of(counts)
    win = t / math.sqrt(1 + t * t) / 2
    shares = np.zeros(len(observed))
    shares[0], shares[-1] = 0.5 - win, 0.5 + win
    for _ in range(STEPS):
        mean = shares @ scores
        deviation = math.sqrt(shares @ (scores - mean) ** 2)
        slopes = scores - 0.5 - t * deviation / 2 * (1 + ((scores - mean) / deviation) ** 2)
        before, shares = shares, observed / (1 + _multiplier(observed, slopes) * slopes)
        shares /= shares.sum()
        if np.abs(shares - before).max() < CLOSE:
            break
    return shares


def _multiplier(observed: Reals, slopes: Reals) -> float:
    """Return the theta with sum of observed slopes / (1 + theta slopes) = 0, by Newton's method: the sum falls."""
    low, theta, high = float(-1 / slopes.max()), 0.0, float(-1 / slopes.min())
    for _ in range(STEPS):
        terms = slopes / (1 + theta * slopes)
        value = float(observed @ terms)
        low, high = (theta, high) if value > 0 else (low, theta)
        before, theta = theta, theta + value / float(observed @ terms**2)
        if not low < theta < high:
            theta = (low + high) / 2
        if abs(theta - before) <= ROUNDING * abs(theta):
            break
    return theta
