"""A player that chooses by a search: the players of Parker, Nau and Subrahmanian (AAAI 2006), and others.

One turn: the search takes in what is new in the view, and answers with a policy over the open tries; one is drawn.
"""

import math
import time
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from kriegbot.endgames.mating import Finishing
from kriegbot.kernels import subseed
from kriegbot.players.base import Choice, PlayerKind
from kriegbot.players.human import try_name
from kriegbot.search.policy import Policy, Search
from kriegbot.search.sampled import SampledSearch
from kriegbot.search.settings import OPTIONS, Settings
from referee import View

TOLERANCE = 1.05
"""A choice that takes longer than this many times its budget counts as an overrun."""
RESERVE = 0.02
"""Share of a budget kept back for what comes after the search, and for a busy machine's late clock."""
MIN_PARTICLES, MAX_PARTICLES, PARTICLES_PER_SECOND = 500, 50_000, 100_000
"""Boards in the belief by default. A turn of the opponent takes a second for a million or more of them."""
FIRST_SHARE, FURTHER_SHARE = 0.35, 0.2
"""Shares of what is left of a turn's budget that the search for its first try and for each further one take."""
FOR_RESCUES = 0.5
"""Share of what is left of it after which replays of the belief end."""
CHOOSING = 1
"""Use of randomness within one try, besides that of `search.sampled`, with a seed of its own."""


class SearchPlayer:
    """Plays one game for one side by a search.

    Args:
      search: asked for a policy at every try.
      seconds: budget for the first try of a turn, from the view's arrival; None if the search works by samples.
      extra: budget for each further try of a turn; as `seconds` if None.
      is_for_turn: whether `seconds` is the budget of a whole turn, all its tries together.
      seed: of the draw from the policy; with samples, the same seed answers the same views with the same tries, on any
        machine.
    """

    def __init__(
        self,
        search: Search,
        seconds: float | None = None,
        extra: float | None = None,
        seed: int = 0,
        *,
        is_for_turn: bool = False,
    ) -> None:
        self.search, self.seconds, self.seed = search, seconds, seed
        self._turn = seconds if is_for_turn else None
        self.extra = seconds if extra is None or seconds is None else extra
        self._ply, self._left = -1, 0.0

    def choose(self, view: View) -> Choice:
        """Answer a view in which it is our turn with a try drawn from the policy."""
        begun = time.perf_counter()
        if self._turn is not None and view.ply != self._ply:
            self._ply, self._left = view.ply, self._turn
        self.search.update(view, None if self._turn is None else FOR_RESCUES * self._left)
        spent = time.perf_counter() - begun
        budget = self.extra if view.refused else self.seconds
        if self._turn is not None:
            budget = spent + (FURTHER_SHARE if view.refused else FIRST_SHARE) * (self._left - spent)
        left = None if budget is None else (1 - RESERVE) * budget - spent
        policy = self.search.policy(view, left)
        move = policy.choose(subseed(subseed(self.seed, view.ply, len(view.refused)), CHOOSING))
        seconds = time.perf_counter() - begun
        self._left -= seconds
        overrun = budget is not None and seconds > TOLERANCE * budget
        if self._turn is not None:
            overrun = self._left < (1 - TOLERANCE) * self._turn
        report = replace(policy.report, why=policy.report.why or why(view, policy), seconds=seconds, overrun=overrun)
        return Choice(move, report)


def search_player(settings: Settings, seed: int = 0) -> SearchPlayer:
    """A player that searches sampled histories; `seed` is of all its randomness."""
    if settings.samples is not None:
        settings = replace(settings, time=None, extra=None)
    if settings.particles is None:
        shortest = min((budget for budget in (settings.time, settings.extra) if budget is not None), default=math.inf)
        most = int(max(MIN_PARTICLES, min(MAX_PARTICLES, PARTICLES_PER_SECOND * shortest)))
        settings = replace(settings, particles=most)
    search: Search = SampledSearch(settings, seed)
    if settings.finishes:
        search = Finishing(search, seed)
    return SearchPlayer(search, settings.time, settings.extra, seed, is_for_turn=settings.is_for_turn)


def search_kind(summary: str, words: str, rank: int, settings: Settings, offered: Iterable[str]) -> PlayerKind:
    """A kind of player that searches by some settings, and offers some of them as options."""

    def make(seed: int, **chosen: Any) -> SearchPlayer:
        return search_player(replace(settings, **chosen), seed)

    options = tuple(OPTIONS[name] for name in offered)
    return PlayerKind(summary, make, options, ("time", "samples"), words, rank, has_kernels=True)


SHOWN = 3
"""Tries that the line names."""


def why(view: View, policy: Policy) -> str:
    """Such as "812 boards; best: exd5 +1.20 (38% legal), Nf3 +0.31, Qe2 +0.30"; values in pawns."""
    boards = policy.report.particles
    believed = f"{boards:,} board{'s' * (boards != 1)}" if boards else "no board"
    if policy.report.astray:
        believed += " consistent with the last announcement only"
    can_be_chosen = np.flatnonzero((policy.weights > 0) | ~np.isnan(policy.values))
    best_first = np.lexsort((-policy.values[can_be_chosen], policy.weights[can_be_chosen] == 0))
    tries = []
    for i in can_be_chosen[best_first[:SHOWN]]:
        text = try_name(policy.tries[i], view)
        if not np.isnan(policy.values[i]):
            text += f" {policy.values[i] / 100:+.2f}"
        if policy.legal is not None and policy.legal[i] < 1:
            text += f" ({policy.legal[i]:.0%} legal)"
        tries.append(text)
    return f"{believed}; best: {', '.join(tries)}"
