"""Information sets, and the tries open in them in the order that search relies on."""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from kriegbot import kernels as kb
from referee import View
from referee.pieces import may_capture

Tries: TypeAlias = npt.NDArray[np.int32]
"""Moves [M] as kernels encode them."""


@dataclass(frozen=True, slots=True)
class InformationSet:
    """Histories that the side to move cannot tell apart, and its tries.

    rows [N, 8] and weights [N], which need not sum to 1. tries [M]: as `kernels.tries_of` orders them, but none
    answered ILLEGAL this turn. rules: rule set and limits. theirs: the announcement of the last move, the opponent's.
    """

    rows: kb.Rows
    weights: kb.RealArray
    tries: Tries
    rules: kb.KernelRules
    theirs: int = 0

    @classmethod
    def of(cls, view: View, rows: kb.Rows, weights: kb.RealArray) -> "InformationSet":
        """Return the set of a view in which its side is to move, from boards consistent with it."""
        _, theirs = kb.last_announcements(view, len(view.events))
        return cls(rows, weights, tries_in(view, rows[0]), kb.kernel_rules(view.rules, view.limits), theirs)

    def first(self, boards: int) -> "InformationSet":
        """Return the set of the first histories alone."""
        return InformationSet(self.rows[:boards], self.weights[:boards], self.tries, self.rules, self.theirs)


def tries_in(view: View, row: kb.Rows) -> Tries:
    """Return the tries [M] to search, from any consistent board: all but those answered ILLEGAL; see `are_open`.

    `view.refused` holds more: nonsense, and what a server does not allow. These answers leave the boards as they are,
    and every legal move of a board must be among the tries. Seeds and budgets count `view.refused`, a try each.
    """
    return kb.tries_of(row, may_capture(view.pawn_tries), [kb.encode_move(move) for move in view.illegal])


def are_open(view: View, tries: Tries) -> npt.NDArray[np.bool_]:
    """Return which [M] of the searched tries are open in a view.

    Others are searched as if they were, since they are legal on some boards: those that an obligation to capture with
    a pawn rules out for now, and those that a server does not allow.
    """
    return np.isin(tries, [kb.encode_move(move) for move in view.tries()])
