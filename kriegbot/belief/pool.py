"""The pool of boards of Parker, Nau and Subrahmanian (IJCAI 2005)."""

import numpy as np

from kriegbot import kernels as kb
from kriegbot.belief.last_observation import last_observation
from kriegbot.belief.particles import Filter, merged
from referee import View

POOL_FILL = 5  # sub-seed of the boards that fill up a pool


class Pool:
    """At most `max_particles` boards, never rescued. Unless renewed, all fit the view, and once empty it stays so.

    It outlasts the paper's, since our filter keeps all consistent successors of a board while there is space. If it
    `is_renewed`, it replaces lost boards by boards consistent with the last observation: once it is full it draws one
    successor of each board and fills up, so each board is consistent with all announcements since it entered the pool.
    """

    def __init__(self, view: View, max_particles: int, seed: int, *, is_renewed: bool = False) -> None:
        self.filter = Filter(kb.kernel_rules(view.rules, view.limits), max_particles, seed, one_each=is_renewed)
        self.particles = self.filter.start(view)
        self._events = 0
        self.update(view)

    def update(self, view: View) -> None:
        """Update the boards for all new events of a view, and fill up a renewed pool."""
        new, self._events = range(self._events, len(view.events)), len(view.events)
        for event in new:
            if len(self.particles):
                self.particles = self.filter.after_event(self.particles, view, event)
        missing = self.filter.max_particles - len(self.particles)
        if self.filter.one_each and new and missing > 0 and not self.particles.is_exact:
            fresh = last_observation(view, missing, kb.subseed(self.filter.seed, self._events, POOL_FILL))
            rows = np.concatenate([self.particles.rows, fresh])
            self.particles = merged(rows, np.ones(len(rows)))  # a pool has no weights
