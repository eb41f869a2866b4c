"""Clocks and seats of games on the page, without a game, a process or waiting."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import chess
import pytest

from kriegbot.children import CannotStart
from kriegbot.game.process import ProcessSeat
from kriegbot.game.seat import Failure, PlayerFailed
from kriegbot.players.base import Choice, Forfeiture, Leave
from kriegbot.players.human import BadTry
from kriegbot.players.specs import parse_spec
from kriegbot.request import Refused
from kriegbot.web.notices import Clocks, Prepared
from kriegbot.web.seats import MAX_FREE, GameClock, PersonSeat, PooledSeat, SeatPool, TimeControl
from referee import RULE_SETS, GameRecord, Referee, Resign, View

RAND, CHOICE = parse_spec("rand"), Choice(chess.Move.from_uci("e2e4"))


class Time:
    """A clock that moves only when a test says so."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        """Return the time."""
        return self.now


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Time:
    found = Time()
    monkeypatch.setattr("kriegbot.web.seats.awake_time", found)
    return found


def views(*moves: str) -> dict[chess.Color, View]:
    """Return both sides' views after these moves."""
    referee = Referee()
    for uci in moves:
        referee.try_move(chess.Move.from_uci(uci))
    return {color: referee.view(color) for color in chess.COLORS}


# Clocks


@pytest.mark.parametrize(
    ("text", "control"),
    [
        (None, None),
        ("300+5", TimeControl(300, 5)),
        ("1+0", TimeControl(1, 0)),
        ("36000+600", TimeControl(36000, 600)),
    ],
)
def test_a_clock_is_written_as_in_pgn(text: str | None, control: TimeControl | None) -> None:
    assert TimeControl.of(text) == control
    assert control is None or str(control) == text


@pytest.mark.parametrize("text", ["", "5", "0+1", "1+", "36001+0", "5+601", "5.5+1", "-1+0", "five+one"])
def test_a_time_control_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(Refused, match=r"^Illegal clock '.*Give seconds from 1 to 36000"):
        TimeControl.of(text)


def test_a_clock_runs_for_one_side_and_each_move_adds_the_increment(time: Time) -> None:
    clock = GameClock(TimeControl(60, 5))
    clock.switch(chess.WHITE)
    time.now += 10
    assert [clock.left(color) for color in (chess.WHITE, chess.BLACK)] == [50, 60]
    clock.switch(chess.WHITE)  # a refused try
    assert clock.left(chess.WHITE) == 50
    clock.switch(chess.BLACK)
    time.now += 70
    assert [clock.left(color) for color in (chess.WHITE, chess.BLACK)] == [55, 0]
    assert clock.shown(chess.BLACK) == Clocks(55.0, 0.0, "black", True)
    assert clock.shown(None).running is None


def test_a_held_clock_stands_and_gives_no_increment(time: Time) -> None:
    clock = GameClock(TimeControl(60, 5))
    clock.switch(chess.BLACK)
    time.now += 10
    clock.hold()
    time.now += 100
    assert clock.left(chess.BLACK) == 50
    clock.switch(chess.BLACK)
    assert clock.left(chess.BLACK) == 50


def test_without_a_time_control_clocks_count_up_without_an_end(time: Time) -> None:
    clock = GameClock(None)
    assert clock.shown(chess.WHITE) == Clocks(0.0, 0.0, "white", False)
    clock.switch(chess.WHITE)
    time.now += 7.26
    assert clock.left(chess.WHITE) == math.inf
    assert clock.shown(chess.WHITE).white == 7.3


def test_clocks_of_a_continued_game_have_what_its_turns_left(time: Time) -> None:
    referee = Referee()
    for uci in ("e2e4", "e7e5", "d2d4"):
        referee.try_move(chess.Move.from_uci(uci))
    record = GameRecord.of(referee, {"White": "a", "Black": "b"}, seconds=[10, 20, 30])
    clock = GameClock(TimeControl(60, 5), record)
    time.now += 9
    unknown = GameClock(TimeControl(60, 5), GameRecord.of(referee, {"White": "a", "Black": "b"}))
    assert unknown.left(chess.WHITE) == 70
    assert [clock.left(color) for color in (chess.WHITE, chess.BLACK)] == [30, 45]


# Seats of programs


class Pretended(PooledSeat):
    """A seat without a process, which notes how that would end."""

    pid = 7

    def __init__(self, pending_ready: int = 0) -> None:
        super().__init__(RAND)
        self._process = SimpleNamespace(pending_ready=pending_ready)  # type: ignore[assignment]
        self.ends: list[str] = []

    def kill(self) -> None:
        """Note it."""
        self.ends.append("killed")

    def close(self) -> None:
        """Note it."""
        self.ends.append("closed")


def test_no_clock_runs_while_a_program_gets_ready(time: Time, monkeypatch: pytest.MonkeyPatch) -> None:
    def get_ready(one: Any) -> None:
        time.now += 30
        one._process.pending_ready = 0

    ready, seat = list[float](), Pretended(pending_ready=1)
    monkeypatch.setattr(ProcessSeat, "ready", get_ready)
    seat.color, seat.clock, seat.on_ready = chess.BLACK, GameClock(TimeControl(60, 5)), lambda: ready.append(time.now)
    seat.clock.switch(chess.BLACK)
    time.now += 1
    seat.ready()
    assert ready == [131]
    assert seat.clock.left(chess.BLACK) == 59
    time.now += 2
    assert seat.clock.left(chess.BLACK) == 57
    seat.ready()  # it is
    assert (ready, time.now) == ([131], 133)


@pytest.mark.parametrize(
    ("seconds", "fails", "action"),
    [
        (2, False, CHOICE.action),
        (60, False, Forfeiture(chess.WHITE, "lost on time")),
        (60, True, Forfeiture(chess.WHITE, "lost on time")),
    ],
)
def test_a_program_has_its_answer_counted_only_in_time(
    seconds: float, fails: bool, action: object, time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    def answer(_: object, view: View) -> Choice:
        assert seen == [view]
        time.now += seconds
        if fails:
            raise PlayerFailed(Failure.HUNG, "no answer")
        return CHOICE

    seen, seat = list[View](), Pretended()
    monkeypatch.setattr(ProcessSeat, "ask", answer)
    seat.clock, seat.on_ask = GameClock(TimeControl(60, 0)), seen.append
    assert seat.ask(views()[chess.WHITE]).action == action


def test_all_tries_of_a_turn_share_its_seconds(time: Time, monkeypatch: pytest.MonkeyPatch) -> None:
    def answer(one: Pretended, _: View) -> Choice:
        given.append(one.turn_seconds)
        time.now += 0.75
        return CHOICE

    given, seat = list[float | None](), Pretended()
    monkeypatch.setattr(ProcessSeat, "ask", answer)
    seat.ask(views()[chess.WHITE])
    seat.clock = GameClock(TimeControl(60, 0))
    for _ in range(3):
        seat.ask(views()[chess.WHITE])
    seat.ask(views("e2e4", "e7e5")[chess.WHITE])
    assert given == [None, *(pytest.approx(seconds) for seconds in (1, 0.25, 0, 57.75 / 60))]
    monkeypatch.setattr(ProcessSeat, "begin", lambda *_: None)
    assert seat.begin(3) is None
    seat.ask(views("e2e4", "e7e5")[chess.WHITE])  # of another game
    assert given[-1] == pytest.approx(57 / 60)


def test_a_program_that_cannot_start_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise CannotStart("no memory")

    monkeypatch.setattr(ProcessSeat, "begin", fail)
    assert Pretended().begin(3) == Leave("no memory")


def test_a_program_that_fails_in_time_has_failed_and_one_that_was_left_has_not(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> Choice:
        if is_left:
            seat.leave("gone")
        raise PlayerFailed(Failure.DIED, "killed")

    seat, is_left = Pretended(), False
    monkeypatch.setattr(ProcessSeat, "ask", fail)
    with pytest.raises(PlayerFailed):
        seat.ask(views()[chess.WHITE])
    is_left = True
    assert seat.ask(views()[chess.WHITE]).action == Leave("gone")
    assert seat.ends == ["killed"]
    assert seat.begin(3) == Leave("gone")


def test_no_process_plays_for_one_side_and_later_for_the_other() -> None:
    pool, seat = SeatPool(lambda *_: None), Pretended()
    pool._free, seat.color = [seat], chess.WHITE
    assert pool.take(RAND, chess.BLACK) is not seat
    assert pool.take(RAND, chess.WHITE) is seat
    pool.release(seat)
    assert pool._free == [seat]
    assert pool.take(RAND) is seat


def test_the_pool_warms_a_process_for_the_first_game(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    pool, seat = SeatPool(lambda *_: None), Pretended()
    pool._free = [seat]
    monkeypatch.setattr(ProcessSeat, "begin", lambda *_: done.append("begun"))
    monkeypatch.setattr(PooledSeat, "ready", lambda _: done.append("ready"))
    pool.warm()
    assert (done, seat.spec.name, pool._free) == (["begun", "ready"], "kriegbot", [seat])
    pool.close()
    assert (seat.ends, seat.why) == (["closed"], "")


def test_a_few_idle_processes_are_kept_and_none_that_was_left() -> None:
    pool, left, *others = SeatPool(lambda *_: None), *(Pretended() for _ in range(MAX_FREE + 2))
    left.why = "gone"
    for seat in (left, *others):
        pool.release(seat)
    assert pool._free == others[:MAX_FREE]
    assert [seat.ends for seat in (left, *others)] == [["closed"], *[[]] * MAX_FREE, ["closed"]]


def test_a_closed_pool_ends_idle_processes_and_leaves_games() -> None:
    pool, taken, idle, late = SeatPool(lambda *_: None), Pretended(), Pretended(), Pretended()
    pool._free = [taken]
    assert pool.take(RAND) is taken
    pool.release(idle)
    pool.close()
    assert idle.ends == ["closed"]
    assert (taken.why, taken.ends) == ("the page was closed", ["killed"])
    assert pool.take(RAND).why == "the page was closed"
    pool.release(late)
    assert (pool._free, late.ends) == ([], ["closed"])


# Seats of people


def person() -> PersonSeat:
    return PersonSeat(lambda _: None, GameClock(TimeControl(60, 0)), is_here=True)


def test_a_try_is_prepared_while_the_other_side_is_to_move() -> None:
    seat = person()
    with pytest.raises(Refused, match="nothing to prepare"):
        seat.prepare("e5")
    seat.wait(views()[chess.BLACK])
    assert seat.prepare("e5") == Prepared("e7e5", "e5")
    seat.wait(views("e2e4")[chess.BLACK])
    assert seat.prepare("e5") == Prepared("e7e5", "e5")
    seat.resign()
    with pytest.raises(Refused, match="nothing to prepare"):
        seat.prepare("e5")


def test_a_question_is_prepared_where_the_rules_have_one() -> None:
    seat = person()
    seat.wait(Referee(RULE_SETS["berkeley_any"]).view(chess.WHITE))
    assert seat.prepare("any") == Prepared("any", "Any?")
    seat.wait(views()[chess.WHITE])
    with pytest.raises(BadTry, match="not a move"):
        seat.prepare("any")


def test_nothing_is_prepared_after_the_end() -> None:
    seat, referee = person(), Referee()
    referee.resign(chess.WHITE)
    seat.wait(referee.view(chess.BLACK))
    with pytest.raises(Refused, match="nothing to prepare"):
        seat.prepare("e5")


def test_who_may_act_is_who_is_asked() -> None:
    seat = person()
    with pytest.raises(Refused, match="not your turn"):
        seat.turn_view()
    seat._turn_view = view = views()[chess.WHITE]
    assert seat.turn_view() is view
    with pytest.raises(Refused, match="no move to undo"):
        seat.take_back()
    seat.answer("e4")
    assert seat._actions.get_nowait() == chess.Move.from_uci("e2e4")
    with pytest.raises(Refused, match="not your turn"):
        seat.answer("e4")
    seat._turn_view = views("e2e4", "e7e5")[chess.WHITE]
    seat.take_back()
    assert seat.takes_back
    assert seat._actions.get_nowait() == Leave("a move was taken back")
    assert [seat.resign(), seat.resign()] == [False, False]  # it counts once the opponent has moved
    assert seat._actions.get_nowait() == Resign()
    assert seat._actions.empty()
    with pytest.raises(Refused, match="You have resigned"):
        seat.turn_view()


def test_a_resignation_in_the_own_turn_counts_at_once() -> None:
    seat = person()
    seat._turn_view = views()[chess.WHITE]
    assert seat.resign()
    assert seat._actions.get_nowait() == Resign()
