"""The true position carried through the belief's own updates, to show that they never drop it.

A tracer stands outside of player and belief: it is handed the true boards, which no player ever sees.
"""

import chess
import numpy as np

from kriegbot.belief.particles import Filter, Particles
from kriegbot.kernels import from_board, kernel_rules
from referee import Referee


def truth(referee: Referee) -> Particles:
    """The true position as a set of one particle."""
    return Particles(from_board(referee.board(), referee.ply).reshape(1, 8), np.ones(1), is_exact=False)


class Tracer:
    """Follows one side's view; `dropped` lists the events after which the truth was not among what may be."""

    def __init__(self, referee: Referee, color: chess.Color) -> None:
        self.color = color
        self.particles = truth(referee)
        self.events = len(referee.view(color).events)
        self.dropped: list[object] = []

    def follow(self, referee: Referee) -> None:
        """Take in the one event that a try has just made for this side, if it made one."""
        view = referee.view(self.color)
        for index in range(self.events, len(view.events)):
            after = Filter(kernel_rules(view.rules, view.limits), 1000, 0).after_event(self.particles, view, index)
            now = truth(referee)
            if not (after.rows == now.rows).all(axis=1).any():
                self.dropped.append(view.events[index])
            self.particles = now
        self.events = len(view.events)
