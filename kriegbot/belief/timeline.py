"""One side's belief at each event of a game, for reviews, lessons and puzzles."""

import math
import time
from dataclasses import dataclass

import chess
import numpy as np

from kriegbot import kernels as kb
from kriegbot.belief.belief import Belief, EmptyBelief
from kriegbot.children import usable_cores
from referee import View
from referee.announcement import check_direction
from referee.pieces import king_of
from referee.view import ViewBuilder

FEW = 30  # fewer samples show nothing but themselves


@dataclass(frozen=True, slots=True)
class BeliefSnapshot:
    """The belief after an event."""

    view: View
    chances: kb.RealArray  # [6, 64], the `Belief.occupancy` of the enemy
    boards: int
    ancestors: int  # a sampled belief's fewest boards since it last held all or was rescued: all stem from these
    is_exact: bool
    is_consistent: bool
    always: chess.SquareSet  # squares that an enemy piece occupies on every board
    ever: chess.SquareSet  # on at least one
    checkers: chess.SquareSet  # squares from which one gives check on at least one board, if the side is to move
    rows: kb.Rows  # if the side is to move, distinct drawn boards [n, 8]; all if they are few
    counts: kb.RealArray  # their draws [n]

    @property
    def basis(self) -> str:
        """The boards behind it, in words: "all 43 possible positions", "20,000 sampled positions"."""
        many = f"{self.boards:,} "
        if self.is_exact:
            return f"all {many}possible positions" if self.boards > 1 else "the only possible position"
        if not self.is_consistent:
            return f"{many}positions that may contradict an announcement"
        if self.boards == 1:
            return "only 1 sample left"
        few = f", all from {self.ancestors}" if self.ancestors < min(FEW, self.boards) else ""
        return f"{many}sampled positions{few}"

    @property
    def has_all_rows(self) -> bool:
        """True if the drawn boards are all possible ones."""
        return self.is_exact and len(self.rows) == self.boards

    @property
    def is_reliable(self) -> bool:
        """True if the boards are all possible ones, or a sample large enough to judge by."""
        return self.is_exact or (self.is_consistent and self.ancestors >= FEW)


class BeliefTimeline:
    """Snapshots of one side's belief through a game, with `samples` boards drawn where the side is to move.

    Its belief uses all cores, and receives past views one event at a time: a snapshot depends on view and seed alone.
    """

    def __init__(self, particles: int = 50_000, seed: int = 0, samples: int = 0) -> None:
        self.particles, self.seed, self.samples = particles, seed, samples
        self._belief: Belief | None = None
        self._builder: ViewBuilder | None = None
        self._snapshots: list[BeliefSnapshot] = []

    def at(self, view: View, events: int | None = None, seconds: float = math.inf) -> BeliefSnapshot | None:
        """Return the snapshot after so many events, by default all; None after `seconds`: call again to go on."""
        deadline = time.perf_counter() + seconds
        events = len(view.events) if events is None else events
        while len(self._snapshots) <= events:
            if self._builder is None:
                self._builder = ViewBuilder(view.color, view.rules, view.limits, view.start)
            else:
                self._builder.apply(view.events[len(self._snapshots) - 1])
            self._snapshots.append(self._snapshot(self._builder.view()))
            if time.perf_counter() > deadline:
                break
        return self._snapshots[events] if events < len(self._snapshots) else None

    def _snapshot(self, view: View) -> BeliefSnapshot:
        empty = chess.SquareSet()
        rows, counts = np.empty((0, 8), np.uint64), np.empty(0)
        try:
            if self._belief is None:
                self._belief = Belief(view, self.particles, self.seed, threads=usable_cores())
            else:
                self._belief.update(view)
        except EmptyBelief:
            return BeliefSnapshot(view, np.zeros((6, 64)), 0, 0, False, False, empty, empty, empty, rows, counts)
        particles, chances = self._belief.particles, self._belief.occupancy(not view.color)
        is_new = particles.is_exact or self._belief.last_rescue or not self._snapshots
        ancestors = len(particles) if is_new else min(len(particles), self._snapshots[-1].ancestors)
        enemies = particles.rows[:, 6 if view.color else 5]
        always, ever = (chess.SquareSet(int(of.reduce(enemies))) for of in (np.bitwise_and, np.bitwise_or))
        if self.samples > 0 and len(particles) > 0 and view.turn == view.color and view.end is None:
            if len(particles) <= self.samples:
                rows, counts = particles.rows, particles.weights * self.samples
            else:
                rows, counts = particles.draw(self.samples, kb.subseed(self.seed, len(view.events)))
        kinds, checking = (particles.is_exact, particles.is_consistent), checkers(view, particles.rows)
        return BeliefSnapshot(view, chances, len(particles), ancestors, *kinds, always, ever, checking, rows, counts)


def checkers(view: View, rows: kb.Rows) -> chess.SquareSet:
    """Return the squares from which an enemy piece gives an announced check on at least one board."""
    last, found = view.last_announcement, chess.SquareSet()
    if last is None or not last.checks or view.turn != view.color or view.end is not None:
        return found
    king, enemies, occupied = king_of(view.men), rows[:, 6 if view.color else 5], rows[:, 5] | rows[:, 6]
    straight = chess.BB_RANK_ATTACKS[king][0] | chess.BB_FILE_ATTACKS[king][0]
    pawn, knight = chess.BB_PAWN_ATTACKS[view.color][king], chess.BB_KNIGHT_ATTACKS[king]
    for kind, squares in enumerate((pawn, knight, chess.BB_DIAG_ATTACKS[king][0], straight)):
        for square in chess.SquareSet(squares):
            if check_direction(king, square) & last.checks:
                is_there = rows[:, kind] & enemies & np.uint64(1 << square) != 0
                if np.any(is_there & (occupied & np.uint64(chess.between(king, square)) == 0)):
                    found.add(square)
    return found
