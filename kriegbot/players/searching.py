"""The players of Parker, Nau and Subrahmanian (AAAI 2006): overconfident and paranoid information-set search.

One turn: the view's news go into the belief, histories are drawn from it, the search values every open try, the best is
played. Ties, which are rare for sums and common for minima, are broken at random: the paper does not say how it did.
"""

import time
from typing import Any

from evaluators import load_evaluator
from kriegbot.belief.belief import Belief
from kriegbot.kernels.position import decode_move, encode_move
from kriegbot.kernels.random import subseed, uniforms
from kriegbot.players.base import Choice, Report
from kriegbot.search.backup import Backup
from kriegbot.search.search import search, tries_of
from referee import View

TOLERANCE = 1.05
"""A choice that takes longer than this many times its budget counts as an overrun."""
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
        extra: float = 1.0,
        particles: int = 50_000,
        evaluator: str = "ks",
        seed: int = 0,
    ) -> None:
        """Set up a player.

        Args:
          backup: overconfident or paranoid.
          depth: plies to look ahead, >= 1.
          seconds: budget for the first try of a turn, from the view's arrival on; None if `samples` is given.
          samples: number of histories drawn for each search, instead of a time.
          extra: budget in seconds after an illegal try.
          particles: how many boards the belief holds at most.
          evaluator: name of the leaf evaluator.
          seed: with `samples`, the same seed answers the same views with the same tries, on any machine.
        """
        self.backup, self.depth, self.seconds, self.samples, self.extra = (
            backup,
            depth,
            seconds,
            samples,
            extra,
        )
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
        belief = self.belief
        if len(belief.particles) == 0:  # not even a blind guess fits what was heard this turn
            open_tries = view.tries()
            guess = open_tries[int(uniforms(subseed(self.seed, view.ply, len(view.refused)), 1)[0] * len(open_tries))]
            return Choice(guess, Report(seconds=time.perf_counter() - begun, rescue=belief.last_rescue or "blind"))
        refused = [encode_move(move) for move in view.refused]
        seed = subseed(self.seed, view.ply, len(refused))
        budget = self.extra if refused else self.seconds
        left = None
        if self.samples is None and budget is not None:
            left = budget - (time.perf_counter() - begun)
            rows, weights = belief.shuffled(subseed(seed, DRAWING))
        else:
            rows, weights = belief.draw(self.samples or self.particles, subseed(seed, DRAWING))
        tries = tries_of(rows[0], view.pawn_tries != 0, refused)
        found = search(rows, weights, tries, self.depth, self.backup, self.evaluator, belief.terms, seconds=left)
        best = found.best()
        move = best[int(uniforms(subseed(seed, CHOOSING), 1)[0] * len(best))]
        seconds = time.perf_counter() - begun
        report = Report(
            seconds=seconds,
            samples=self.samples or found.boards,
            depth=found.depth,
            leaves=found.leaves,
            particles=len(belief.particles),
            effective=belief.particles.effective,
            rescue=belief.last_rescue,
            overrun=left is not None and budget is not None and seconds > TOLERANCE * budget,
        )
        return Choice(decode_move(move), report)
