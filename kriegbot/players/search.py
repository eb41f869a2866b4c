"""Players that draw each try from the policy of a search, such as those of Parker, Nau and Subrahmanian (AAAI 2006)."""

import math
import time
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from typing import Any

import chess
import numpy as np

from kriegbot.kernels import subseed
from kriegbot.players.base import Choice, PlayerKind
from kriegbot.players.human import try_name
from kriegbot.search.finishing import Finishing
from kriegbot.search.policy import Policy, Search
from kriegbot.search.sampled import SampledSearch
from kriegbot.search.settings import OPTIONS, Settings
from referee import Referee, View

TOLERANCE = 1.05  # a choice that takes longer than this many times its budget counts as an overrun
RESERVE = 0.02  # share of a budget reserved for the work after the search and for timers that fire late
FIRST_SHARE, LATER_SHARE = 0.35, 0.2
"""Shares of the rest of a turn's budget for the search of its first try and of each later one."""
UNSEARCHED = 0.1  # share of a turn's budget for what later tries cost without a search
RESCUE_SHARE = 0.5  # share of that rest after which replays of the belief end
CHOOSING = 1  # step in `subseed` from a try's seed, beside `search.sampled.DRAWING`


class SearchPlayer:
    """Player of one game by a search.

    Args:
      search: gives a policy for every view.
      seconds: budget for the first try of a turn, from the view's arrival; None if the search works by samples.
      retry_time: budget for each later try of a turn; as `seconds` if None.
      is_for_turn: True if `seconds` is the budget of a whole turn, all its tries together.
      seed: of the draw from the policy; with samples, a seed answers the same views alike on any machine.
    """

    def __init__(
        self,
        search: Search,
        seconds: float | None = None,
        retry_time: float | None = None,
        seed: int = 0,
        *,
        is_for_turn: bool = False,
    ) -> None:
        self.search, self.seconds, self.seed = search, seconds, seed
        self._turn_budget = seconds if is_for_turn else None
        self.retry_time = seconds if retry_time is None or seconds is None else retry_time
        self._ply, self._budget_left, self._turn_left = -1, 0.0, math.inf

    def on_time(self, seconds: float) -> None:
        """Limit the next try to a share of the seconds that a clock leaves for its turn, if the search is by time."""
        self._turn_left = seconds

    def choose(self, view: View) -> Choice:
        """Answer a view in which it is our turn with a try drawn from the policy."""
        begun, turn_budget = time.perf_counter(), self._turn_budget
        if turn_budget is not None and view.ply != self._ply:
            self._ply, self._budget_left = view.ply, turn_budget
        rest = math.inf if self.seconds is None else self._turn_left
        rest = rest if turn_budget is None else min(rest, self._budget_left)
        self.search.update(view, None if rest == math.inf else RESCUE_SHARE * rest)
        spent = time.perf_counter() - begun
        kept = UNSEARCHED * (turn_budget or 0.0)
        share = spent + (LATER_SHARE * (rest - spent - kept) if view.refused else FIRST_SHARE * (rest - spent))
        budget = self.retry_time if view.refused else self.seconds
        if budget is not None:
            budget = share if turn_budget is not None else min(budget, share)
        left = None if budget is None else (1 - RESERVE) * budget - spent
        policy = self.search.policy(view, left)
        move = policy.choose(subseed(subseed(self.seed, view.ply, len(view.refused)), CHOOSING))
        seconds = time.perf_counter() - begun
        self._budget_left -= seconds
        overrun = budget is not None and seconds > TOLERANCE * budget
        if turn_budget is not None:
            overrun = -self._budget_left > (TOLERANCE - 1) * turn_budget
        report = replace(policy.report, why=policy.report.why or why(view, policy), seconds=seconds, overrun=overrun)
        return Choice(move, report)


@cache
def _load_kernels(settings: Settings) -> None:
    """Load what a turn needs before the clock of the first turn runs: it takes 0.3 s, once in a process."""
    referee, search = Referee(), SampledSearch(replace(settings, samples=1, particles=100))
    for move in ("e2e4", "e7e5"):
        referee.try_move(chess.Move.from_uci(move))
    search.update(referee.view(chess.WHITE))
    search.policy(referee.view(chess.WHITE), None)


def search_player(settings: Settings, seed: int = 0) -> SearchPlayer:
    """Return a player that searches sampled histories; `seed` is of all its randomness."""
    search: Search = SampledSearch(settings, seed)
    if settings.use_endings:
        search = Finishing(search, seed)
    seconds = settings.time if settings.samples is None else None
    if seconds is not None:
        _load_kernels(settings)
    return SearchPlayer(search, seconds, settings.retry_time, seed, is_for_turn=settings.is_for_turn)


def search_kind(summary: str, words: str, rank: int, settings: Settings, offered: Iterable[str]) -> PlayerKind:
    """Return a kind of player that searches by some settings, and offers some of them as options."""

    def make(seed: int, **chosen: Any) -> SearchPlayer:
        return search_player(replace(settings, **chosen), seed)

    options = tuple(OPTIONS[name] for name in offered)
    return PlayerKind(summary, make, options, ("time", "samples"), words, rank, has_kernels=True)


SHOWN = 3  # tries in the line of `why`


def why(view: View, policy: Policy) -> str:
    """Return a line such as "812 boards; best: exd5 +1.20 (38% legal), Nf3 +0.31, Qe2 +0.30"; values in pawns."""
    boards = policy.report.particles
    believed = f"{boards:,} board{'s' * (boards != 1)}" if boards else "no board"
    if policy.report.belief_inconsistent:
        believed += " that may contradict an announcement"
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


search = search_kind(
    "searches; backup rule and opponent model are yours to choose",
    "Looks ahead as its options say; for experiments",
    rank=5,
    settings=Settings(),
    offered=OPTIONS,
)
