"""A process of low priority that says what could be known: beliefs for the page, without holding the server up.

Long work is done in slices, so that several games have their turns. A process that was killed is started again, and its
answers are the same: they depend on the views alone.
"""

from __future__ import annotations

import asyncio
import contextlib
import multiprocessing
import os
import signal
import traceback
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from multiprocessing.connection import Connection
from threading import Thread
from typing import Any

import chess

from kriegbot.players.process import no_interrupts
from kriegbot.players.specs import BadSpec, parse_spec
from kriegbot.players.worker import give_way, leave_with_parent
from referee import View

SAMPLES, MOST_DEPTH = 1000, 2
"""Histories drawn to value tries, and the plies looked ahead at most: some hundredths of a second."""
STARTS = 2
"""How often a process is started for one question, before that is given up."""


Side = tuple[View, int]
"""A side at a moment: a view of it then or later, and the number of events that it had heard by then."""


@dataclass(frozen=True, slots=True)
class Method:
    """How tries are valued: the rule, overconfident or paranoid, plies to look ahead, and the evaluator's name."""

    rule: str = "overconfident"
    depth: int = MOST_DEPTH
    evaluator: str = "ks"

    @classmethod
    def of(cls, player: str) -> Method:
        """As a player does it, at most `MOST_DEPTH` plies deep; of one that does not search so, the usual."""
        try:
            spec = parse_spec(player)
        except BadSpec:
            return cls()
        depth = spec.get("depth")
        if spec.name not in ("overconfident", "paranoid") or not isinstance(depth, int):
            return cls()
        return cls(spec.name, min(depth, MOST_DEPTH), str(spec.get("evaluator")))

    def text(self) -> str:
        """In words."""
        return f"{self.rule}, depth {self.depth}, {SAMPLES} histories"


class AnalystFailed(Exception):
    """There is no answer; the message is one line, its cause in `log`."""

    def __init__(self, message: str, log: str = "") -> None:
        super().__init__(message)
        self.log = log


class Analyst:
    """Answers questions one after another, from one process that starts with the first of them."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, "analyst")
        self._process: Any = None
        self._connection: Connection[Any, Any] | None = None
        self._is_closed = False

    async def heat(self, key: str, view: View) -> list[list[float]]:
        """Chances [6][64] that an enemy man of each kind (pawn to king) stands on each square; empty if all is dark.

        Args:
          key: of the game and the side.
          view: what that side knows; nothing else is asked for.

        Raises:
          AnalystFailed: there is no answer.
        """
        answer: list[list[float]] = await self._asked("heat", key, view)
        return answer

    async def look(self, key: str, sides: Mapping[chess.Color, Side], method: Method) -> dict[str, Any]:
        """Both sides' beliefs and the mover's tries, as `kriegbot.web.analysis.Beliefs.look` gives them.

        Args:
          key: of the game.
          sides: what each side knew at the moment asked about.
          method: how tries are valued.

        Raises:
          AnalystFailed: there is no answer.
        """
        answer: dict[str, Any] = await self._asked("look", key, sides, method)
        return answer

    @property
    def pid(self) -> int | None:
        """The number of the process, while there is one."""
        return None if self._process is None else self._process.pid

    def close(self) -> None:
        """Ends the process at once; whoever still waits is told `AnalystFailed`. May be called twice."""
        self._is_closed = True
        self._thread.shutdown(wait=False, cancel_futures=True)
        process = self._process
        if process is not None:
            process.kill()
        self._thread.shutdown()
        self._end()

    async def _asked(self, *question: Any) -> Any:
        answer = None
        while answer is None:  # its time was up; the next one's turn
            if self._is_closed:
                raise AnalystFailed("the analysis has been closed")
            answer = await asyncio.get_running_loop().run_in_executor(self._thread, self._answer, question)
        return answer

    def _answer(self, question: tuple[Any, ...]) -> Any:
        """In the thread: one question, put to the process."""
        for _ in range(STARTS):
            if self._is_closed:
                break
            try:
                connection = self._connection or self._start()
                connection.send(question)
                kind, *answer = connection.recv()
            except (EOFError, OSError):
                self._end()
                continue
            if kind == "failed":
                raise AnalystFailed(*answer)
            return answer[0]
        raise AnalystFailed("the process of the analysis has ended")

    def _start(self) -> Connection[Any, Any]:
        context = multiprocessing.get_context("spawn")
        connection, theirs = context.Pipe()
        process = context.Process(target=serve, args=(theirs,), name="kriegbot analyst", daemon=True)
        try:
            with no_interrupts():
                process.start()
        finally:
            theirs.close()
        self._process, self._connection = process, connection
        return connection

    def _end(self) -> None:
        if self._connection is not None:
            self._connection.close()
        if self._process is not None:
            self._process.kill()
            self._process.join()
        self._process, self._connection = None, None


def serve(connection: Connection[Any, Any]) -> None:
    """The process: answers until nobody asks any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with contextlib.suppress(AttributeError, OSError):
        os.setsid()
    give_way()
    Thread(target=leave_with_parent, daemon=True).start()
    from kriegbot.kernels import prepare

    prepare()
    from kriegbot.web.analysis import Beliefs

    beliefs = Beliefs()
    jobs: dict[str, Callable[..., Any]] = {"heat": beliefs.heat, "look": beliefs.look}
    with contextlib.suppress(EOFError, OSError):
        while True:
            name, *question = connection.recv()
            try:
                answer: tuple[Any, ...] = "answer", jobs[name](*question)
            except Exception as error:  # noqa: BLE001 - whatever it is, the page is told, and the games go on
                answer = "failed", f"{type(error).__name__}: {error}", traceback.format_exc()
            connection.send(answer)
