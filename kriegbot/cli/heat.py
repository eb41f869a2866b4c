"""Where the opponent's men may be, from a person's own view: the map of `--show-belief`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from referee import View

if TYPE_CHECKING:
    from kriegbot.belief.timeline import Followed


class HeatMap:
    """Follows a game from one side's views.

    Args:
      particles: how many boards its belief holds at most.
      seed: of its sampling.
    """

    def __init__(self, particles: int = 50_000, seed: int = 0) -> None:
        self._particles, self._seed = particles, seed
        self._followed: Followed | None = None

    def of(self, view: View) -> Sequence[float]:
        """The chance for each of the 64 squares that an enemy man stands there; empty if nothing is known."""
        if self._followed is None:
            from kriegbot.belief.timeline import Followed

            self._followed = Followed(self._particles, self._seed)
        held = self._followed.at(view)
        if held is None or held.boards == 0:
            return ()
        chances: list[float] = held.chances.sum(axis=0).tolist()
        return chances
