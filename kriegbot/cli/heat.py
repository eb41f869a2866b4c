"""Where the opponent's men may be, from a person's own view: the map of `--show-belief`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from referee import View

if TYPE_CHECKING:
    from kriegbot.belief.belief import Belief


class HeatMap:
    """Follows a game from one side's views.

    Args:
      particles: how many boards its belief holds at most.
      seed: of its sampling.
    """

    def __init__(self, particles: int = 50_000, seed: int = 0) -> None:
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
        if len(self._belief.particles) == 0:
            return ()
        chances: list[float] = self._belief.occupancy(not view.color).sum(axis=0).tolist()
        return chances
