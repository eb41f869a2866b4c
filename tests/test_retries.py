"""A run and its retries, with executors that play no game."""

from __future__ import annotations

import logging
import time
from collections.abc import Generator, Iterable
from pathlib import Path

import pytest

from tests.stores import store_with
from tests.tournament_players import settings
from tournaments.report import report_of
from tournaments.run import LOGGER, _LogFile, logged_to, run, with_retries
from tournaments.schedule import MOST_ATTEMPTS, Died, Finished, Outcome, ScheduledGame, TournamentSettings
from tournaments.store import Store


@pytest.mark.parametrize("most", [1, 2])
def test_a_game_that_dies_is_begun_again_before_others_until_it_is_given_up(most: int) -> None:
    begun = []

    def submit(game: ScheduledGame, attempt: int) -> tuple[int, int]:
        begun.append((game.id, attempt))
        return begun[-1]

    def outcome_of(future: tuple[int, int], game: ScheduledGame, attempt: int) -> Outcome:
        assert future == (game.id, attempt)
        return Died(game, "no reason", attempt)

    def first(running: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
        return [*running][:1]

    games = settings().schedule(2)
    outcomes = [*with_retries(games, lambda: most, submit, first, outcome_of)]
    attempts = range(1, MOST_ATTEMPTS + 1)
    expected = sorted((game.id, attempt) for game in games for attempt in attempts)
    assert sorted(begun) == expected
    assert begun == (expected if most == 1 else [(game, attempt) for attempt in attempts for game in (1, 2)])
    assert [(one.game.id, one.attempts) for one in outcomes if isinstance(one, Died)] == begun


class Scripted:
    """An executor that yields the outcomes that it is told, and remembers which games it received."""

    def __init__(self, outcomes: list[Outcome]) -> None:
        self.outcomes, self.received, self.is_closed = outcomes, list[int](), False

    def play(self, games: Iterable[ScheduledGame], _settings: TournamentSettings) -> Generator[Outcome, None, None]:
        """Yield the outcomes."""
        self.received = [game.id for game in games]
        try:
            yield from self.outcomes
        finally:
            self.is_closed = True


def test_a_run_plays_what_is_not_stored_and_stores_each_outcome(tmp_path: Path, finished: list[Finished]) -> None:
    game = finished[2].game
    died = [Died(game, "the worker died", attempt) for attempt in range(1, MOST_ATTEMPTS + 1)]
    executor, watched = Scripted([*died, finished[3]]), list[Outcome]()
    with Store.writing(store_with(tmp_path / "t", finished[:2]), settings(), 6) as store:
        run(store, settings().schedule(6), executor, watched.append)
        assert store.done() == {1, 2, 4}
        assert [(one.game, one.quarantined) for one in report_of(store).incidents] == [
            (3, attempt == MOST_ATTEMPTS) for attempt in range(1, MOST_ATTEMPTS + 1)
        ]
    assert executor.received == [3, 4, 5, 6]
    assert watched == executor.outcomes


def test_a_run_ends_early_once_it_is_decided(tmp_path: Path, finished: list[Finished]) -> None:
    executor = Scripted([*finished])
    with Store.writing(tmp_path / "t", settings(), 6) as store:
        run(store, settings().schedule(6), executor, is_decided=lambda: len(store.done()) == 3)
        assert store.done() == {1, 2, 3}
    assert executor.is_closed


def test_a_log_is_whole_at_the_end_of_a_run_however_slow_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    emit = _LogFile.emit

    def emit_late(log: _LogFile, record: logging.LogRecord) -> None:
        time.sleep(0.02)
        emit(log, record)

    monkeypatch.setattr(_LogFile, "emit", emit_late)
    with logged_to(tmp_path / "log"):
        for number in range(10):
            LOGGER.info("record %d", number)
    lines = (tmp_path / "log").read_text(encoding="utf-8").splitlines()
    assert [line.rpartition(" INFO ")[2] for line in lines] == [f"record {number}" for number in range(10)]
