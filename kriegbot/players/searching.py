"""The players of Parker, Nau and Subrahmanian (AAAI 2006): overconfident and paranoid information-set search.

One turn: the view's news go into the belief, histories are drawn from it, the search values every open try, the best is
played. Ties, which are rare for sums and common for minima, are broken at random: the paper does not say how it did.
"""

import math
import time
from typing import Any, NamedTuple

import numpy as np

from evaluators import load_evaluator
from kriegbot.belief.belief import Belief
from kriegbot.belief.filter import Counts, list_refusing
from kriegbot.belief.particles import Reals
from kriegbot.kernels.magics import Words
from kriegbot.kernels.position import decode_move, encode_move
from kriegbot.kernels.random import subseed, uniforms
from kriegbot.players.base import Choice, Report
from kriegbot.search.backup import Backup
from kriegbot.search.lists import Lists
from kriegbot.search.search import TryValues, search, tries_of
from referee import View

TOLERANCE = 1.05
"""A choice that takes longer than this many times its budget counts as an overrun."""
RESERVE = 0.02
"""Share of a budget kept back for what comes after the search, and for a busy machine's late clock."""
LEAST_PARTICLES, MOST_PARTICLES, PARTICLES_A_SECOND = 500, 50_000, 100_000
"""Boards in the belief by default. A turn of the opponent takes a second for a million or more of them."""
DRAWING, CHOOSING = 0, 1
"""Uses of randomness within one try, each with a seed of its own."""


class Sample(NamedTuple):
    """The histories drawn in one turn: boards [n, 8], how often each was drawn [n], and their lists."""

    rows: Words
    counts: Reals
    lists: Lists

    def having(self, kept: Counts, rows: Words, counts: Reals) -> "Sample":
        """Some of these histories, by number, and others behind them."""
        return Sample(
            np.concatenate([self.rows[kept], rows]),
            np.concatenate([self.counts[kept], counts]),
            self.lists.having(kept, len(rows)),
        )


class SearchPlayer:
    """Plays one game for one side by information-set search."""

    def __init__(
        self,
        backup: Backup,
        depth: int = 2,
        seconds: float | None = 1.0,
        samples: int | None = None,
        extra: float | None = None,
        further: int | None = None,
        particles: int | None = None,
        evaluator: str = "ks",
        seed: int = 0,
    ) -> None:
        """Set up a player.

        Args:
          backup: overconfident or paranoid.
          depth: plies to look ahead, >= 1.
          seconds: budget for the first try of a turn, from the view's arrival on; None if `samples` is given.
          samples: number of histories drawn for each search, instead of a time.
          extra: budget in seconds for each further try of a turn; as `seconds` unless given.
          further: number of histories drawn for each further try of a turn, to join those of the try before in which
            that was illegal; unless given, `samples` are drawn anew.
          particles: how many boards the belief holds at most; unless given, 50,000, or fewer where a budget is so
            short that carrying them on would take much of it.
          evaluator: name of the leaf evaluator.
          seed: with `samples`, the same seed answers the same views with the same tries, on any machine.
        """
        self.backup, self.depth, self.samples = backup, depth, samples
        self.seconds = seconds if samples is None else None
        self.extra = self.seconds if extra is None or samples is not None else extra
        if particles is None:
            shortest = min((budget for budget in (self.seconds, self.extra) if budget is not None), default=math.inf)
            particles = int(max(LEAST_PARTICLES, min(MOST_PARTICLES, PARTICLES_A_SECOND * shortest)))
        self.particles, self.seed = particles, seed
        self.further = further
        self.evaluator: Any = load_evaluator(evaluator)
        self.belief: Belief | None = None
        self._sample: Sample | None = None

    def choose(self, view: View) -> Choice:
        """Answer a view in which it is our turn with the try of the highest value."""
        begun = time.perf_counter()
        if self.belief is None:
            self.belief = Belief(view, self.particles, self.seed)
        else:
            self.belief.update(view)
        budget = self.extra if view.refused else self.seconds
        left = None if budget is None else (1 - RESERVE) * budget - (time.perf_counter() - begun)
        particles = self.belief.particles
        seed = subseed(self.seed, view.ply, len(view.refused))
        found, histories = None, 0
        best = view.tries()
        if len(particles):  # else not even a blind guess fits what was heard this turn, and any try will do
            found, histories = self._search(self.belief, view, seed, left)
            best = [decode_move(move) for move in found.best()]
        move = best[int(uniforms(subseed(seed, CHOOSING), 1)[0] * len(best))]
        seconds = time.perf_counter() - begun
        report = Report(
            seconds=seconds,
            samples=histories,
            depth=found.depth if found else 0,
            leaves=found.leaves if found else 0,
            particles=len(particles),
            effective=particles.effective,
            rescue=self.belief.last_rescue,
            astray=not particles.fits_all,
            overrun=budget is not None and seconds > TOLERANCE * budget,
        )
        return Choice(move, report)

    def _search(self, belief: Belief, view: View, seed: int, seconds: float | None) -> tuple[TryValues, int]:
        """Search histories of the belief: a fixed number, or as many as there is time for; say how many that was."""
        lists = None
        if self.samples is None:
            rows, weights = belief.shuffled(subseed(seed, DRAWING))
        elif self.further is None:
            rows, weights = belief.draw(self.samples, subseed(seed, DRAWING))
        else:
            self._sample = self._drawn(belief, view, self.samples, self.further, subseed(seed, DRAWING))
            rows, weights, lists = self._sample
        tries = tries_of(rows[0], view.pawn_tries != 0, [encode_move(move) for move in view.refused])
        found = search(rows, weights, tries, self.depth, self.backup, self.evaluator, belief.terms, seconds, lists)
        return found, found.boards if self.samples is None else int(weights[: found.boards].sum())

    def _drawn(self, belief: Belief, view: View, samples: int, further: int, seed: int) -> Sample:
        """Draw the histories for a try: all at the first of a turn; later a few more, to join those still possible."""
        sample = self._sample
        if sample is None or not view.refused:
            rows, counts = belief.draw(samples, seed)
            sample = Sample(rows[:0], counts[:0], Lists.empty(len(rows) + 16 * further, self.depth))
        else:
            rows, counts = belief.draw(further, seed)
        kept = np.empty(0, np.int64)
        if len(sample.rows):
            kept = list_refusing(sample.rows, encode_move(view.refused[-1]))
        return sample.having(kept, rows, counts)
