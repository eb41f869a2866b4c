"""What a search is given: an information set, and the tries open in it, in the order that search relies on."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import chess
import numpy as np
import numpy.typing as npt

from kriegbot import kernels as kb
from referee import View
from referee.pieces import may_capture

Tries: TypeAlias = npt.NDArray[np.int32]
"""Moves [M] as kernels encode them."""


@dataclass(frozen=True, slots=True)
class InformationSet:
    """Histories that one side cannot tell apart, it to move, and what it may try.

    Attributes:
      rows: [N, 8] positions, N >= 1.
      weights: [N] positive; they need not sum to 1.
      tries: [M] open tries, M >= 1, as `tries_of` orders them.
      terms: rule set and limits.
      heard: what was announced of the opponent's last move, as `kernels.announcements` writes it.
    """

    rows: kb.Rows
    weights: kb.RealArray
    tries: Tries
    rules: kb.KernelRules
    theirs: int = 0

    @classmethod
    def of(cls, view: View, rows: kb.Rows, weights: kb.RealArray) -> "InformationSet":
        """The set of a view in which its side is to move, from positions that fit it."""
        _, theirs = kb.announced_moves(view, len(view.events))
        return cls(rows, weights, tries_in(view, rows[0]), kb.kernel_rules(view.rules, view.limits), theirs)

    def first(self, boards: int) -> "InformationSet":
        """The first histories alone."""
        return InformationSet(self.rows[:boards], self.weights[:boards], self.tries, self.rules, self.theirs)


def tries_in(view: View, row: kb.Rows) -> Tries:
    """Tries [M] open in a view, the obligation to try after "Any?" aside, from any position that fits it."""
    return tries_of(row, may_capture(view.pawn_tries), [kb.encode_move(move) for move in view.illegal])


def tries_of(row: kb.Rows, capturing: chess.Bitboard = chess.BB_ALL, refused: Sequence[int] = ()) -> Tries:
    """Tries [M] open to the side to move in a position uint64[8], in the order that search needs.

    Args:
      row: any position of the information set; only its own men matter.
      capturing: squares from which pawns may try to capture, by what was told of pawn tries.
      refused: tries refused this turn, which are left out.
    """
    moves = np.empty(kb.MAX_MOVES, np.int32)
    count = _list_tries(kb.TABLES, row, kb.words(capturing)[0], moves)
    return np.array([move for move in moves[:count].tolist() if move not in refused], np.int32)


def are_open(view: View, tries: Tries) -> npt.NDArray[np.bool_]:
    """Which [M] of the tries that were searched are open: all, unless "Any?" was answered yes.

    Searches take every legal move into account and know nothing of that obligation; what may follow a refused pawn
    capture is valued as if it were over.
    """
    if not view.obliged:
        return np.ones(len(tries), np.bool_)
    return np.isin(tries, [kb.encode_move(move) for move in view.tries()])


@kb.entry
def _list_tries(tables: kb.WordArray, row: kb.WordArray, capturing: kb.Word, moves: kb.MoveArray) -> int:
    """Write the tries open to the side to move, in the order that search relies on; return how many there are."""
    return kb.open_tries(kb.pointer(tables), kb.load(kb.pointer(row), 0), capturing, kb.pointer(moves))
