"""A search that leaves bare kings to `kriegbot.endgames`."""

import chess

from kriegbot.endgames import BareKing, Mating
from kriegbot.endgames.mating import DEPTH
from kriegbot.report import Report
from kriegbot.search.policy import Policy, Search, equal_policy
from referee import NO_LIMITS, View
from referee.text import counted


class Finishing:
    """A search that mates a bare king, and leaves all other positions to another search."""

    def __init__(self, search: Search, seed: int = 0) -> None:
        self.search = search
        self._mating = Mating(seed)
        self._king: BareKing | None = None

    def update(self, view: View, seconds: float | None = None) -> None:
        """Update for the news in a view. Once the king is bare the other search gets no more: the king stays bare."""
        self._king = BareKing.of(view)
        if self._king is None:
            self.search.update(view, seconds)

    def policy(self, view: View, seconds: float | None) -> Policy:
        """Return the best mating try against a bare king, else the policy of the other search."""
        if self._king is None:
            return self.search.policy(view, seconds)
        best = self._mating.best_try(self._king, stalemate_wins=view.rules.stalemate_loses)
        why = f"bare king on {counted(chess.popcount(self._king.squares), 'square')}; "
        if best.proof is None:
            why += f"mate expected in {best.cost:.0f}"
        else:
            why += f"mate in at most {counted(best.proof.moves, 'move')}, whatever the king does"
            why += ", if no limit comes first" if view.limits != NO_LIMITS else ""
        return equal_policy([best.move], Report(depth=2 * DEPTH - 1, why=why))
