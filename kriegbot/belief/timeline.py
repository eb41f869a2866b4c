"""One side's belief at each event of a game, for reviews, lessons and puzzles."""

import math
import time
from dataclasses import dataclass

import numpy as np

from kriegbot import kernels as kb
from kriegbot.belief.belief import Belief, EmptyBelief
from referee import View
from referee.view import ViewBuilder


@dataclass(frozen=True, slots=True)
class BeliefSnapshot:
    """The belief after an event.

    `chances` [6, 64] are the `Belief.occupancy` of the enemy. If the side is to move, `rows` [n, 8] are drawn boards
    and `counts` [n] their draws.
    """

    view: View
    chances: kb.RealArray
    boards: int
    is_exact: bool
    is_consistent: bool
    rows: kb.Rows
    counts: kb.RealArray


class BeliefTimeline:
    """Snapshots of one side's belief through a game, with `samples` boards drawn where the side is to move.

    The belief receives past views one event at a time, so a snapshot depends on its view and the seed alone.
    """

    def __init__(self, particles: int = 50_000, seed: int = 0, samples: int = 0) -> None:
        self.particles, self.seed, self.samples = particles, seed, samples
        self._belief: Belief | None = None
        self._builder: ViewBuilder | None = None
        self._snapshots: list[BeliefSnapshot] = []

    def at(self, view: View, events: int | None = None, seconds: float = math.inf) -> BeliefSnapshot | None:
        """Return the snapshot after a number of events of a view, by default all.

        Stops after `seconds` and returns None if there is more to do. The next call continues.
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
        particles, chances = self._belief.particles, self._belief.occupancy(not view.color)
        if self.samples > 0 and len(particles) > 0 and view.turn == view.color and view.end is None:
            rows, counts = particles.draw(self.samples, kb.subseed(self.seed, len(view.events)))
        return BeliefSnapshot(view, chances, len(particles), particles.is_exact, particles.is_consistent, rows, counts)
