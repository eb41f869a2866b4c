"""A chess engine as a Kriegspiel player: any UCI program values the moves of boards drawn from our belief.

Like HS it values each board as chess that both sides see, but with a program that plays chess far better. The papers
have no such player. The value of a try is that of `search.perfect_information`.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import chess
import chess.engine
import numpy as np

from kriegbot import kernels as kb
from kriegbot.belief.belief import Belief
from kriegbot.endgames.mating import Finishing
from kriegbot.kernels import subseed
from kriegbot.models import load_opponent
from kriegbot.parts import NotFound, Option, Programs
from kriegbot.players.base import PlayerKind
from kriegbot.players.search import SearchPlayer
from kriegbot.search.adjustments import Placements
from kriegbot.search.perfect_information import squash, values_of_tries
from kriegbot.search.policy import OPENING_PLIES, Policy, equal_policy, policy_from, report_of
from referee import View

T = TypeVar("T")

ENGINES = Programs("chess engine", "", "", usual=("stockfish",))
BELIEF, PARTICLES = "opponent_types", 20_000
"""Opponent model of the belief, and its most boards: as the flagship's."""
SCALE, MATE = 2500.0, 10_000
"""Centipawns of a game nearly won (`Settings.value_scale`), and of a mate."""
REPETITION_PRICE, OPENING = 4.0, 10.0
"""Centipawns: price of an earlier turn with our pieces so placed; temperature of the first plies."""
PATIENCE = 10.0
"""Seconds for an engine to answer when it is started."""


class Engine:
    """An engine, one for this process; both end together.

    Raises:
      NotFound: the program is no chess engine.
    """

    def __init__(self, program: Path) -> None:
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, daemon=True).start()  # python-chess's thread would outlive us
        try:
            _, self._protocol = self._wait(asyncio.wait_for(chess.engine.popen_uci(str(program)), PATIENCE))
            alone = {name: 1 for name in ("Threads", "Hash") if name in self._protocol.options}  # one seed, one game
            self._wait(self._protocol.configure(alone))
        except (chess.engine.EngineError, TimeoutError, OSError) as error:
            raise NotFound(f"{program} is no chess engine that speaks UCI: {error or type(error).__name__}.") from None

    def values(self, board: chess.Board, nodes: int) -> dict[chess.Move, float]:
        """Return the value of every legal move for the side to move, in centipawns."""
        moves, limit = list(board.legal_moves), chess.engine.Limit(nodes=nodes)
        scores: dict[chess.Move, float] = {}
        for line in self._wait(self._protocol.analyse(board, limit, multipv=len(moves), game=object())):
            if "score" in line and line.get("pv"):
                scores[line["pv"][0]] = line["score"].pov(board.turn).score(mate_score=MATE)
        worst = min(scores.values(), default=0.0)
        return {move: scores.get(move, worst) for move in moves}  # out of nodes before the missing ones

    def _wait(self, what: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(what, self._loop).result()


started = cache(Engine)


class EngineSearch:
    """Search of one side and one game that lets an engine value boards of a belief."""

    def __init__(self, program: Path, nodes: int, boards: int, seed: int) -> None:
        self._engine, self._nodes = started(program), nodes
        self._boards, self._seed = boards, seed
        self._belief: Belief | None = None
        self._placements = Placements()
        self._ply, self._valued = -1, dict[bytes, dict[chess.Move, float]]()

    def update(self, view: View, seconds: float | None = None) -> None:
        """Take in the new events of a view."""
        self._placements.note(view)
        if self._belief is None:
            self._belief = Belief(view, PARTICLES, self._seed, load_opponent(BELIEF))
        else:
            self._belief.update(view, seconds)
        if view.ply != self._ply:
            self._ply, self._valued = view.ply, {}

    def policy(self, view: View, seconds: float | None) -> Policy:  # noqa: ARG002 - a Search's signature
        """Return the tries of the highest value; in the first plies all by value."""
        assert self._belief is not None
        particles, tries = self._belief.particles, view.tries()
        valued: list[tuple[dict[chess.Move, float], float]] = []
        if len(particles):
            rows, counts = particles.draw(self._boards, subseed(self._seed, view.ply))
            valued = [(values, count) for row, count in zip(rows, counts, strict=True) if (values := self._on(row))]
        report = report_of(self._belief, self._boards, depth=1, leaves=len(valued))
        if not valued:
            return equal_policy(tries, report)
        table = np.array([[values.get(move, np.nan) for move in tries] for values, _ in valued])
        means, legal = values_of_tries(table, np.array([count for _, count in valued]))
        prices = REPETITION_PRICE * self._placements.visits(view, tries)
        temperature = OPENING if view.ply < OPENING_PLIES else 0.0
        return policy_from(tries, means - prices, report, legal, temperature=temperature)

    def _on(self, row: kb.Rows) -> dict[chess.Move, float]:
        """Return the bounded values of the moves of a board; empty if it is no legal position of chess."""
        key = row.tobytes()
        if key not in self._valued:
            board = kb.to_board(row)
            scores = self._engine.values(board, self._nodes) if board.is_valid() else {}
            values = squash(np.array(list(scores.values())), SCALE).tolist()
            self._valued[key] = dict(zip(scores, values, strict=True))
        return self._valued[key]


def _make(seed: int, command: str, nodes: int, boards: int) -> SearchPlayer:
    search = EngineSearch(ENGINES.load(command), nodes, boards, seed)
    return SearchPlayer(Finishing(search, seed), seed=seed)


engine = PlayerKind(
    "a chess engine (UCI) values the moves of boards drawn from our belief",
    _make,
    (
        Option("command", str, "the engine: a program's name, or its path", "stockfish", parts=ENGINES),
        Option("nodes", int, "positions that the engine searches on each board", 2_000, 100, 100_000_000),
        Option("boards", int, "boards valued for each try", 40, 1, 10_000),
    ),
    words="A chess engine that guesses where your pieces are",
    rank=9,
    has_kernels=True,
)
