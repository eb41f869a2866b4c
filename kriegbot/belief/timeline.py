"""The belief of one side after each event of a game: for maps of the opponent's pieces.

The belief receives every view of the past, one event at a time. So a snapshot depends on its view and the seed alone,
not on when or how often a caller requests it.
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
    """The belief after an event.

    Attributes:
      view: the view that the boards are consistent with.
      chances: probability [6, 64] of an enemy piece of each type (pawn to king) on each square (a1 to h8); all 0 if
        there is no board.
      boards: number of boards.
      is_exact: True if these are all consistent boards, with their exact probabilities.
      is_consistent: True if they are consistent with all announcements, not only with the last.
      rows: drawn histories [n, 8], if the side is to move and the timeline draws any.
      counts: number of draws of each history [n].
    """

    view: View
    chances: RealArray
    boards: int
    is_exact: bool
    is_consistent: bool
    rows: Rows
    counts: RealArray


class BeliefTimeline:
    """Snapshots of one side's belief through a game, computed up to the latest requested view.

    Args:
      particles: maximum number of boards.
      seed: of the sampling.
      samples: number of histories to draw where the side is to move.
    """

    def __init__(self, particles: int = 50_000, seed: int = 0, samples: int = 0) -> None:
        self.particles, self.seed, self.samples = particles, seed, samples
        self._belief: Belief | None = None
        self._builder: ViewBuilder | None = None
        self._snapshots: list[BeliefSnapshot] = []

    def at(self, view: View, events: int | None = None, seconds: float = math.inf) -> BeliefSnapshot | None:
        """Return the snapshot of a view of this game, which may be later or earlier than the last request.

        Args:
          view: the view, or a later one.
          events: number of its events to take into account; by default all.
          seconds: stop after the first event that ends later than this.

        Returns:
          None if time ran out. The next call continues.
        """
        deadline = time.perf_counter() + seconds
        events = len(view.events) if events is None else events
        while len(self._snapshots) <= events:
            if self._builder is None:
                self._builder = ViewBuilder(view.color, view.rules, view.limits, view.start)
            else:
                self._builder.apply(view.events[len(self._snapshots) - 1])
            self._snapshots.append(self._snapshot(self._builder.view()))
            if time.perf_counter() > deadline:
                break
        return self._snapshots[events] if events < len(self._snapshots) else None

    def _snapshot(self, view: View) -> BeliefSnapshot:
        rows, counts = np.empty((0, 8), np.uint64), np.empty(0)
        try:
            if self._belief is None:
                self._belief = Belief(view, self.particles, self.seed)
            else:
                self._belief.update(view)
        except EmptyBelief:
            return BeliefSnapshot(view, np.zeros((6, 64)), 0, False, False, rows, counts)
        particles = self._belief.particles
        if self.samples > 0 and len(particles) > 0 and view.turn == view.color and view.end is None:
            rows, counts = self._belief.draw(self.samples, subseed(self.seed, len(view.events)))
        chances = self._belief.occupancy(not view.color) if len(particles) else np.zeros((6, 64))
        return BeliefSnapshot(view, chances, len(particles), particles.is_exact, particles.is_consistent, rows, counts)
