"""A weighted set of boards, and the two things that a turn does to it: our try, the opponent's move.

Departs from a plain particle filter in one thing. As long as all boards that follow fit into the set, all are kept with
their exact weights: then the set IS the information set. Only when they do not fit are they drawn, with probabilities
proportional to their exact weights (the fully adapted filter of Pitt and Shephard 1999: what was heard is used before
drawing, so the drawn boards have equal weights and no resampling step is needed).
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

import referee
from kriegbot.belief.filter import (
    Event,
    follow,
    keep_accepted,
    list_answering,
    list_refusing,
    matches_of,
    merge_equal,
)
from kriegbot.kernels import (
    MAX_MOVES,
    TABLES,
    TYPE_MASK,
    IntArray,
    KernelRules,
    RealArray,
    Rows,
    encode_move,
    uniforms,
    without_type_ids,
)
from kriegbot.models.protocol import Opponent
from referee import Answer, OwnQuestion, OwnTry


@dataclass(frozen=True, slots=True)
class Particles:
    """Boards with weights, no two of which are alike and assume the same kind of opponent.

    rows: uint64[N, 8]. weights: float64[N], positive, summing to 1. is_exact: whether this is the whole information set
    with its exact probabilities, since nothing was ever drawn. fits_all: whether every board fits everything heard, and
    not only, after a rescue, the last of it.
    """

    rows: Rows
    weights: RealArray
    is_exact: bool
    is_consistent: bool = True

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def boards(self) -> int:
        """How many boards these are, whatever kind of opponent each assumes."""
        if not (self.rows[:, 7] & TYPE_MASK).any():
            return len(self.rows)
        return len(merged(without_type_ids(self.rows), self.weights.copy(), self.is_exact, self.is_consistent))

    @property
    def effective(self) -> float:
        """Effective sample size, 1 / sum of squared weights: N if all weights are equal."""
        return float(1.0 / np.square(self.weights).sum()) if len(self.weights) else 0.0

    def draw(self, samples: int, seed: int) -> tuple[Rows, RealArray]:
        """Draw histories: boards [n, 8], n <= samples, and how often each was drawn [n], which sums to `samples`."""
        total = np.cumsum(self.weights)
        marks = np.sort(uniforms(seed, samples)) * total[-1]
        chosen = np.minimum(np.searchsorted(total, marks, side="right"), len(total) - 1)
        boards, counts = np.unique(chosen, return_counts=True)
        return self.rows[boards], counts.astype(np.float64)

    def after_own_move(self, move: int, heard: int, terms: KernelRules) -> "Particles":
        """Boards that fit our try, accepted with the announcement `heard`. May be empty."""
        rows, weights, moves = self.rows.copy(), self.weights.copy(), np.empty(MAX_MOVES, np.int32)
        kept = keep_accepted(TABLES, rows, weights, move, heard, terms, moves)
        return merged(rows[:kept], weights[:kept], self.is_exact, self.is_consistent)

    def after_answer(self, event: OwnTry | OwnQuestion) -> "Particles":
        """Boards that fit a refusal of our try, or the answer to our "Any?". May be empty."""
        kept = list_fitting(self.rows, [event])
        return normalized(self.rows[kept], self.weights[kept], self.is_exact, self.is_consistent)

    def after_opponent(
        self,
        event: Event,
        opponent: Opponent,
        terms: KernelRules,
        max_particles: int,
        seed: int,
        *,
        has_single: bool = False,
    ) -> "Particles":
        """Boards that follow from a move of the opponent, whose moves are as likely as a model says.

        At most `max_particles` of them are kept; see the head of this file. With `has_single`, one of those that follow
        from a board is drawn instead, whatever their probability. May be empty.
        """
        matches = matches_of(self.rows, event, terms, opponent)
        matching, matched, total = matches.matching, matches.matched, matches.total
        following = int(matching.sum())
        is_exact = self.is_exact and following <= max_particles
        if has_single:
            draws = np.minimum(matching, 1)
            shares, following, is_exact = draws.astype(np.float64), int(draws.sum()), False
        elif following <= max_particles:
            draws, shares = matching, self.weights / total
        else:
            draws = systematic(self.weights * matched / total, max_particles, seed)
            units = np.where(draws < matching, draws, matched)
            shares = draws / np.where(units > 0, units, 1)
            following = int(np.minimum(draws, matching).sum())
        rows, weights = np.empty((following, 8), np.uint64), np.empty(following)
        written = follow(TABLES, self.rows, matches, (draws, shares, seed ^ 1), (rows, weights))
        return merged(rows[:written], weights[:written], is_exact, self.is_consistent)


def list_fitting(rows: Rows, events: Iterable[referee.Event]) -> IntArray:
    """Numbers, ascending, of the boards [N, 8], us to move, that fit the refusals and answers among a turn's events.

    Nonsense tells nothing.
    """
    kept = np.arange(len(rows))
    for event in events:
        match event:
            case OwnTry(move, Answer.ILLEGAL):
                kept = kept[list_refusing(rows[kept], encode_move(move))]
            case OwnQuestion(Answer.YES | Answer.NO as answer):
                kept = kept[list_answering(rows[kept], answer is Answer.YES)]
    return kept


def systematic(mass: RealArray, draws: int, seed: int) -> IntArray:
    """Divide `draws` among boards in proportion to their mass [N], each rounded up or down by systematic sampling."""
    total = np.cumsum(mass)
    marks = (np.arange(draws) + uniforms(seed, 1)[0]) * (total[-1] / draws)
    chosen = np.minimum(np.searchsorted(total, marks, side="right"), len(mass) - 1)
    return np.bincount(chosen, minlength=len(mass)).astype(np.int64)


def merged(rows: Rows, weights: RealArray, is_exact: bool, is_consistent: bool) -> Particles:
    """Particles from rows that may be equal; weights are added and normalised."""
    table = np.full(1 << (2 * len(rows) + 1).bit_length(), -1, np.int64)
    kept = merge_equal(rows, weights, table)
    return normalized(rows[:kept], weights[:kept], is_exact, is_consistent)


def normalized(rows: Rows, weights: RealArray, is_exact: bool, is_consistent: bool) -> Particles:
    """Particles from distinct rows; weights are normalised."""
    return Particles(rows, weights / weights.sum() if len(rows) else weights, is_exact, is_consistent)
