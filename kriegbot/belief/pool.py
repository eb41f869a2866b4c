"""Pools of boards, kept from turn to turn and never rescued, as those of Parker, Nau and Subrahmanian (IJCAI 2005)."""

import numpy as np

from kriegbot.belief.belief import after_event, at_start
from kriegbot.belief.last_observation import last_observation
from kriegbot.belief.particles import Particles, merged
from kriegbot.kernels import kernel_rules, subseed
from referee import View

RENEWING = 5
"""Use of randomness, besides those of events."""


class Pool:
    """Boards that fit a view, at most `most` of them.

    Once none of its boards fits what is heard, it is empty and stays empty. It lasts longer than that of 2005, since
    our filter lets all boards follow that fit, as far as there is room.
    """

    def __init__(self, view: View, most: int, seed: int) -> None:
        self.particles = at_start(view)
        self.most, self.seed = most, seed
        self._terms = kernel_rules(view.rules, view.limits)
        self._heard = 0
        self.update(view)

    def update(self, view: View) -> None:
        """Take in the events of a view that are new since the last update."""
        for event in range(self._heard, len(view.events)):
            if len(self.particles):
                self.particles = self._after(view, event)
        self._heard = len(view.events)

    def _after(self, view: View, event: int) -> Particles:
        return after_event(self.particles, view, event, self._terms, self.most, self.seed)


class RenewedPool(Pool):
    """A pool whose boards age.

    As long as it has room, all boards follow that fit. From then on at most one follows from each; and as it runs out,
    boards that fit the last observation take the place of those that are missing, and are kept as long as they fit. So
    its boards fit more than the last observation, and less than everything.
    """

    def update(self, view: View) -> None:
        """Take in the events of a view that are new since the last update, and fill up."""
        is_new = len(view.events) > self._heard
        super().update(view)
        missing = self.most - len(self.particles)
        if is_new and missing > 0 and not self.particles.is_exact:
            fresh = last_observation(view, missing, subseed(self.seed, self._heard, RENEWING))
            rows = np.concatenate([self.particles.rows, fresh])
            self.particles = merged(rows, np.ones(len(rows)), is_exact=False, is_consistent=False)

    def _after(self, view: View, event: int) -> Particles:
        is_full = not self.particles.is_exact
        return after_event(self.particles, view, event, self._terms, self.most, self.seed, has_single=is_full)
