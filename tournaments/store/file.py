"""A tournament's file: its tables, how it is made, and how it is opened."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Literal

from referee.text import MOST_QUOTED, one_line, quoted
from tournaments.schedule import Pairing

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
NOT_WRITABLE = sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY


class StoreError(Exception):
    """A store cannot be read, written or used for what is asked; the message is one line."""


def named(path: str | os.PathLike[str]) -> str:
    """A path as messages quote it."""
    return quoted(os.fspath(path))


def short(text: object) -> str:
    """The beginning of a text, on one line, for a message."""
    return one_line(str(text), MOST_QUOTED)


def create(path: Path, settings: Mapping[str, str], pairings: Iterable[Pairing]) -> None:
    """A new file: made beside its place and moved there, so that it is never half made.

    Raises:
      StoreError: it cannot be written.
    """
    part = path.with_name(f".kriegbot-{os.getpid()}.part")
    try:
        with closing(sqlite3.connect(part, isolation_level=None)) as connection:
            connection.executescript(f"PRAGMA application_id = {APPLICATION};" + TABLES)
            connection.executemany("INSERT INTO settings VALUES (?, ?)", settings.items())
            rows = [(number, pairing.first, pairing.second) for number, pairing in enumerate(pairings)]
            connection.executemany("INSERT INTO pairings VALUES (?, ?, ?)", rows)
        for left in ("-wal", "-shm"):  # of a killed run whose file was deleted: SQLite would take its games over
            path.with_name(path.name + left).unlink(missing_ok=True)
        part.replace(path)
    except UnicodeEncodeError as error:
        raise StoreError(f"illegal player {quoted(error.object)}: its name cannot be written in UTF-8") from None
    except (sqlite3.Error, OSError) as error:
        raise StoreError(f"cannot write to {named(path)}: {short(error)}") from None
    finally:
        part.unlink(missing_ok=True)


def connected(path: Path, mode: Literal["ro", "rw"]) -> sqlite3.Connection:
    """A connection to a tournament's file, to read it or to add games.

    To read a file in WAL mode SQLite makes two files beside it. Where it cannot, as on a read-only medium, the file is
    opened as one that nobody writes ("immutable"). That passes over the log that a killed run leaves, so where there is
    one the file is refused.

    Raises:
      StoreError: it is something else, or cannot be read where it is.
    """
    address = f"file:{_escaped(path)}?mode={mode}"
    try:
        try:
            connection, application = _opened(address)
        except sqlite3.OperationalError as error:
            if mode == "rw" or error.sqlite_errorcode & 0xFF not in NOT_WRITABLE:
                raise
            _refuse_a_log(path)
            connection, application = _opened(f"{address}&immutable=1")
    except sqlite3.OperationalError as error:
        raise StoreError(f"{named(path)}: {short(error)}") from None
    except sqlite3.Error as error:
        raise StoreError(f"{named(path)} is not a tournament of kriegbot ({short(error)})") from None
    if application != APPLICATION:
        connection.close()
        raise StoreError(f"{named(path)} is not a tournament of kriegbot")
    return connection


def _opened(address: str) -> tuple[sqlite3.Connection, int]:
    """A connection, and whose file it is; one of kriegbot's is put into WAL mode."""
    connection = sqlite3.connect(address, uri=True, isolation_level=None)
    try:
        application: int = connection.execute("PRAGMA application_id").fetchone()[0]
        if application == APPLICATION and address.endswith("?mode=rw"):
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
        return connection, application
    except sqlite3.Error:
        connection.close()
        raise


def _refuse_a_log(path: Path) -> None:
    log = path.with_name(f"{path.name}-wal")
    if log.exists() and log.stat().st_size:
        why = f"its last games are still in {named(log.name)}, and the folder is read-only"
        raise StoreError(f"{named(path)}: {why}; copy both files to a folder that can be written")


def _escaped(path: Path) -> str:
    """A path within SQLite's file: addresses."""
    return str(path.absolute()).replace("%", "%25").replace("?", "%3f").replace("#", "%23")
