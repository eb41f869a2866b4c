"""The true position, carried through the belief's updates, to show that they never drop it.

A tracer stands outside player and belief: it has the true boards, which no player ever sees.
"""

import chess
import numpy as np

from kriegbot.belief.particles import Filter, Particles
from kriegbot.kernels import from_board, kernel_rules
from referee import Referee


def truth(referee: Referee) -> Particles:
    """Return the true position as a set of one particle."""
    return Particles(from_board(referee.board(), referee.ply).reshape(1, 8), np.ones(1), is_exact=False)


class Tracer:
    """One side's view and the truth; `dropped` lists the events after which the filter had dropped it."""

    def __init__(self, referee: Referee, color: chess.Color) -> None:
        self.color = color
        self.particles = truth(referee)
        self.events = len(referee.view(color).events)
        self.dropped: list[object] = []

    def follow(self, referee: Referee) -> None:
        """Filter the truth through the one event that a try has made for this side, if any."""
        view = referee.view(self.color)
        for index in range(self.events, len(view.events)):
            after = Filter(kernel_rules(view.rules, view.limits), 1000, 0).after_event(self.particles, view, index)
            now = truth(referee)
            if not (after.rows == now.rows).all(axis=1).any():
                self.dropped.append(view.events[index])
            self.particles = now
        self.events = len(view.events)
