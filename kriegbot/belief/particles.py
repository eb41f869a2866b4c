"""A weighted set of boards, and the two things that a turn does to it: our try, the opponent's move.

Departs from a plain particle filter in one thing. As long as all boards that follow fit into the set they are all
kept, with their exact weights: then the set IS the information set. Only when they do not fit are they drawn, each
with the probability of its exact weight (the fully adapted filter of Pitt and Shephard 1999: what was heard is looked
at before drawing, so the drawn boards weigh the same and no resampling step is needed).
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from kriegbot.belief.filter import (
    MASK_WORDS,
    Counts,
    follow,
    keep_accepted,
    list_refusing,
    match_moves,
    merge_equal,
)
from kriegbot.kernels.hearing import Terms
from kriegbot.kernels.magics import Words
from kriegbot.kernels.moves import MOST_MOVES
from kriegbot.kernels.random import uniforms
from kriegbot.kernels.tables import TABLES

Reals = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Particles:
    """Distinct boards with weights.

    rows: uint64[N, 8]. weights: float64[N], positive, summing to 1. is_exact: whether this is the whole information set
    with its exact probabilities, nothing having been drawn so far. fits_all: whether every board fits all that was
    heard, and not only, after a rescue, the last of it.
    """

    rows: Words
    weights: Reals
    is_exact: bool
    fits_all: bool = True

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def effective(self) -> float:
        """Effective sample size, 1 / sum of squared weights: N where all weigh the same."""
        return float(1.0 / np.square(self.weights).sum()) if len(self.weights) else 0.0

    def after_own_try(self, move: int, heard: int | None, terms: Terms) -> "Particles":
        """Boards that fit our try: accepted with the announcement `heard`, or refused (None). May be empty."""
        if heard is None:
            refusing = list_refusing(self.rows, move)
            return normalized(self.rows[refusing], self.weights[refusing], self.is_exact, self.fits_all)
        rows, weights, moves = self.rows.copy(), self.weights.copy(), np.empty(MOST_MOVES, np.int32)
        kept = keep_accepted(TABLES, rows, weights, move, heard, terms, moves)
        return merged(rows[:kept], weights[:kept], self.is_exact, self.fits_all)

    def after_opponent(self, heard: int, refused: int, terms: Terms, most: int, seed: int) -> "Particles":
        """Boards that follow from a move of the opponent announced as `heard`, after `refused` tries heard illegal.

        At most `most` of them are kept; see the head of this file. May be empty.
        """
        count = len(self.rows)
        masks = np.empty((count, MASK_WORDS), np.uint64)
        matching, legal = np.empty(count, np.int64), np.empty(count, np.int64)
        moves = np.empty(2 * MOST_MOVES, np.int32)
        match_moves(TABLES, self.rows, heard, refused, terms, masks, matching, legal, moves)
        mass = self.weights * matching / np.maximum(legal, 1)
        following = int(matching.sum())
        if following <= most:
            draws, shares = matching, self.weights / np.maximum(legal, 1)
        else:
            draws = systematic(mass, most, seed)
            shares = draws / np.maximum(np.minimum(draws, matching), 1)
            following = int(np.minimum(draws, matching).sum())
        rows, weights = np.empty((following, 8), np.uint64), np.empty(following)
        follow(TABLES, self.rows, masks, matching, draws, shares, seed ^ 1, rows, weights, moves)
        return merged(rows, weights, self.is_exact and following == int(matching.sum()), self.fits_all)


def systematic(mass: Reals, draws: int, seed: int) -> Counts:
    """Divide `draws` among boards in proportion to their mass [N], each rounded up or down by systematic sampling."""
    total = np.cumsum(mass)
    marks = (np.arange(draws) + uniforms(seed, 1)[0]) * (total[-1] / draws)
    chosen = np.minimum(np.searchsorted(total, marks, side="right"), len(mass) - 1)
    return np.bincount(chosen, minlength=len(mass)).astype(np.int64)


def merged(rows: Words, weights: Reals, is_exact: bool, fits_all: bool) -> Particles:
    """Particles of rows that may be equal, their weights added and brought to the sum 1."""
    table = np.full(1 << (2 * len(rows) + 1).bit_length(), -1, np.int64)
    kept = merge_equal(rows, weights, table)
    return normalized(rows[:kept], weights[:kept], is_exact, fits_all)


def normalized(rows: Words, weights: Reals, is_exact: bool, fits_all: bool) -> Particles:
    """Particles of distinct rows, their weights brought to the sum 1."""
    return Particles(rows, weights / weights.sum() if len(rows) else weights, is_exact, fits_all)
