"""Statistical sampling: draw histories from the belief, value their tries, choose the best.

This is the search of Parker, Nau and Subrahmanian (AAAI 2006). The paper does not say how it broke ties, which are rare
for sums and common for minima: here `Settings.ties` decides, at random by default. Nor does it say which announcements
its histories fit: here `Settings.boards` decides, all of them by default. Ideas that adjust
values are in `adjustments`.
"""

import time
from dataclasses import replace
from itertools import takewhile
from typing import NamedTuple

import numpy as np

from kriegbot.belief.belief import Belief
from kriegbot.belief.last_observation import last_observation
from kriegbot.belief.particles import list_consistent
from kriegbot.belief.perturbation import with_king_moved
from kriegbot.belief.pool import Pool
from kriegbot.kernels import RealArray, Rows, decode_move, position_announcement, random_numbers, side_of, subseed
from kriegbot.models import load_opponent
from kriegbot.search.adjustments import ADJUSTMENTS, Context, Placements, adjusted
from kriegbot.search.information_set import InformationSet, are_open
from kriegbot.search.perfect_information import BoardValues
from kriegbot.search.policy import OPENING_PLIES, Policy, equal_policy, policy_from, report_of
from kriegbot.search.search import TryValues, search_tries
from kriegbot.search.settings import Method, Settings
from kriegbot.search.tree import Lists
from referee import OpponentMoved, View

MOST_DRAWN = 3000  # histories drawn for a search by time if `resample` is set, or `boards` is not "all"
MOST_UNCERTAIN = 5  # most opponent's pieces for which `Settings.king_uncertainty` counts
DRAWING, ORDERING = 0, 0
"""Steps in `subseed`: from a try's seed to that of drawing its histories, and from there to that of their order."""
SHORTEST = 0.001
"""Seconds below which a later try of a turn is chosen by the last values: the shortest search takes longer."""
PERFECT_INFORMATION_SHARE = 0.4  # share of a search's time that is reserved for `search.perfect_information`


class Sample(NamedTuple):
    """Histories of one turn: boards [n, 8], their weights [n], and their lists of moves."""

    rows: Rows
    weights: RealArray
    lists: Lists


class SampledSearch:
    """Search of one side and one game on histories drawn from a belief.

    With `samples` the same seed finds the same policies, on any machine. Raises `kriegbot.parts.NotFound`.
    """

    def __init__(self, settings: Settings, seed: int = 0) -> None:
        self.settings, self.seed = settings, seed
        self.method, self.belief_model = Method.of(settings), load_opponent(settings.belief_model)
        self.belief: Belief | None = None
        self._sample: Sample | None = None
        self._pool: Pool | None = None
        self._sample_events = 0
        """Number of the view's events that the sample fits."""
        self._board_values: tuple[int, BoardValues] | None = None
        """Ply of the current turn, and perfect-information values of its boards."""
        self._placements = Placements()
        self._valued: tuple[int, TryValues] | None = None  # ply of the last search, and what it found

    def update(self, view: View, seconds: float | None = None) -> None:
        """Take in the new events of a view; `seconds` as for `Belief.update`."""
        settings = self.settings
        self._placements.note(view)
        if self.belief is None:
            most, model, attempts = settings.most_particles, self.belief_model, settings.recovery_attempts
            self.belief = Belief(
                view, most, self.seed, model, recovery_attempts=attempts, seconds=seconds, threads=settings.threads
            )
        else:
            self.belief.update(view, seconds)
        if self._pool is not None:
            self._pool.update(view)
        elif settings.boards == "pool":
            self._pool = Pool(view, settings.samples or MOST_DRAWN, self.seed, is_renewed=True)

    def policy(self, view: View, seconds: float | None) -> Policy:
        """Return a policy: the best tries by `Settings.ties`, or with a temperature all candidates by value."""
        belief, settings, last = self.belief, self.settings, self._valued
        if belief is None:
            raise ValueError("policy before update: there is no belief yet")
        if len(belief.particles) == 0:  # not even a blind guess is consistent with this turn's refusals
            return equal_policy(view.tries(), report_of(belief))
        if last is None or last[0] != view.ply or seconds is None or seconds >= SHORTEST:
            found = self._search(belief, view, seconds)
            self._valued, report = (view.ply, found), report_of(belief, found.boards, found.depth, found.leaves)
        else:
            found, report = last[1], report_of(belief)
        is_open = are_open(view, found.tries)
        return policy_from(
            [decode_move(int(move)) for move in found.tries[is_open]],
            found.values[is_open],
            report,
            found.legal[is_open],
            # if refusals cost plies, the value of a surely illegal try includes that cost, so the try may stay
            hopeless=settings.hopeless if self.method.free_refusals else None,
            temperature=settings.temperature[view.ply >= OPENING_PLIES],
            ties=settings.ties,
        )

    def _search(self, belief: Belief, view: View, seconds: float | None) -> TryValues:
        settings, method = self.settings, self.method
        deadline = None if seconds is None else time.perf_counter() + seconds
        seed = subseed(subseed(self.seed, view.ply, len(view.refused)), DRAWING)
        rows, weights, lists = self._histories(belief, view, seed)
        histories = InformationSet.of(view, rows, weights)
        share = 1.0 - PERFECT_INFORMATION_SHARE if settings.perfect_info_weight else 1.0
        limit = None if deadline is None else share * (deadline - time.perf_counter())
        temperature = settings.temperature[view.ply >= OPENING_PLIES]
        tries, is_open = [decode_move(int(move)) for move in histories.tries], are_open(view, histories.tries)
        may_prune = bool(is_open.all()) and not (temperature or any(getattr(settings, name) for name in ADJUSTMENTS))
        result = search_tries(histories, method, limit, lists, may_prune)
        if self._board_values is None or self._board_values[0] != view.ply:
            self._board_values = view.ply, BoardValues(histories, method)
        seen, board_values, legal = self._placements, self._board_values[1], result.legal
        context = Context(settings, method, view, histories, tries, is_open, legal, seen, board_values, seed, deadline)
        searched = result.boards if settings.samples is None else int(weights[: result.boards].sum())
        return replace(result, values=adjusted(result.values, context), boards=searched)

    def _histories(self, belief: Belief, view: View, seed: int) -> tuple[Rows, RealArray, Lists | None]:
        """Return boards, weights, and the lists of their moves if `Settings.resample` keeps some after a refusal."""
        more, sample, news = self.settings.resample, self._sample, view.events[self._sample_events :]
        if more is None:
            is_whole = self.settings.samples is None and self.settings.boards == "all"
            return *(belief.shuffled(seed) if is_whole else self._draw(belief, view, seed)), None
        self._sample_events = len(view.events)
        if sample is None or any(isinstance(event, OpponentMoved) for event in news):
            sample = self._sample = None  # its lists take much memory
            rows, weights = self._draw(belief, view, seed)
            places = len(rows) + min(16 * more, 2000)  # 29 KB each; the lists grow when more refusals need some
            lists = Lists.empty(places, self.method.depth, len(self.method.backup.start))
            sample = Sample(rows[:0], weights[:0], lists)
        else:
            rows, weights = self._draw(belief, view, seed, more)
        kept = list_consistent(sample.rows, news)
        rows, weights = np.concatenate([sample.rows[kept], rows]), np.concatenate([sample.weights[kept], weights])
        self._sample = Sample(rows, weights, sample.lists.keep_histories(kept, len(rows) - len(kept)))
        return self._sample

    def _draw(self, belief: Belief, view: View, seed: int, more: int | None = None) -> tuple[Rows, RealArray]:
        """Draw histories, or only `more`, in random order if the search is by time; see `Particles.draw`."""
        samples = more or self.settings.samples or MOST_DRAWN
        rows = last_observation(view, samples, seed) if self.settings.boards == "last" else np.empty((0, 8), np.uint64)
        counts = np.ones(len(rows))
        if len(rows) == 0:
            pool = self._pool.particles if self._pool else belief.particles
            rows, counts = (pool if len(pool) else belief.particles).draw(samples, seed)
        if self.settings.samples is not None:
            return self._with_other_kings(belief, view, rows, counts, seed)
        # time may end the search within them, and beliefs and pools keep boards of one origin together
        order = np.argsort(random_numbers(subseed(seed, ORDERING), len(rows)), kind="stable")
        return rows[order], counts[order]

    def _with_other_kings(
        self, belief: Belief, view: View, rows: Rows, counts: RealArray, seed: int
    ) -> tuple[Rows, RealArray]:
        """Add boards on which the king stands a step away: a small belief may be sure of a wrong square."""
        share = self.settings.king_uncertainty
        if not share or belief.particles.is_exact or view.opponent_men > MOST_UNCERTAIN:
            return rows, counts
        code, rules = position_announcement(view, len(view.events))
        others = with_king_moved(belief.particles, side_of(not view.color), code, rules, int(counts.sum()), seed)
        this_turn = takewhile(lambda event: not isinstance(event, OpponentMoved), view.events[::-1])
        others = others[list_consistent(others, this_turn)]
        weight = share / (1.0 - share) * counts.sum() / max(1, len(others))
        return np.concatenate([rows, others]), np.concatenate([counts, np.full(len(others), weight)])
