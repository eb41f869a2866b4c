"""How our men have stood in this game: a search that sees no progress should not go in circles.

Nobody can claim a repetition that he does not see, and a search two plies deep that finds nothing better walks to and
fro. So every earlier turn that began with the same placement of our own men costs a try a little, and more each time.
There are many placements of rooks behind their own pawns, so that alone is not enough: the longer nothing was taken and
no pawn of ours moved, the more a pawn's move gains.
"""

from collections import Counter

import chess
import numpy as np
import numpy.typing as npt

from referee import View


class Placements:
    """The placements of our men at the beginning of our turns, counted through one game."""

    def __init__(self) -> None:
        self._counts: Counter[frozenset[tuple[chess.Square, chess.PieceType]]] = Counter()
        self._ply = -1
        self._lasting: tuple[frozenset[chess.Square], int, int] = (frozenset(), 0, 0)
        self.quiet = 0
        """Our turns since anything was taken or a pawn of ours moved."""

    def note(self, view: View) -> None:
        """Count the placement of a view in which it is our turn, once a turn."""
        if view.ply != self._ply:
            self._ply = view.ply
            self._counts[frozenset(view.men.items())] += 1
            pawns = frozenset(square for square, man in view.men.items() if man == chess.PAWN)
            before, self._lasting = self._lasting, (pawns, len(view.men), view.opponent_men)
            self.quiet = self.quiet + 1 if self._lasting == before else 0

    def visits(self, view: View, tries: list[chess.Move]) -> npt.NDArray[np.float64]:
        """How many turns [M] began with the placement that each try leads to; castling always leads to a new one."""
        found = np.zeros(len(tries))
        for i, move in enumerate(tries):
            men = {square: man for square, man in view.men.items() if square != move.from_square}
            men[move.to_square] = move.promotion or view.men[move.from_square]
            found[i] = self._counts[frozenset(men.items())]
        return found
