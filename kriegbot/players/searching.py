"""The players of Parker, Nau and Subrahmanian (AAAI 2006): overconfident and paranoid information-set search.

One turn: the view's news go into the belief, histories are drawn from it, the search values every open try, the best is
played. Ties, which are rare for sums and common for minima, are broken at random: the paper does not say how it did.
"""

import math
import time
from typing import Any

from evaluators import load_evaluator
from kriegbot.belief.belief import Belief
from kriegbot.kernels.position import decode_move, encode_move
from kriegbot.kernels.random import subseed, uniforms
from kriegbot.players.base import Choice, Report
from kriegbot.search.backup import Backup
from kriegbot.search.search import TryValues, search, tries_of
from referee import View

TOLERANCE = 1.05
"""A choice that takes longer than this many times its budget counts as an overrun."""
RESERVE = 0.02
"""Share of a budget kept back for what comes after the search, and for a busy machine's late clock."""
LEAST_PARTICLES, MOST_PARTICLES, PARTICLES_A_SECOND = 500, 50_000, 100_000
"""Boards in the belief by default. A turn of the opponent takes a second for some 500,000 of them."""
DRAWING, CHOOSING = 0, 1
"""Uses of randomness within one try, each with a seed of its own."""


class SearchPlayer:
    """Plays one game for one side by information-set search."""

    def __init__(
        self,
        backup: Backup,
        depth: int = 2,
        seconds: float | None = 1.0,
        samples: int | None = None,
        extra: float | None = None,
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
        self.evaluator: Any = load_evaluator(evaluator)
        self.belief: Belief | None = None

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
        if self.samples is None:
            rows, weights = belief.shuffled(subseed(seed, DRAWING))
        else:
            rows, weights = belief.draw(self.samples, subseed(seed, DRAWING))
        tries = tries_of(rows[0], view.pawn_tries != 0, [encode_move(move) for move in view.refused])
        found = search(rows, weights, tries, self.depth, self.backup, self.evaluator, belief.terms, seconds)
        return found, found.boards if self.samples is None else int(weights[: found.boards].sum())
