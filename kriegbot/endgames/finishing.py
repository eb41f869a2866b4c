"""A search that brings games home: another one until the opponent's king is bare, then the search of this room."""

from __future__ import annotations

import chess
import numpy as np

from kriegbot.endgames.chooser import Mating
from kriegbot.endgames.king_squares import BareKing
from kriegbot.search.policy import Policy, Search, Searched
from referee import View


class Finishing:
    """Asks another search while the opponent has more than his king.

    Args:
      search: the other one.
      seed: of this one.
      nodes: sets of squares to look at for each try, where there is no time limit.
    """

    def __init__(self, search: Search, seed: int = 0, nodes: int = 100_000) -> None:
        self.search, self.nodes = search, nodes
        self._mating = Mating(seed)
        self._king: BareKing | None = None

    def update(self, view: View, seconds: float | None = None) -> None:
        """Take in what is new in a view; a bare king stays bare, so the other search then hears no more."""
        self._king = BareKing.of(view)
        if self._king is None:
            self.search.update(view, seconds)

    def policy(self, view: View, seconds: float | None) -> Policy:
        """The try that mates a bare king soonest, as far as is seen; else what the other search says."""
        if self._king is None:
            return self.search.policy(view, seconds)
        nodes = self.nodes if seconds is None else None
        wins = view.rules.stalemate_loses
        chosen = self._mating.best_try(self._king, seconds or 0.0, nodes, stalemate_wins=wins)
        squares = chess.popcount(self._king.squares)
        why = f"bare king on {squares} square{'s' * (squares != 1)}; mate expected in {chosen.cost:.0f}"
        return Policy([chosen.move], np.ones(1), np.full(1, np.nan), Searched(depth=2 * chosen.depth - 1, why=why))
