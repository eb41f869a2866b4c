"""A pool of boards that fit everything heard, kept from turn to turn and never rescued.

This is the pool of Parker, Nau and Subrahmanian (IJCAI 2005); a `Belief` is one with rescues. Once none of its boards
fits what is heard, it is empty and stays empty. It lasts longer than theirs, since our filter lets all boards follow
that fit, as far as there is room.
"""

from kriegbot.belief.belief import after_event, at_start
from kriegbot.kernels import terms_of
from referee import View


class Pool:
    """Boards that fit a view, at most `max_particles` of them."""

    def __init__(self, view: View, max_particles: int, seed: int) -> None:
        self.particles = at_start(view)
        self._how = terms_of(view.rules, view.limits), max_particles, seed
        self._heard = 0
        self.update(view)

    def update(self, view: View) -> None:
        """Take in the events of a view that are new since the last update."""
        while self._heard < len(view.events) and len(self.particles):
            self.particles = after_event(self.particles, view, self._heard, *self._how)
            self._heard += 1
