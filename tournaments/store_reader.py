"""Read-only queries of a tournament file, and the rows of its tables. A damaged file is refused, never misread."""

import os
import re
import sqlite3
import zlib
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias, TypeVar, get_type_hints

import msgspec

from kriegbot.players.old_names import with_current_names
from referee import GameRecord, Limits, RecordError, UnknownRuleSet, record_from_pgn, rule_set
from referee.pgn import MAX_BYTES
from referee.text import MOST_QUOTED, one_line, quoted
from tournaments.schedule import MOST_GAMES, Pairing, ScheduledGame, Shard, TournamentSettings

SCHEMA = "1"
APPLICATION = 0x4B726965  # the application id in the file's header, "Krie"
DAMAGE = sqlite3.Error, UnicodeDecodeError
"""Exceptions of SQLite over a damaged file; the second if its own message quotes a byte that is no UTF-8."""
FIRST_POINTS = "CASE result WHEN '1/2-1/2' THEN 0.5 ELSE (result = '1-0') = (number % 2 = 0) END"
"""Points of a pairing's first player, which has White in its even games."""

Color: TypeAlias = Literal["white", "black"]
Index: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]
Plies: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=1_000_000)]
Seconds: TypeAlias = Annotated[float, msgspec.Meta(ge=0, le=1e9)]
Finite: TypeAlias = Annotated[float, msgspec.Meta(ge=-1.7976931348623157e308, le=1.7976931348623157e308)]


class PairingRow(NamedTuple):
    """Two players that meet."""

    id: int
    first: str
    second: str


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
    astray: int
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
    astray: int
    overrun: int


class IncidentRow(NamedTuple):
    """A process that died during a game."""

    id: int
    game: int
    at: str
    what: str
    quarantined: int


Row = TypeVar("Row", PairingRow, GameRow, SideRow, AnswerRow, IncidentRow)
TABLES: Mapping[type, tuple[str, str]] = {
    PairingRow: ("pairings", "PRIMARY KEY (id)"),
    GameRow: ("games", "PRIMARY KEY (id), UNIQUE (pairing, number)"),
    SideRow: ("sides", "PRIMARY KEY (game, color)"),
    AnswerRow: ("answers", "PRIMARY KEY (game, number)"),
    IncidentRow: ("incidents", "PRIMARY KEY (id)"),
}
"""Name and keys of the table of each kind of row; its columns are the fields of the row."""
OF_A_SIDE = SideRow._fields[3:-1]
"""Columns of a side that are exported."""


def create_tables() -> str:
    """Return the SQL that creates all tables.

    >>> print(create_tables().splitlines()[1])
    CREATE TABLE pairings (id INTEGER NOT NULL, first TEXT NOT NULL, second TEXT NOT NULL, PRIMARY KEY (id));
    """
    statements = ["CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;"]
    types = {int: "INTEGER", float: "REAL", bytes: "BLOB"}
    for row, (name, keys) in TABLES.items():
        columns = [f"{column} {types.get(kind, 'TEXT')} NOT NULL" for column, kind in get_type_hints(row).items()]
        suffix = "" if "(id)" in keys else " WITHOUT ROWID"
        statements.append(f"CREATE TABLE {name} ({', '.join([*columns, keys])}){suffix};")
    return "\n".join(statements)


@dataclass(frozen=True, slots=True)
class Forfeit:
    """A game that a player forfeited, or after whose end it failed, and how it failed."""

    game: int
    player: str
    color: str
    failure: str


@dataclass(frozen=True, slots=True)
class Incident:
    """A process that died during a game through no player's fault. The third time the game is given up."""

    game: int
    at: str
    what: str
    quarantined: bool


class StoreError(Exception):
    """A store cannot be read, written or used; the message is one line."""


def named(path: str | os.PathLike[str]) -> str:
    """Quote a path for a message."""
    return quoted(os.fspath(path))


def short(text: object) -> str:
    """Return the beginning of a text on one line, for a message."""
    return one_line(str(text), MOST_QUOTED)


class Reader:
    """An open tournament file.

    Attributes:
      settings: of the tournament.
      games: number of games wanted of every pairing.
      shard: the part of these games that belongs into this file.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path, self.connection = path, connection
        connection.create_function("current", 1, with_current_names, deterministic=True)
        texts = dict(self.rows("SELECT name, value FROM settings"))
        if texts.get("schema") != SCHEMA:
            schema = texts.get("schema")
            raise StoreError(f"{named(path)}: its format is {quoted(schema)}; this program reads {SCHEMA!r}")
        try:
            rows = self.rows("SELECT first, second FROM pairings ORDER BY id")
            pairings = tuple(Pairing(*map(with_current_names, row)) for row in rows)
            plies, quiet = (int(texts[name]) if texts[name] else None for name in ("plies", "quiet"))
            rules, seed = rule_set(texts["rules"]), int(texts["seed"])
            self.settings = TournamentSettings(pairings, rules, Limits(plies, quiet), seed, texts.get("files"))
            self.games = int(texts["games"])
            if not pairings:
                raise ValueError("no pairings")
            if not 0 <= self.games <= MOST_GAMES:
                raise ValueError(f"{self.games} games")
            self.shard = Shard.parse(texts["shard"])
        except (KeyError, ValueError, TypeError, AttributeError, UnknownRuleSet) as error:
            raise StoreError(f"{named(path)}: its settings are damaged ({short(error)})") from None

    def rows(self, query: str, *values: object) -> list[Any]:
        """Return all rows of a query; raise StoreError if the file is damaged or lacks a table."""
        try:
            return self.connection.execute(query, values).fetchall()
        except DAMAGE as error:
            raise StoreError(f"{named(self.path)} is damaged, or not a tournament file ({short(error)})") from None

    def table(self, kind: type[Row]) -> Iterator[Row]:
        """Yield all rows of a table in the order of their ids; raise StoreError for a wrong value or missing column."""
        name, _ = TABLES[kind]
        try:
            cursor = self.connection.execute(f"SELECT {', '.join(kind._fields)} FROM {name} ORDER BY 1")
            while rows := cursor.fetchmany(1000):
                yield from msgspec.convert(rows, list[kind], builtin_types=(bytes,))  # type: ignore[valid-type]
        except msgspec.ValidationError as error:
            column = kind._fields[int(re.findall(r"\d+(?=\])", str(error))[-1])]
            raise StoreError(f"{named(self.path)} is damaged: a wrong value for '{column}' in table '{name}'") from None
        except DAMAGE as error:
            raise StoreError(f"{named(self.path)} is damaged, or not a tournament file ({short(error)})") from None

    def check(self) -> None:
        """Read every row; raise StoreError for a wrong value, or for a game without its pairing or its sides."""
        for kind in TABLES:
            deque(self.table(kind), maxlen=0)
        alone = (
            "SELECT id FROM games WHERE (SELECT count(*) FROM sides WHERE game = id) != 2 "
            f"OR pairing NOT BETWEEN 0 AND {len(self.settings.pairings) - 1} LIMIT 1"
        )
        for (game,) in self.rows(alone):
            raise StoreError(f"{named(self.path)} is damaged: game {game} lacks its pairing or one of its sides")

    def done(self) -> set[int]:
        """Return the ids of the stored games."""
        return {game for (game,) in self.rows("SELECT id FROM games")}

    def missing(self) -> list[ScheduledGame]:
        """Return the games of this file's part of the schedule that are not stored."""
        done = self.done()
        return [game for game in self.settings.schedule(self.games) if self.shard.has(game) and game.id not in done]

    def pgn(self, game: int) -> str:
        """Return the PGN of a game; raise StoreError if there is no such game, or its record is damaged."""
        records = self.rows("SELECT record FROM games WHERE id = ?", game)
        if not records:
            ((count, first, last),) = self.rows("SELECT count(*), min(id), max(id) FROM games")
            games = f"{count} games, numbered from {first} to {last}" if count else "no games yet"
            raise StoreError(f"{named(self.path)} has no game {game}; it has {games}")
        try:
            unpacker = zlib.decompressobj()
            text = unpacker.decompress(records[0][0], MAX_BYTES)
            if unpacker.unconsumed_tail:
                raise ValueError(f"more than {MAX_BYTES} bytes")
            return text.decode()
        except (zlib.error, ValueError, TypeError) as error:
            raise StoreError(f"{named(self.path)}: the record of game {game} is damaged ({short(error)})") from None

    def record(self, game: int) -> GameRecord:
        """Return the record of a game; raise StoreError as `pgn`, or if the text is no record."""
        try:
            return record_from_pgn(self.pgn(game))
        except RecordError as error:
            raise StoreError(f"{named(self.path)}, game {game}: {error}") from None

    def game_rows(self) -> Iterator[GameRow]:
        """Yield all games in the order of their ids."""
        return self.table(GameRow)

    def sides(self) -> dict[tuple[int, str], dict[str, Any]]:
        """Return the columns OF_A_SIDE by game and colour, with the rescues as a dict."""
        sides: dict[tuple[int, str], dict[str, Any]] = {}
        for row in self.table(SideRow):
            side = {name: getattr(row, name) for name in OF_A_SIDE}
            try:
                side["rescues"] = msgspec.json.decode(row.rescues, type=dict[str, int])
            except msgspec.MsgspecError as error:
                raise StoreError(f"{named(self.path)}: the rescues of game {row.game} are damaged ({error})") from None
            sides[row.game, row.color] = side
        return sides

    def forfeits(self) -> list[Forfeit]:
        """Return every game in which a player failed."""
        query = "SELECT game, current(player), color, failure FROM sides WHERE failure != '' ORDER BY game, color"
        return [Forfeit(*row) for row in self.rows(query)]

    def incidents(self) -> list[Incident]:
        """Return every process that died."""
        return [Incident(game, at, what, bool(is_last)) for _, game, at, what, is_last in self.table(IncidentRow)]

    def given_up(self) -> set[int]:
        """Return the ids of the games that were given up."""
        return {game for (game,) in self.rows("SELECT game FROM incidents WHERE quarantined")}

    def results_by_color(self, pairing: int) -> tuple[list[int], list[int]]:
        """Return losses, draws and wins of a pairing's first player with White, and with Black."""
        query = f"SELECT number % 2, 2 * {FIRST_POINTS} AS points, count(*) FROM games WHERE pairing = ? GROUP BY 1, 2"
        by_color = [0, 0, 0], [0, 0, 0]
        for color, points, count in self.rows(query, pairing):
            by_color[color][int(points)] = count
        return by_color

    def pair_points(self, pairing: int) -> dict[int, float]:
        """Return the first player's points, 0 to 2, in each complete pair, by the number of the pair."""
        pairs = f"SELECT number / 2, sum({FIRST_POINTS}) FROM games WHERE pairing = ? GROUP BY 1 HAVING count(*) = 2"
        return dict(self.rows(f"{pairs} ORDER BY 1", pairing))

    def endings(self, pairing: int) -> dict[str, int]:
        """Count a pairing's games by the reason of their end, most frequent first."""
        query = "SELECT reason, count(*) FROM games WHERE pairing = ? GROUP BY 1 ORDER BY 2 DESC, 1"
        return dict(self.rows(query, pairing))

    def lengths(self, pairing: int) -> list[tuple[int, float]]:
        """Return plies and seconds of each game of a pairing."""
        return self.rows("SELECT plies, seconds FROM games WHERE pairing = ?", pairing)

    def versions(self) -> dict[str, int]:
        """Count games by the versions of kriegbot and its libraries, most frequent first."""
        return dict(self.rows("SELECT versions, count(*) FROM games GROUP BY versions ORDER BY 2 DESC, 1"))

    def totals(self, player: str) -> list[int]:
        """Count a player's games, moves, illegal tries, overruns, answers from an inconsistent belief, and forfeits."""
        (row,) = self.rows(
            "SELECT count(*), total(turns), total(illegal), total(overruns), total(astray), "
            "total(failure != '' AND reason = 'forfeit' AND (color = 'white') = (result = '0-1')) "
            "FROM sides JOIN games ON id = game WHERE current(player) = ?",
            player,
        )
        return list(map(int, row))

    def rescues(self, player: str) -> dict[str, int]:
        """Count the answers of a player by the rescue that its belief needed, most frequent first."""
        query = "SELECT rescue, count(*) FROM {} AND rescue != '' GROUP BY 1 ORDER BY 2 DESC, 1"
        return dict(self._answers(query, player))

    def mean_samples(self, player: str) -> float | None:
        """Return the mean sample size of a player's answers, of those that sampled; None if none did."""
        mean: float | None = self._answers("SELECT avg(samples) FROM {} AND samples > 0", player)[0][0]
        return mean

    def answer_seconds(self, player: str) -> list[float]:
        """Return the seconds of each answer of a player."""
        return [seconds for (seconds,) in self._answers("SELECT seconds FROM {}", player)]

    def move_seconds(self, player: str) -> list[float]:
        """Return the seconds of each move of a player, all its tries together."""
        return [seconds for (seconds,) in self._answers("SELECT sum(seconds) FROM {} GROUP BY game, ply", player)]

    def _answers(self, query: str, player: str) -> list[Any]:
        """Return all rows of a query; in it {} stands for the player's answers."""
        return self.rows(query.format("sides CROSS JOIN answers USING (game, color) WHERE current(player) = ?"), player)


def connected(path: Path, mode: Literal["ro", "rw"]) -> sqlite3.Connection:
    """Return a connection to a tournament file; raise StoreError if it is none.

    To read a file in WAL mode, SQLite makes two files beside it. Where it cannot, as on a read-only medium, the file is
    opened as one that nobody writes ("immutable"). SQLite then ignores the log that a killed run leaves, so a file with
    such a log is refused.
    """
    address = f"{path.absolute().as_uri()}?mode={mode}"
    try:
        try:
            connection, application = _opened(address)
        except sqlite3.OperationalError as error:
            if mode == "rw" or error.sqlite_errorcode & 0xFF not in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY):
                raise
            log = path.with_name(f"{path.name}-wal")
            if log.exists() and log.stat().st_size:
                raise StoreError(
                    f"{named(path)}: its last games are still in {named(log.name)}, and the folder is read-only; "
                    "copy both files to a writable folder"
                ) from None
            connection, application = _opened(f"{address}&immutable=1")
    except sqlite3.OperationalError as error:
        raise StoreError(f"{named(path)}: {short(error)}") from None
    except DAMAGE as error:
        raise StoreError(f"{named(path)} is not a tournament file ({short(error)})") from None
    if application != APPLICATION:
        connection.close()
        raise StoreError(f"{named(path)} is not a tournament file")
    return connection


def _opened(address: str) -> tuple[sqlite3.Connection, int]:
    """Return a connection and the file's application id. A tournament file opened for writing enters WAL mode."""
    connection = sqlite3.connect(address, uri=True, isolation_level=None)
    try:
        application: int = connection.execute("PRAGMA application_id").fetchone()[0]
        if application == APPLICATION and address.endswith("?mode=rw"):
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
        return connection, application
    except DAMAGE:
        connection.close()
        raise
