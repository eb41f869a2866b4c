"""Sequential probability ratio test: play on until one of two hypotheses about a difference in strength is accepted.

Wald's test (1945), generalised: each hypothesis stands for the distribution of scores that makes the results likeliest
under it. Strength is in normalized Elo, as in fishtest and fastchess: Van den Bergh, "Normalized Elo" and
"Comments on Normalized Elo" (hardy.uhasselt.be/Fishtest). With mean mu and standard deviation sigma of a game's score,

  nElo = (800 / ln 10) (mu - 1/2) / sigma.

It measures how many games it takes to see a difference; without draws, and for small differences, it equals Elo.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias

import numpy as np

from tournaments.statistics import Counts, Reals, shares_of

NELO = 800 / math.log(10)
NEVER_SEEN = 1e-3
"""Count of a score that never occurred: with 0 the likeliest distribution may have no finite likelihood ratio."""
STEPS, CLOSE, ROUNDING = 200, 1e-10, 1e-15

Decision: TypeAlias = Literal["H0", "H1"] | None
"""The hypothesis accepted; None to play on."""


@dataclass(frozen=True, slots=True)
class Sprt:
    """A test of the hypothesis H1, nElo = `elo1`, against H0, nElo = `elo0`, which is less.

    alpha: probability of accepting H1 where H0 holds; beta: of accepting H0 where H1 holds; both in (0, 1/2).
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
        """LLR = sum over scores of count ln(p1 / p0): p0, p1 the likeliest shares under H0 and H1; 0 without games."""
        return _ratio(self.elo0, self.elo1, tuple(counts))

    def decision(self, counts: Counts) -> Decision:
        """What these results decide by themselves; a test ends at the first results that decide anything."""
        ratio, (low, high) = self.log_likelihood_ratio(counts), self.bounds
        return "H0" if ratio <= low else "H1" if ratio >= high else None


@lru_cache(1 << 20)  # finding where a test ended asks for all counts on the way, again and again
def _ratio(elo0: float, elo1: float, counts: tuple[int, ...]) -> float:
    if len(counts) in (3, 5) and not any(counts):
        return 0.0
    shares_of(counts)  # raises for what are not counts
    seen = [max(count, NEVER_SEEN) for count in counts]
    # a pair's mean score varies half as much as a game's, if its games are independent
    games = math.sqrt(len(counts) // 2)
    under0, under1 = (likeliest(seen, games * elo / NELO) for elo in (elo0, elo1))
    return float(seen @ np.log(under1 / under0))


def likeliest(counts: Sequence[float], t: float) -> Reals:
    """Shares p of the scores that make `counts` likeliest, of all p with (mu - 1/2) / sigma = t.

    Where a constraint is sum p c = 0 with fixed c, the likeliest shares are p = f / (1 + theta c), f being those that
    were seen and theta such that the constraint holds (Lagrange; for a mean score s, c = scores - s). Here c is the
    derivative of mu - 1/2 - t sigma by p,

      c = scores - 1/2 - (t sigma / 2) (1 + ((scores - mu) / sigma)^2),

    with mu and sigma of the p of the step before, until p stays (Van den Bergh, "Normalized Elo in practice", 4.1).
    The first p has the right t, so that c has both signs and there is a theta. All counts are positive.
    """
    seen, scores = shares_of(counts)
    win = t / math.sqrt(1 + t * t) / 2
    shares = np.zeros(len(seen))
    shares[0], shares[-1] = 0.5 - win, 0.5 + win
    for _ in range(STEPS):
        mean = shares @ scores
        deviation = math.sqrt(shares @ (scores - mean) ** 2)
        slopes = scores - 0.5 - t * deviation / 2 * (1 + ((scores - mean) / deviation) ** 2)
        before, shares = shares, seen / (1 + _multiplier(seen, slopes) * slopes)
        shares /= shares.sum()
        if np.abs(shares - before).max() < CLOSE:
            break
    return shares


def _multiplier(seen: Reals, slopes: Reals) -> float:
    """The theta with sum of seen slopes / (1 + theta slopes) = 0, a sum that falls as theta grows: Newton's method."""
    low, theta, high = float(-1 / slopes.max()), 0.0, float(-1 / slopes.min())
    for _ in range(STEPS):
        terms = slopes / (1 + theta * slopes)
        value = float(seen @ terms)
        low, high = (theta, high) if value > 0 else (low, theta)
        before, theta = theta, theta + value / float(seen @ terms**2)
        if not low < theta < high:
            theta = (low + high) / 2
        if abs(theta - before) <= ROUNDING * abs(theta):
            break
    return theta
