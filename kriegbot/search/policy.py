"""Policies over the open tries, and how values become a policy.

A search answers each view with a policy. It may keep a sample or a tree between tries and turns. It may mix tries; the
players of the paper choose only among the best.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

import chess
import numpy as np

from kriegbot.belief.belief import Belief
from kriegbot.kernels import RealArray, random_numbers
from kriegbot.report import Report
from referee import View

OPENING_PLIES = 12  # plies with a `Settings.temperature` of their own: tries drawn by value make games differ


def report_of(belief: Belief, samples: int = 0, depth: int = 0, leaves: int = 0) -> Report:
    """Return the report of a search that drew its histories from a belief."""
    particles = belief.particles
    return Report(
        samples=samples,
        depth=depth,
        leaves=leaves,
        particles=particles.board_count if len(particles) else 0,
        effective=particles.effective,
        rescue=belief.last_rescue,
        belief_inconsistent=not particles.is_consistent,
    )


@dataclass(frozen=True, slots=True)
class Policy:
    """Probabilities of the open tries, and the statistics of the search that found them.

    >>> e4, d4 = chess.Move.from_uci("e2e4"), chess.Move.from_uci("d2d4")
    >>> Policy([e4, d4], np.array([0.0, 1.0]), np.array([10.0, 20.0])).choose(seed=1).uci()
    'd2d4'

    Open tries [M], of which some without a chance may be left out; their weights [M] >= 0, in proportion to the
    probability of each; their values [M] in centipawns from our side, nan if unknown; the probability [M] that each is
    legal, None if unknown.
    """

    tries: Sequence[chess.Move]
    weights: RealArray
    values: RealArray
    report: Report = field(default_factory=Report)
    legal: RealArray | None = None

    def choose(self, seed: int) -> chess.Move:
        """Draw a try."""
        bounds = np.cumsum(self.weights)
        chosen = int(np.searchsorted(bounds, random_numbers(seed, 1)[0] * bounds[-1], side="right"))
        return self.tries[min(chosen, len(self.tries) - 1)]


def equal_policy(tries: Sequence[chess.Move], report: Report) -> Policy:
    """Return a policy that draws among tries of unknown value."""
    return Policy(tries, np.ones(len(tries)), np.full(len(tries), np.nan), report)


def policy_from(
    tries: Sequence[chess.Move],
    values: RealArray,
    report: Report,
    legal: RealArray | None = None,
    *,
    hopeless: float | None = 0.0,
    temperature: float = 0.0,
    ties: Literal["random", "first", "last"] = "random",
) -> Policy:
    """Return a policy that prefers tries of high value.

    >>> tries = [chess.Move.from_uci(uci) for uci in ("e2e4", "d2d4", "g1f3")]
    >>> policy_from(tries, np.array([20.0, 30.0, 30.0]), Report()).weights.tolist()
    [0.0, 1.0, 1.0]

    `tries` [M] are the open ones in the order of `kernels.moves`, with their values [M] in centipawns and the
    probability `legal` [M] of each. Tries no likelier to be legal than `hopeless` are chosen only if all are so, those
    that no history allows then only if there is no other; without it or `legal` all are candidates. `temperature`, in
    centipawns, is that of a softmax over the candidates; at 0 only the best are chosen, and `ties` says which of them.
    """
    candidates = np.ones(len(tries), bool)
    if legal is not None and hopeless is not None:
        likely = legal > (hopeless if legal.max() > hopeless else 0.0)
        candidates = likely if likely.any() else candidates
    behind = values[candidates].max() - values
    if temperature:
        weights = np.where(candidates, np.exp(-np.maximum(behind, 0.0) / temperature), 0.0)
    else:
        weights = (candidates & (behind <= 0.0)).astype(np.float64)
        if ties != "random":
            best = np.flatnonzero(weights)
            weights[best[1:] if ties == "first" else best[:-1]] = 0.0
    return Policy(tries, weights, values, report, legal)


class Search(Protocol):
    """A search of one side's information sets through one game."""

    def update(self, view: View, seconds: float | None = None) -> None:
        """Take in the new events of a view in which it is our turn; `seconds` as for `Belief.update`."""
        ...

    def policy(self, view: View, seconds: float | None) -> Policy:
        """Return a policy for the view of the last update, within `seconds` unless the search works by samples."""
        ...
