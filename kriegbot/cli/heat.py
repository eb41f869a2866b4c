"""Where the opponent's men may be, from a person's own view: the map of `--show-belief`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import chess

from referee import View

if TYPE_CHECKING:
    from kriegbot.belief.belief import Belief


class HeatMap:
    """Follows a game from one side's views.

    Args:
      particles: how many boards its belief holds at most.
      seed: of its sampling.
    """

    def __init__(self, particles: int = 20_000, seed: int = 0) -> None:
        self._particles, self._seed = particles, seed
        self._belief: Belief | None = None

    def of(self, view: View) -> Sequence[float]:
        """For each of the 64 squares the chance that a man of the opponent's stands there; empty if all is dark."""
        from kriegbot.belief.belief import Belief
        from kriegbot.belief.errors import EmptyBelief

        try:
            if self._belief is None:
                self._belief = Belief(view, self._particles, self._seed)
            else:
                self._belief.update(view)
        except EmptyBelief:
            return ()
        return occupied_by(self._belief, not view.color)


def occupied_by(belief: Belief, color: chess.Color) -> list[float]:
    """For each square, the weight of the boards on which a man of this colour stands there."""
    import numpy as np

    rows, weights = belief.particles.rows, belief.particles.weights
    if len(rows) == 0:
        return []
    men = rows[:, 5 if color == chess.WHITE else 6]
    stands = (men[:, None] >> np.arange(64, dtype=np.uint64)) & np.uint64(1)
    chances: list[float] = (weights @ stands / weights.sum()).tolist()
    return chances
