"""A chess engine as a Kriegspiel player: any UCI program values the moves of boards drawn from our belief.

Nothing of this is in the paper. Each board is valued as chess, with both sides seeing it, as HS does; but by a program
that plays chess far better. A try is worth, over the boards on which it is legal, mostly the mean and partly the mean
of the worst fifth; over the boards on which it is refused, what the best try after that refusal is worth.
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
from kriegbot.options import Option
from kriegbot.parts import NotFound, Programs
from kriegbot.players.base import PlayerKind
from kriegbot.players.searching import SearchPlayer
from kriegbot.report import Report
from kriegbot.search.perfect_information import squeezed, worth_of_tries
from kriegbot.search.policy import Policy
from kriegbot.search.sampled import OPENING_PLIES, Placements
from referee import View

T = TypeVar("T")

ENGINES = Programs("chess engine", "", "", usual=("stockfish",))
BELIEF, PARTICLES = "opponent_types", 20_000
"""What moves the belief expects, and how many boards it holds: as the flagship's."""
SCALE, MATE = 2500.0, 10_000
"""Centipawns of a game nearly won (see `search.settings.Method.scale`), and of a mate."""
REPEATED, OPENING = 4.0, 10.0
"""Centipawns: price of a placement of our men that was there before; temperature of the first plies."""
PATIENCE = 10.0
"""Seconds for an engine to answer when it is started."""


class Engine:
    """An engine, one for this process; both end together.

    Raises:
      NotFound: the program is no chess engine.
    """

    def __init__(self, program: Path) -> None:
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, daemon=True).start()  # python-chess's own would outlive us
        try:
            _, self._protocol = self._wait(asyncio.wait_for(chess.engine.popen_uci(str(program)), PATIENCE))
            alone = {name: 1 for name in ("Threads", "Hash") if name in self._protocol.options}  # a seed is a game
            self._wait(self._protocol.configure(alone))
        except (chess.engine.EngineError, TimeoutError, OSError) as error:
            raise NotFound(f"{program} is no chess engine that speaks UCI: {error or type(error).__name__}.") from None

    def values(self, board: chess.Board, nodes: int) -> dict[chess.Move, float]:
        """What every legal move of a board is worth for the side to move, in centipawns; empty if there is none."""
        moves, limit = list(board.legal_moves), chess.engine.Limit(nodes=nodes)
        found: dict[chess.Move, float] = {}
        for line in self._wait(self._protocol.analyse(board, limit, multipv=len(moves), game=object())):
            if "score" in line and line.get("pv"):
                found[line["pv"][0]] = line["score"].pov(board.turn).score(mate_score=MATE)
        worst = min(found.values(), default=0.0)
        return {move: found.get(move, worst) for move in moves}  # it was out of nodes before those that are missing

    def _wait(self, what: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(what, self._loop).result()


started = cache(Engine)


class EngineSearch:
    """Values tries by asking an engine about boards of a belief, for one side and one game."""

    def __init__(self, program: Path, nodes: int, boards: int, seed: int) -> None:
        self._engine, self._nodes = started(program), nodes
        self._boards, self._seed = boards, seed
        self._belief: Belief | None = None
        self._placements = Placements()
        self._ply, self._valued = -1, dict[bytes, dict[chess.Move, float]]()

    def update(self, view: View, seconds: float | None = None) -> None:
        """Take in what is new in a view."""
        self._placements.note(view)
        if self._belief is None:
            self._belief = Belief(view, PARTICLES, self._seed, load_opponent(BELIEF))
        else:
            self._belief.update(view, seconds)
        if view.ply != self._ply:
            self._ply, self._valued = view.ply, {}

    def policy(self, view: View, seconds: float | None) -> Policy:  # noqa: ARG002 - a Search's signature
        """The tries of the highest value; in the first plies all by value."""
        assert self._belief is not None
        particles, tries = self._belief.particles, view.tries()
        valued: list[tuple[dict[chess.Move, float], float]] = []
        if len(particles):
            rows, counts = particles.draw(self._boards, subseed(self._seed, view.ply))
            valued = [(values, count) for row, count in zip(rows, counts, strict=True) if (values := self._on(row))]
        report = Report(
            samples=self._boards,
            depth=1,
            leaves=len(valued),
            particles=particles.boards if len(particles) else 0,
            effective=particles.effective,
            rescue=self._belief.last_rescue,
            astray=not particles.is_consistent,
        )
        if not valued:
            return Policy(tries, np.ones(len(tries)), np.full(len(tries), np.nan), report)
        table = np.array([[values.get(move, np.nan) for move in tries] for values, _ in valued])
        worth, legal = worth_of_tries(table, np.array([count for _, count in valued]))
        worth = worth - REPEATED * self._placements.visits(view, tries)
        candidates = legal > 0 if (legal > 0).any() else np.ones(len(tries), bool)
        behind = worth[candidates].max() - worth
        weights = np.exp(-np.maximum(behind, 0) / OPENING) if view.ply < OPENING_PLIES else 1.0 * (behind <= 0)
        return Policy(tries, candidates * weights, worth, report, legal)

    def _on(self, row: kb.Rows) -> dict[chess.Move, float]:
        """Values of the moves of a board, squeezed; empty if it is no position of chess, as when placed blindly."""
        key = row.tobytes()
        if key not in self._valued:
            board = kb.to_board(row)
            found = self._engine.values(board, self._nodes) if board.is_valid() else {}
            worth = squeezed(np.array(list(found.values())), SCALE).tolist()
            self._valued[key] = dict(zip(found, worth, strict=True))
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
    words="A chess engine that guesses where your men are",
    rank=9,
    has_kernels=True,
)
