"""A game under review: its frames and, for each on request, what both sides believed.

Beliefs are worked out by an `Analyst`, a process of low priority, without holding up the server. Long work is done in
slices, so that several games get their turns. A killed process is restarted, and gives the same answers: they depend on
the views alone.
"""

from __future__ import annotations

import asyncio
import contextlib
import multiprocessing
import signal
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection
from typing import Any, Concatenate, ParamSpec, TypeVar

import chess

from kriegbot.game.children import leave_with_parent, lower_priority, no_current_folder, no_interrupts, own_session
from kriegbot.kernels import prepare
from kriegbot.narration.moments import Moment, moments
from kriegbot.narration.names import your_side
from kriegbot.web.analysis import Beliefs
from kriegbot.web.replies import Analysis, Frame, Frames, TurningPoints
from kriegbot.web.show import frame_of
from referee import GameRecord, View

P = ParamSpec("P")
T = TypeVar("T")


class Review:
    """The frames of a game, which grow while it is live. `you` is the side of the one person who plays a program."""

    def __init__(self, key: str, you: chess.Color | None = None) -> None:
        self.key, self.you = key, you
        self.frames: list[Frame] = []
        self.is_live = False
        self.views: Mapping[chess.Color, View] = {}
        self._heard: list[Mapping[chess.Color, int]] = []

    @classmethod
    def of(cls, key: str, record: GameRecord) -> Review:
        """All of a recorded game; raises RecordError."""
        review = cls(key, your_side([record.headers["White"], record.headers["Black"]]))
        for moment in moments(record):
            review.add(moment, {})
        *_, last = record.replay()
        review.views = {color: last.referee.view(color) for color in chess.COLORS}
        return review

    def add(self, moment: Moment, views: Mapping[chess.Color, View]) -> None:
        """Adds a frame, and what both sides know by then."""
        self.views = views
        self._heard.append(moment.heard)
        self.frames.append(frame_of(moment))

    def message(self, start: int = 0) -> Frames:
        """The frames from one on, for the page."""
        return {"is": "frames", "start": start, "frames": self.frames[start:], "live": self.is_live}

    async def look(self, indexes: Sequence[int], analyst: Analyst) -> list[Analysis]:
        """What both sides believed in the first of some frames, one at least, and what the mover's tries were worth.

        Raises:
          IndexError: there is no such frame.
          AnalystFailed: there is no answer.
        """
        for index in indexes:
            if not 0 <= index < len(self.frames):
                raise IndexError(f"there is no moment {index}; the last one is {len(self.frames) - 1}")
        found = await analyst.ask(Beliefs.look, self.key, self.views, [self._heard[index] for index in indexes])
        return [{"is": "analysis", "index": index, **looked} for index, looked in zip(indexes, found, strict=False)]

    async def turning(self, analyst: Analyst) -> TurningPoints:
        """The turning points of both sides, for the page; raises AnalystFailed."""
        moments = {
            (frame["turn"], heard[frame["turn"] == "white"]): index
            for index, (frame, heard) in enumerate(zip(self.frames, self._heard, strict=True))
        }
        points = await analyst.ask(Beliefs.turning, self.key, self.views, self.you)
        return {"is": "turning", "points": [{**one, "index": moments[one["side"], one["heard"]]} for one in points]}


STARTS = 2  # how often a process is started for one question before giving up


class AnalystFailed(Exception):
    """There is no answer; the message is one line."""


class Analyst:
    """Answers questions one after another, from one process that starts with the first of them."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, "analyst")
        self._process: Any = None
        self._connection: Connection[Any, Any] | None = None
        self._is_closed = False

    async def ask(self, job: Callable[Concatenate[Beliefs, P], T | None], *question: P.args, **_: P.kwargs) -> T:
        """What a method of `Beliefs` answers, asked anew after every slice of time; raises AnalystFailed."""
        answer: T | None = None
        while answer is None:  # its slice is over; the next one's turn
            if self._is_closed:
                raise AnalystFailed("the analysis has been closed")
            answer = await asyncio.get_running_loop().run_in_executor(self._thread, self._answer, job, question)
        return answer

    @property
    def pid(self) -> int | None:
        """The number of the process, while there is one."""
        return None if self._process is None else self._process.pid

    def warm(self) -> None:
        """Starts the process before the first question; in any thread, returns at once."""
        with contextlib.suppress(RuntimeError):  # it is closed already
            self._thread.submit(self._warm)

    def _warm(self) -> None:
        if self._connection is None and not self._is_closed:
            self._start()

    def close(self) -> None:
        """Ends the process at once; pending questions raise `AnalystFailed`. Idempotent."""
        self._is_closed = True
        self._thread.shutdown(wait=False, cancel_futures=True)
        process = self._process
        if process is not None:
            process.kill()
        self._thread.shutdown()
        self._end()

    def _answer(self, job: Callable[..., Any], question: tuple[object, ...]) -> Any:
        """In the thread: puts one question to the process."""
        for _ in range(STARTS):
            if self._is_closed:
                break
            try:
                connection = self._connection or self._start()
                connection.send((job, question))
                answer = connection.recv()
            except (EOFError, OSError):
                self._end()
                continue
            if isinstance(answer, AnalystFailed):
                raise answer
            return answer
        raise AnalystFailed("the process of the analysis has ended")

    def _start(self) -> Connection[Any, Any]:
        context = multiprocessing.get_context("spawn")
        connection, theirs = context.Pipe()
        process = context.Process(target=serve, args=(theirs,), name="kriegbot analyst", daemon=True)
        try:
            with no_current_folder(), no_interrupts():
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
    """The process: answers until its input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    own_session()
    leave_with_parent()
    prepare()
    beliefs = Beliefs()
    lower_priority()  # not before: a busy machine would keep it from starting
    with contextlib.suppress(EOFError, OSError):
        while True:
            job, question = connection.recv()
            try:
                answer = job(beliefs, *question)
            except Exception as error:  # noqa: BLE001 - whatever it is, the page is told, and the games go on
                answer = AnalystFailed(f"{type(error).__name__}: {error}")
            connection.send(answer)
