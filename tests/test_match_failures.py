"""A player that misbehaves loses by forfeit, with a reason, and takes nobody with it."""

from __future__ import annotations

import os
import time
from typing import Any

import chess
import pytest

from kriegbot.game import process
from kriegbot.game.match import MAX_NONSENSE, GameResult, ask_player, play_game
from kriegbot.game.process import ProcessSeat
from kriegbot.game.seat import HereSeat, PlayerFailed
from kriegbot.players.rand import RandPlayer
from kriegbot.players.specs import parse_spec
from referee import BERKELEY, WILD16, Limits, Reason, Referee, Resign, RuleSet, record_from_pgn, record_to_pgn
from tests import misbehaving
from tests.misbehaving import spec
from tests.slow_worker import PAUSE

pytestmark = pytest.mark.slow

RAISING: list[tuple[type[Any], str]] = [
    (misbehaving.Raises, "raised ZeroDivisionError: no way out at ply 0"),
    (misbehaving.RaisesAtOnce, "raised OSError: no opening book"),
    (misbehaving.RaisesWhatCannotBeShown, "Unspeakable"),
]
ANSWERING: list[tuple[type[Any], str]] = [
    (misbehaving.Answers, "gave an invalid answer: None, not a Choice"),
    (misbehaving.AnswersText, "gave an invalid answer: 'e2e4', not a Choice"),
    (misbehaving.AnswersMove, "gave an invalid answer: Move, not a Choice"),
    (misbehaving.AnswersTextInChoice, "gave an invalid answer: 'e2e4', not a move between squares of the board"),
    (misbehaving.AnswersOffTheBoard, "gave an invalid answer: Move, not a move between squares of the board"),
    (misbehaving.AnswersDrop, "gave an invalid answer: Move, not a move between squares of the board"),
    (misbehaving.AnswersBadReport, "gave an invalid answer: None, not a Report"),
    (misbehaving.AnswersFunction, "not a Report"),
    (misbehaving.AsksForEver, f"tried for ever: {MAX_NONSENSE} impossible or repeated tries in one turn"),
    (misbehaving.TriesTheImpossible, f"tried for ever: {MAX_NONSENSE} impossible or repeated tries in one turn"),
]


def against_rand(player: type[Any], rules: RuleSet = BERKELEY, *, apart: bool = False) -> GameResult:
    """Return a game of this player's, as White, against rand."""
    seat = ProcessSeat(spec(player.__name__), patience=1.0) if apart else HereSeat("culprit", player)
    try:
        return play_game(seat, HereSeat("rand", RandPlayer), rules=rules, limits=Limits(plies=200))
    finally:
        seat.close()


def assert_forfeited(played: GameResult, detail: str) -> None:
    end = played.record.end
    assert end is not None
    assert (end.reason, end.winner) == (Reason.FORFEIT, chess.BLACK)
    assert detail in end.detail
    assert "\n" not in end.detail
    assert played.white.failure == end.detail
    assert played.black.failure == ""
    assert record_from_pgn(record_to_pgn(played.record)) == played.record


@pytest.mark.parametrize(("player", "detail"), RAISING + ANSWERING)
def test_a_player_in_this_process_that_fails_forfeits(player: type[Any], detail: str) -> None:
    assert_forfeited(against_rand(player), detail)


@pytest.mark.parametrize(
    ("player", "detail"),
    [
        (misbehaving.Raises, "raised ZeroDivisionError: no way out at ply 0"),
        (misbehaving.RaisesAtOnce, "raised OSError: no opening book"),
        (misbehaving.LeavesPython, "raised SystemExit: 0"),
        (misbehaving.Sleeps, "hung: no answer in 1 seconds"),
        (misbehaving.SleepsInC, "hung: no answer in 1 seconds"),
        (misbehaving.Exits, "died: its process ended (exit code 3)"),
        (misbehaving.KillsItself, "died: its process ended (SIGSEGV)"),
        (misbehaving.Aborts, "died: its process ended (SIGABRT)"),
        (misbehaving.FloodsItsLog, "wrote too much: more than 1000000 bytes in its log"),
        (misbehaving.AnswersOffTheBoard, "gave an invalid answer: Move, not a move between squares of the board"),
        (misbehaving.AnswersFunction, "not a Report"),
    ],
)
def test_a_player_in_its_own_process_that_fails_forfeits(player: type[Any], detail: str) -> None:
    assert_forfeited(against_rand(player, apart=True), detail)


@pytest.mark.parametrize("apart", [False, True])
@pytest.mark.parametrize("player", [misbehaving.FailsAtBegin, misbehaving.FailsAtMove])
def test_a_player_that_fails_when_told_of_something_forfeits(player: type[Any], apart: bool) -> None:
    assert_forfeited(against_rand(player, apart=apart), f"raised LookupError: {player.fault}")


@pytest.mark.parametrize("apart", [False, True])
def test_a_player_that_fails_when_told_of_the_end_has_failed_and_the_result_stays(apart: bool) -> None:
    well, played = (against_rand(player, apart=apart) for player in (misbehaving.IsTold, misbehaving.FailsAtEnd))
    assert played.record.end is not None
    assert played.record.end.reason is not Reason.FORFEIT
    assert (well.white.failure, played.white.failure) == ("", "raised LookupError: end")
    assert played.failed is not None
    assert "misbehaving.py" in played.white.log


def test_both_kinds_of_nonsense_are_counted_under_rules_that_call_them_illegal() -> None:
    played = against_rand(misbehaving.TriesTheImpossible, WILD16)
    assert_forfeited(played, "tried for ever")
    assert (played.white.tries, played.white.illegal, played.white.nonsense) == (MAX_NONSENSE, 0, MAX_NONSENSE)


@pytest.mark.parametrize("rules", [BERKELEY, WILD16])
def test_a_player_that_repeats_refused_tries_is_stopped(rules: RuleSet) -> None:
    assert_forfeited(against_rand(misbehaving.RepeatsItself, rules), "tried for ever")


def test_a_game_that_was_well_begun_is_kept_up_to_the_failure() -> None:
    played = against_rand(misbehaving.RaisesInTheSeventhTurn)
    assert_forfeited(played, "raised LookupError")
    assert len(played.record.turns) == 12


def test_the_traceback_is_kept_for_the_author() -> None:
    played = against_rand(misbehaving.Raises, apart=True)
    assert "ZeroDivisionError" in played.white.log
    assert "misbehaving.py" in played.white.log


def test_what_a_dying_player_has_printed_is_kept() -> None:
    assert "good night" in against_rand(misbehaving.Exits, apart=True).white.log


def test_an_engine_that_a_hanging_player_has_started_ends_with_it() -> None:
    played = against_rand(misbehaving.SleepsWithAnEngine, apart=True)
    engine = int(played.white.log.split()[1])
    for _ in range(50):
        if not _is_running(engine):
            break
        time.sleep(0.1)
    assert not _is_running(engine)


def test_the_seat_of_a_player_that_hung_serves_the_next_game() -> None:
    with ProcessSeat(spec("Sleeps"), patience=0.3) as seat:
        for seed in range(2):
            played = play_game(seat, HereSeat("rand", RandPlayer), seed=seed)
            assert_forfeited(played, "hung: no answer in 0.3 seconds")


def test_a_player_that_cannot_sit_down_forfeits_as_black_too() -> None:
    black = HereSeat("late", misbehaving.RaisesAtOnce)
    end = play_game(HereSeat("rand", RandPlayer), black).record.end
    assert end is not None
    assert (end.reason, end.winner) == (Reason.FORFEIT, chess.WHITE)


def _is_running(process: int) -> bool:
    """Return True if a process exists and is no zombie."""
    try:
        os.kill(process, 0)
        with open(f"/proc/{process}/stat", encoding="utf-8") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def test_nobody_forfeits_while_kernels_are_compiled_and_the_opponent_need_not_wait(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(process, "WORKER", "tests.slow_worker")
    monkeypatch.setattr(process, "START_PATIENCE", 8 * PAUSE)
    told: list[int] = []
    with ProcessSeat(parse_spec("kriegbot"), report=lambda _, done, __: told.append(done), begins_late=True) as seat:
        seat.begin(16)  # signs, which take twice that patience
        assert told == []
        tried = ask_player(seat, Referee().view(chess.WHITE))
        assert told == [*range(16)]
        assert isinstance(tried.choice.action, Resign)
        assert tried.seconds < PAUSE * 16  # no clock ran before
        seat.begin(1)
        seat.begin(2)  # at once, as on the page when a game is left for another
        assert isinstance(ask_player(seat, Referee().view(chess.WHITE)).choice.action, Resign)
        assert told[16:] == [0, 0, 1]
        seat.begin(0)
        with pytest.raises(PlayerFailed, match=r"hung: not ready in 2\.4 seconds"):
            seat.ready()
