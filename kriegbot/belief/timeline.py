"""A belief that follows a game, and what it held after each event: for maps of where the enemy may be.

The belief is given every view of the past, one event at a time. So what it holds after an event depends only on that
event's view and the seed, not on when or how often it was asked.
"""

import math
import time
from dataclasses import dataclass

import numpy as np

from kriegbot.belief.belief import Belief, EmptyBelief
from kriegbot.kernels import RealArray, Rows, subseed
from referee import View
from referee.view import ViewBuilder


@dataclass(frozen=True, slots=True)
class BeliefSnapshot:
    """What a belief held after an event.

    Attributes:
      view: the view it fits.
      chances: probability [6, 64] of an enemy man of each kind (pawn to king) on each square (a1 to h8); all 0 where
        no board fits.
      boards: number of boards held; 0 if nothing is known.
      is_exact: whether these are all boards that fit, with their exact probabilities.
      fits_all: whether they fit everything heard, not only the last of it.
      rows: histories drawn [n, 8] where the side is to try; none elsewhere.
      counts: how often each was drawn [n].
    """

    view: View
    chances: RealArray
    boards: int
    is_exact: bool
    is_consistent: bool
    rows: Rows
    counts: RealArray


class BeliefTimeline:
    """Follows one side through a game, as far as asked.

    Args:
      particles: the most boards that the belief holds.
      seed: of its sampling.
      samples: histories to draw wherever the side is to try.
    """

    def __init__(self, particles: int = 50_000, seed: int = 0, samples: int = 0) -> None:
        self.particles, self.seed, self.samples = particles, seed, samples
        self._belief: Belief | None = None
        self._listener: ViewBuilder | None = None
        self._held: list[BeliefSnapshot] = []

    def at(self, view: View, heard: int | None = None, seconds: float = math.inf) -> BeliefSnapshot | None:
        """What was held in a view of this game, which may be later or earlier than the last one asked for.

        Args:
          view: that view, or a later one.
          heard: number of events heard by then; by default all of the view's.
          seconds: stop after the first event that ends later than that.

        Returns:
          None if it took longer; asking again continues from there.
        """
        deadline = time.perf_counter() + seconds
        heard = len(view.events) if heard is None else heard
        while len(self._held) <= heard:
            if self._listener is None:
                self._listener = ViewBuilder(view.color, view.rules, view.limits, view.start)
            else:
                self._listener.apply(view.events[len(self._held) - 1])
            self._held.append(self._held_in(self._listener.view()))
            if time.perf_counter() > deadline:
                break
        return self._held[heard] if heard < len(self._held) else None

    def _held_in(self, view: View) -> BeliefSnapshot:
        try:
            if self._belief is None:
                self._belief = Belief(view, self.particles, self.seed)
            else:
                self._belief.update(view)
        except EmptyBelief:
            return BeliefSnapshot(view, np.zeros((6, 64)), 0, False, False, *nothing())
        held = self._belief.particles
        is_asked = self.samples > 0 and len(held) > 0 and view.turn == view.color and view.end is None
        drawn = self._belief.draw(self.samples, subseed(self.seed, len(view.events))) if is_asked else nothing()
        chances = self._belief.occupancy(not view.color) if len(held) else np.zeros((6, 64))
        return BeliefSnapshot(view, chances, len(held), held.is_exact, held.is_consistent, *drawn)


def nothing() -> tuple[Rows, RealArray]:
    """No history."""
    return np.empty((0, 8), np.uint64), np.empty(0)
