"""A chess engine as a Kriegspiel player: any UCI program values the moves of boards drawn from our belief.

Like HS it values each board as chess that both sides see, but with a program that plays chess far better. The papers
have no such player. The value of a try is that of `search.perfect_information`, less a price for repetition.
"""

import asyncio
import logging
import subprocess
import sys
import threading
from collections.abc import Coroutine
from concurrent.futures import CancelledError
from functools import cache
from math import sqrt
from pathlib import Path
from typing import Any, TypeVar

import chess
import chess.engine
import numpy as np

from kriegbot import kernels as kb
from kriegbot.belief.belief import Belief
from kriegbot.models import load_opponent
from kriegbot.options import Option
from kriegbot.parts import NotFound, Programs
from kriegbot.players.base import PlayerKind
from kriegbot.players.search import SearchPlayer
from kriegbot.search.adjustments import Placements
from kriegbot.search.finishing import Finishing
from kriegbot.search.perfect_information import values_of_tries
from kriegbot.search.policy import OPENING_PLIES, Policy, equal_policy, policy_from, report_of
from kriegbot.search.settings import OPTIONS
from referee import View
from referee.text import one_line

if sys.platform == "linux":
    from kriegbot import posix

T = TypeVar("T")
logging.getLogger("chess.engine").setLevel(logging.CRITICAL)  # else an engine could fill the log of its player

ENGINES = Programs("chess engine", "", "", listed=("stockfish",))
BELIEF, PARTICLES = "opponent_types", 20_000  # opponent model of the belief, as the flagship's, and its most boards
SCALE = 2500.0  # centipawns of a game nearly won, beyond which values flatten as chances of winning do
MATE = 10_000  # centipawns
REPETITION_PRICE = 4.0  # centipawns for an earlier turn with our pieces so placed
OPENING = 10.0  # temperature of the first plies
NAMED = 100.0  # centipawns for the move that an engine names, if it gives no scores
PATIENCE, SLOWEST = 10.0, 10_000
"""Seconds for an answer of an engine, or for a search; for a longer one, as many as at so many positions a second."""
MOST_FAILURES = 3
USED = {"ponder": "check", "uci_analysemode": "check", "uci_chess960": "check", "uci_variant": "combo"}
USED |= {"multipv": "spin", "threads": "spin", "hash": "spin"}
"""Options that python-chess or we set, with their types in UCI. Some engines use a name for something else."""
SUPERVISOR = [sys.executable, "-I", "-S", posix.__file__] if sys.platform == "linux" else []
"""Beginning of an engine's command: it ends with this process, however that ends."""


class Engine:
    """An engine, one for this process; both end together. Raise NotFound if it is none, or does not end a search.

    Engines differ in what they can do, so one without MultiPV values the position after each move. One that breaks the
    protocol is started again, and that board has no values.
    """

    def __init__(self, program: Path) -> None:
        self._program, self._failures = program, 0
        self._start()

    def values(self, board: chess.Board, nodes: int) -> dict[chess.Move, float]:
        """Return centipawns of every legal move, none if the engine fails.

        Raise EngineError at `MOST_FAILURES` in a row, NotFound if it does not start again.
        """
        try:
            scores = self._wait(self._scores(board, nodes), max(PATIENCE, nodes / SLOWEST))
        except chess.engine.EngineError as error:
            self._failures += 1
            if self._failures == MOST_FAILURES:
                raise chess.engine.EngineError(f"{self._program} failed on {MOST_FAILURES} boards: {error}") from None
            self._start()
            return {}
        self._failures = 0
        worst = min(scores.values(), default=0.0)
        return {move: scores.get(move, worst) for move in board.legal_moves}  # out of nodes before the missing ones

    def end(self) -> None:
        """End the engine's process."""
        if self._transport is not None:
            self._loop.call_soon_threadsafe(self._transport.close)  # kills it
        self._loop.call_soon_threadsafe(self._loop.call_later, 1.0, self._loop.stop)  # once its pipes are closed

    def _start(self) -> None:
        self._loop = asyncio.new_event_loop()  # of its own, so that nothing of an engine that failed reaches the next
        self._loop.set_exception_handler(self._on_exception)
        threading.Thread(target=_run, args=(self._loop,), daemon=True).start()  # python-chess's thread would outlive us
        self._transport: asyncio.SubprocessTransport | None = None
        try:
            engine = chess.engine.popen_uci([*SUPERVISOR, str(self._program)], stderr=subprocess.DEVNULL)
            self._transport, self._protocol = self._wait(engine, PATIENCE)
            options = self._protocol.options
            for name, option in list(options.items()):
                if option.type != USED.get(name.lower(), option.type) or "chess" not in (option.var or ["chess"]):
                    del options[name]
                    self._protocol.target_config.pop(name, None)
            least = {name: max(1, options[name].min or 1) for name in ("Threads", "Hash") if name in options}
            self._wait(self._protocol.configure(least), PATIENCE)  # one thread: one seed, one game
            self._wait(self._scores(chess.Board(), 100), PATIENCE)
        except chess.engine.EngineError as error:
            raise NotFound(f"{self._program} is no chess engine that speaks UCI and ends a search: {error}.") from None

    async def _scores(self, board: chess.Board, nodes: int) -> dict[chess.Move, float]:
        """Return the values of moves that the engine gives; of all moves if it has no MultiPV for that many."""
        moves, option = list(board.legal_moves), self._protocol.options.get("MultiPV")
        if option is not None and (option.max is None or option.max >= len(moves)):
            lines, best = await self._searched(board, nodes, len(moves))
            scores = {line["pv"][0]: _score(line, board.turn) for line in lines if "score" in line and line.get("pv")}
            return scores or {move: NAMED if move == best else 0.0 for move in moves}
        scores = {}
        for move in moves:
            after = board.copy(stack=False)
            after.push(move)
            after.clear_stack()
            if (end := after.outcome()) is not None:
                scores[move] = 0.0 if end.winner is None else MATE
                continue
            lines, _ = await self._searched(after, max(1, nodes // len(moves)), None)
            scores[move] = next((_score(line, board.turn) for line in lines if "score" in line), 0.0)
        return scores

    async def _searched(
        self, board: chess.Board, nodes: int, lines: int | None
    ) -> tuple[list[chess.engine.InfoDict], chess.Move | None]:
        limit = chess.engine.Limit(nodes=nodes)
        analysis = await self._protocol.analysis(board, limit, multipv=lines, game=object())
        return analysis.multipv, (await analysis.wait()).move

    def _wait(self, what: Coroutine[Any, Any, T], seconds: float) -> T:
        """Return a result. If the engine gives none, end it and raise EngineError with the reason."""
        future = asyncio.run_coroutine_threadsafe(what, self._loop)
        try:
            return future.result(seconds)  # asyncio's own limit waits for what it cancels
        except TimeoutError:
            why = f"no answer in {seconds:g} seconds; it hangs, or this machine is busy"
        except (chess.engine.EngineError, CancelledError, OSError) as error:
            why = one_line(str(error), 200) or "an answer that UCI does not allow"
        finally:
            future.cancel()
        self.end()
        raise chess.engine.EngineError(why)

    def _on_exception(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """End what waits for an answer that python-chess could not read."""
        for task in asyncio.all_tasks(loop):
            task.cancel(str(context.get("exception")))


def _run(loop: asyncio.AbstractEventLoop) -> None:
    loop.run_forever()
    loop.close()


def _score(line: chess.engine.InfoDict, side: chess.Color) -> float:
    return float(line["score"].pov(side).score(mate_score=MATE))


started = cache(Engine)


class EngineSearch:
    """Search of one side and one game that lets an engine value boards of a belief."""

    def __init__(self, program: Path, nodes: int, boards: int, threads: int, seed: int) -> None:
        self._engine, self._nodes = started(program), nodes
        self._boards, self._threads, self._seed = boards, threads, seed
        self._belief: Belief | None = None
        self._placements = Placements()
        self._ply, self._valued = -1, dict[bytes, dict[chess.Move, float]]()

    def update(self, view: View, seconds: float | None = None) -> None:
        """Take in the new events of a view."""
        self._placements.note(view)
        if self._belief is None:
            self._belief = Belief(view, PARTICLES, self._seed, load_opponent(BELIEF), threads=self._threads)
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
            rows, counts = particles.draw(self._boards, kb.subseed(self._seed, view.ply))
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
            self._valued[key] = {move: value / sqrt(1.0 + (value / SCALE) ** 2) for move, value in scores.items()}
        return self._valued[key]


def _make(seed: int, command: str, nodes: int, boards: int, threads: int) -> SearchPlayer:
    search = EngineSearch(ENGINES.load(command), nodes, boards, threads, seed)
    return SearchPlayer(Finishing(search, seed), seed=seed)


engine = PlayerKind(
    "a chess engine (UCI) values the moves of boards drawn from our belief",
    _make,
    (
        Option("command", str, "the engine: a program's name, or its path", "stockfish", parts=ENGINES),
        Option("nodes", int, "positions that the engine searches on each board", 2_000, 100, 100_000_000),
        Option("boards", int, "boards valued for each try", 40, 1, 10_000),
        OPTIONS["threads"],
    ),
    words="A chess engine that guesses where your pieces are",
    rank=9,
    has_kernels=True,
)
