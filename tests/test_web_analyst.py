"""What a review asks of the analyst and shows of its answers. The analyst, its process and beliefs are stand-ins."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any

import chess
import numpy as np
import pytest

from kriegbot.children import WorkerDied
from kriegbot.web.notices import Analysis, BeliefShown, TurningPoints
from kriegbot.web.review import Analyst, AnalystFailed, Beliefs, Believed, Review, believed
from referee import RULE_SETS, GameRecord, Referee, View


def review_of(*moves: str, people: tuple[str, str] = ("rand", "rand")) -> Review:
    """Return the review of a game with these tries, which Black resigns."""
    referee = Referee(RULE_SETS["wild16"])
    for uci in moves:
        referee.try_move(chess.Move.from_uci(uci))
    referee.resign(chess.BLACK)
    return Review.of("key", GameRecord.of(referee, dict(zip(("White", "Black"), people, strict=True))))


class Answers:
    """An analyst that notes what it is asked, and gives these answers."""

    def __init__(self, *answers: Any) -> None:
        self.asked: list[tuple[Any, ...]] = []
        self.answers = iter(answers)

    async def ask(self, *question: Any) -> Any:
        """Return the next answer."""
        self.asked.append(question)
        return next(self.answers)


def turning(review: Review, analyst: Any) -> list[TurningPoints]:
    async def received() -> list[TurningPoints]:
        return [message async for message in review.turning(analyst)]

    return asyncio.run(received())


# Turning points and moments


def test_turning_points_are_those_of_the_first_side_and_then_of_both_each_at_its_moment() -> None:
    review = review_of("e2d3", "e2e4", "e7e5", "d2d4")  # Black hears nothing of the first
    white, black = ({"side": side, "events": events, "made": side} for side, events in (("white", 3), ("black", 1)))
    analyst = Answers([white], [black])
    first, both = turning(review, analyst)
    assert [first.sides, both.sides] == [["white"], ["white", "black"]]
    assert first.points == [white | {"index": 3}]
    assert both.points == [white | {"index": 3}, black | {"index": 2}]
    assert [frame.turn for frame in review.frames[:4]] == ["white", "white", "black", "white"]
    assert [asked[3:] for asked in analyst.asked] == [(chess.WHITE, None), (chess.BLACK, None)]
    assert turning(review, Answers()) == [both]  # known by now


def test_the_turning_points_of_the_person_come_first() -> None:
    review, analyst = review_of("e2e4", people=("rand", "human")), Answers([], [])
    assert [message.sides for message in turning(review, analyst)] == [["black"], ["black", "white"]]
    assert [asked[3:] for asked in analyst.asked] == [(chess.BLACK, chess.BLACK), (chess.WHITE, chess.BLACK)]


def test_known_turning_points_without_a_moment_are_computed_again() -> None:
    review = review_of("e2e4")
    for index in (-1, len(review.frames)):
        point: Any = {"index": index}
        review.kept.turning = TurningPoints([point], ["white", "black"])
        assert len(turning(review, Answers([], []))) == 2


def test_a_moment_is_analysed_once_and_there_are_none_before_the_first_and_after_the_last() -> None:
    nothing, review = BeliefShown([], "", [], [], [], 0.0, 0), review_of("e2e4")
    analyst: Any = Answers(*(Analysis(nothing, nothing, None, "", []) for _ in review.frames))
    for index in [*range(len(review.frames))] * 2:
        assert asyncio.run(review.look(index, analyst)).index == index
    assert len(analyst.asked) == len(review.frames)
    for index in (-1, len(review.frames)):
        with pytest.raises(IndexError, match=f"no moment {index}; the last one is {len(review.frames) - 1}"):
            asyncio.run(review.look(index, analyst))


# The process


def analyst_of(*outcomes: object) -> tuple[Analyst, list[Any]]:
    """Return an analyst whose process gives these results, or ends or fails so; and its jobs."""

    def submit(_run: Callable[..., Any], _job: Callable[..., Any], arguments: Any) -> Future[Any]:
        jobs.append(arguments)
        future, outcome = Future[Any](), next(coming)
        if isinstance(outcome, Exception):
            future.set_exception(outcome)
        else:
            future.set_result(outcome)
        return future

    analyst, jobs, coming = Analyst(), list[Any](), iter(outcomes)
    analyst._pool = SimpleNamespace(submit=submit)  # type: ignore[assignment]
    return analyst, jobs


def ask(analyst: Analyst) -> Any:
    return asyncio.run(analyst.ask(Beliefs.belief, "key", Referee().view(chess.WHITE)))


def test_a_job_is_continued_until_there_is_a_result() -> None:
    analyst, jobs = analyst_of(None, None, [])
    assert ask(analyst) == []
    assert jobs == [("key", Referee().view(chess.WHITE))] * 3


def test_a_job_survives_the_end_of_one_process_between_two_slices_and_not_of_two() -> None:
    died = WorkerDied("killed")
    assert ask(analyst_of(died, "done")[0]) == "done"
    assert ask(analyst_of(died, None, died, "done")[0]) == "done"
    with pytest.raises(AnalystFailed, match="the process of the analysis has ended"):
        ask(analyst_of(died, died, "done")[0])


def test_a_job_that_fails_says_why() -> None:
    with pytest.raises(AnalystFailed, match="ValueError: wrong"):
        ask(analyst_of(ValueError("wrong"))[0])


# Beliefs


def belief_of(chances: Any, *, is_reliable: bool = True, boards: int = 9) -> Any:
    """Return a belief with these chances of enemy pieces by square."""
    found = np.zeros((6, 64))
    for square, per_type in chances.items():
        found[: len(per_type), square] = per_type
    total = found.sum(0)
    always, ever = (chess.SquareSet(np.flatnonzero(total > bound).tolist()) for bound in (1 - 1e-9, 0))
    return SimpleNamespace(
        chances=found, always=always, ever=ever, checkers=[chess.E8], is_reliable=is_reliable, boards=boards, basis="b"
    )


def test_a_chance_is_certain_or_none_only_if_all_boards_agree() -> None:
    belief = belief_of({chess.A1: [1.0], chess.B1: [0.9999], chess.C1: [0.0001], chess.D1: [0.4998, 0.4998]})
    shown = np.array(Believed.of(belief).chances)
    assert shown[0, :4].tolist() == [1, 0.999, 0.001, pytest.approx(0.5, abs=0.002)]
    assert shown[:, chess.D1].sum() == pytest.approx(0.999)
    assert shown[:, 4:].sum() == 0


def test_squares_of_checking_pieces_and_certainties_need_a_reliable_belief() -> None:
    chances = {chess.A7: [1.0], chess.B7: [1.0], chess.C7: [0.5]}
    men: Any = {chess.A7: chess.PAWN, chess.C7: chess.PAWN, chess.D7: chess.PAWN}
    belief = belief_of(chances)
    shown = believed(belief, men)
    assert (shown.right, shown.wrong, shown.missed) == (["a7"], ["b7"], ["d7"])
    assert (shown.placed, shown.men, shown.basis) == (1.5, 3, "b")
    assert Believed.of(belief).checkers == ["e8"]
    belief = belief_of(chances, is_reliable=False)
    shown = believed(belief, men)
    assert (shown.right, shown.wrong, shown.missed, shown.placed) == ([], [], [], 1.5)
    assert Believed.of(belief).checkers == []
    assert Believed.of(belief_of(chances, boards=0)).chances == []


def test_beliefs_come_from_the_side_that_has_the_view_and_take_several_slices() -> None:
    def at(seen: View, **limits: float) -> Any:
        assert (seen, set(limits)) == (view, {"seconds"})
        return next(slices)

    view, belief = Referee().view(chess.BLACK), belief_of({chess.A1: [1.0]})
    beliefs = Beliefs()
    beliefs._sides = lambda _: {chess.BLACK: SimpleNamespace(at=at, values=lambda _: ["e4"])}  # type: ignore[assignment]
    slices = iter([None, belief] * 2)
    assert beliefs.belief("key", view) is None
    assert beliefs.belief("key", view) == Believed.of(belief)
    assert beliefs.value_ahead("key", view) is None
    assert beliefs.value_ahead("key", view) is True
