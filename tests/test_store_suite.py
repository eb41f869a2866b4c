"""Six hundred damaged stores: each command refuses one in a line or reads it truly, and no finished game is lost."""

from __future__ import annotations

import json
import random
import re
import shutil
import sqlite3
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import NamedTuple

import pytest

from kriegbot.cli.main import main
from tests.effort import many
from tests.tournament_players import settings, spec_of
from tournaments.run import WarmSeats, run
from tournaments.schedule import Died, Finished, Outcome, ScheduledGame, TournamentSettings
from tournaments.store import Store, StoreError

STORES = 600
LONGEST = 20.0  # seconds of processor time that all uses of one store may take


class Damage(NamedTuple):
    """A store to be damaged: its file, the random numbers, and a connection to it that stays open."""

    path: Path
    random: random.Random
    held: list[sqlite3.Connection]

    def edit(self, *statements: str) -> None:
        """Change the database; what SQLite refuses is left out."""
        with closing(sqlite3.connect(self.path)) as connection:
            for statement in statements:
                with suppress(sqlite3.Error), connection:
                    connection.execute(statement)

    def beside(self, suffix: str) -> Path:
        """Return a file of SQLite beside the store."""
        return self.path.with_name(self.path.name + suffix)


def truncated(damage: Damage) -> None:
    data = damage.path.read_bytes()
    damage.path.write_bytes(data[: damage.random.randrange(len(data))])


def bits_flipped(damage: Damage) -> None:
    data = bytearray(damage.path.read_bytes())
    for _ in range(damage.random.choice((1, 1, 3, 30, 300))):
        data[damage.random.randrange(len(data))] ^= 1 << damage.random.randrange(8)
    damage.path.write_bytes(data)


COLUMNS = {
    "settings": ("name", "value"),
    "pairings": ("id", "first", "second"),
    "games": (
        *("id", "pairing", "number", "seed", "white", "black", "result"),
        *("reason", "detail", "plies", "record", "versions", "finished", "seconds"),
    ),
    "sides": ("game", "color", "player", "turns", "illegal", "overruns", "astray", "rescues", "failure", "log"),
    "answers": ("game", "number", "color", "ply", "seconds", "thought", "samples", "rescue", "overrun"),
    "incidents": ("id", "game", "at", "what", "quarantined"),
}
VALUES = (
    *("NULL", "''", "'x'", "'1-0'", "'0-1'", "'black'", "'rand'", "-1", "0", "1", "2", "7", "0.5", "9e999", "-9e999"),
    *("9223372036854775807", "X''", "X'00FF'", "CAST(X'C3' AS TEXT)", "'a' || char(10) || 'b'", "zeroblob(3000000)"),
    *("printf('%.*c', 5000, 'y')", "'[31m'", "'{\"a\": []}'", "'2/1'", "'99999999999999999999'"),
)


def wrong_values(damage: Damage) -> None:
    for _ in range(damage.random.choice((1, 1, 2, 5))):
        table = damage.random.choice(list(COLUMNS))
        column, value = damage.random.choice(COLUMNS[table]), damage.random.choice(VALUES)
        rows = f"rowid = {damage.random.randint(1, 6)}" if table in ("games", "pairings", "incidents") else "1"

        damage.edit(f"UPDATE OR REPLACE {table} SET {column} = {value} WHERE {rows}")


def rows_missing(damage: Damage) -> None:
    table = damage.random.choice(list(COLUMNS))
    condition = damage.random.choice(
        ("1", f"{COLUMNS[table][0]} = {damage.random.randint(0, 6)}", f"{COLUMNS[table][1]} IN ('white', 1, 'seed')")
    )
    if damage.random.random() < 0.2:
        damage.edit(f"INSERT OR IGNORE INTO {table} SELECT * FROM {table} LIMIT 1", f"DROP TABLE {table}")
    else:
        damage.edit(f"DELETE FROM {table} WHERE {condition}")


def other_columns(damage: Damage) -> None:
    table = damage.random.choice(list(COLUMNS))
    column = damage.random.choice(COLUMNS[table][1:] if len(COLUMNS[table]) > 2 else COLUMNS[table])
    others = [name for name in COLUMNS[table] if name != column]
    damage.edit(
        damage.random.choice(
            (
                f"ALTER TABLE {table} RENAME COLUMN {column} TO newer",
                f"ALTER TABLE {table} DROP COLUMN {column}",
                f"ALTER TABLE {table} ADD COLUMN newer TEXT NOT NULL DEFAULT ''",
                f"ALTER TABLE {table} ADD COLUMN newer TEXT",
                f"ALTER TABLE {table} RENAME TO {table}_2",
                f"UPDATE settings SET value = '{damage.random.randint(0, 9)}' WHERE name = 'schema'",
            )
        )
    )
    if damage.random.random() < 0.3:  # columns in another order
        new = ", ".join([column, *others])
        damage.edit(f"CREATE TABLE other AS SELECT {new} FROM {table}", f"DROP TABLE {table}")
        damage.edit(f"ALTER TABLE other RENAME TO {table}")


def no_database(damage: Damage) -> None:
    text = b"SQLite format 3\0" * damage.random.randint(0, 1)
    damage.path.write_bytes(text + damage.random.randbytes(damage.random.choice((0, 1, 100, 4096, 50_000))))


def a_directory(damage: Damage) -> None:
    damage.path.unlink()
    damage.path.mkdir()
    if damage.random.random() < 0.5:
        (damage.path / "games").write_bytes(b"")


def read_only(damage: Damage) -> None:
    damage.path.chmod(damage.random.choice((0o444, 0o400, 0o000)))
    if damage.random.random() < 0.5:
        damage.path.parent.chmod(0o555)


def journal_left(damage: Damage) -> None:
    """Leave a log or journal as a killed run does, or part of one, or something else."""
    with closing(sqlite3.connect(damage.path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("BEGIN")
        connection.execute("INSERT INTO incidents VALUES (NULL, 1, '2026', 'the worker died', 0)")
        connection.execute("COMMIT")
        main_file, log = damage.path.read_bytes(), bytearray(damage.beside("-wal").read_bytes())
    damage.path.write_bytes(main_file)
    match damage.random.randrange(4):
        case 0:
            log = log[: damage.random.randrange(len(log))]
        case 1:
            log[damage.random.randrange(len(log))] ^= 1 << damage.random.randrange(8)
        case 2:
            log = bytearray(damage.random.randbytes(damage.random.choice((1, 100, 5000))))
        case _:
            pass
    damage.beside(damage.random.choice(("-wal", "-wal", "-journal"))).write_bytes(log)
    if damage.random.random() < 0.3:
        damage.beside("-shm").write_bytes(damage.random.randbytes(32_768))


def locked(damage: Damage) -> None:
    connection = sqlite3.connect(damage.path, isolation_level=None)
    damage.held.append(connection)
    if damage.random.random() < 0.5:
        connection.execute("PRAGMA journal_mode = DELETE")
    if damage.random.random() < 0.5:
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
    connection.execute(f"BEGIN {damage.random.choice(('IMMEDIATE', 'EXCLUSIVE'))}")
    connection.execute("UPDATE settings SET value = value WHERE name = 'seed'")


KINDS: tuple[Callable[[Damage], None], ...] = (
    truncated,
    bits_flipped,
    wrong_values,
    rows_missing,
    other_columns,
    no_database,
    a_directory,
    read_only,
    journal_left,
    locked,
)


class Players:
    """An executor that has the games already."""

    def __init__(self, finished: list[Finished]) -> None:
        self.games = {one.game: one for one in finished}

    def play(self, games: list[ScheduledGame], _settings: TournamentSettings) -> Iterator[Outcome]:
        """Yield the games at once."""
        yield from (self.games[game] for game in games)


@pytest.fixture(scope="module")
def finished() -> list[Finished]:
    """Return six games, all won by one side: by White and by Black in turn."""
    table = WarmSeats(settings("rand", "raises"), spec_of=spec_of)
    games = [table.play(game) for game in settings("rand", "raises").schedule(6)]
    table.close()
    assert {game.result for game in games if isinstance(game, Finished)} == {"1-0", "0-1"}
    return [game for game in games if isinstance(game, Finished)]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, finished: list[Finished]) -> Path:
    """Return a tournament of six games, of which one is still to be played."""
    path = tmp_path_factory.mktemp("whole") / "t"
    with Store.writing(path, settings("rand", "raises"), 6) as store:
        for game in finished[:5]:
            store.add(game)
        store.add_incident(Died(finished[0].game, "the worker died", 1), quarantined=False)
    return path


@pytest.mark.slow
@pytest.mark.parametrize("number", range(many(STORES, 2 * len(KINDS))))
def test_a_damaged_store_is_refused_in_a_line_or_read_truly(
    number: int,
    whole: Path,
    finished: list[Finished],
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("tournaments.tables.PATIENCE", 0.05)
    kind = KINDS[number % len(KINDS)]
    folder = tmp_path / "store"
    folder.mkdir()
    path = Path(shutil.copy(whole, folder / "t"))
    damage = Damage(path, random.Random(number), [])
    kind(damage)
    kept = {file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()}
    begun = time.process_time()
    try:
        for use in (reported, replayed, converted, exported, merged, resumed):
            use(path, finished, damage.random.randint(1, 6), capfd)
            if use is not resumed:
                assert not path.is_file() or path.read_bytes() == kept["t"]
    finally:
        for connection in damage.held:
            connection.close()
        folder.chmod(0o755)
    assert time.process_time() - begun < LONGEST


def ran(arguments: list[str], capfd: pytest.CaptureFixture[str]) -> str | None:
    """Return what a command writes, or None if it refuses, in one line."""
    capfd.readouterr()
    code = main(arguments)
    out, error = capfd.readouterr()
    assert code in (0, 2), (code, error)
    assert code == 0 or (error.count("\n") == 1 and error.startswith("kriegbot: ") and len(error) < 600), error
    return None if code else out


def reported(path: Path, finished: list[Finished], _: int, capfd: pytest.CaptureFixture[str]) -> None:
    text = ran(["report", str(path), "--json"], capfd)
    if text is not None:
        report = json.loads(text)
        with Store.open(path) as store:
            done = store.done()
        truth = [(game.result, game.game.number % 2) for game in finished if game.game.id in done]
        wins = sum((result == "1-0") == (half == 0) and result != "1/2-1/2" for result, half in truth)
        draws = sum(result == "1/2-1/2" for result, _ in truth)
        standing = report["pairings"][0]["standing"]
        assert (len(truth), wins, draws) == (report["done"], standing["wins"], standing["draws"])
        assert sum(standing[name] for name in ("wins", "draws", "losses")) == len(truth)


def pgn_of(game: Finished) -> str:
    return zlib.decompress(game.record).decode()


def replayed(path: Path, finished: list[Finished], number: int, capfd: pytest.CaptureFixture[str]) -> None:
    text = ran(["replay", f"{path}#{number}"], capfd)
    if text is not None:
        with Store.open(path) as store:
            assert store.pgn(number) == pgn_of(finished[number - 1])


def converted(path: Path, _: list[Finished], __: int, capfd: pytest.CaptureFixture[str]) -> None:
    assert ran(["convert", str(path), "-"], capfd) is None


def exported(path: Path, finished: list[Finished], _: int, capfd: pytest.CaptureFixture[str]) -> None:
    text = ran(["export", str(path)], capfd)
    if text is not None:
        with Store.open(path) as store:
            done = sorted(store.done())
        undated = re.sub(r'(?<=^\[Date ")[0-9.]{10}', "????.??.??", text, flags=re.MULTILINE)
        assert undated == "".join(pgn_of(finished[number - 1]) + "\n" for number in done)


def merged(path: Path, finished: list[Finished], _: int, capfd: pytest.CaptureFixture[str]) -> None:
    out = path.parent.parent / "merged"
    if ran(["merge", str(out), str(path)], capfd) is not None:
        with Store.open(out) as store, suppress(StoreError):
            for number in store.done():
                assert store.pgn(number) == pgn_of(finished[number - 1])


def resumed(path: Path, finished: list[Finished], _: int, __: pytest.CaptureFixture[str]) -> None:
    """Resume: afterwards all six games are there, each as it was played."""
    before, refusals = path.read_bytes() if path.is_file() else None, []
    try:
        with Store.writing(path, settings("rand", "raises"), 6) as store:
            run(store, store.missing(), Players(finished))  # type: ignore[arg-type]
    except StoreError as error:
        refusals.append(str(error))
    if refusals:
        assert "\n" not in refusals[0]
        assert before is None or path.read_bytes() == before
        return
    with Store.open(path) as store:
        assert [store.pgn(number) for number in range(1, 7)] == list(map(pgn_of, finished))
        store.check()
