"""A game looked back at: its frames, the belief of each side, and what the tries were worth."""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import sys
import urllib.error
import urllib.request
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar, cast

import chess
import numpy as np
import pytest

from kriegbot.belief.belief import Belief
from kriegbot.belief.timeline import BeliefTimeline
from kriegbot.kernels import encode_move, subseed, to_board
from kriegbot.narration.diary import Diary
from kriegbot.narration.glance import own_men
from kriegbot.narration.helping import HINT_SAMPLES, PARTICLES, SEED
from kriegbot.narration.moments import moments
from kriegbot.players.kriegbot import LEVELS
from kriegbot.search.information_set import InformationSet
from kriegbot.search.search import search_tries
from kriegbot.search.settings import Method
from kriegbot.web.library import VERSION, KeptAnalysis
from kriegbot.web.notices import Analysis, BeliefShown, Frames, TurningPoints
from kriegbot.web.review import Analyst, AnalystFailed, Beliefs, Believed, Review, believed
from referee import NO_LIMITS, RULE_SETS, GameRecord, OwnTry, Referee, RuleSet, View
from referee.view import views_until
from tests.page import Client, frames_of, serving
from tests.random_games import STARTS, played, steps

pytestmark = pytest.mark.slow

T = TypeVar("T")

PLAYERS = {"White": "paranoid:depth=1,samples=10", "Black": "rand"}


def game(seed: int = 5, plies: int = 16, end: bool = False) -> GameRecord:
    referee = Referee()
    rng = random.Random(seed)
    while referee.end is None and referee.ply < plies:
        referee.try_move(rng.choice(referee.view(referee.turn).tries()))
    if end and referee.end is None:
        referee.resign(referee.turn)
    return GameRecord.of(referee, PLAYERS)


def views_of(record: GameRecord) -> dict[chess.Color, list[View]]:
    """Every view of each side, in order."""
    views: dict[chess.Color, list[View]] = {chess.WHITE: [], chess.BLACK: []}
    for step in record.replay():
        for color, seen in views.items():
            seen.append(step.referee.view(color))
    return views


def in_slices(ask: Callable[..., T | None], *question: object) -> T:
    """Return the answer to a question that may take several slices of time."""
    while (answer := ask(*question)) is None:
        pass
    return answer


# The past of a view


@pytest.mark.parametrize("rules", RULE_SETS.values(), ids=lambda rules: rules.name)
@pytest.mark.parametrize("start", STARTS, ids=range(len(STARTS)))
def test_a_view_tells_every_view_before_it(rules: RuleSet, start: str) -> None:
    for seed in range(6):
        referee = Referee(rules, NO_LIMITS, start)
        views = {color: {0: referee.view(color)} for color in chess.COLORS}
        for _ in steps(referee, random.Random(seed), 60):
            for color, seen in views.items():
                view = referee.view(color)
                seen[len(view.events)] = view
        if referee.end is None:
            referee.resign(chess.BLACK)
        for color, seen in views.items():
            view = referee.view(color)
            assert list(views_until(view)) == list((seen | {len(view.events): view}).values())


# Frames


@pytest.mark.parametrize("seed", range(8))
def test_the_frames_of_a_game_are_what_the_referee_and_both_sides_saw(seed: int) -> None:
    referee = played(seed, plies=60)
    record = GameRecord.of(referee, seconds=[0.5] * referee.ply)
    frames = frames_of(record)
    steps, before = 0, chess.Board()
    for step, frame in zip(record.replay(), frames, strict=True):
        steps += 1
        board = step.referee.board()
        assert frame["true"] == {chess.square_name(square): man.symbol() for square, man in board.piece_map().items()}
        for color in chess.COLORS:
            men = {
                chess.square_name(square): chess.Piece(kind, color).symbol()
                for square, kind in step.referee.view(color).men.items()
            }
            assert frame[chess.COLOR_NAMES[color]] == men
        assert frame["turn"] == (None if step.referee.end else chess.COLOR_NAMES[board.turn])
        if step.event is None:
            assert (frame["mover"], frame["move"], frame["title"]) == (None, None, "The game begins.")
            assert frame["name"] == ""
        else:
            last = step.referee.last
            assert isinstance(last, OwnTry)
            assert (frame["move"], frame["answer"]) == (last.move.uci(), last.answer.value)
            assert frame["mover"] == chess.COLOR_NAMES[bool(step.color)]
            assert frame["seconds"] == (0.5 if last.announcement else None)
            if last.announcement:
                san = before.san(last.move)
                assert [mark in frame["name"] for mark in "x+#"] == [mark in san for mark in "x+#"]
                assert before.parse_san(frame["name"]) == last.move
        before = board
    assert steps == len(referee.log) + 1


def test_an_end_without_a_try_has_a_frame_of_its_own() -> None:
    record = game(end=True)
    last = frames_of(record)[-1]
    assert last["title"] == "Resignation, Black wins."
    assert (last["mover"], last["move"], last["turn"]) == (None, None, None)
    assert last["news"]["white"] == last["news"]["black"] == last["news"]["referee"] == [last["title"]]


def test_the_news_of_a_side_come_from_its_own_views() -> None:
    record = game(end=True)
    frames = frames_of(record)
    for color, views in views_of(record).items():
        diary = Diary()
        for view, frame in zip(views, frames, strict=True):
            assert frame["news"][chess.COLOR_NAMES[color]] == [entry.line() for entry in diary.take(view)]


# Beliefs


def test_the_belief_at_a_moment_does_not_depend_on_when_it_was_asked_for() -> None:
    views = views_of(game(plies=24))[chess.BLACK]
    at_once = BeliefTimeline(500, 3)
    late = at_once.at(views[-1])
    one_by_one = BeliefTimeline(500, 3)
    for view in views:
        held = one_by_one.at(view)
        again = at_once.at(view)
        sliced = at_once.at(views[-1], len(view.events))
        assert held is not None
        assert again is not None
        assert sliced is again
        assert held.view == again.view == view
        assert np.array_equal(held.chances, again.chances)
    assert late is again


def test_a_belief_that_needs_longer_goes_on_from_where_it_was() -> None:
    view = views_of(game(plies=12))[chess.WHITE][-1]
    slow, asked = BeliefTimeline(500, 3), 1
    while (held := slow.at(view, seconds=0)) is None:
        asked += 1
    whole = BeliefTimeline(500, 3).at(view)
    assert whole is not None
    assert asked == len(view.events) + 1
    assert np.array_equal(held.chances, whole.chances)


def test_heat_is_the_belief_of_that_view() -> None:
    beliefs = Beliefs()
    views = views_of(game())[chess.WHITE]
    for view in views[::5]:
        heat = in_slices(beliefs.belief, "game", view)
        belief = Belief(view, PARTICLES, SEED)
        assert np.allclose(heat.chances, belief.occupancy(chess.BLACK), atol=0.001)
        assert heat == in_slices(Beliefs().belief, "another", view)


def test_many_games_are_followed_and_one_that_was_let_go_is_made_again() -> None:
    views = [views_of(game(seed))[chess.WHITE][-1] for seed in (1, 2, 3)]
    beliefs = Beliefs(games=2)
    first = [in_slices(beliefs.belief, str(number), view) for number, view in enumerate(views)]
    assert beliefs._sides.cache_info().currsize == 2
    assert [in_slices(beliefs.belief, str(number), view) for number, view in enumerate(views)] == first


def test_where_a_side_was_sure_is_set_beside_the_truth() -> None:
    view = Referee().view(chess.WHITE)
    held = BeliefTimeline(100).at(view)
    assert held is not None
    truth = dict(Referee().view(chess.BLACK).men)
    assert believed(held, truth).placed == 16
    truth[chess.E5] = truth.pop(chess.E7)  # not where White, who knows the beginning, expects it
    seen = believed(held, truth)
    assert (seen.wrong, seen.missed, seen.placed, seen.men) == (["e7"], ["e5"], 15, 16)
    assert len(seen.right) == 15


def test_what_nine_in_ten_positions_say_is_not_sure_and_what_all_say_is() -> None:
    views = views_of(game(plies=2))[chess.WHITE]
    held = BeliefTimeline(100).at(views[-1])
    assert held is not None
    boards = [to_board(row) for row in Belief(views[-1], 100).particles.rows]
    enemies = [chess.SquareSet(board.occupied_co[chess.BLACK]) for board in boards]
    seen = believed(held, Referee().view(chess.BLACK).men)
    everywhere = {square for square in chess.SQUARES if all(square in one for one in enemies)}
    assert {chess.parse_square(square) for square in [*seen.right, *seen.wrong]} == everywhere
    assert held.chances.sum(axis=0)[chess.B7] >= 0.9  # one of 20 moves took the pawn away, or two
    assert "b7" not in [*seen.right, *seen.wrong]
    assert seen.basis == f"all {len(boards)} possible positions"
    few = believed(replace(held, is_exact=False, ancestors=29), Referee().view(chess.BLACK).men)
    assert (few.right, few.wrong, few.missed) == ([], [], [])


def test_chances_of_all_types_together_are_one_only_where_all_boards_agree() -> None:
    view = Referee().view(chess.WHITE)
    held = BeliefTimeline(100).at(view)
    assert held is not None
    chances = np.zeros((6, 64))
    chances[:3, chess.E5] = 1 / 3  # always something
    chances[:2, chess.E6] = 0.4998, 0.4998
    chances[:3, chess.E7] = 0.0003, 0.0004, 0.0002
    told = np.array(Believed.of(replace(held, chances=chances)).chances)
    assert told[:, chess.E5].sum() == pytest.approx(1)
    assert told[:, chess.E6].sum() == pytest.approx(0.999)
    assert told[:3, chess.E7].tolist() == [0.001, 0.001, 0.001]


def test_a_side_in_the_dark_is_sure_of_nothing() -> None:
    view = Referee().view(chess.WHITE)
    held = BeliefTimeline(100).at(view)
    assert held is not None
    dark = replace(held, chances=np.zeros((6, 64)), boards=0, ancestors=0, is_exact=False, is_consistent=False)
    seen = believed(dark, Referee().view(chess.BLACK).men)
    assert (seen.chances, seen.right, seen.wrong, seen.missed) == ([], [], [], [])


# Values


@pytest.mark.parametrize(("plies", "impossible"), [(1, 14), (11, 0)])  # no pawn takes anything at the first move
def test_values_are_those_of_the_level_master_for_tries_that_may_be_legal(plies: int, impossible: int) -> None:
    views = views_of(game(plies=plies))
    heard = {color: len(seen[-1].events) for color, seen in views.items()}
    found = in_slices(Beliefs().look, "game", {color: seen[-1] for color, seen in views.items()}, heard)
    assert found.mover == "black"
    view = views[chess.BLACK][-1]
    belief = Belief(view, PARTICLES, SEED)
    rows, counts = belief.particles.rows, belief.particles.weights
    if len(rows) > HINT_SAMPLES:
        rows, counts = belief.particles.draw(HINT_SAMPLES, subseed(SEED, len(view.events)))
    values = search_tries(InformationSet.of(view, rows, counts), Method.of(LEVELS["master"]), may_prune=False)
    expected = dict(zip(values.tries.tolist(), zip(values.values, values.legal, strict=True), strict=True))
    possible = {move for move, (_, legal) in expected.items() if legal > 0}
    assert len(possible) + impossible == len(expected) == len(view.tries())
    assert {encode_move(chess.Move.from_uci(one["uci"])) for one in found.tries} == possible
    for one in found.tries:
        value, legal = expected[encode_move(chess.Move.from_uci(one["uci"]))]
        assert (one["value"], one["legal"]) == (round(value, 1), round(legal, 3))
    worth = [one["value"] for one in found.tries]
    assert worth == sorted(worth, reverse=True)


def test_many_moments_are_looked_at_as_each_is_alone() -> None:
    views = views_of(game(plies=11))
    last = {color: seen[-1] for color, seen in views.items()}
    moments = [{color: len(seen[at].events) for color, seen in views.items()} for at in (9, 0, 4)]
    alone = [in_slices(Beliefs().look, "game", last, heard) for heard in moments]
    beliefs = Beliefs()
    assert [in_slices(beliefs.look, "game", last, heard) for heard in moments] == alone


def test_a_side_that_was_followed_through_the_game_has_its_turning_points_at_once() -> None:
    views = views_of(game(plies=40))
    followed, ends = Beliefs(), {color: seen[-1] for color, seen in views.items()}
    for view in views[chess.WHITE]:
        if view.turn == chess.WHITE:
            in_slices(followed.value_ahead, "game", view)
    belief = followed._sides("game")[chess.WHITE].at(ends[chess.WHITE])
    assert belief is not None
    values = dict(followed._sides("game")[chess.WHITE]._values)
    found = in_slices(followed.turning, "game", ends, chess.WHITE, None)
    assert followed._sides("game")[chess.WHITE]._values == values
    assert found == in_slices(Beliefs().turning, "another", ends, chess.WHITE, None)


# What is kept


def test_a_second_review_of_a_game_finds_the_analysis_of_the_first(tmp_path: Path) -> None:
    record = game(end=True)

    class Absent:
        async def ask(self, *_: object) -> None:
            raise AssertionError("asked again")

    async def reviewed() -> tuple[list[TurningPoints], list[Analysis]]:
        analyst = Analyst()
        first = Review.of("first", record, tmp_path)
        try:
            turning = [message async for message in first.turning(analyst)]
            looks = [await first.look(index, analyst) for index in range(len(first.frames))]
        finally:
            analyst.close()
        second, absent = Review.of("second", record, tmp_path), cast(Analyst, Absent())
        assert [message async for message in second.turning(absent)] == turning[-1:]
        assert [await second.look(index, absent) for index in range(len(looks))] == looks
        return turning, looks

    turning, _ = asyncio.run(reviewed())
    assert [message.sides for message in turning] == [["white"], ["white", "black"]]


def test_a_kept_analysis_that_is_damaged_or_of_another_version_or_game_counts_as_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = game(end=True)
    kept = KeptAnalysis.load(tmp_path, record, None)
    kept.turning = TurningPoints([], ["white", "black"])
    nothing = BeliefShown([], "", [], [], [], 0.0, 0)
    kept.add(Analysis(nothing, nothing, None, "", [], 3))
    kept.save()
    assert KeptAnalysis.load(tmp_path, record, None) == kept
    assert kept.look(3) is not None
    assert kept.look(4) is None
    assert KeptAnalysis.load(tmp_path, record, chess.WHITE).turning is None
    assert KeptAnalysis.load(tmp_path, game(6), None).turning is None
    assert kept.path is not None
    whole = kept.path.read_bytes()
    other = whole.replace(VERSION.encode(), b"-" * len(VERSION))
    for damaged in (b"", whole[:-5], b"\xc1" + whole, other, bytes(100_000)):
        kept.path.write_bytes(damaged)
        assert KeptAnalysis.load(tmp_path, record, None) == KeptAnalysis(kept.path)
    kept.path.write_bytes(whole)
    for data in (b"", b"x", zlib.compress(b"{}"), zlib.compress(bytes(10**7))):
        kept.looks[3] = data
        assert kept.look(3) is None
    monkeypatch.setattr("kriegbot.web.library.VERSION", "another")
    assert KeptAnalysis.load(tmp_path, record, None).turning is None


def test_a_picture_of_a_game_comes_after_its_end_and_not_before(tmp_path: Path) -> None:
    pytest.importorskip("PIL.Image", reason="pictures are painted with Pillow")
    pytest.importorskip("resvg_py", reason="pictures are painted with resvg")
    with serving(tmp_path) as (_, address), Client(address) as client:
        client.send(
            {"do": "new", "opponent": "rand", "color": "black", "rules": "berkeley", "seed": "3", "clock": None}
        )
        id_ = client.until("game")["id"]
        client.until("view", yours=True)
        page = f"{address}pictures/"
        with pytest.raises(urllib.error.HTTPError, match="404") as refused:
            urllib.request.urlopen(page + id_)
        assert json.load(refused.value) == {"error": "There is a picture of a game after its end."}
        refused.value.close()
        client.send({"do": "resign"})
        client.until("frames")
        with urllib.request.urlopen(page + id_) as answer:
            assert answer.headers["content-type"] == "image/gif"
            assert answer.read(6) == b"GIF89a"


# The process


def test_a_game_is_looked_back_at_in_any_order_and_after_the_process_was_killed() -> None:
    record = game(end=True)
    review = Review.of("game", record)
    assert review.message(3) == Frames(3, Review.of("", record).frames[3:], False)

    async def looked() -> None:
        analyst = Analyst()
        try:
            late, early = await asyncio.gather(*(review.look(index, analyst) for index in (12, 4)))
            views = views_of(record)
            for index, found in ((12, late), (4, early)):
                view = views[chess.WHITE][index]
                assert (type(found), found.index) == (Analysis, index)
                assert found.white.chances == (await analyst.ask(Beliefs.belief, "same", view)).chances
            last = await review.look(len(review.frames) - 1, analyst)
            assert (last.mover, last.tries) == (None, [])
            (pid,) = (worker.pid for worker in analyst._pool._workers)
            if sys.platform != "win32":
                os.kill(pid, signal.SIGKILL)
                assert await Review.of("game", record).look(12, analyst) == late
            for index in (-1, len(review.frames)):
                with pytest.raises(IndexError):
                    await review.look(index, analyst)
        finally:
            analyst.close()
        assert not analyst._pool._workers
        with pytest.raises(AnalystFailed):
            await review.look(5, analyst)

    asyncio.run(looked())


def test_an_analyst_that_is_closed_leaves_nobody_waiting() -> None:
    async def left() -> None:
        analyst = Analyst()
        review = Review.of("game", game(plies=60))
        waiting = asyncio.gather(*(review.look(index, analyst) for index in (50, 60)), return_exceptions=True)
        await asyncio.sleep(0.1)
        await asyncio.to_thread(analyst.close)
        assert all(isinstance(answer, BaseException) for answer in await waiting)
        analyst.close()

    asyncio.run(left())


def test_a_question_that_fails_is_told_and_the_next_one_answered() -> None:
    async def asked() -> None:
        analyst = Analyst()
        try:
            with pytest.raises(AnalystFailed, match="AttributeError"):
                await analyst.ask(Beliefs.belief, "game", None)  # type: ignore[arg-type]  # on purpose
            assert len((await analyst.ask(Beliefs.belief, "game", Referee().view(chess.WHITE))).chances) == 6
        finally:
            analyst.close()

    asyncio.run(asked())


def test_moments_tell_what_both_sides_see_and_have_heard() -> None:
    record = game()
    views = views_of(record)
    for index, moment in enumerate(moments(record)):
        for color, seen in views.items():
            assert moment.men[chess.COLOR_NAMES[color].capitalize()] == own_men(seen[index])
            assert moment.event_counts[color] == len(seen[index].events)
            assert moment.turn == (None if seen[index].end is not None else seen[index].turn)


class Spy:
    """In the analyst's place: writes down what it is asked."""

    def __init__(self) -> None:
        self.views: list[View] = []
        self.jobs: set[Callable[..., Any]] = set()
        self.looks = 0

    async def ask(self, job: Callable[..., Any], _key: str, views: object, *_: object) -> Any:
        """All dark, nothing, no turning points."""
        if isinstance(views, View):
            self.views.append(views)
            self.jobs.add(job)
        else:
            self.looks += 1
        nothing = BeliefShown([], "", [], [], [], 0.0, 0)
        answers = {Beliefs.look: Analysis(nothing, nothing, None, "", []), Beliefs.belief: Believed([], "", [])}
        return answers.get(job, [])

    def close(self) -> None:
        """Do nothing."""


def test_before_the_end_of_a_persons_game_only_its_own_view_is_analysed(tmp_path: Path) -> None:
    spy = Spy()
    with serving(tmp_path) as (registry, address), Client(address) as client:
        registry.analyst = spy  # type: ignore[assignment]  # on purpose
        client.send(
            {"do": "new", "opponent": "rand", "color": "black", "rules": "berkeley", "seed": "3", "clock": None}
        )
        client.until("view", yours=True)
        client.send({"do": "heat", "on": True})
        client.until("heat")
        for asked in ({"do": "look", "indexes": [0]}, {"do": "turning"}):
            client.send(asked)
            client.until("refusal")
        client.send({"do": "try", "text": "e5"})
        client.until("view", yours=True)
        client.until("heat")
        assert {one.__name__ for one in spy.jobs} == {"belief", "value_ahead"}
        assert all(view.color == chess.BLACK and view.end is None for view in spy.views)
        assert spy.looks == 0
        client.send({"do": "resign"})
        client.until("frames")
        client.send({"do": "look", "indexes": [0]})
        assert client.until("analysis")["index"] == 0
        client.send({"do": "turning"})
        assert client.until("turning")["sides"] == ["black"]
        assert client.until("turning")["sides"] == ["black", "white"]
        assert spy.looks == 3
