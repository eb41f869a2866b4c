"""Tournaments run: resumed, disturbed from within, on a full disk, and logged."""

from __future__ import annotations

from pathlib import Path

import psutil
import pytest

from referee import record_to_pgn
from tests.tournament_players import (
    fail_in_the_worker,
    kill_a_player,
    kill_the_first_worker,
    kill_the_worker,
    lack_memory_in_the_first_worker,
    settings,
    spec_of,
)
from tournaments.report import report_of
from tournaments.run import LOGGER, LocalExecutor, WarmSeats, logged_to, run
from tournaments.schedule import MOST_ATTEMPTS, Died, Finished, Outcome, TournamentSettings
from tournaments.store import Store, StoreError

pytestmark = pytest.mark.slow


def play(path: Path, what: TournamentSettings, games: int, executor: LocalExecutor | None = None) -> list[Outcome]:
    """Plays what is missing; gives what came of it."""
    outcomes: list[Outcome] = []
    with Store.writing(path, what, games) as store:
        run(store, store.missing(), executor or LocalExecutor(2, spec_of=spec_of), outcomes.append)
    return outcomes


def records(path: Path) -> dict[int, str]:
    """All records by the numbers of their games."""
    with Store.open(path) as store:
        return {game: store.pgn(game) for game in sorted(store.done())}


def test_a_tournament_has_the_games_of_its_schedule(tmp_path: Path) -> None:
    play(tmp_path / "t", settings(), 6)
    with Store.open(tmp_path / "t") as store:
        assert sorted(store.done()) == [1, 2, 3, 4, 5, 6]
        for game in store.settings.schedule(6):
            record = store.record(game.id)
            assert (record.headers["White"], record.headers["Seed"]) == (game.white, str(game.seed))
            assert record_to_pgn(record) == store.pgn(game.id)
            assert record.headers["Date"] == "????.??.??"
            row = store.connection.execute("SELECT result, plies, seed FROM games WHERE id = ?", (game.id,)).fetchone()
            assert row == (record.result, len(record.turns), game.seed)


def test_every_answer_of_a_game_is_kept(tmp_path: Path) -> None:
    play(tmp_path / "t", settings(), 2)
    with Store.open(tmp_path / "t") as store:
        for game in (1, 2):
            record = store.record(game)
            answers = store.connection.execute(
                "SELECT color, ply FROM answers WHERE game = ? ORDER BY number", (game,)
            ).fetchall()
            expected = [
                (("white", "black")[ply % 2], ply)
                for ply, turn in enumerate(record.turns)
                for _ in range(len(turn.tries) + 1)
            ]
            assert answers == expected
            sides = store.connection.execute(
                "SELECT color, turns, tries, typeof(astray), rescues FROM sides WHERE game = ?", (game,)
            ).fetchall()
            assert sorted(sides) == [
                (color, 10, sum(answer[0] == color for answer in answers), "integer", "{}")
                for color in ("black", "white")
            ]


@pytest.mark.parametrize("jobs", [1, 3])
def test_the_number_of_workers_makes_no_difference(jobs: int, tmp_path: Path) -> None:
    play(tmp_path / "t", settings(), 4, LocalExecutor(jobs, spec_of=spec_of))
    with Store.open(tmp_path / "t") as store:
        table = WarmSeats(store.settings, spec_of=spec_of)
        for game in store.settings.schedule(4):
            again = table.play(game)
            assert isinstance(again, Finished)
            stored = store.connection.execute("SELECT record FROM games WHERE id = ?", (game.id,)).fetchone()
            assert again.record == stored[0]
        table.close()


def test_a_run_that_is_broken_off_is_gone_on_with(tmp_path: Path) -> None:
    play(tmp_path / "whole", settings(), 8)
    before = psutil.Process().children()

    def stop(_: Outcome) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), Store.writing(tmp_path / "t", settings(), 8) as store:
        run(store, store.missing(), LocalExecutor(2, spec_of=spec_of), stop)
    assert len(records(tmp_path / "t")) == 1
    assert psutil.Process().children() == before
    again = play(tmp_path / "t", settings(), 8)
    assert len(again) == 7
    assert records(tmp_path / "t") == records(tmp_path / "whole")
    assert play(tmp_path / "t", settings(), 8) == []


def test_more_games_can_be_wanted_later(tmp_path: Path) -> None:
    play(tmp_path / "t", settings(), 2)
    assert {outcome.game.id for outcome in play(tmp_path / "t", settings(), 4)} == {3, 4}


def test_a_player_that_raises_loses_by_that_name(tmp_path: Path) -> None:
    play(tmp_path / "t", settings("raises", "rand", plies=30), 2)
    with Store.open(tmp_path / "t") as store:
        rows = store.connection.execute("SELECT result, reason, detail FROM games ORDER BY id").fetchall()
        assert rows == [
            ("0-1", "forfeit", "raised LookupError: lost the thread"),
            ("1-0", "forfeit", "raised LookupError: lost the thread"),
        ]
        assert [forfeit.player for forfeit in report_of(store).forfeits] == ["raises", "raises"]


def test_a_player_that_hangs_loses_by_that_name(tmp_path: Path) -> None:
    play(tmp_path / "t", settings("rand", "hangs"), 2, LocalExecutor(2, 0.5, spec_of))
    with Store.open(tmp_path / "t") as store:
        rows = store.connection.execute("SELECT result, detail FROM games ORDER BY id").fetchall()
    assert rows == [("1-0", "hung: no answer in 0.5 seconds"), ("0-1", "hung: no answer in 0.5 seconds")]


def test_a_game_that_kills_its_worker_three_times_is_given_up(tmp_path: Path) -> None:
    outcomes = play(tmp_path / "t", settings("rand", "poison"), 2, LocalExecutor(2, spec_of=kill_the_worker))
    assert sorted((died.game.id, died.attempts) for died in outcomes if isinstance(died, Died)) == [
        (game, attempt) for game in (1, 2) for attempt in range(1, MOST_ATTEMPTS + 1)
    ]
    with Store.open(tmp_path / "t") as store:
        incidents = report_of(store).incidents
    assert [incident.quarantined for incident in incidents].count(True) == 2
    assert all(incident.what == "the worker died (signal 9)" for incident in incidents)


def test_a_game_whose_worker_died_once_is_played_by_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KRIEGBOT_TEST_MARK", str(tmp_path / "mark"))
    executor = LocalExecutor(2, spec_of=kill_the_first_worker)
    outcomes = play(tmp_path / "t", settings("rand", "poison once"), 4, executor)
    assert [outcome.attempts for outcome in outcomes if isinstance(outcome, Died)] == [1]
    assert sorted(records(tmp_path / "t")) == [1, 2, 3, 4]


@pytest.mark.parametrize("player", ["rand", "poison once"])
def test_a_worker_that_lacks_memory_costs_a_game_one_attempt(
    player: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KRIEGBOT_TEST_MARK", str(tmp_path / "mark"))
    executor = LocalExecutor(1, spec_of=lack_memory_in_the_first_worker)
    outcomes = play(tmp_path / "t", settings(player, "grabber"), 4, executor)
    assert [outcome.attempts for outcome in outcomes if isinstance(outcome, Died)] == [1]
    assert sorted(records(tmp_path / "t")) == [1, 2, 3, 4]


def test_a_player_that_kills_itself_loses(tmp_path: Path) -> None:
    outcomes = play(tmp_path / "t", settings("rand", "kills itself as black"), 2)
    assert not [outcome for outcome in outcomes if isinstance(outcome, Died)]
    with Store.open(tmp_path / "t") as store:
        forfeits = report_of(store).forfeits
        assert [forfeit.player for forfeit in forfeits] == ["kills itself as black"]
        assert store.record(2).headers  # the other game was played to its end
        assert "died: its process ended (SIGKILL)" in store.pgn(1)


def test_a_player_of_ours_whose_process_is_killed_from_outside_does_not_lose(tmp_path: Path) -> None:
    outcomes = play(tmp_path / "t", settings("rand", "rand"), 2, LocalExecutor(1, spec_of=kill_a_player))
    died = [outcome for outcome in outcomes if isinstance(outcome, Died)]
    assert {outcome.cause for outcome in died} == {"a player died: its process ended (SIGKILL)"}
    assert sorted(outcome.attempts for outcome in died) == [1, 1, 2, 2, 3, 3]


def play_on_a_nearly_full_disk(path: Path) -> None:
    """Plays as `play` does, with room for four pages more."""
    with Store.writing(path, settings(), 400) as store:
        pages = store.connection.execute("PRAGMA page_count").fetchone()[0]
        store.connection.execute(f"PRAGMA max_page_count = {pages + 4}")
        run(store, store.missing(), LocalExecutor(2, spec_of=spec_of))


def test_a_full_disk_stops_the_run_and_loses_no_finished_game(tmp_path: Path) -> None:
    play(tmp_path / "t", settings(), 2)
    before = records(tmp_path / "t")
    with pytest.raises(StoreError, match="full"):
        play_on_a_nearly_full_disk(tmp_path / "t")
    after = records(tmp_path / "t")
    assert before.items() <= after.items()
    with Store.open(tmp_path / "t") as store:
        assert store.connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        sides = store.connection.execute("SELECT count(*) FROM sides").fetchone()[0]
        assert sides == 2 * len(after)


def test_what_workers_log_comes_to_one_file(tmp_path: Path) -> None:
    with logged_to(tmp_path / "log"):
        play(tmp_path / "t", settings("raises", "rand", plies=30), 4)
    lines = (tmp_path / "log").read_text(encoding="utf-8").splitlines()
    assert sum(" begins, " in line for line in lines) == 4
    assert sum("WARNING" in line and "raised LookupError: lost the thread" in line for line in lines) == 4
    assert any("Traceback" in line for line in lines)


def test_the_log_says_why_a_worker_failed(tmp_path: Path) -> None:
    with logged_to(tmp_path / "log"):
        play(tmp_path / "t", settings("rand", "poison"), 2, LocalExecutor(1, spec_of=fail_in_the_worker))
    log = (tmp_path / "log").read_text(encoding="utf-8")
    assert log.count("in fail_in_the_worker") == 6  # two games, three attempts each
    assert "game 1: the worker failed: RuntimeError: nobody expects this, attempt 3" in log


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_log_that_cannot_be_written_costs_one_line_and_no_game(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with logged_to(Path("/dev/full")):
        for _ in range(50):  # they wait for the writing thread when the first one fails
            LOGGER.info("a record")
        play(tmp_path / "t", settings(), 2, LocalExecutor(1, spec_of=spec_of))
    assert capfd.readouterr().err == "kriegbot: cannot write to '/dev/full': [Errno 28] No space left on device\n"
    assert len(records(tmp_path / "t")) == 2
