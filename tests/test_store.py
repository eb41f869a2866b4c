"""Stores: what they take, what they refuse, and how several become one."""

from __future__ import annotations

import sqlite3
import zlib
from pathlib import Path

import pytest

from referee import BERKELEY, Limits
from tests.tournament_players import settings, source_of
from tournaments.play import Died, Finished, Table
from tournaments.schedule import Pairing, Settings, Shard
from tournaments.store import Store, StoreError


@pytest.fixture(scope="module")
def finished() -> list[Finished]:
    """Six games of one tournament."""
    table = Table(settings(), source_of=source_of)
    games = [table.play(game) for game in settings().schedule(6)]
    table.close()
    return [game for game in games if isinstance(game, Finished)]


def store_with(path: Path, games: list[Finished], shard: Shard | None = None) -> Path:
    with Store.writing(path, settings(), 6, shard) as store:
        for game in games:
            store.add(game)
    return path


def changed(path: Path, statement: str, *values: object) -> None:
    connection = sqlite3.connect(path)
    with connection:
        connection.execute(statement, values)
    connection.close()


def test_what_was_stored_is_read_again(tmp_path: Path, finished: list[Finished]) -> None:
    with Store.open(store_with(tmp_path / "t", finished)) as store:
        assert (store.settings, store.games, str(store.shard)) == (settings(), 6, "1/1")
        assert [zlib.compress(store.pgn(game).encode(), 9) for game in range(1, 7)] == [
            game.record for game in finished
        ]


def test_a_game_is_stored_once(tmp_path: Path, finished: list[Finished]) -> None:
    path = store_with(tmp_path / "t", finished[:2])
    with pytest.raises(StoreError, match="UNIQUE"), Store.writing(path, settings(), 6) as store:
        store.add(finished[0])
    with Store.open(path) as store:
        assert store.done() == {1, 2}
        assert store.connection.execute("SELECT count(*) FROM sides").fetchone() == (4,)


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (settings("rand", "hangs"), "players rand - rand, here rand - hangs"),
        (settings(plies=21), "plies 20, here 21"),
        (settings(seed=2), "seed 1, here 2"),
        (Settings((Pairing("rand", "rand"),), BERKELEY, Limits(20, 50), 1), "quiet none, here 50"),
    ],
)
def test_a_file_of_another_tournament_is_refused(other: Settings, said: str, tmp_path: Path) -> None:
    path = store_with(tmp_path / "t", [])
    with pytest.raises(StoreError) as refused, Store.writing(path, other, 6):
        pass
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_file_of_another_shard_is_refused(tmp_path: Path) -> None:
    path = store_with(tmp_path / "t", [], Shard(1, 3))
    with pytest.raises(StoreError, match="shard 1/3, here 2/3"), Store.writing(path, settings(), 6, Shard(2, 3)):
        pass


def test_a_file_that_is_being_written_is_refused_to_a_second_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tournaments.store.LOCK_PATIENCE", 0.1)
    with (
        Store.writing(tmp_path / "t", settings(), 6),
        pytest.raises(StoreError, match="another run is adding games to it"),
        Store.writing(tmp_path / "t", settings(), 6),
    ):
        pass


def test_a_file_can_be_read_while_it_is_written(tmp_path: Path, finished: list[Finished]) -> None:
    with Store.writing(tmp_path / "t", settings(), 6) as store:
        store.add(finished[0])
        with Store.open(tmp_path / "t") as reader:
            assert reader.done() == {1}


@pytest.mark.parametrize("content", [b"", b"not a database at all, but long enough to be looked at" * 100])
def test_what_is_no_tournament_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "t"
    path.write_bytes(content)
    with pytest.raises(StoreError, match="is not a tournament of kriegbot"), Store.open(path):
        pass


def test_a_database_of_something_else_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "t"
    changed(path, "CREATE TABLE games (id INTEGER)")
    before = path.read_bytes()
    with pytest.raises(StoreError, match="is not a tournament of kriegbot"), Store.writing(path, settings(), 6):
        pass
    assert path.read_bytes() == before


def test_no_file_and_no_place_for_one_are_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="there is no such file"), Store.open(tmp_path / "none"):
        pass
    with pytest.raises(StoreError, match="cannot write to"), Store.writing(tmp_path / "none" / "t", settings(), 6):
        pass


@pytest.mark.parametrize(
    ("name", "value"),
    [("schema", "2"), ("rules", "golf"), ("plies", "many"), ("seed", ""), ("shard", "1"), ("games", "")],
)
def test_damaged_settings_are_refused(name: str, value: str, tmp_path: Path) -> None:
    path = store_with(tmp_path / "t", [])
    changed(path, "UPDATE settings SET value = ? WHERE name = ?", value, name)
    with pytest.raises(StoreError, match=r"format|damaged"), Store.open(path):
        pass


@pytest.mark.parametrize(
    ("record", "said"),
    [
        (b"", "not a Kriegspiel record"),
        (b"\x78\x9c nonsense", "damaged"),
        (zlib.compress(b"x" * 3_000_000), "more than 2097152 bytes"),
        (zlib.compress(b"\xff"), "damaged"),
        (zlib.compress(b'[Event "?"]\n\n1. e4 *\n'), "not a Kriegspiel record"),
        (7, "damaged"),
    ],
)
def test_a_damaged_record_is_refused(record: object, said: str, tmp_path: Path, finished: list[Finished]) -> None:
    path = store_with(tmp_path / "t", finished[:1])
    changed(path, "UPDATE games SET record = ?", record)
    with Store.open(path) as store, pytest.raises(StoreError, match=said):
        store.record(1)


def test_a_game_that_is_not_there_is_refused(tmp_path: Path, finished: list[Finished]) -> None:
    path = store_with(tmp_path / "t", finished[:2])
    with Store.open(path) as store, pytest.raises(StoreError, match="no game 3; it has 2 games, numbered from 1 to 2"):
        store.record(3)


def test_shards_merged_are_the_whole(tmp_path: Path, finished: list[Finished]) -> None:
    parts = []
    for index in (1, 2, 3):
        shard = Shard(index, 3)
        parts.append(store_with(tmp_path / f"t{index}", [one for one in finished if shard.has(one.game)], shard))
    with Store.writing(parts[0], settings(), 6, Shard(1, 3)) as store:
        store.add_incident(Died(finished[0].game, "the worker died", 1), quarantined=False)
    for _ in range(2):  # the second time there is nothing new
        with Store.writing(tmp_path / "t", settings(), 6) as store:
            for part in parts:
                store.take_from(part)
            assert store.missing() == []
    with Store.open(tmp_path / "t") as store, Store.open(store_with(tmp_path / "whole", finished)) as whole:
        for query in ("SELECT id, record, plies FROM games", "SELECT * FROM sides", "SELECT * FROM answers"):
            ours, theirs = (sorted(one.connection.execute(query)) for one in (store, whole))
            assert ours == theirs
        assert store.connection.execute("SELECT count(*) FROM incidents").fetchone() == (1,)


def test_another_tournament_is_not_merged(tmp_path: Path) -> None:
    with Store.writing(tmp_path / "other", settings(seed=2), 6):
        pass
    with (
        pytest.raises(StoreError, match="holds another tournament"),
        Store.writing(tmp_path / "t", settings(), 6) as store,
    ):
        store.take_from(tmp_path / "other")


def test_a_game_that_differs_is_not_merged(tmp_path: Path, finished: list[Finished]) -> None:
    other = store_with(tmp_path / "other", finished)
    changed(other, "UPDATE games SET record = ? WHERE id = 3", finished[3].record)
    path = store_with(tmp_path / "t", finished[2:3])
    with pytest.raises(StoreError, match=r"game 3 of .* differs"), Store.writing(path, settings(), 6) as store:
        store.take_from(other)
    with Store.open(path) as store:
        assert store.done() == {3}


def test_a_new_file_takes_nothing_over_from_a_deleted_one_that_a_killed_run_left(
    tmp_path: Path, finished: list[Finished]
) -> None:
    path, log = tmp_path / "t", tmp_path / "t-wal"
    with Store.writing(path, settings(), 6) as store:
        store.add(finished[0])
        left = log.read_bytes()
    path.unlink()
    log.write_bytes(left)
    with Store.writing(path, settings(), 6) as store:
        assert store.done() == set()
        store.add(finished[1])
    with Store.open(path) as store:
        assert store.done() == {2}
