"""Tables of a tournament file: rows, connections, and values that are checked as they are read.

Files of versions before 0.3 must be read, so SQLite's own checks of types (STRICT tables) would replace none of these.
"""

import os
import re
import sqlite3
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias, TypeVar, get_type_hints

import msgspec

from kriegbot.game.protocol import FIELDS
from referee.text import MOST_QUOTED, one_line, quoted

SCHEMA = "1"
APPLICATION = 0x4B726965  # the application id in the file's header, "Krie"
DAMAGE = sqlite3.Error, UnicodeDecodeError
"""Exceptions of SQLite over a damaged file; the second if its own message quotes a byte that is no UTF-8."""
PATIENCE = 5.0  # seconds to wait for a lock: workers of a run that was killed hold it for a moment more

Color: TypeAlias = Literal["white", "black"]
Index: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]
Plies: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=1_000_000)]
Seconds: TypeAlias = Annotated[float, msgspec.Meta(ge=0, le=1e9)]
Finite: TypeAlias = Annotated[float, msgspec.Meta(ge=-1.7976931348623157e308, le=1.7976931348623157e308)]


class GameRow(NamedTuple):
    """A game. record: its PGN, compressed by zlib. finished: UTC time in ISO format."""

    id: int
    pairing: int
    number: Index
    seed: int
    white: str
    black: str
    result: Literal["1-0", "0-1", "1/2-1/2"]
    reason: str
    detail: str
    plies: Plies
    record: bytes
    versions: str
    finished: str
    seconds: Seconds


class SideRow(NamedTuple):
    """One player's statistics in one game, as `kriegbot.game.match.PlayerStatistics`. rescues: JSON."""

    game: int
    color: Color
    player: str
    turns: int
    tries: int
    illegal: int
    nonsense: int
    overruns: int
    astray: int  # `belief_inconsistent`
    rescues: str
    failure: str
    log: str


class AnswerRow(NamedTuple):
    """One answer of a player. seconds, thought: its time as we measure it, and as the player reports it."""

    game: int
    number: Index
    color: Color
    ply: int
    seconds: Seconds
    thought: Finite
    samples: int
    leaves: int
    particles: int
    rescue: str
    astray: int  # `belief_inconsistent`
    overrun: int


class IncidentRow(NamedTuple):
    """A process that died during a game."""

    id: int
    game: int
    at: str
    what: str
    quarantined: int


Row = TypeVar("Row", GameRow, SideRow, AnswerRow, IncidentRow)
TABLES: Mapping[type, tuple[str, str]] = {
    GameRow: ("games", "PRIMARY KEY (id), UNIQUE (pairing, number)"),
    SideRow: ("sides", "PRIMARY KEY (game, color)"),
    AnswerRow: ("answers", "PRIMARY KEY (game, number)"),
    IncidentRow: ("incidents", "PRIMARY KEY (id)"),
}
"""Name and keys of the table of each type of row; its columns are the fields of the row."""


def create_tables() -> str:
    """Return the SQL that creates all tables."""
    statements = [
        "CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;",
        "CREATE TABLE pairings (id INTEGER NOT NULL, first TEXT NOT NULL, second TEXT NOT NULL, PRIMARY KEY (id));",
    ]
    types = {int: "INTEGER", float: "REAL", bytes: "BLOB"}
    for row, (name, keys) in TABLES.items():
        columns = [f"{column} {types.get(kind, 'TEXT')} NOT NULL" for column, kind in get_type_hints(row).items()]
        suffix = "" if "(id)" in keys else " WITHOUT ROWID"
        statements.append(f"CREATE TABLE {name} ({', '.join([*columns, keys])}){suffix};")
    return "\n".join(statements)


class StoreError(Exception):
    """A store cannot be read, written or used; the message is one line."""


def named(path: str | os.PathLike[str]) -> str:
    """Quote a path for a message."""
    return quoted(os.fspath(path))


def short(text: object) -> str:
    """Return the beginning of a text on one line, for a message."""
    return one_line(str(text), MOST_QUOTED)


class Tables:
    """The tables of an open file."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path, self.connection = path, connection

    def rows(self, query: str, *values: object) -> list[Any]:
        """Return all rows of a query; raise StoreError if the file is damaged, locked or lacks a table."""
        return [row for rows in self._read(query, *values) for row in rows]

    def table(self, row: type[Row], game: int | None = None) -> Iterator[Row]:
        """Yield the rows of a table, or of one game, by key; raise StoreError for a wrong value or a missing column."""
        name, _ = TABLES[row]
        condition = "" if game is None else f" WHERE {row._fields[0]} = {game}"
        try:
            for rows in self._read(f"SELECT {', '.join(row._fields)} FROM {name}{condition} ORDER BY 1, 2"):
                yield from msgspec.convert(rows, list[row], builtin_types=(bytes,))  # type: ignore[valid-type]
        except msgspec.ValidationError as error:
            column = row._fields[int(re.findall(r"\d+(?=\])", str(error))[-1])]
            raise self.damaged(f"a wrong value for '{column}' in table '{name}'") from None

    def insert(self, row: type[NamedTuple], *sources: object, **values: object) -> None:
        """Add a row. Columns that are not in `values` are attributes of the first source that has them.

        Characters that UTF-8 cannot encode, such as half a surrogate pair in a traceback, are escaped.
        """
        for source in sources:
            fields = {name: name if hasattr(source, name) else FIELDS.get(name, name) for name in row._fields}
            values = {name: getattr(source, field) for name, field in fields.items() if hasattr(source, field)} | values
        texts = [v.encode(errors="backslashreplace").decode() if isinstance(v, str) else v for v in values.values()]
        names, marks = ", ".join(values), ", ".join("?" * len(values))
        self.connection.execute(f"INSERT INTO {TABLES[row][0]} ({names}) VALUES ({marks})", texts)

    def damaged(self, why: str) -> StoreError:
        """Return the error for a damaged file."""
        return StoreError(f"{named(self.path)} is damaged: {why}")

    def _read(self, query: str, *values: object) -> Iterator[list[Any]]:
        """Yield the rows of a query, a thousand at a time."""
        try:
            cursor = self.connection.execute(query, values)
            while rows := cursor.fetchmany(1000):
                yield rows
        except DAMAGE as error:
            if getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY:
                raise StoreError(f"{named(self.path)}: another program has locked it") from None
            raise StoreError(f"{named(self.path)} is damaged, or not a tournament file ({short(error)})") from None


def connected(path: Path, mode: Literal["ro", "rw"]) -> sqlite3.Connection:
    """Return a connection to a tournament file; raise StoreError if it is none.

    On a read-only medium the file is opened as one that nobody writes ("immutable"). SQLite then ignores the log that a
    killed run leaves, so a file with such a log is refused.
    """
    address = f"{path.absolute().as_uri()}?mode={mode}"
    try:
        try:
            return _opened(address, path)
        except sqlite3.OperationalError as error:
            if mode == "rw" or error.sqlite_errorcode & 0xFF not in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY):
                raise
            log = path.with_name(f"{path.name}-wal")
            if log.exists() and log.stat().st_size:
                raise StoreError(
                    f"{named(path)}: its last games are still in {named(log.name)}, and the folder is read-only; "
                    "copy both files to a writable folder"
                ) from None
            return _opened(f"{address}&immutable=1", path)
    except sqlite3.OperationalError as error:
        raise StoreError(f"{named(path)}: {short(error)}") from None
    except DAMAGE as error:
        raise StoreError(f"{named(path)} is not a tournament file ({short(error)})") from None


def _opened(address: str, path: Path) -> sqlite3.Connection:
    """Return a connection to a tournament file. If opened for writing, the file enters WAL mode."""
    connection = sqlite3.connect(address, PATIENCE, isolation_level=None, uri=True)
    try:
        if connection.execute("PRAGMA application_id").fetchone() != (APPLICATION,):
            raise StoreError(f"{named(path)} is not a tournament file")
        if address.endswith("?mode=rw"):
            connection.executescript("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
    except (*DAMAGE, StoreError):
        connection.close()
        raise
    return connection
