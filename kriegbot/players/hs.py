"""The player HS of Parker, Nau and Subrahmanian (IJCAI 2005), and its relatives LOS, AOS and AOSP.

"Game-Tree Search with Combinatorially Large Belief States" searches sampled boards like ordinary chess and plays the
move with the best sum of values. The players differ in their boards. LOS: boards consistent with the last observation.
AOS: boards consistent with all observations. AOSP: such boards from a pool that lasts from turn to turn. HS begins like
AOSP, and boards of the last observation replace those that the pool runs out of. HS won 24% more often than the others.

Where the paper gives no details: the pool is `belief.pool.Pool`, and AOS builds a new one each turn. AOS and AOSP use
boards of the last observation only once the pool is empty. Every board counts the same. After a refusal the boards on
which the try is illegal stay, with their values. The evaluator is KS; the paper's was like that of GNU Chess.
"""

from typing import Any, Literal

import numpy as np

from evaluators import EVALUATORS, load_evaluator
from kriegbot.belief.last_observation import last_observation
from kriegbot.belief.particles import list_consistent
from kriegbot.belief.pool import Pool
from kriegbot.kernels import IntArray, MoveArray, Rows, decode_move, kernel_rules, random_numbers, subseed
from kriegbot.options import Option
from kriegbot.players.base import PlayerKind
from kriegbot.players.search import SearchPlayer
from kriegbot.report import Report
from kriegbot.search.information_set import are_open, tries_in
from kriegbot.search.perfect_information import value_boards
from kriegbot.search.policy import Policy, equal_policy, policy_from
from kriegbot.search.sampled import DRAWING
from kriegbot.search.search import stop_after
from referee import View

BOARDS_A_SECOND = 5_000  # boards for each second of a try, about as many as it can search to depth 2
POOLING = 2  # sub-seed of a try for building a new pool, beside those of `players.search`


class HybridSearch:
    """Search of one side and one game on at most `wanted` sampled boards for each try, each as if both sides saw it."""

    def __init__(
        self,
        depth: int = 2,
        wanted: int = BOARDS_A_SECOND,
        pool: int = 1_000,
        sampling: Literal["hs", "los", "aos", "aosp"] = "hs",
        evaluator: str = "ks",
        seed: int = 0,
    ) -> None:
        self.depth, self.wanted, self.most, self.sampling, self.seed = depth, wanted, pool, sampling, seed
        self.evaluator: Any = load_evaluator(evaluator)
        self.pool: Pool | None = None
        self._ply, self._events_seen = -1, 0  # ply of the boards, and number of events that they are consistent with
        self._boards: Rows = np.empty((0, 8), np.uint64)
        self._tries: MoveArray = np.empty(0, np.int32)
        self._values: IntArray = np.empty((0, 0), np.int64)  # [N, M] of the open tries on the first N boards
        self._is_filled_up = False  # True if boards of the last observation are among the boards

    def update(self, view: View, seconds: float | None = None) -> None:  # noqa: ARG002 - a Search's signature
        """Take in the new events of a view, and fill up the boards."""
        seed, is_new = subseed(self.seed, view.ply, len(view.refused)), view.ply != self._ply
        if is_new and self.sampling == "aos":
            self.pool = Pool(view, self.most, subseed(seed, POOLING))
        elif self.pool is None and self.sampling != "los":
            self.pool = Pool(view, self.most, self.seed)
        elif self.pool is not None:
            self.pool.update(view)
        if is_new:
            self._boards = self.pool.particles.rows if self.pool else self._boards[:0]
            self._tries, self._values, self._is_filled_up = self._tries[:0], self._values[:0, :0], False
        else:
            left = list_consistent(self._boards, view.events[self._events_seen :])
            self._boards, self._values = self._boards[left], self._values[left[left < len(self._values)]]
        self._ply, self._events_seen = view.ply, len(view.events)
        missing = self.wanted - len(self._boards)
        is_hybrid = self.sampling == "hs" and self.pool is not None and not self.pool.particles.is_exact
        if len(self._boards) == 0 or (is_hybrid and missing > 0):
            self._boards = np.concatenate([self._boards, last_observation(view, missing, seed)])
            self._is_filled_up = True
        if is_new:
            shuffled = np.argsort(random_numbers(subseed(seed, DRAWING), len(self._boards)), kind="stable")
            self._boards = self._boards[shuffled]

    def policy(self, view: View, seconds: float | None) -> Policy:
        """Return a policy of equal weights for the tries of the highest sum; without a board, for all open tries."""
        sums, leaves, depth = self._search(view, seconds) if len(self._boards) else (None, 0, 0)
        report = Report(
            samples=len(self._values),
            depth=depth,
            leaves=leaves,
            particles=len(self.pool.particles) if self.pool else 0,
            effective=self.pool.particles.effective if self.pool else 0.0,
            rescue="blind" if self.pool and len(self.pool.particles) == 0 else "",
            belief_inconsistent=self._is_filled_up,
        )
        if sums is None:  # no board is consistent with the refusals of this turn
            return equal_policy(view.tries(), report)
        is_open = are_open(view, self._tries)
        tries = [decode_move(int(move)) for move in self._tries[is_open]]
        return policy_from(tries, sums[is_open] / max(1, len(self._values)), report)

    def _search(self, view: View, seconds: float | None) -> tuple[IntArray, int, int]:
        """Return the sum [M] of each open try's values, the positions evaluated, and the depth reached."""
        tries = tries_in(view, self._boards[0])
        self._values, self._tries = self._values[:, np.isin(self._tries, tries)], tries
        rules, done, wanted = kernel_rules(view.rules, view.limits), len(self._values), self.wanted
        with stop_after(seconds) as stop:
            more, leaves = value_boards(self._boards[done:wanted], self._tries, self.depth, self.evaluator, rules, stop)
        self._values = np.concatenate([self._values, more]) if done else more
        if len(self._values) == 0:  # not one board is done; depth 1 takes less than a millisecond
            with stop_after(None) as stop:
                values, more_leaves = value_boards(self._boards[:1], self._tries, 1, self.evaluator, rules, stop)
            return values.sum(axis=0), leaves + more_leaves, 1
        return self._values.sum(axis=0), leaves, self.depth


SAMPLING = ("hs", "los", "aos", "aosp")


def _make(seed: int, time: float, samples: int | None = None, **settings: Any) -> SearchPlayer:
    wanted = max(1, int(BOARDS_A_SECOND * time)) if samples is None else samples
    search = HybridSearch(wanted=wanted, seed=seed, **settings)
    return SearchPlayer(search, time if samples is None else None, seed=seed)


hs = PlayerKind(
    "searches boards as if both sides saw them (HS, IJCAI 2005)",
    _make,
    (
        Option("depth", int, "plies to look ahead, before quiescence", 2, 1, 4),
        Option("time", float, "budget for each try", 1.0, 0.01, 3600, unit="seconds"),
        Option("samples", int, "boards searched per try, instead", None, 1, 1_000_000, default_text="by time"),
        Option("pool", int, "most boards of the pool", 1_000, 1, 1_000_000, is_experimental=True),
        Option("sampling", str, "where boards come from", "hs", choices=SAMPLING, is_experimental=True),
        Option("evaluator", str, "evaluator of leaves", "ks", parts=EVALUATORS),
    ),
    exclusive=("time", "samples"),
    words="Looks ahead as if both of you saw the whole board",
    rank=3,
    has_kernels=True,
)
