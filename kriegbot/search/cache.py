"""What a search lists for each history by itself: its legal moves, and the value of each one and two plies deep.

None of it depends on what was refused earlier in the turn, so a search after a refusal need not repeat it. At depth 2
it is nearly all of the work.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from kriegbot.kernels import MAX_MOVES
from kriegbot.search.recursion import LISTS, OUTCOMES

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Lists:
    """Lists of N histories, in C >= N places; memory is touched only as they are filled.

    moves int32[C, LISTS * MAX_MOVES * levels], outcomes float64[C, width * OUTCOMES * levels]: as `recursion.fold` uses
    them; listed int64[C], how many legal moves are there, -1 if not yet filled; places int64[N], each history's;
    room float64[1 + (1 + width) * MAX_MOVES * levels] to work in. Without `places`, place 0 serves one history after
    another.
    """

    moves: npt.NDArray[np.int32]
    outcomes: npt.NDArray[np.float64]
    listed: Ints
    places: Ints
    room: npt.NDArray[np.float64]

    @classmethod
    def empty(cls, places: int, depth: int, width: int) -> "Lists":
        """Places for a search to a depth by a rule that keeps `width` totals, with no history in them."""
        levels = depth // 2 + 1
        moves = np.empty((places, LISTS * MAX_MOVES * levels), np.int32)
        outcomes = np.empty((places, width * OUTCOMES * levels))
        room = np.empty(1 + (1 + width) * MAX_MOVES * levels)
        return cls(moves, outcomes, np.full(places, -1), np.empty(0, np.int64), room)

    def having(self, kept: Ints, more: int) -> "Lists":
        """Lists of some of the histories, by number, and places for more behind them."""
        free = np.setdiff1d(np.arange(len(self.listed)), self.places[kept])[:more]
        lacking = more - len(free)
        lists = self._grown(max(lacking, len(self.listed))) if lacking > 0 else self
        free = np.concatenate([free, np.arange(len(self.listed), len(self.listed) + max(lacking, 0))])
        lists.listed[free] = -1
        return Lists(lists.moves, lists.outcomes, lists.listed, np.concatenate([self.places[kept], free]), self.room)

    def _grown(self, more: int) -> "Lists":
        moves = np.empty((more, self.moves.shape[1]), np.int32)
        outcomes = np.empty((more, self.outcomes.shape[1]))
        return Lists(
            np.concatenate([self.moves, moves]),
            np.concatenate([self.outcomes, outcomes]),
            np.concatenate([self.listed, np.full(more, -1)]),
            self.places,
            self.room,
        )
