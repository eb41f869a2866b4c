"""Where a tournament's games are kept: one SQLite file, one transaction a game.

The file is in WAL mode with full synchronisation: a game that was added is there whatever happens next to the program
or the machine, and others may read while games are added. One process writes, and holds `FILE.lock` meanwhile.

    settings    name, value: what makes the games what they are (see `_identity`), and `games`, how many are wanted
    pairings    who plays whom
    games       one row a game; `record` is its PGN, compressed by zlib
    sides       what each player did in a game: `tournaments.match.PlayerStatistics`
    answers     every answer of a player: time, sample size, rescue of its belief, overrun
    incidents   workers that died over a game
"""

from __future__ import annotations

import json
import os
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path

import chess
from filelock import FileLock, Timeout

from referee import GameRecord, Limits, RecordError, UnknownRuleSet, record_from_pgn, rule_set
from referee.pgn import MAX_BYTES
from tournaments.match import PlayerStatistics
from tournaments.play import Died, Finished
from tournaments.schedule import Game, Pairing, Settings, Shard

SCHEMA = "1"
APPLICATION = 0x4B726965
"""What SQLite keeps at byte 68 of the file: "Krie"."""
TABLES = """
CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE pairings (id INTEGER PRIMARY KEY, first TEXT NOT NULL, second TEXT NOT NULL);
CREATE TABLE games (
    id INTEGER PRIMARY KEY, pairing INTEGER NOT NULL REFERENCES pairings, number INTEGER NOT NULL,
    seed INTEGER NOT NULL, white TEXT NOT NULL, black TEXT NOT NULL,
    result TEXT NOT NULL, reason TEXT NOT NULL, detail TEXT NOT NULL, plies INTEGER NOT NULL,
    record BLOB NOT NULL, versions TEXT NOT NULL, finished TEXT NOT NULL, seconds REAL NOT NULL,
    UNIQUE (pairing, number));
CREATE TABLE sides (
    game INTEGER NOT NULL REFERENCES games, color TEXT NOT NULL, player TEXT NOT NULL,
    turns INTEGER NOT NULL, tries INTEGER NOT NULL, illegal INTEGER NOT NULL, nonsense INTEGER NOT NULL,
    overruns INTEGER NOT NULL, astray INTEGER NOT NULL, rescues TEXT NOT NULL, failure TEXT NOT NULL, log TEXT NOT NULL,
    PRIMARY KEY (game, color)) WITHOUT ROWID;
CREATE TABLE answers (
    game INTEGER NOT NULL REFERENCES games, number INTEGER NOT NULL, color TEXT NOT NULL, ply INTEGER NOT NULL,
    seconds REAL NOT NULL, thought REAL NOT NULL, samples INTEGER NOT NULL, leaves INTEGER NOT NULL,
    particles INTEGER NOT NULL, rescue TEXT NOT NULL, astray INTEGER NOT NULL, overrun INTEGER NOT NULL,
    PRIMARY KEY (game, number)) WITHOUT ROWID;
CREATE TABLE incidents (
    id INTEGER PRIMARY KEY, game INTEGER NOT NULL, at TEXT NOT NULL, what TEXT NOT NULL, quarantined INTEGER NOT NULL);
"""
LOCK_PATIENCE = 5.0
"""Seconds to wait for the lock: workers of a run that was killed hold it for a moment more."""


class StoreError(Exception):
    """A store cannot be read, written or used for what is asked; the message is one line."""


class Store:
    """A tournament's file. Made by `Store.open` to read, `Store.writing` to add games."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path, self.connection = path, connection
        named = dict(self._rows("SELECT name, value FROM settings"))
        if named.get("schema") != SCHEMA:
            raise StoreError(f"'{path}': its format is {named.get('schema')!r}; this program reads {SCHEMA!r}")
        try:
            pairings = tuple(Pairing(*row) for row in self._rows("SELECT first, second FROM pairings ORDER BY id"))
            plies, quiet = (int(named[name]) if named[name] else None for name in ("plies", "quiet"))
            self.settings = Settings(pairings, rule_set(named["rules"]), Limits(plies, quiet), int(named["seed"]))
            self.games = int(named["games"])
            self.shard = Shard.parse(named["shard"])
        except (KeyError, ValueError, TypeError, UnknownRuleSet) as error:
            raise StoreError(f"'{path}': its settings are damaged ({error})") from None

    @classmethod
    @contextmanager
    def open(cls, path: str | os.PathLike[str]) -> Iterator[Store]:
        """A store to read from.

        Raises:
          StoreError: there is none, or it cannot be read.
        """
        where = Path(path)
        if not where.is_file():
            raise StoreError(f"'{where}': there is no such file")
        connection = _connected(where, "ro")
        try:
            yield cls(where, connection)
        except sqlite3.Error as error:
            raise StoreError(f"'{where}': {error}") from None
        finally:
            connection.close()

    @classmethod
    @contextmanager
    def writing(
        cls, path: str | os.PathLike[str], settings: Settings, games: int, shard: Shard | None = None
    ) -> Iterator[Store]:
        """A store to add games to: a new one, or one of the same tournament.

        Args:
          path: the file.
          settings: of the tournament; those of an existing file must be the same.
          games: how many of every pairing are wanted; an existing file may have wanted another number.
          shard: the part of the games that this file is for.

        Raises:
          StoreError: the file is something else, of another tournament, in use by another process, or not writable.
        """
        where, shard = Path(path), shard or Shard()
        if not where.parent.is_dir():
            raise StoreError(f"cannot write to '{where}': there is no folder '{where.parent}'")
        lock = FileLock(f"{where}.lock")
        try:
            lock.acquire(LOCK_PATIENCE)
        except Timeout:
            raise StoreError(f"'{where}': another run is adding games to it") from None
        except OSError as error:
            raise StoreError(f"cannot write to '{where}': {error.strerror or error}") from None
        with ExitStack() as stack:
            stack.callback(lock.release)
            if not where.exists() or where.stat().st_size == 0:
                _create(where, settings, games, shard)
            with closing(_connected(where, "rw")) as connection:
                store = cls(where, connection)
                store._must_be(settings, shard)
                try:
                    connection.execute("UPDATE settings SET value = ? WHERE name = 'games'", (str(games),))
                    store.games = games
                    yield store
                except sqlite3.Error as error:
                    raise StoreError(f"cannot write to '{where}': {error}") from None

    def add(self, finished: Finished) -> None:
        """Adds a game, whole or not at all.

        Raises:
          sqlite3.Error: it cannot be written; what was there before still is.
        """
        game = finished.game
        with self.transaction():
            self.connection.execute(
                f"INSERT INTO games VALUES ({_marks(14)})",
                (
                    game.id,
                    game.pairing,
                    game.number,
                    game.seed,
                    game.white,
                    game.black,
                    finished.result,
                    finished.reason.value,
                    finished.detail,
                    finished.plies,
                    finished.record,
                    finished.versions,
                    _now(),
                    finished.seconds,
                ),
            )
            for color, side in (("white", finished.white), ("black", finished.black)):
                self.connection.execute(
                    f"INSERT INTO sides VALUES ({_marks(12)})", (game.id, color, *_side_values(side))
                )
            self.connection.executemany(
                f"INSERT INTO answers VALUES ({_marks(12)})",
                (
                    (
                        game.id,
                        number,
                        chess.COLOR_NAMES[thought.color],
                        thought.ply,
                        round(thought.seconds, 6),
                        round(thought.report.seconds, 6),
                        thought.report.samples,
                        thought.report.leaves,
                        thought.report.particles,
                        thought.report.rescue,
                        thought.report.astray,
                        thought.report.overrun,
                    )
                    for number, thought in enumerate(finished.thoughts)
                ),
            )

    def add_incident(self, died: Died, quarantined: bool) -> None:
        """Notes that a worker died over a game."""
        self.connection.execute(
            f"INSERT INTO incidents (game, at, what, quarantined) VALUES ({_marks(4)})",
            (died.game.id, _now(), died.what, quarantined),
        )

    def done(self) -> set[int]:
        """Ids of the games that are here."""
        return {row[0] for row in self.connection.execute("SELECT id FROM games")}

    def missing(self) -> list[Game]:
        """Games of the schedule, and of this file's part of it, that are not here."""
        done = self.done()
        return [game for game in self.settings.schedule(self.games) if self.shard.has(game) and game.id not in done]

    def pgn(self, game: int) -> str:
        """The record of a game as text.

        Raises:
          StoreError: there is no such game, or what stands there cannot be read.
        """
        row = self.connection.execute("SELECT record FROM games WHERE id = ?", (game,)).fetchone()
        if row is None:
            count, first, last = self.connection.execute("SELECT count(*), min(id), max(id) FROM games").fetchone()
            which = f"{count} games, numbered from {first} to {last}" if count else "no games yet"
            raise StoreError(f"'{self.path}' has no game {game}; it has {which}")
        try:
            unpacker = zlib.decompressobj()
            text = unpacker.decompress(row[0], MAX_BYTES)
            if unpacker.unconsumed_tail:
                raise ValueError(f"more than {MAX_BYTES} bytes")
            return text.decode()
        except (zlib.error, ValueError, TypeError) as error:
            raise StoreError(f"'{self.path}': the record of game {game} is damaged ({error})") from None

    def record(self, game: int) -> GameRecord:
        """The record of a game.

        Raises:
          StoreError: as `pgn`, or the text is no record.
        """
        try:
            return record_from_pgn(self.pgn(game))
        except RecordError as error:
            raise StoreError(f"'{self.path}', game {game}: {error}") from None

    def take_from(self, other: Path) -> int:
        """Takes over the games of another store that are not here; returns how many.

        Raises:
          StoreError: the other is of another tournament, or has a game that differs from the one here.
        """
        with Store.open(other) as store:
            differing = _differences(self.settings, store.settings)
        if differing:
            raise StoreError(f"'{other}' holds another tournament than '{self.path}': {differing}")
        self.connection.execute("ATTACH DATABASE ? AS other", (f"file:{_quoted(other)}?mode=ro",))
        try:
            with self.transaction():
                unlike = self.connection.execute(
                    "SELECT id FROM main.games JOIN other.games AS theirs USING (id) WHERE main.games.record != "
                    "theirs.record AND main.games.versions = theirs.versions"
                ).fetchone()
                if unlike is not None:
                    raise StoreError(f"game {unlike[0]} of '{other}' differs from the one in '{self.path}'")
                new = "SELECT id FROM other.games WHERE id NOT IN (SELECT id FROM main.games)"
                games = [row[0] for row in self.connection.execute(new)]
                for table, key in (("games", "id"), ("sides", "game"), ("answers", "game")):
                    self.connection.executemany(
                        f"INSERT INTO main.{table} SELECT * FROM other.{table} WHERE {key} = ?",
                        ((game,) for game in games),
                    )
                self.connection.execute(
                    "INSERT INTO main.incidents (game, at, what, quarantined) "
                    "SELECT game, at, what, quarantined FROM other.incidents AS theirs WHERE NOT EXISTS "
                    "(SELECT 1 FROM main.incidents AS ours WHERE ours.game = theirs.game AND ours.at = theirs.at)"
                )
        finally:
            self.connection.execute("DETACH DATABASE other")
        return len(games)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All of what is done within, or nothing of it."""
        self.connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            if self.connection.in_transaction:  # a full disk has rolled back already
                self.connection.execute("ROLLBACK")
            raise
        self.connection.execute("COMMIT")

    def _rows(self, query: str) -> list[tuple[str, str]]:
        try:
            return self.connection.execute(query).fetchall()
        except sqlite3.Error as error:
            raise StoreError(f"'{self.path}' is not a tournament of kriegbot ({error})") from None

    def _must_be(self, settings: Settings, shard: Shard) -> None:
        differing = _differences(self.settings, settings)
        if not differing and self.shard != shard:
            differing = f"shard {self.shard}, here {shard}"
        if differing:
            raise StoreError(f"'{self.path}' holds another tournament: {differing}; name another file")


def _side_values(side: PlayerStatistics) -> tuple[object, ...]:
    """A side's statistics in the order of the table; means are left to be computed from `answers`."""
    counts = side.turns, side.tries, side.illegal, side.nonsense, side.overruns, side.astray
    return side.player, *counts, json.dumps(side.rescues), side.failure, side.log


def _identity(settings: Settings) -> dict[str, str]:
    """What must be the same for two files to be of one tournament, as text."""
    limits = settings.limits
    return {
        "players": "; ".join(f"{pairing.first} - {pairing.second}" for pairing in settings.pairings),
        "rules": settings.rules.name,
        "plies": str(limits.plies or ""),
        "quiet": str(limits.quiet_plies or ""),
        "seed": str(settings.seed),
    }


def _differences(there: Settings, here: Settings) -> str:
    theirs, ours = _identity(there), _identity(here)
    differing = [name for name in ours if theirs[name] != ours[name]]
    return ", ".join(f"{name} {theirs[name] or 'none'}, here {ours[name] or 'none'}" for name in differing)


def _create(path: Path, settings: Settings, games: int, shard: Shard) -> None:
    """A new file: made beside its place and moved there, so that it is never half made."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    named = _identity(settings) | {"schema": SCHEMA, "games": str(games), "shard": str(shard)}
    del named["players"]
    try:
        with closing(sqlite3.connect(part, isolation_level=None)) as connection:
            connection.executescript(f"PRAGMA application_id = {APPLICATION};" + TABLES)
            connection.executemany("INSERT INTO settings VALUES (?, ?)", named.items())
            pairings = [(number, pairing.first, pairing.second) for number, pairing in enumerate(settings.pairings)]
            connection.executemany("INSERT INTO pairings VALUES (?, ?, ?)", pairings)
        for left in ("-wal", "-shm"):  # of a killed run whose file was deleted: SQLite would take its games over
            path.with_name(path.name + left).unlink(missing_ok=True)
        part.replace(path)
    except (sqlite3.Error, OSError) as error:
        raise StoreError(f"cannot write to '{path}': {error}") from None
    finally:
        part.unlink(missing_ok=True)


def _connected(path: Path, mode: str) -> sqlite3.Connection:
    try:
        connection = sqlite3.connect(f"file:{_quoted(path)}?mode={mode}", uri=True, isolation_level=None)
    except sqlite3.Error as error:
        raise StoreError(f"'{path}': {error}") from None
    try:
        if connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION:
            raise StoreError(f"'{path}' is not a tournament of kriegbot")
        if mode == "rw":
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
    except sqlite3.Error as error:
        connection.close()
        raise StoreError(f"'{path}' is not a tournament of kriegbot ({error})") from None
    except StoreError:
        connection.close()
        raise
    return connection


def _quoted(path: Path) -> str:
    """A path within SQLite's file: addresses."""
    return str(path.absolute()).replace("%", "%25").replace("?", "%3f").replace("#", "%23")


def _marks(count: int) -> str:
    return ", ".join("?" * count)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
