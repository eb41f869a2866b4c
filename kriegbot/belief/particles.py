"""Weighted sets of boards, and the particle filter that updates them after each event of a view.

This filter departs from a plain one in one point: it draws only if not all boards that follow fit into the set. As long
as all have always fitted, the set is the information set. Draws are in proportion to the weights. This is the fully
adapted filter of Pitt and Shephard (1999): it uses the announcement before it draws, so it need not resample.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import chess
import numpy as np

from kriegbot import kernels as kb
from kriegbot.belief.filter import (
    AnnouncedMove,
    count_boards,
    keep_accepted,
    list_answering,
    list_refusing,
    matches_of,
    merge_equal,
    write_successors,
)
from kriegbot.models.built_in import uniform
from kriegbot.models.protocol import Opponent, prior_of
from referee import Announcement, Answer, Event, OpponentMoved, OwnQuestion, OwnTry, View


@dataclass(frozen=True, slots=True)
class Particles:
    """Distinct boards [N, 8] with positive weights [N], which sum to 1. Some may differ in the opponent type only.

    Weights ignore how likely the opponent's refusals are.
    """

    rows: kb.Rows
    weights: kb.RealArray
    is_exact: bool
    """True if this is the whole information set: nothing was ever drawn."""
    is_consistent: bool = True
    """True if every board is consistent with all announcements; otherwise boards may contradict some."""

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def board_count(self) -> int:
        """Number of boards that differ by more than the opponent type."""
        if not (self.rows[:, 7] & kb.TYPE_MASK).any():
            return len(self.rows)
        return int(count_boards(self.rows, ~kb.TYPE_MASK, np.zeros(_table_size(len(self.rows)), np.uint64)))

    @property
    def effective(self) -> float:
        """Effective sample size, 1 / sum of squared weights: N if all weights are equal."""
        return float(1.0 / np.square(self.weights).sum()) if len(self.weights) else 0.0

    def draw(self, samples: int, seed: int) -> tuple[kb.Rows, kb.RealArray]:
        """Draw boards with replacement; return the distinct ones [n, 8] and the number of draws of each [n]."""
        total = np.cumsum(self.weights)
        points = np.sort(kb.random_numbers(seed, samples)) * total[-1]
        chosen = np.minimum(np.searchsorted(total, points, side="right"), len(total) - 1)
        boards, counts = np.unique(chosen, return_counts=True)
        return self.rows[boards], counts.astype(np.float64)


@dataclass(frozen=True, slots=True)
class Filter:
    """A particle filter for one side of one game."""

    rules: kb.KernelRules
    max_particles: int  # most boards after a move of the opponent
    seed: int
    model: Opponent = uniform
    one_each: bool = False
    """True to draw one successor of each board of a set that is not exact, for a `belief.pool.Pool`."""
    threads: int = 1

    def start(self, view: View) -> Particles:
        """Return the starting position, which both sides know, once for each opponent type."""
        prior = prior_of(self.model)
        return Particles(
            kb.with_type_ids(kb.from_board(chess.Board(view.start)), len(prior)), np.array(prior), is_exact=True
        )

    def after_event(self, particles: Particles, view: View, index: int) -> Particles:
        """Return the particles after event number `index` of a view. The result may be empty."""
        match view.events[index]:
            case OwnTry(move, Answer.ACCEPTED, Announcement() as announcement):
                return self._after_own_move(particles, move, announcement)
            case OwnTry(_, Answer.ILLEGAL) | OwnQuestion(Answer.YES | Answer.NO) as event:
                kept = list_consistent(particles.rows, [event])
                rows, weights = particles.rows[kept], particles.weights[kept]
                return normalized(rows, weights, particles.is_exact, particles.is_consistent)
            case OpponentMoved(announcement):
                code = kb.encode_announcement(announcement)
                moved = AnnouncedMove(code, kb.turn_history(view, index), *kb.last_announcements(view, index))
                return self._after_opponent(particles, moved, kb.subseed(self.seed, index))
            case _:  # what the opponent tries and asks counts when it has moved: see `turn_history`
                return particles

    def _after_own_move(self, particles: Particles, move: chess.Move, announcement: Announcement) -> Particles:
        rows, weights, scratch = particles.rows.copy(), particles.weights.copy(), np.empty(kb.MAX_MOVES, np.int32)
        code = kb.encode_announcement(announcement)
        kept = keep_accepted(kb.TABLES, rows, weights, kb.encode_move(move), code, self.rules, scratch)
        return merged(rows[:kept], weights[:kept], particles.is_exact, particles.is_consistent)

    def _after_opponent(self, particles: Particles, event: AnnouncedMove, seed: int) -> Particles:
        matches = matches_of(particles.rows, event, self.rules, self.model, self.threads)
        moves, matching_weight, total = matches.matching_moves, matches.matching_weight, matches.total_weight
        successors = int(moves.sum())
        is_exact = particles.is_exact and successors <= self.max_particles
        if self.one_each and not particles.is_exact:
            draws = np.minimum(moves, 1)
            shares, successors = draws.astype(np.float64), int(draws.sum())
        elif successors <= self.max_particles:
            draws, shares = moves, particles.weights / total
        else:  # a board with no fewer draws than moves keeps them all, weighted by the model; else a draw weighs 1
            draws = systematic(particles.weights * matching_weight / total, self.max_particles, seed)
            divisor = np.where(draws < moves, draws, matching_weight)
            shares = draws / np.where(divisor > 0, divisor, 1)
            successors = int(np.minimum(draws, moves).sum())
        rows, weights = np.empty((successors, 8), np.uint64), np.empty(successors)
        sampling = draws, shares, seed ^ 1  # `systematic` has used the numbers of the seed itself
        written = write_successors(kb.TABLES, particles.rows, matches, sampling, (rows, weights))
        return merged(rows[:written], weights[:written], is_exact, particles.is_consistent)


def list_consistent(rows: kb.Rows, events: Iterable[Event]) -> kb.IntArray:
    """Return the indices, ascending, of the boards [N, 8] consistent with the refusals and answers of our turn."""
    kept = np.arange(len(rows))
    for event in events:
        match event:
            case OwnTry(move, Answer.ILLEGAL):
                kept = kept[list_refusing(rows[kept], kb.encode_move(move))]
            case OwnQuestion(Answer.YES | Answer.NO as answer):
                kept = kept[list_answering(rows[kept], answer is Answer.YES)]
    return kept


def systematic(mass: kb.RealArray, draws: int, seed: int) -> kb.IntArray:
    """Divide `draws` among boards in proportion to their mass [N]; systematic sampling rounds each up or down."""
    total = np.cumsum(mass)
    points = (np.arange(draws) + kb.random_numbers(seed, 1)[0]) * (total[-1] / draws)
    chosen = np.minimum(np.searchsorted(total, points, side="right"), len(mass) - 1)
    return np.bincount(chosen, minlength=len(mass)).astype(np.int64)


def _table_size(count: int) -> int:
    return 1 << (2 * count + 1).bit_length()


def merged(rows: kb.Rows, weights: kb.RealArray, is_exact: bool = False, is_consistent: bool = False) -> Particles:
    """Return particles from rows that may repeat: merge equal rows and normalise the weights."""
    count = merge_equal(rows, weights, np.full(_table_size(len(rows)), -1, np.int64))
    return normalized(rows[:count], weights[:count], is_exact, is_consistent)


def normalized(rows: kb.Rows, weights: kb.RealArray, is_exact: bool, is_consistent: bool) -> Particles:
    """Return particles from distinct rows, with normalised weights."""
    return Particles(rows, weights / weights.sum() if len(rows) else weights, is_exact, is_consistent)
