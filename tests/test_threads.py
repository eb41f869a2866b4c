"""Threads of one player's turn: the same games for any number, one stop for all, and what a system refuses."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, ClassVar
from unittest.mock import Mock

import chess
import numpy as np
import pytest

from kriegbot.belief.belief import Belief
from kriegbot.children import usable_cores
from kriegbot.game import sandbox
from kriegbot.game.match import play_game
from kriegbot.game.process import ProcessSeat, on_all_cores
from kriegbot.kernels import WordArray, from_board
from kriegbot.players.making import make_player
from kriegbot.players.specs import BadSpec, parse_spec
from kriegbot.search.information_set import InformationSet
from kriegbot.search.perfect_information import BoardValues
from kriegbot.search.recursion import walk_batch
from kriegbot.search.search import LISTED, search_tries, stop_after
from kriegbot.search.settings import Method, Settings
from kriegbot.search.tree import SearchTree
from kriegbot.threads import MOST_THREADS, mapped, slices
from referee import RULE_SETS, WILD16, Limits, Referee

SPECS = {
    "kriegbot:samples=40": ("wild16", 10),
    "search:samples=40,depth=2,particles=3000,backup=mixed,free_refusals=2": ("berkeley", 10),
    "search:samples=5,depth=3,particles=3000": ("wild16", 6),
    "overconfident:samples=300,particles=5000,depth=1": ("english", 16),
    "paranoid:samples=20,particles=5000,depth=1": ("berkeley", 16),
}


def played(spec: str, rules: str, plies: int) -> list[object]:
    """Return all answers of a player with their reports, without times, and the moves of its game."""
    result = play_game(spec, "rusher", rules=RULE_SETS[rules], limits=Limits(plies=plies), seed=5)
    answers = [(one.ply, one.report.written() | {"seconds": 0.0, "overrun": False}) for one in result.answers]
    return [*answers, *((turn.move, turn.tries) for turn in result.record.turns)]


@pytest.mark.slow
@pytest.mark.parametrize("spec", SPECS)
def test_a_game_by_samples_is_the_same_with_one_two_and_three_threads(
    spec: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kriegbot.belief.filter.SLICE", 64)  # so that a small belief has slices, too
    monkeypatch.setattr("kriegbot.search.search.CHUNK_BOARDS", 100)
    monkeypatch.setattr("kriegbot.search.search.LISTED", 7)
    one, two, three = (played(f"{spec},threads={threads}", *SPECS[spec]) for threads in (1, 2, 3))
    assert one == two == three


def crowd(threads: int) -> tuple[InformationSet, Method]:
    """Return an information set of 20,000 boards, of which 200 differ, and the flagship's method."""
    referee = Referee(WILD16)
    for uci in ("e2e4", "d7d6", "d2d4", "g8f6"):
        referee.try_move(chess.Move.from_uci(uci))
    view = referee.view(chess.WHITE)
    rows, weights = Belief(view, threads=threads).shuffled(1)
    histories = InformationSet.of(view, np.tile(rows, (100, 1)), np.tile(weights, 100))
    return histories, Method.of(Settings(depth=2, free_refusals=1, evaluator="sound", threads=threads))


def test_a_tree_that_gets_full_does_so_with_any_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    # 14 captures by pawns are refused: 1 + 14 + 14 * 13 + 14 * 13 * 12 information sets
    for name in ("DEEP_TREE", "MOST_NODES"):
        monkeypatch.setattr(f"kriegbot.search.search.{name}", 1 << 10)
    histories = InformationSet.of(Referee().view(chess.WHITE), from_board(chess.Board()).reshape(1, 8), np.ones(1))
    method = Method.of(Settings(depth=2, free_refusals=3))
    one, three = (search_tries(histories, replace(method, threads=threads)) for threads in (1, 3))
    assert one.depth == three.depth == 1  # without one history that is done to depth 2
    np.testing.assert_array_equal(one.values, three.values)


@pytest.mark.slow
def test_a_stop_by_time_stops_all_threads_and_leaves_values_of_whole_histories() -> None:
    histories, method = crowd(threads=3)
    search_tries(histories.first(1), method)  # loads kernels
    found = search_tries(histories, method, 0.5)
    assert 0 < found.boards < len(histories.rows)
    np.testing.assert_array_equal(found.values, search_tries(histories.first(found.boards), method).values)


def test_histories_listed_before_a_stop_count(monkeypatch: pytest.MonkeyPatch) -> None:
    def walk_then_stop(tables: WordArray, tree: SearchTree, *rest: Any) -> int:
        done = int(walk_batch(tables, tree, *rest))
        tree.stop[0] = 1
        return done

    histories, method = crowd(threads=2)
    monkeypatch.setattr("kriegbot.search.search.mapped", lambda work, parts, _: [work(part) for part in parts])
    monkeypatch.setattr("kriegbot.search.search.walk_batch", walk_then_stop)
    found = search_tries(histories, method, 100.0)
    monkeypatch.undo()
    assert 0 < found.boards < 2 * LISTED
    np.testing.assert_array_equal(found.values, search_tries(histories.first(found.boards), method).values)


def test_a_stop_ends_the_values_of_boards_on_all_threads() -> None:
    histories, method = crowd(threads=3)
    with stop_after(0.05) as stop:
        values = BoardValues(histories, method).values(histories.rows, histories.tries, 3, stop)
    assert len(values) < len(histories.rows)


@pytest.mark.parametrize("threads", [1, 2])
def test_after_the_deadline_no_more_boards_are_given_to_kernels(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    histories, method = crowd(threads)
    monkeypatch.setattr("kriegbot.search.perfect_information.value_boards", lambda *_: pytest.fail("too late"))
    with stop_after(None) as stop:
        values = BoardValues(histories, method).values(
            histories.rows, histories.tries, 3, stop, time.perf_counter() - 1.0
        )
    assert values.shape == (0, len(histories.tries))


def test_results_come_in_order_and_each_part_is_done_once() -> None:
    done: list[int] = []

    def late(part: int) -> int:
        time.sleep(0.001 * (part % 3))
        done.append(part)
        return -part

    assert mapped(late, range(50), 4) == [-part for part in range(50)]
    assert sorted(done) == list(range(50))
    assert mapped(late, [], 4) == []


def test_an_error_in_any_thread_is_raised_and_ends_the_work() -> None:
    done: list[int] = []

    def fails(part: int) -> None:
        done.append(part)
        time.sleep(0.001)
        if part == 3:
            raise ValueError("part 3")

    with pytest.raises(ValueError, match="part 3"):
        mapped(fails, range(10_000), 3)
    assert len(done) < 1000


@pytest.mark.parametrize("allowed", [0, 1, 2])
def test_without_more_threads_those_that_there_are_do_all(allowed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    starts(monkeypatch, allowed, RuntimeError("can't start new thread"))
    for _ in range(20):
        assert mapped(lambda part: part + 1, range(20), 4) == list(range(1, 21))
        assert turning() == []


@pytest.mark.parametrize("player", ["kriegbot", "paranoid", "search:depth=1", "hs"])
def test_without_any_more_threads_a_player_by_time_makes_a_try(player: str, monkeypatch: pytest.MonkeyPatch) -> None:
    view, chosen = Referee().view(chess.WHITE), make_player(parse_spec(player).with_option("time", "0.1"), 1)
    monkeypatch.setattr(threading.Thread, "start", Mock(side_effect=RuntimeError("can't start new thread")))
    assert chosen.choose(view).action in view.tries()


def test_an_interrupt_while_threads_start_ends_the_work_before_it_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[int] = []

    def late(part: int) -> None:
        time.sleep(0.001)
        done.append(part)

    starts(monkeypatch, 1, KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        mapped(late, range(10_000), 4)
    assert turning() == []
    assert len(done) < 1000


def starts(monkeypatch: pytest.MonkeyPatch, allowed: int, refusal: BaseException) -> None:
    """Let each call of `mapped` start so many threads, and refuse the next."""
    start = threading.Thread.start

    def start_or_refuse(thread: threading.Thread) -> None:
        if thread.name == "turn" and len(turning()) >= allowed:
            raise refusal
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", start_or_refuse)


def turning() -> list[str]:
    """Return the names of the threads of a turn that run."""
    return [thread.name for thread in threading.enumerate() if thread.name == "turn"]


def test_slices_cover_all_rows_in_order() -> None:
    for count in (0, 1, 4, 5, 9):
        parts = slices(count, 4)
        assert [row for part in parts for row in range(count)[part]] == list(range(count))
        assert len(parts) == -(-count // 4)


@pytest.mark.parametrize("threads", ["0", "1000000", "-1", "1.5", "many", ""])
@pytest.mark.parametrize("player", ["kriegbot", "search", "overconfident", "paranoid", "engine"])
def test_a_wrong_number_of_threads_is_refused_in_one_line(player: str, threads: str) -> None:
    with pytest.raises(BadSpec) as refused:
        parse_spec(f"{player}:threads={threads}")
    text = str(refused.value)
    assert "\n" not in text
    assert text == f"illegal threads '{threads}' for player '{player}'; it takes a whole number, 1..{MOST_THREADS}."


def test_a_player_uses_all_cores_for_a_person_unless_its_spec_says_otherwise() -> None:
    assert make_player(parse_spec("kriegbot:samples=5"), 1).search.search.settings.threads == 1  # type: ignore[attr-defined]
    for spec in ("kriegbot", "kriegbot:level=club", "search:depth=1", "paranoid"):
        assert on_all_cores(parse_spec(spec)).get("threads") == usable_cores()
    for spec in ("kriegbot:threads=1", "rand", "hs", "benchmarks/partners/mcts.py:MctsPlayer", "program:true"):
        assert on_all_cores(parse_spec(spec)) == parse_spec(spec)


class Fake:
    """In the place of a player's process: it keeps what is sent, and is ready at once."""

    is_running, pending_ready, pid = True, 0, 0
    sent: ClassVar[list[str]] = []

    def __init__(self, *_: object) -> None:
        self.hashes: dict[object, str] = {}

    def post(self, lines: list[str], _: object) -> None:
        """Keep the lines."""
        self.sent.extend(lines)

    def received(self, _: object) -> Iterator[str]:
        """Be ready."""
        yield "ready"


@pytest.mark.parametrize("for_person", [True, False])
def test_a_seat_for_a_person_starts_its_player_on_all_cores_under_the_name_of_its_spec(
    for_person: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kriegbot.game.process.PlayerProcess", Fake)
    monkeypatch.setattr("kriegbot.game.process.usable_cores", lambda: 1000)
    monkeypatch.setattr(Fake, "sent", [])
    seat = ProcessSeat(parse_spec("kriegbot:level=club"), for_person=for_person)
    seat.begin(1)
    assert f"player kriegbot:level=club{f',threads={MOST_THREADS}' if for_person else ''}" in Fake.sent
    assert seat.name == "kriegbot:level=club"


def test_the_sandbox_leaves_room_for_the_most_threads() -> None:
    assert 2 * MOST_THREADS <= sandbox.MOST_PROCESSES
