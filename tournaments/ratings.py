"""Strengths of players who met in several tournaments, on one Elo scale.

Bradley and Terry's model (1952), fitted by maximum likelihood with Newton's method: a player who is x Elo ahead scores
1 / (1 + 10^(-x / 400)); a draw counts as half a win. PRIOR drawn games of each player against one of strength 0 keep
the strength of a player finite who won or lost everything, and tie together players who never met: so such strengths
are cautious.
"""

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

PRIOR = 1.0
STEPS = 50
PER_ELO = math.log(10) / 400

Reals = npt.NDArray[np.float64]
Meetings = Mapping[tuple[str, str], tuple[float, int]]
"""Points of the first player against the second, and their games; one entry for each pair that met."""


class Rated(NamedTuple):
    """A player on the scale: Elo, half the width of its interval, games, and their share of the points."""

    player: str
    elo: float
    error: float
    games: int
    share: float


def rated(meetings: Meetings, zero: str | None = None) -> list[Rated]:
    """All players, the strongest first; `zero`, or else the weakest, has 0 Elo."""
    players = sorted({player for pair in meetings for player in pair})
    number = {player: i for i, player in enumerate(players)}
    points, games = np.zeros(len(players)), np.zeros((len(players), len(players)))
    for (first, second), (scored, played) in meetings.items():
        i, j = number[first], number[second]
        points[i] += scored
        points[j] += played - scored
        games[i, j] = games[j, i] = played
    strength = np.zeros(len(players))
    for _ in range(STEPS):
        gradient, curvature = slopes(strength, points, games)
        strength += np.clip(np.linalg.solve(curvature, gradient), -1.0, 1.0)
    covariance = np.linalg.inv(slopes(strength, points, games)[1])
    at = int(strength.argmin()) if zero is None else number[zero]
    variance = np.diag(covariance) + covariance[at, at] - 2 * covariance[at]
    elos, errors = (strength - strength[at]) / PER_ELO, 1.96 * np.sqrt(np.maximum(variance, 0.0)) / PER_ELO
    played = games.sum(axis=1)
    found = [
        Rated(player, float(elos[i]), float(errors[i]), int(played[i]), float(points[i] / played[i]))
        for player, i in number.items()
    ]
    return sorted(found, key=lambda one: -one.elo)


def slopes(strength: Reals, points: Reals, games: Reals) -> tuple[Reals, Reals]:
    """Gradient [N] of the log-likelihood with its prior, and the negative of its second derivatives [N, N]."""
    expected = 1.0 / (1.0 + np.exp(strength[None, :] - strength[:, None]))
    alone = 1.0 / (1.0 + np.exp(-strength))
    gradient = points - (games * expected).sum(axis=1) + PRIOR * (0.5 - alone)
    information = games * expected * (1.0 - expected)
    return gradient, np.diag(information.sum(axis=1) + PRIOR * alone * (1.0 - alone)) - information
