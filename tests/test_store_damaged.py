"""Damaged files of tournaments: refused in a short line, or harmless."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
import zlib
from contextlib import closing
from io import StringIO
from pathlib import Path

import pytest

from kriegbot.cli.main import main
from tests.effort import many
from tests.stores import changed, store_with
from tests.tournament_players import settings
from tournaments.report import report_of
from tournaments.schedule import Died, Finished
from tournaments.statistics import Sprt
from tournaments.store import FORMS, Store, StoreError
from tournaments.tables import GameRow


@pytest.mark.parametrize("content", [b"", b"not a database at all, but long enough to be looked at" * 100])
def test_what_is_no_tournament_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "t"
    path.write_bytes(content)
    with pytest.raises(StoreError, match="is not a tournament file"), Store.open(path):
        pass


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "value"),
    [("schema", "2"), ("rules", "golf"), ("plies", "many"), ("seed", ""), ("shard", "1"), ("games", "")],
)
def test_damaged_settings_are_refused(name: str, value: str, tmp_path: Path) -> None:
    path = store_with(tmp_path / "t", [])
    changed(path, "UPDATE settings SET value = ? WHERE name = ?", value, name)
    with pytest.raises(StoreError, match=r"format|damaged"), Store.open(path):
        pass


@pytest.mark.slow
@pytest.mark.parametrize(
    ("record", "said"),
    [
        (b"", "damaged (it is cut off)"),
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
    with Store.open(path) as store, pytest.raises(StoreError, match=re.escape(said)):
        store.record(1)


COLUMNS = [
    *(("settings", name) for name in ("value", "name")),
    *(("pairings", name) for name in ("first", "second")),
    *(("games", name) for name in ("pairing", "number", "white", "result", "reason", "plies", "record", "versions")),
    *(("games", name) for name in ("seed", "detail", "finished", "seconds")),
    *(("sides", name) for name in ("color", "player", "turns", "illegal", "astray", "rescues", "failure")),
    *(("answers", name) for name in ("color", "ply", "seconds", "samples", "rescue")),
    *(("incidents", name) for name in ("game", "at", "what", "quarantined")),
]


WRONG = {
    "no UTF-8": "CAST(X'C3' AS TEXT)",
    "text": "'x' || printf('%.*c', 5000, 'y')",
    "bytes": "X'00FF'",
    "too much": "9e999",
    "below zero": "-5",
    "huge": "9223372036854775807",
    "JSON": """'{"a": "b"}'""",
}


def test_a_schema_with_a_byte_that_is_no_utf_8_is_refused(tmp_path: Path) -> None:
    path = store_with(tmp_path / "t", [])
    path.write_bytes(path.read_bytes().replace(b"CREATE TABLE games", b"CREATE TABL\xff games"))
    for use in (Store.open(path), Store.writing(path, settings(), 6)):
        with pytest.raises(StoreError, match="can't decode byte 0xff") as refused, use:
            pass
        assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("table", "column", "wrong"),
    [
        pytest.param(*where, wrong, id=f"{'.'.join(where)}-{name}", marks=[pytest.mark.slow] * ((row + place) % 7 > 0))
        for row, where in enumerate(COLUMNS)
        for place, (name, wrong) in enumerate(WRONG.items())
        if (row + place) % 7 in range(0, 7, many(1, 4))  # each column, and each wrong value
    ],
)
def test_a_damaged_file_is_refused_in_a_short_line_or_does_no_harm(
    table: str, column: str, wrong: str, damaged: Path, tmp_path: Path
) -> None:
    path = Path(shutil.copy(damaged, tmp_path / "t"))
    connection = sqlite3.connect(path)
    with connection:
        where = {"settings": "WHERE name = 'plies'", "pairings": "", "incidents": "", "games": "WHERE id = 1"}.get(
            table, "WHERE game = 1 AND color = 'white'"
        )
        connection.execute(f"UPDATE OR IGNORE {table} SET {column} = {wrong} {where}")
    connection.close()

    def read() -> None:
        with Store.open(path) as store:
            json.dumps(report_of(store, Sprt(0, 5)).as_json(), allow_nan=False)
            for form in FORMS.values():
                form(store, StringIO())

    def go_on() -> None:
        with Store.writing(path, settings(), 6) as store:
            store.missing()

    def take_over() -> None:
        with Store.writing(tmp_path / "merged", settings(), 6) as store:
            store.copy_from(path)

    refusals = []
    for use in (read, go_on, take_over):
        try:
            use()
        except StoreError as error:
            refusals.append(str(error))
    assert all("\n" not in refusal and len(refusal) < 400 for refusal in refusals)


@pytest.fixture(scope="module")
def damaged(tmp_path_factory: pytest.TempPathFactory, finished: list[Finished]) -> Path:
    """Return a file for tests to damage."""
    path = store_with(tmp_path_factory.mktemp("damaged") / "t", finished)
    with Store.writing(path, settings(), 6) as store:
        store.add_incident(Died(finished[0].game, "the worker died", 1), quarantined=False)
    return path


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("UPDATE games SET plies = 'many' WHERE id = 2", "a wrong value for 'plies' in table 'games'"),
        ("UPDATE games SET result = '2-0' WHERE id = 2", "a wrong value for 'result' in table 'games'"),
        ("UPDATE games SET pairing = 1 WHERE id = 2", "game 2 lacks its pairing or one of its sides"),
        ("DELETE FROM sides WHERE game = 2 AND color = 'white'", "game 2 lacks its pairing or one of its sides"),
        ("UPDATE sides SET turns = 'x' WHERE game = 2", "a wrong value for 'turns' in table 'sides'"),
        ("UPDATE games SET result = '1-0' WHERE id = 2", "game 2 has another result than its record"),
        ("UPDATE games SET number = 9 WHERE id = 2", "game 2 is not the one that its tournament has there"),
        ("UPDATE games SET white = 'hs' WHERE id = 2", "game 2 is not the one that its tournament has there"),
        (
            "UPDATE games SET record = substr(record, 1, 90) WHERE id = 2",
            "the record of game 2 is damaged (it is cut off)",
        ),
        ("DELETE FROM games WHERE id = 2", "game 2 is missing, and its sides or answers are not"),
        ("UPDATE answers SET seconds = 9e999 WHERE game = 2", "a wrong value for 'seconds' in table 'answers'"),
        ("UPDATE settings SET value = X'31' WHERE name = 'rules'", "its settings are damaged"),
        (
            "UPDATE settings SET value = '9999999999' WHERE name = 'games'",
            "its settings are damaged (9999999999 games)",
        ),
        ("DELETE FROM pairings", "its settings are damaged (no pairings)"),
        ("DROP TABLE answers", "is damaged"),
    ],
)
def test_figures_of_a_damaged_file_are_refused(statement: str, said: str, damaged: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(damaged, tmp_path / "t"))
    changed(path, statement)
    with pytest.raises(StoreError) as refused, Store.open(path) as store:
        report_of(store)
    assert said in str(refused.value)


@pytest.mark.parametrize("rescues", ["{", "[1]", '{"replay": "often"}', "[" * 100_000])
def test_rescues_that_are_no_counts_are_refused(rescues: str, damaged: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(damaged, tmp_path / "t"))
    changed(path, "UPDATE sides SET rescues = ? WHERE game = 2", rescues)
    for form in ("csv", "jsonl"):
        with pytest.raises(StoreError, match="the rescues of game 2 are damaged"), Store.open(path) as store:
            FORMS[form](store, StringIO())


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        ("UPDATE sides SET turns = 'x' WHERE game = 2", "a wrong value for 'turns' in table 'sides'"),
        ("ALTER TABLE games DROP COLUMN versions", "no such column: versions"),
    ],
)
@pytest.mark.parametrize("is_first", [True, False])
def test_of_a_damaged_file_no_merged_one_is_made(
    damage: str, said: str, is_first: bool, damaged: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good, path, out = damaged, Path(shutil.copy(damaged, tmp_path / "t")), tmp_path / "merged"
    changed(path, damage)
    assert main(["merge", str(out), *map(str, [path, good] if is_first else [good, path])]) == 2
    assert said in capsys.readouterr().err
    assert not out.exists()


def test_a_file_that_another_program_has_locked_is_not_called_damaged(
    damaged: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tournaments.tables.PATIENCE", 0.05)
    path = Path(shutil.copy(damaged, tmp_path / "t"))
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
        connection.execute("BEGIN EXCLUSIVE")
        for use in (Store.open(path), Store.writing(path, settings(), 6)):
            with pytest.raises(StoreError, match="locked") as refused, use:
                pass
            assert "damaged" not in str(refused.value)


def test_columns_in_another_order_are_read_and_merged_by_their_names(damaged: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(damaged, tmp_path / "t"))
    names = ", ".join(["detail", *(name for name in GameRow._fields if name != "detail"), "0 AS newer"])
    for statement in (f"CREATE TABLE other AS SELECT {names} FROM games", "DROP TABLE games"):
        changed(path, statement)
    changed(path, "ALTER TABLE other RENAME TO games")
    with Store.writing(tmp_path / "merged", settings(), 6) as store:
        assert store.copy_from(path) == 6
        store.check()
