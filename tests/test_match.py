"""One game between two seats: a seed is a game, and the statistics add up."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import chess
import pytest

from kriegbot.game import match
from kriegbot.game.match import GameResult, play_game, play_turn, player_seed
from kriegbot.game.process import ProcessSeat
from kriegbot.game.seat import HereSeat, Seat
from kriegbot.players.base import Choice, Leave
from kriegbot.players.rand import RandPlayer
from kriegbot.players.specs import BadSpec, parse_spec
from kriegbot.report import Report
from referee import (
    PAPER_LIMITS,
    RULE_SETS,
    WILD16,
    Answer,
    BadStart,
    GameRecord,
    Limits,
    Reason,
    Referee,
    Resign,
    RuleSet,
    View,
)
from tests.misbehaving import IsTold, spec


def rand() -> HereSeat:
    return HereSeat("rand", RandPlayer)


def without_times(record: GameRecord) -> GameRecord:
    return replace(record, turns=tuple(replace(turn, seconds=None) for turn in record.turns))


@pytest.mark.slow
def test_a_seed_is_a_game_in_this_process_and_in_others() -> None:
    here = play_game(rand(), rand(), limits=PAPER_LIMITS, seed=11)
    again = play_game(rand(), rand(), limits=PAPER_LIMITS, seed=11)
    with ProcessSeat(parse_spec("rand")) as white, ProcessSeat(parse_spec("rand")) as black:
        apart = play_game(white, black, limits=PAPER_LIMITS, seed=11)
        other = play_game(white, black, limits=PAPER_LIMITS, seed=12)
    assert without_times(here.record) == without_times(again.record) == without_times(apart.record)
    assert without_times(here.record).turns != without_times(other.record).turns


def test_specs_are_seated_and_sit_in_the_same_games() -> None:
    named = play_game("rand", rand(), limits=PAPER_LIMITS, seed=11)
    assert without_times(named.record) == without_times(play_game(rand(), "rand", limits=PAPER_LIMITS, seed=11).record)
    assert named.white.player == named.record.headers["White"] == "rand"


@pytest.mark.parametrize(
    ("given", "error", "said"),
    [
        (RandPlayer, TypeError, "type is no seat; it takes a Seat such as HereSeat, or a spec such as 'rand'"),
        (None, TypeError, "NoneType is no seat; it takes a Seat such as HereSeat, or a spec such as 'rand'"),
        ("ran", BadSpec, "unknown player 'ran'; did you mean 'rand'?"),
    ],
)
def test_what_is_no_seat_and_no_spec_is_refused_in_a_line(given: Any, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said) as raised:
        play_game(rand(), given)
    assert "\n" not in str(raised.value)


def test_a_seat_made_from_a_spec_is_closed_after_the_game_and_others_stay_open(monkeypatch: pytest.MonkeyPatch) -> None:
    closed = []

    class Watched(HereSeat):
        def close(self) -> None:
            closed.append(self.name)

    monkeypatch.setattr(match, "seat_of", lambda text, _rules: Watched(text, RandPlayer))
    play_game("rand", Watched("of the caller", RandPlayer), limits=Limits(plies=4))
    assert closed == ["rand"]


@pytest.mark.slow
def test_a_seed_is_a_game_for_players_that_search_with_a_fixed_sample() -> None:
    records = []
    for _ in range(2):
        spec = parse_spec("overconfident:depth=1,samples=30")
        with ProcessSeat(spec) as white:
            played = play_game(white, rand(), rules=WILD16, limits=Limits(plies=30), seed=5)
        records.append(without_times(played.record))
        assert played.white.mean_samples == 30
    assert records[0] == records[1]


def test_both_sides_have_seeds_of_their_own() -> None:
    seeds = {player_seed(seed, color) for seed in range(100) for color in chess.COLORS}
    assert len(seeds) == 200
    assert all(0 <= seed < 2**63 for seed in seeds)


def test_a_players_seed_gives_nothing_simple_of_the_matchs_or_the_opponents_away() -> None:
    seeds = [(seed, player_seed(seed, chess.WHITE), player_seed(seed, chess.BLACK)) for seed in range(100)]
    for one, other in ((0, 1), (0, 2), (1, 2)):
        assert (
            len({both[one] - both[other] for both in seeds}) == len({both[one] ^ both[other] for both in seeds}) == 100
        )
    assert len({player_seed(1 << bit, chess.WHITE) for bit in range(128)}) == 128  # every bit of a fresh seed counts


@pytest.mark.slow
@pytest.mark.parametrize("rules", RULE_SETS.values(), ids=lambda rules: rules.name)
def test_the_statistics_add_up(rules: RuleSet) -> None:
    played = play_game(rand(), rand(), rules=rules, limits=PAPER_LIMITS, seed=1)
    record = played.record
    refused = [len(turn.tries) for turn in record.turns]
    assert (played.white.turns, played.black.turns) == (len(record.turns[::2]), len(record.turns[1::2]))
    assert (played.white.illegal, played.black.illegal) == (sum(refused[::2]), sum(refused[1::2]))
    for side in (played.white, played.black):
        assert side.tries == side.turns + side.illegal
        assert side.nonsense == 0
        assert 0 < side.mean_seconds <= side.max_seconds


def test_what_players_report_is_summed_up() -> None:
    reports = iter(
        [
            Report(samples=100, rescue="replay"),
            Report(samples=300, overrun=True),
            Report(rescue="replay"),
            Report(rescue="blind", overrun=True),
        ]
    )

    class Reporting(RandPlayer):
        def choose(self, view: View) -> Choice:
            return Choice(super().choose(view).action, next(reports, Report()))

    white = play_game(HereSeat("reporting", Reporting), rand(), limits=Limits(plies=40)).white
    assert (white.mean_samples, white.overruns, white.rescues) == (200, 2, {"blind": 1, "replay": 2})


def test_the_record_says_who_played_with_what() -> None:
    record = play_game(rand(), rand(), limits=Limits(plies=2), seed=8, event="a test").record
    assert record.headers["White"] == record.headers["Black"] == "rand"
    assert (record.headers["Seed"], record.headers["Event"]) == ("8", "a test")
    assert "kriegbot 0." in record.headers["Versions"]
    assert "chess 1." in record.headers["Versions"]
    assert all(turn.seconds is not None for turn in record.turns)


def test_a_turn_is_its_tries_with_their_answers() -> None:
    class Stumbling(RandPlayer):
        def choose(self, view: View) -> Choice:
            return Choice(chess.Move.from_uci("e2e4" if view.refused else "e2e5"))

    seen: list[View] = []
    seat, referee = HereSeat("stumbling", Stumbling), Referee()
    seat.begin(1)
    tried = list(play_turn(referee, seat, HereSeat("watching", RandPlayer, seen.append)))
    assert [(one.answer, one.is_nonsense) for one in tried] == [(Answer.IMPOSSIBLE, True), (Answer.ACCEPTED, False)]
    assert [one.view.ply for one in tried] == [view.ply for view in seen] == [0, 0]
    assert {view.color for view in seen} == {referee.turn} == {chess.BLACK}


def test_a_player_may_resign() -> None:
    class Resigning(RandPlayer):
        def choose(self, view: View) -> Choice:
            return super().choose(view) if view.ply < 3 else Choice(Resign())

    end = play_game(rand(), HereSeat("resigning", Resigning)).record.end
    assert end is not None
    assert (end.reason, end.winner) == (Reason.RESIGNATION, chess.WHITE)


def leaving(*, is_interrupt: bool = False) -> GameResult:
    class Leaving(RandPlayer):
        def choose(self, view: View) -> Choice:
            if view.ply < 4:
                return super().choose(view)
            if is_interrupt:
                raise KeyboardInterrupt
            return Choice(Leave("had enough"))

    return play_game(HereSeat("leaving", Leaving), rand())


def test_a_person_who_leaves_abandons_the_game() -> None:
    played = leaving()
    assert (played.record.result, len(played.record.turns), played.interrupted) == ("*", 4, False)
    assert played.record.end is not None
    assert played.record.end.detail == "had enough"


def test_an_interrupt_abandons_the_game_and_says_so() -> None:
    played = leaving(is_interrupt=True)
    assert (played.record.result, len(played.record.turns), played.interrupted) == ("*", 4, True)


def test_a_side_is_shown_its_own_view_while_it_waits() -> None:
    seen: list[View] = []
    play_game(rand(), HereSeat("watching", RandPlayer, seen.append), limits=Limits(plies=10))
    assert seen
    assert all(view.color == chess.BLACK and view.turn == chess.WHITE for view in seen)


@pytest.mark.slow
def test_what_a_player_prints_stays_out_of_sight_and_is_kept(capfd: pytest.CaptureFixture[str]) -> None:
    with ProcessSeat(spec("Talks")) as white:
        first = play_game(white, rand(), limits=Limits(plies=3))
        second = play_game(white, rand(), limits=Limits(plies=1))
    assert "thinking about ply 2" in first.white.log
    assert "hm" in first.white.log
    assert second.white.log.count("thinking") == second.white.tries
    assert capfd.readouterr() == ("", "")


def test_rules_may_be_named() -> None:
    assert play_game(rand(), rand(), rules="wild16", limits=Limits(plies=4)).record.rules is WILD16


@pytest.mark.slow
@pytest.mark.parametrize("is_white", [True, False])
def test_a_player_is_told_what_it_asks_for_and_plays_the_same(
    is_white: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    def played_by(seat: Seat, other: Seat) -> GameResult:
        white, black = (seat, other) if is_white else (other, seat)
        return play_game(white, black, limits=Limits(plies=6), seed=4)

    moves = [turn.move for turn in played_by(rand(), rand()).record.turns]
    here = played_by(HereSeat("told", IsTold), rand())
    assert [turn.move for turn in here.record.turns] == moves
    told = capsys.readouterr().out.splitlines()
    with ProcessSeat(spec("IsTold"), has_own_seed=False) as seat:
        there = played_by(seat, rand())
    assert [turn.move for turn in there.record.turns] == moves
    assert there.statistics(is_white).log.splitlines() == told
    assert [line for line in told if not line.startswith("asked")] == [
        f"begin, ply {1 - is_white}, no end",
        *(f"opponent moved, ply {ply}, {'ply limit' if ply == 6 else 'no end'}" for ply in range(1 + is_white, 7, 2)),
        "end, ply 6, ply limit",
    ]


def test_a_position_where_no_game_begins_is_refused() -> None:
    with pytest.raises(BadStart):
        play_game(rand(), rand(), start="8/8/8/8/8/8/8/8 w - - 0 1")


def test_a_player_that_reports_nothing_has_searched_nothing() -> None:
    written = Report().written()
    assert not any(written.values())
    assert {"samples", "depth", "leaves", "particles", "astray"} < written.keys()
