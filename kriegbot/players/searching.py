"""A player that chooses by a search: the players of Parker, Nau and Subrahmanian (AAAI 2006), and others.

One turn: the search takes in what is new in the view, and answers with a policy over the open tries; one is drawn.
"""

import math
import time
from dataclasses import asdict, replace
from typing import Literal

from evaluators import load_evaluator
from kriegbot.kernels import subseed
from kriegbot.models import load_opponent
from kriegbot.players.base import Choice, Report
from kriegbot.players.explaining import why
from kriegbot.search.backup import Backup
from kriegbot.search.policy import Search
from kriegbot.search.sampled import SampledSearch
from kriegbot.search.settings import Method
from referee import View

TOLERANCE = 1.05
"""A choice that takes longer than this many times its budget counts as an overrun."""
RESERVE = 0.02
"""Share of a budget kept back for what comes after the search, and for a busy machine's late clock."""
MIN_PARTICLES, MAX_PARTICLES, PARTICLES_PER_SECOND = 500, 50_000, 100_000
"""Boards in the belief by default. A turn of the opponent takes a second for a million or more of them."""
FIRST_SHARE, FURTHER_SHARE = 0.4, 0.2
"""Shares of what is left of a turn's budget that its first try and each further one take."""
FOR_RESCUES = 0.5
"""Share of a try's budget after which no more rescues of the belief are begun, if the budget is that of a turn."""
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

    def _budget(self, view: View) -> float | None:
        """Seconds for this try."""
        if self._turn is None:
            return self.extra if view.refused else self.seconds
        if view.ply != self._ply:
            self._ply, self._left = view.ply, self._turn
        return (FURTHER_SHARE if view.refused else FIRST_SHARE) * self._left

    def choose(self, view: View) -> Choice:
        """Answer a view in which it is our turn with a try drawn from the policy."""
        begun = time.perf_counter()
        budget = self._budget(view)
        self.search.update(view, None if self._turn is None or budget is None else FOR_RESCUES * budget)
        left = None if budget is None else (1 - RESERVE) * budget - (time.perf_counter() - begun)
        policy = self.search.policy(view, left)
        move = policy.choose(subseed(subseed(self.seed, view.ply, len(view.refused)), CHOOSING))
        seconds = time.perf_counter() - begun
        self._left -= seconds
        overrun = budget is not None and seconds > TOLERANCE * budget
        if self._turn is not None:
            overrun = self._left < (1 - TOLERANCE) * self._turn
        searched = replace(policy.searched, why=policy.searched.why or why(view, policy))
        return Choice(move, Report(seconds=seconds, overrun=overrun, **asdict(searched)))


def sampling_player(
    backup: Backup,
    depth: int = 2,
    seconds: float | None = 1.0,
    *,
    samples: int | None = None,
    extra: float | None = None,
    further: int | None = None,
    particles: int | None = None,
    evaluator: str = "ks",
    opponent: str = "uniform",
    filtering: str = "uniform",
    free: int = 0,
    exchange: float = 0.0,
    insight: float = 0.0,
    repeated: float = 0.0,
    impatience: float = 0.0,
    scale: float = 0.0,
    ties: Literal["random", "first", "last"] = "random",
    boards: Literal["all", "last"] = "all",
    seed: int = 0,
) -> SearchPlayer:
    """A player that searches sampled histories.

    Args:
      backup: how values are combined, such as overconfident or paranoid.
      depth: plies to look ahead, >= 1.
      seconds: budget for the first try of a turn; not used if `samples` is given.
      samples: number of histories drawn for each search, instead of a time.
      extra: budget in seconds for each further try of a turn; as `seconds` if None.
      further: number of histories drawn for each further try of a turn, added to those of the previous try in which it
        was illegal; if None, `samples` are redrawn.
      particles: the most boards that the belief holds; if None, 50,000, or fewer if the budget is so short that
        updating them would take much of it.
      evaluator: name of the leaf evaluator.
      opponent: name of the search's opponent model.
      filtering: name of the belief's.
      free: refused tries in a row that cost no ply.
      exchange: share of exchanges after a capture that a leaf counts.
      insight: probability that the opponent's last reply is the worst for us.
      repeated: centipawns that a try costs for each earlier turn with our men placed as after it.
      impatience: centipawns that a pawn's move gains for each of our turns since anything was taken or our pawns moved.
      scale: centipawns that count as a game nearly won; 0 for no such limit.
      ties: which of the best tries is chosen.
      boards: what drawn histories fit: all that was heard, or the last observation alone.
      seed: of all randomness.
    """
    if samples is not None:
        seconds = extra = None
    if particles is None:
        shortest = min((budget for budget in (seconds, extra) if budget is not None), default=math.inf)
        particles = int(max(MIN_PARTICLES, min(MAX_PARTICLES, PARTICLES_PER_SECOND * shortest)))
    method = Method(depth, backup, load_evaluator(evaluator), load_opponent(opponent), free, exchange, insight, scale)
    search = SampledSearch(
        method, particles, samples, further, load_opponent(filtering), seed, 0.0, repeated, impatience, ties, boards
    )
    return SearchPlayer(search, seconds, extra, seed)
