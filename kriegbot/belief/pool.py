"""A pool of boards that fit everything heard, carried on from turn to turn and never rescued.

This is the pool of Parker, Nau and Subrahmanian (IJCAI 2005); a `Belief` is one with rescues. Once no board of it fits
what is heard, it is empty and stays so. It lasts longer than theirs, since our filter lets as many boards follow from
each as fit and as there is room for.
"""

from kriegbot.belief.belief import after_event, at_start
from kriegbot.belief.heard import terms_of
from referee import View


class Pool:
    """Boards that fit a view, at most `most` of them."""

    def __init__(self, view: View, most: int, seed: int) -> None:
        self.particles = at_start(view)
        self._most, self._seed, self._terms = most, seed, terms_of(view.rules, view.limits)
        self._heard = 0
        self.update(view)

    def update(self, view: View) -> None:
        """Take in the events of a view that are new since the last update."""
        while self._heard < len(view.events) and len(self.particles):
            self.particles = after_event(self.particles, view, self._heard, self._terms, self._most, self._seed)
            self._heard += 1
