"""What a tournament's file can be asked. Every answer is checked: a damaged file is refused, never misread."""

import json
import os
import sqlite3
import zlib
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

from kriegbot.players.old_names import with_current_names
from referee import GameRecord, Limits, RecordError, UnknownRuleSet, record_from_pgn, rule_set
from referee.pgn import MAX_BYTES
from referee.text import MOST_QUOTED, one_line, quoted
from tournaments.schedule import MOST_GAMES, Pairing, ScheduledGame, Shard, TournamentSettings

SCHEMA = "1"
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
APPLICATION = 0x4B726965  # what SQLite keeps at byte 68 of the file: "Krie"
DAMAGE = sqlite3.Error, UnicodeDecodeError
"""What SQLite raises over a damaged file; the second where its own message quotes a byte that is no UTF-8."""
NOT_WRITABLE = sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY
FIRST_POINTS = "CASE result WHEN '1/2-1/2' THEN 0.5 ELSE (result = '1-0') = (number % 2 = 0) END"
"""Points of a pairing's first player, who has White in its even games."""
FITS = {
    "INTEGER": "typeof({0}) = 'integer'",
    "REAL": "typeof({0}) = 'real' AND abs({0}) <= 1.7976931348623157e308",
    "TEXT": "typeof({0}) = 'text'",
    "BLOB": "typeof({0}) = 'blob'",
}
"""What a column holds, by its type: whatever a player says of its answers, as long as it is finite."""
CHECKED = "pairings", "games", "sides", "answers", "incidents"
FITS_TOO = {
    "result": "result IN ('1-0', '0-1', '1/2-1/2')",
    "color": "color IN ('white', 'black')",
    "number": "number >= 0",
    "plies": "plies BETWEEN 0 AND 1000000",
    "seconds": "seconds BETWEEN 0 AND 1e9",
}


@cache
def _columns() -> dict[str, list[tuple[str, str]]]:
    """The columns of each table and their types."""
    with closing(sqlite3.connect(":memory:")) as empty:
        empty.executescript(TABLES)
        query = "SELECT name, type FROM pragma_table_info(?)"
        return {table: empty.execute(query, [table]).fetchall() for table in CHECKED}


class GameRow(NamedTuple):
    """A game as the table has it, without its record."""

    id: int
    pairing: int
    number: int
    seed: int
    white: str
    black: str
    result: str
    reason: str
    detail: str
    plies: int
    versions: str
    finished: str
    seconds: float


OF_A_SIDE = ("turns", "tries", "illegal", "nonsense", "overruns", "astray", "rescues", "failure")
"""Columns that say what a side did, as `kriegbot.game.match.PlayerStatistics`."""


@dataclass(frozen=True, slots=True)
class Forfeit:
    """A game that a player forfeited, or after whose end it failed, and what it did."""

    game: int
    player: str
    color: str
    failure: str


@dataclass(frozen=True, slots=True)
class Incident:
    """A process that died during a game through no player's fault; after the third time the game is given up."""

    game: int
    at: str
    what: str
    quarantined: bool


class StoreError(Exception):
    """A store cannot be read, written or used for what is asked; the message is one line."""


def named(path: str | os.PathLike[str]) -> str:
    """A path as messages quote it."""
    return quoted(os.fspath(path))


def short(text: object) -> str:
    """The beginning of a text, on one line, for a message."""
    return one_line(str(text), MOST_QUOTED)


class Reader:
    """A tournament's file, to be read: of every pairing `games` are wanted, and of these a part (`shard`) is for it."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path, self.connection = path, connection
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
        """All rows of a query; raises StoreError if the file is damaged, or has no such tables."""
        try:
            return self.connection.execute(query, values).fetchall()
        except DAMAGE as error:
            raise StoreError(f"{named(self.path)} is damaged, or no tournament of kriegbot ({short(error)})") from None

    def check(self) -> None:
        """Looks at every value; raises StoreError for other columns, a wrong value, or a game without its sides."""
        for table, expected in _columns().items():
            columns = self.rows("SELECT name, type FROM pragma_table_info(?)", table)
            if columns != expected:
                raise StoreError(f"{named(self.path)} is damaged: table '{table}' has not the columns that it takes")
            wrong = " ".join(
                f"WHEN NOT ({FITS.get(kind, '0').format(name)} AND {FITS_TOO.get(name, '1')}) THEN '{name}'"
                for name, kind in columns
            )
            for (column,) in self.rows(f"SELECT CASE {wrong} END AS wrong FROM {table} WHERE wrong NOTNULL LIMIT 1"):
                raise StoreError(f"{named(self.path)} is damaged: a wrong value for '{column}' in table '{table}'")
        alone = (
            "SELECT id FROM games WHERE (SELECT count(*) FROM sides WHERE game = id) != 2 "
            f"OR pairing NOT BETWEEN 0 AND {len(self.settings.pairings) - 1} LIMIT 1"
        )
        for (game,) in self.rows(alone):
            raise StoreError(f"{named(self.path)} is damaged: game {game} lacks its pairing or one of its sides")

    def done(self) -> set[int]:
        """Ids of the games that are here."""
        return {game for (game,) in self.rows("SELECT id FROM games")}

    def missing(self) -> list[ScheduledGame]:
        """Games of the schedule, and of this file's part of it, that are not here."""
        done = self.done()
        return [game for game in self.settings.schedule(self.games) if self.shard.has(game) and game.id not in done]

    def pgn(self, game: int) -> str:
        """The record of a game as text; raises StoreError if there is no such game, or it cannot be read."""
        found = self.rows("SELECT record FROM games WHERE id = ?", game)
        if not found:
            ((count, first, last),) = self.rows("SELECT count(*), min(id), max(id) FROM games")
            which = f"{count} games, numbered from {first} to {last}" if count else "no games yet"
            raise StoreError(f"{named(self.path)} has no game {game}; it has {which}")
        try:
            unpacker = zlib.decompressobj()
            text = unpacker.decompress(found[0][0], MAX_BYTES)
            if unpacker.unconsumed_tail:
                raise ValueError(f"more than {MAX_BYTES} bytes")
            return text.decode()
        except (zlib.error, ValueError, TypeError) as error:
            raise StoreError(f"{named(self.path)}: the record of game {game} is damaged ({short(error)})") from None

    def record(self, game: int) -> GameRecord:
        """The record of a game; raises StoreError as `pgn`, or if the text is no record."""
        try:
            return record_from_pgn(self.pgn(game))
        except RecordError as error:
            raise StoreError(f"{named(self.path)}, game {game}: {error}") from None

    def game_rows(self) -> list[GameRow]:
        """All games, in the order of their ids."""
        return [GameRow(*row) for row in self.rows(f"SELECT {', '.join(GameRow._fields)} FROM games ORDER BY id")]

    def sides(self) -> dict[tuple[int, str], dict[str, Any]]:
        """Game and colour -> what that side did, by OF_A_SIDE."""
        found = {}
        for game, color, *row in self.rows(f"SELECT game, color, {', '.join(OF_A_SIDE)} FROM sides"):
            side = dict(zip(OF_A_SIDE, row, strict=True))
            try:
                side["rescues"] = json.loads(str(side["rescues"]))
                if not all(isinstance(count, int) for count in side["rescues"].values()):
                    raise ValueError("no counts")
            except (AttributeError, ValueError, RecursionError) as error:
                why = f"the rescues of game {game} are damaged ({short(error)})"
                raise StoreError(f"{named(self.path)}: {why}") from None
            found[game, color] = side
        return found

    def forfeits(self) -> list[Forfeit]:
        """Every game in which a player failed."""
        query = "SELECT game, player, color, failure FROM sides WHERE failure != '' ORDER BY game, color"
        return [Forfeit(*row) for row in self.rows(query)]

    def incidents(self) -> list[Incident]:
        """Every process that died."""
        rows = self.rows("SELECT game, at, what, quarantined FROM incidents ORDER BY id")
        return [Incident(game, at, what, bool(last)) for game, at, what, last in rows]

    def given_up(self) -> set[int]:
        """Ids of the games that were given up."""
        return {game for (game,) in self.rows("SELECT game FROM incidents WHERE quarantined")}

    def results_by_color(self, pairing: int) -> tuple[list[int], list[int]]:
        """Losses, draws and wins of a pairing's first player with White, and with Black."""
        query = f"SELECT number % 2, 2 * {FIRST_POINTS} AS points, count(*) FROM games WHERE pairing = ? GROUP BY 1, 2"
        by_color = [0, 0, 0], [0, 0, 0]
        for color, points, count in self.rows(query, pairing):
            by_color[color][int(points)] = count
        return by_color

    def pair_points(self, pairing: int) -> dict[int, float]:
        """Number of each complete pair -> points of the first player, 0 to 2."""
        pairs = f"SELECT number / 2, sum({FIRST_POINTS}) FROM games WHERE pairing = ? GROUP BY 1 HAVING count(*) = 2"
        return dict(self.rows(f"{pairs} ORDER BY 1", pairing))

    def endings(self, pairing: int) -> dict[str, int]:
        """Reason -> games of a pairing that ended so, most frequent first."""
        query = "SELECT reason, count(*) FROM games WHERE pairing = ? GROUP BY 1 ORDER BY 2 DESC, 1"
        return dict(self.rows(query, pairing))

    def lengths(self, pairing: int) -> list[tuple[int, float]]:
        """Plies and seconds of each game of a pairing."""
        return self.rows("SELECT plies, seconds FROM games WHERE pairing = ?", pairing)

    def versions(self) -> dict[str, int]:
        """What games were played with -> how many, most frequent first."""
        return dict(self.rows("SELECT versions, count(*) FROM games GROUP BY versions ORDER BY 2 DESC, 1"))

    def totals(self, player: str) -> list[int]:
        """Games of a player, its moves, illegal tries, late answers, answers astray and forfeits."""
        (row,) = self.rows(
            "SELECT count(*), total(turns), total(illegal), total(overruns), total(astray), "
            "total(failure != '' AND reason = 'forfeit' AND (color = 'white') = (result = '0-1')) "
            "FROM sides JOIN games ON id = game WHERE player = ?",
            player,
        )
        return list(map(int, row))

    def rescues(self, player: str) -> dict[str, int]:
        """Rescue of a player's belief -> how often, most frequent first."""
        query = "SELECT rescue, count(*) FROM {} AND rescue != '' GROUP BY 1 ORDER BY 2 DESC, 1"
        return dict(self._answers(query, player))

    def mean_samples(self, player: str) -> float | None:
        """Histories drawn for an answer of a player, of the answers that drew any."""
        mean: float | None = self._answers("SELECT avg(samples) FROM {} AND samples > 0", player)[0][0]
        return mean

    def answer_seconds(self, player: str) -> list[float]:
        """How long each answer of a player took."""
        return [seconds for (seconds,) in self._answers("SELECT seconds FROM {}", player)]

    def move_seconds(self, player: str) -> list[float]:
        """How long each move of a player took, all its answers together."""
        return [seconds for (seconds,) in self._answers("SELECT sum(seconds) FROM {} GROUP BY game, ply", player)]

    def _answers(self, query: str, player: str) -> list[Any]:
        """A query of a player's answers, which take the place of {}."""
        return self.rows(query.format("sides CROSS JOIN answers USING (game, color) WHERE player = ?"), player)


def connected(path: Path, mode: Literal["ro", "rw"]) -> sqlite3.Connection:
    """A connection to a tournament's file, to read it or to add games; raises StoreError if it is none.

    To read a file in WAL mode SQLite makes two files beside it. Where it cannot, as on a read-only medium, the file is
    opened as one that nobody writes ("immutable"). That passes over the log that a killed run leaves, so where there is
    one the file is refused.
    """
    address = f"{path.absolute().as_uri()}?mode={mode}"
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
    except DAMAGE as error:
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
    except DAMAGE:
        connection.close()
        raise


def _refuse_a_log(path: Path) -> None:
    log = path.with_name(f"{path.name}-wal")
    if log.exists() and log.stat().st_size:
        why = f"its last games are still in {named(log.name)}, and the folder is read-only"
        raise StoreError(f"{named(path)}: {why}; copy both files to a folder that can be written")
