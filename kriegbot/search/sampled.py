"""Statistical sampling: histories drawn from the belief, their tries valued, the best tries chosen.

This is the search of Parker, Nau and Subrahmanian (AAAI 2006). The paper does not say how it broke ties, which are rare
for sums and common for minima: here they are broken at random, or for experiments the first or the last is taken. Nor
does it say whether its histories fit all that was heard: here they do, or for experiments the last observation alone.

Beyond the paper, a search that sees no progress should not go in circles. Nobody can claim a repetition that he does
not see, and a search two plies deep that finds nothing better walks to and fro. So every earlier turn that began with
the same placement of our own men can cost a try a little: v times `Settings.repeated` after v of them. Some checks seem
worth a pawn and more whenever they are given, so the side that is ahead pays v + 2^(v - 4) times as much. There are
many placements of rooks behind their own pawns, so that alone is not enough: the longer nothing was taken and no pawn
of ours moved, the more a pawn's move can gain.
"""

import time
from collections import Counter
from dataclasses import replace
from itertools import takewhile
from typing import NamedTuple

import chess
import numpy as np
import numpy.typing as npt

from kriegbot.belief.belief import Belief, RenewedPool
from kriegbot.belief.last_observation import last_observation, with_king_moved
from kriegbot.belief.particles import list_consistent
from kriegbot.kernels import (
    IntArray,
    RealArray,
    Rows,
    announced_moves,
    decode_move,
    last_announced,
    side_of,
    subseed,
    uniforms,
)
from kriegbot.models import load_opponent
from kriegbot.report import Report
from kriegbot.search.information_set import InformationSet, are_open
from kriegbot.search.move_lists import Lists
from kriegbot.search.perfect_information import Valued, open_values
from kriegbot.search.policy import Policy
from kriegbot.search.predictability import foretold, has_model
from kriegbot.search.search import TryValues, search_tries
from kriegbot.search.settings import Method, Settings
from referee import OpponentMoved, View


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


MOST_DRAWN = 3000
"""Histories drawn for a search by time, if those that survive a refusal are kept, or if they need not fit all."""
OPENING_PLIES, FEW_MEN = 12, 5
FEW_VISITS, MOST_DOUBLED = 4, 8
"""The 4 of that formula, and what v - 4 is at most in it."""
DRAWING = 0
"""Use of randomness within one try, with a seed of its own."""
ORDERING, OPINION, FORETELLING = 0, 1, 2
"""The same within a drawing."""
FOR_OPINION = 0.4
"""Share of a search's time that is kept for `search.perfect_information`."""


class Sample(NamedTuple):
    """The histories drawn in one turn: boards [n, 8], how often each was drawn [n], and their lists."""

    rows: Rows
    counts: RealArray
    lists: Lists

    def having(self, kept: IntArray, rows: Rows, counts: RealArray) -> "Sample":
        """Some of these histories, by number, followed by others."""
        return Sample(
            np.concatenate([self.rows[kept], rows]),
            np.concatenate([self.counts[kept], counts]),
            self.lists.having(kept, len(rows)),
        )


class SampledSearch:
    """Values tries on histories drawn from a belief, a fixed number of them or as many as there is time for."""

    def __init__(self, settings: Settings, seed: int = 0) -> None:
        """Set up a search for one side and one game.

        Args:
          settings: all of it; `particles` must be given.
          seed: with `samples`, the same seed finds the same policies, on any machine.

        Raises:
          ValueError: the number of particles is not given, or a part is not found.
        """
        if settings.particles is None:
            raise ValueError("particles None: a belief takes a number of boards")
        self.settings, self.seed, self.particles = settings, seed, settings.particles
        self.method, self.filtering = Method.of(settings), load_opponent(settings.filtering)
        self.belief: Belief | None = None
        self._sample: Sample | None = None
        self._pool: RenewedPool | None = None
        self._fitted = 0
        """How many events of the view the sample fits."""
        self._valued: tuple[int, Valued] | None = None
        """The ply of the last turn with an opinion, and the boards valued for it."""
        self._placements = Placements()

    def update(self, view: View, seconds: float | None = None) -> None:
        """Take in what is new in a view; `seconds` as for `Belief.update`."""
        self._placements.note(view)
        if self.belief is None:
            self.belief = Belief(
                view, self.particles, self.seed, self.filtering, recovery_attempts=self.settings.retries
            )
        else:
            self.belief.update(view, seconds)
        if self._pool is not None:
            self._pool.update(view)
        elif self.settings.boards == "pool":
            self._pool = RenewedPool(view, self.settings.samples or MOST_DRAWN, self.seed)

    def policy(self, view: View, seconds: float | None) -> Policy:
        """The best tries with equal weights, or in the opening all by value, as far as `method` and the time allow."""
        belief = self.belief
        if belief is None:
            raise ValueError("policy before update: there is no belief yet")
        found, histories, legal = None, 0, None
        if len(belief.particles) == 0:  # not even a blind guess fits what was heard this turn, and any try will do
            tries = view.tries()
            weights, values = np.ones(len(tries)), np.full(len(tries), np.nan)
        else:
            found, histories = self._search(belief, view, seconds)
            is_open = are_open(view, found.tries)
            tries, values = [decode_move(int(move)) for move in found.tries[is_open]], found.values[is_open]
            if self.settings.repeated:
                visits = self._placements.visits(view, tries)
                if values.max() > 0.0:  # whoever is behind may be glad of a draw
                    visits += np.exp2(np.minimum(visits - FEW_VISITS, MOST_DOUBLED))
                values = values - self.settings.repeated * visits
            if self.settings.impatience:
                are_pawns = np.array([view.men[move.from_square] == chess.PAWN for move in tries])
                values = values + self.settings.impatience * self._placements.quiet * are_pawns
            legal = found.legal[is_open]
            if self.settings.retaking and view.last_reply is not None:
                are_back = np.array([move.to_square == view.last_reply.capture for move in tries])
                values = values + self.settings.retaking * are_back * legal
            candidates = legal > (self.settings.hopeless if legal.max() > self.settings.hopeless else 0.0)
            if not self.method.free or not candidates.any():  # a try surely illegal is worth what follows it: no more
                candidates = np.ones(len(tries), bool)
            behind = values[candidates].max() - values
            weights = (candidates & (behind <= 0.0)).astype(np.float64)
            if self.settings.ties != "random":
                best = np.flatnonzero(weights)
                weights[best[1:] if self.settings.ties == "first" else best[:-1]] = 0.0
            temperature = self.settings.temperature[view.ply >= OPENING_PLIES]
            if temperature:
                weights = np.where(candidates, np.exp(-np.maximum(behind, 0.0) / temperature), 0.0)
        report = Report(
            samples=histories,
            depth=found.depth if found else 0,
            leaves=found.leaves if found else 0,
            particles=belief.particles.boards,
            effective=belief.particles.effective,
            rescue=belief.last_rescue,
            astray=not belief.particles.is_consistent,
        )
        return Policy(tries, weights, values, report, legal)

    def _search(self, belief: Belief, view: View, seconds: float | None) -> tuple[TryValues, int]:
        """Search histories of the belief: a fixed number, or as many as time allows; returns how many."""
        begun, lists = time.perf_counter(), None
        seed = subseed(subseed(self.seed, view.ply, len(view.refused)), DRAWING)
        if self.settings.further is not None:
            self._sample = self._drawn(belief, view, self.settings.further, seed)
            rows, weights, lists = self._sample
        elif self.settings.samples is None and self.settings.boards == "all":
            rows, weights = belief.shuffled(seed)
        else:
            rows, weights = self._draw(belief, view, seed)
        histories, is_free = InformationSet.of(view, rows, weights), not view.obliged
        cost: RealArray | float = 0.0
        if self.settings.foretold:
            ours, _ = announced_moves(view, len(view.events))
            model, foretelling = self.method.opponent, subseed(seed, FORETELLING)
            cost = self.settings.foretold * has_model(histories, model) * foretold(histories, model, ours, foretelling)
        share = 1.0 - FOR_OPINION if self.settings.opinion else 1.0
        limit = None if seconds is None else share * (begun + seconds - time.perf_counter())
        found = search_tries(histories, self.method, limit, lists, may_prune=is_free)
        if self.settings.opinion:
            left = None if seconds is None else begun + seconds - time.perf_counter()
            if self._valued is None or self._valued[0] != view.ply:
                self._valued = view.ply, Valued(histories, self.method)
            found = self._with_opinion(found, histories, left, seed, self._valued[1])
        found = replace(found, values=found.values - cost)
        return found, found.boards if self.settings.samples is None else int(weights[: found.boards].sum())

    def _with_opinion(
        self, found: TryValues, histories: InformationSet, seconds: float | None, seed: int, valued: Valued
    ) -> TryValues:
        """The values found, mixed with those of `search.perfect_information` as `Settings.opinion` says."""
        opinion = open_values(histories, self.method, seconds, subseed(seed, OPINION), valued)
        if opinion is None:
            return found
        share = self.settings.opinion
        return replace(found, values=(1.0 - share) * found.values + share * opinion)

    def _draw(self, belief: Belief, view: View, seed: int, further: int | None = None) -> tuple[Rows, RealArray]:
        """Draw histories, or `further` ones, in random order if the search is by time; see `Belief.draw`."""
        samples = further or self.settings.samples or MOST_DRAWN
        rows = last_observation(view, samples, seed) if self.settings.boards == "last" else np.empty((0, 8), np.uint64)
        counts = np.ones(len(rows))
        if len(rows) == 0:
            pool = self._pool.particles if self._pool else belief.particles
            rows, counts = (pool if len(pool) else belief.particles).draw(samples, seed)
        if self.settings.samples is not None:
            return self._with_doubts(belief, view, rows, counts, seed)
        # time may end the search within them, and beliefs and pools keep boards of one origin together
        order = np.argsort(uniforms(subseed(seed, ORDERING), len(rows)), kind="stable")
        return rows[order], counts[order]

    def _with_doubts(
        self, belief: Belief, view: View, rows: Rows, counts: RealArray, seed: int
    ) -> tuple[Rows, RealArray]:
        """Drawn histories, and, as `Settings.doubt` says, others: a few boards may be sure of a king, and wrong."""
        if not self.settings.doubt or belief.particles.is_exact or view.opponent_men > FEW_MEN:
            return rows, counts
        heard, terms = last_announced(view, len(view.events))
        others = with_king_moved(belief.particles, side_of(not view.color), heard, terms, int(counts.sum()), seed)
        others = others[
            list_consistent(others, takewhile(lambda one: not isinstance(one, OpponentMoved), view.events[::-1]))
        ]
        weight = self.settings.doubt / (1.0 - self.settings.doubt) * counts.sum() / max(1, len(others))
        return np.concatenate([rows, others]), np.concatenate([counts, np.full(len(others), weight)])

    def _drawn(self, belief: Belief, view: View, further: int, seed: int) -> Sample:
        """Draw the histories for a try: all at the first of a turn; later a few more, added to those still possible."""
        sample, news = self._sample, view.events[self._fitted :]
        self._fitted = len(view.events)
        if sample is None or any(isinstance(event, OpponentMoved) for event in news):
            rows, counts = self._draw(belief, view, seed)
            lists = Lists.empty(len(rows) + 16 * further, self.method.depth, len(self.method.backup.start))
            sample = Sample(rows[:0], counts[:0], lists)
        else:
            rows, counts = self._draw(belief, view, seed, further)
        return sample.having(list_consistent(sample.rows, news), rows, counts)
