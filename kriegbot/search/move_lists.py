"""What a search lists for each history by itself: its legal moves, and the value of each one and two plies deep.

None of it depends on what was refused earlier in the turn, so a search after a refusal need not repeat it. At depth 2
it is nearly all of the work.
"""

from typing import NamedTuple

import numpy as np

from kriegbot import kernels as kb

LISTS = 3
"""Lists of moves that each level of the walk needs: our moves, the replies, room to work in."""
STAY, OUTCOMES = 2 * kb.MAX_MOVES, 2 * kb.MAX_MOVES + 1
"""Totals that each level lists: of our moves at depth 1 and 2; at STAY, of the position with no move made, or, if
refusals cost nothing, of a random move."""


class Lists(NamedTuple):
    """Lists of N histories, in C >= N places; memory is touched only as they are filled.

    moves [C, LISTS * MAX_MOVES * levels], outcomes [C, width * OUTCOMES * levels]: as `recursion.fold` uses them.
    listed [C], how many legal moves are there, -1 if not yet filled; places [N], each history's; room
    [1 + (1 + width) * MAX_MOVES * levels] to work in. is_kept: whether each history has its place; else place 0 serves
    one after another.
    """

    moves: kb.MoveArray
    outcomes: kb.RealArray
    listed: kb.IntArray
    places: kb.IntArray
    room: kb.RealArray
    is_kept: bool

    @classmethod
    def empty(cls, places: int, depth: int, width: int) -> "Lists":
        """Places for a search to a depth by a rule that keeps `width` totals, with no history in them."""
        levels = depth // 2 + 1
        moves = np.empty(places * LISTS * kb.MAX_MOVES * levels, np.int32)
        outcomes = np.empty(places * width * OUTCOMES * levels)
        room = np.empty(1 + (1 + width) * kb.MAX_MOVES * levels)
        return cls(moves, outcomes, np.full(places, -1), np.empty(0, np.int64), room, is_kept=False)

    def having(self, kept: kb.IntArray, more: int) -> "Lists":
        """Lists of some of the histories, by number, and places for more behind them."""
        every = len(self.listed)
        free = np.setdiff1d(np.arange(every), self.places[kept])[:more]
        lacking = more - len(free)
        lists = self._grown(max(lacking, every)) if lacking > 0 else self
        free = np.concatenate([free, np.arange(every, every + max(lacking, 0))])
        lists.listed[free] = -1
        return lists._replace(places=np.concatenate([self.places[kept], free]), is_kept=True)

    def _grown(self, more: int) -> "Lists":
        every = len(self.listed)
        return self._replace(
            moves=np.concatenate([self.moves, np.empty(len(self.moves) // every * more, np.int32)]),
            outcomes=np.concatenate([self.outcomes, np.empty(len(self.outcomes) // every * more)]),
            listed=np.concatenate([self.listed, np.full(more, -1)]),
        )
