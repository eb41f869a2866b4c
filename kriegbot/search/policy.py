"""What a player asks of a search: a policy over the open tries.

A search takes in views and gives the probability of each try. It is asked for every try, and may keep what it likes
between tries and turns: a sample, a tree. It may mix tries; the players of the paper choose only among the best.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import chess
import numpy as np

from kriegbot.kernels import RealArray, uniforms
from kriegbot.report import Report
from referee import View


@dataclass(frozen=True, slots=True)
class Policy:
    """How to choose among the open tries, and how that was found.

    Attributes:
      tries: [M] those that have a chance, or all.
      weights: [M] how likely each is chosen, >= 0; they need not sum to 1.
      values: [M] of each, in centipawns from our side; nan if unknown.
      report: of the search, for reports.
      legal: [M] the probability that each is legal; None if unknown.
    """

    tries: Sequence[chess.Move]
    weights: RealArray
    values: RealArray
    report: Report = field(default_factory=Report)
    legal: RealArray | None = None

    def choose(self, seed: int) -> chess.Move:
        """Draw a try."""
        bounds = np.cumsum(self.weights)
        chosen = int(np.searchsorted(bounds, uniforms(seed, 1)[0] * bounds[-1], side="right"))
        return self.tries[min(chosen, len(self.tries) - 1)]


class Search(Protocol):
    """A search of one side's information sets through one game."""

    def update(self, view: View, seconds: float | None = None) -> None:
        """Take in what is new in a view in which it is our turn, in about so many seconds; None for all it takes."""
        ...

    def policy(self, view: View, seconds: float | None) -> Policy:
        """How to choose a try in the view of the last update.

        Args:
          view: that view.
          seconds: to answer within, if the search works by time; None where it works by a number of samples.
        """
        ...
