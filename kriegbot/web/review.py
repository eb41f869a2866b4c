"""Reviews of games: frames for the page and, on request, both sides' beliefs, the values of tries and turning points.

An `Analyst` computes beliefs in a process of low priority, in slices of time, so that several games take turns. Answers
depend on views alone: a process that replaces a killed one gives the same.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Mapping
from functools import lru_cache
from pathlib import Path
from time import perf_counter
from typing import Any, Concatenate, NamedTuple, ParamSpec, TypeVar

import chess
import numpy as np

from kriegbot.belief.timeline import BeliefSnapshot
from kriegbot.children import WorkerDied, WorkerPool, lower_priority
from kriegbot.kernels import prepare_first
from kriegbot.narration.helping import ROUNDING, Hint, basis_of_values, hint
from kriegbot.narration.moments import Moment, moments
from kriegbot.narration.names import your_side
from kriegbot.narration.turning import Hindsight, TurningPoint
from kriegbot.web.library import KeptAnalysis
from kriegbot.web.notices import Analysis, BeliefShown, Frame, Frames, PointShown, TurningPoints, letters, square_names
from referee import GameRecord, OwnTry, Referee, View

P = ParamSpec("P")
T = TypeVar("T")

SLICE = 0.2  # seconds of work on one game before another gets its turn
ATTEMPTS = 2  # processes that one job may use up before it fails


class Review:
    """The frames of a game, which grow while it is live; `you` is the side of its only person, if there is one."""

    def __init__(self, key: str, you: chess.Color | None = None, kept: KeptAnalysis | None = None) -> None:
        self.key, self.you, self.kept = key, you, kept or KeptAnalysis()
        self.frames: list[Frame] = []
        self.is_live = False
        self.views: Mapping[chess.Color, View] = {}
        self._event_counts: list[Mapping[chess.Color, int]] = []

    @classmethod
    def of(cls, key: str, record: GameRecord, folder: Path | None = None) -> Review:
        """Return the review of a finished game; raise RecordError if its record is wrong. A folder keeps analyses."""
        you = your_side([record.headers["White"], record.headers["Black"]])
        review = cls(key, you, None if folder is None else KeptAnalysis.load(folder, record, you))
        for moment in moments(record):
            review.add(moment, {})
        referee = record.referee()
        review.views = {color: referee.view(color) for color in chess.COLORS}
        return review

    def add(self, moment: Moment, views: Mapping[chess.Color, View]) -> None:
        """Add a frame, and both sides' views after it."""
        self.views = views
        self._event_counts.append(moment.event_counts)
        self.frames.append(frame_of(moment))

    def message(self, start: int = 0) -> Frames:
        """Return the frames from number `start` on as a message."""
        return Frames(start, self.frames[start:], self.is_live)

    async def look(self, index: int, analyst: Analyst) -> Analysis:
        """Return the analysis of a frame; raise IndexError if there is none, and AnalystFailed."""
        if not 0 <= index < len(self.frames):
            raise IndexError(f"there is no moment {index}; the last one is {len(self.frames) - 1}")
        if not self.is_live and (known := self.kept.look(index)) is not None:
            return known
        analysis = await analyst.ask(Beliefs.look, self.key, self.views, self._event_counts[index])
        analysis.index = index
        if not self.is_live:
            self.kept.add(analysis)
        if len(self.kept.looks) == len(self.frames):
            await asyncio.to_thread(self.kept.save)
        return analysis

    async def turning(self, analyst: Analyst) -> AsyncIterator[TurningPoints]:
        """Yield the turning points of one side (yours or White), then both; known ones at once. Raise AnalystFailed."""
        known = self.kept.turning
        if known is not None and all(0 <= point["index"] < len(self.frames) for point in known.points):
            yield known
            return
        indexes = {
            (frame.turn, counts[frame.turn == "white"]): index
            for index, (frame, counts) in enumerate(zip(self.frames, self._event_counts, strict=True))
        }
        message = TurningPoints([], [])
        for color in (chess.WHITE, chess.BLACK) if self.you is not chess.BLACK else (chess.BLACK, chess.WHITE):
            points = await analyst.ask(Beliefs.turning, self.key, self.views, color, self.you)
            shown: list[PointShown] = [{**one, "index": indexes[one["side"], one["events"]]} for one in points]
            message = TurningPoints(message.points + shown, [*message.sides, chess.COLOR_NAMES[color]])
            yield message
        self.kept.turning = message
        await asyncio.to_thread(self.kept.save)


def frame_of(moment: Moment) -> Frame:
    """Return a moment as the page shows it."""
    event, men = moment.event, moment.men
    return Frame(
        title=moment.title,
        place=moment.news["referee"][-1].place if moment.news["referee"] else "",
        name=moment.name,
        true=letters(men["referee"]),
        white=letters(men["White"]),
        black=letters(men["Black"]),
        marks=square_names(sorted(moment.marks)),
        news={reader.lower(): [entry.line() for entry in entries] for reader, entries in moment.news.items()},
        turn=None if moment.turn is None else chess.COLOR_NAMES[moment.turn],
        mover=None if moment.mover is None else chess.COLOR_NAMES[moment.mover],
        move=event.move.uci() if isinstance(event, OwnTry) else None,
        answer=None if event is None else event.answer.value,
        seconds=moment.seconds,
    )


class AnalystFailed(Exception):
    """The analyst gave no answer; the message is one line."""


class Analyst:
    """One process of low priority that runs methods of `Beliefs`; it starts with the first job."""

    def __init__(self) -> None:
        self._pool = WorkerPool(1, _start_worker)

    async def ask(self, job: Callable[Concatenate[Beliefs, P], T | None], *arguments: P.args, **_: P.kwargs) -> T:
        """Return the result of a method of `Beliefs`; call it slice after slice until there is one.

        Raise AnalystFailed if the job fails, its process ends twice, or the analyst is closed.
        """
        deaths = 0
        while True:
            try:
                result: T | None = await asyncio.wrap_future(self._pool.submit(_run_job, job, arguments))
            except WorkerDied:
                deaths += 1
                if deaths == ATTEMPTS:
                    raise AnalystFailed("the process of the analysis has ended") from None
            except Exception as error:
                raise AnalystFailed(f"{type(error).__name__}: {error}") from error
            else:
                if result is not None:
                    return result
                deaths = 0

    def warm(self) -> None:
        """Start the process before the first job."""
        self._pool.submit(os.getpid)

    def close(self) -> None:
        """Kill the process; jobs that wait raise `AnalystFailed`. Idempotent."""
        self._pool.close()


_beliefs: Beliefs | None = None  # of the analyst's process


def _start_worker() -> None:
    global _beliefs
    prepare_first()
    _beliefs = Beliefs()
    _beliefs.hint("", Referee().view(chess.WHITE))  # loads the kernels
    lower_priority()  # not before: a busy machine would keep it from starting


def _run_job(job: Callable[..., Any], arguments: tuple[object, ...]) -> Any:
    return job(_beliefs, *arguments)


class Beliefs:
    """Both sides' beliefs, cached of the latest `games`. Methods return None after a `SLICE`: call them again."""

    def __init__(self, games: int = 32) -> None:
        self._sides = lru_cache(games)(lambda _key: {color: Hindsight() for color in chess.COLORS})

    def belief(self, key: str, view: View) -> Believed | None:
        """Return the belief in a view, for the page."""
        return None if (belief := self._at(key, view)) is None else Believed.of(belief)

    def hint(self, key: str, view: View) -> Hint | None:
        """Return the best tries in a view, searched as by level `master`."""
        return None if (belief := self._at(key, view)) is None else hint(belief)

    def value_ahead(self, key: str, view: View) -> bool | None:
        """Value the tries in a view ahead of the review."""
        return None if (belief := self._at(key, view)) is None else bool(self._sides(key)[view.color].values(belief))

    def _at(self, key: str, view: View) -> BeliefSnapshot | None:
        return self._sides(key)[view.color].at(view, seconds=SLICE)

    def look(self, key: str, views: Mapping[chess.Color, View], counts: Mapping[chess.Color, int]) -> Analysis | None:
        """Return both sides' beliefs and the mover's tries, best first, after `counts` events of the views."""
        sides, end = self._sides(key), perf_counter() + SLICE
        white, black = (sides[color].at(views[color], counts[color], end - perf_counter()) for color in (True, False))
        if white is None or black is None:
            return None
        mover, color = (white, chess.WHITE) if white.view.turn else (black, chess.BLACK)
        name = None if mover.view.end is not None else chess.COLOR_NAMES[color]
        beliefs = believed(white, black.view.men), believed(black, white.view.men)
        by = basis_of_values(mover) if name else ""
        return Analysis(*beliefs, name, by, sides[color].values(mover))

    def turning(
        self, key: str, views: Mapping[chess.Color, View], color: chess.Color, you: chess.Color | None
    ) -> list[TurningPoint] | None:
        """Return a side's turning points; `you` is the side that texts address."""
        return self._sides(key)[color].turning_points(views[color], views[not color], you, SLICE)


class Believed(NamedTuple):
    """A belief for the page: chances [6][64], none without boards; the boards in words; squares of checking pieces."""

    chances: list[list[float]]
    basis: str
    checkers: list[str]

    @classmethod
    def of(cls, belief: BeliefSnapshot) -> Believed:
        """Return a belief with chances to three places; they, and their sums, are 0 or 1 only if all boards agree."""
        exact, total = belief.chances, belief.chances.sum(0)
        chances = np.where(exact > 0, exact.clip(0.001), 0).round(3)
        wanted = np.where(total > 1 - ROUNDING, 1, chances.sum(0).clip(max=0.999))
        chances[chances.argmax(0), np.arange(64)] += wanted - chances.sum(0)
        checkers = square_names(belief.checkers if belief.is_reliable else [])
        return cls(chances.round(3).tolist() if belief.boards else [], belief.basis, checkers)


def believed(belief: BeliefSnapshot, men: Mapping[chess.Square, chess.PieceType]) -> BeliefShown:
    """Return a side's belief beside the truth: `men`, the enemy's pieces. It is sure of what all boards agree on."""
    truth = np.zeros((6, 64))
    for square, kind in men.items():
        truth[kind - 1, square] = 1
    occupied, (chances, basis, _) = chess.SquareSet(men), Believed.of(belief)
    always, ever = (belief.always, belief.ever) if belief.is_reliable else (chess.SquareSet(), ~chess.SquareSet())
    return BeliefShown(
        chances=chances,
        basis=basis,
        right=square_names(always & occupied),
        wrong=square_names(always - occupied),
        missed=square_names(occupied - ever),
        placed=round(float((belief.chances * truth).sum()), 1),
        men=len(men),
    )
