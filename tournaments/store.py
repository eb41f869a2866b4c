"""Tournament files: one SQLite file for a tournament, one transaction for a game that is played.

The file is in WAL mode with full synchronisation: a stored game survives a crash, and others may read while games are
added. One process writes, and holds `FILE.lock` meanwhile.

    settings    name, value: schema, shard, what determines the games, and `games`, the number wanted of each pairing
    pairings    the players of each pairing
    games       one row a game; `record` is its PGN, compressed by zlib
    sides       statistics of each player in a game: `kriegbot.game.match.PlayerStatistics`
    answers     every answer of a player: time, sample size, rescue of its belief, overrun
    incidents   games that died, each time: `tournaments.schedule.Died`
"""

import csv
import json
import os
import re
import sqlite3
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from itertools import product, zip_longest
from pathlib import Path
from typing import Any, NamedTuple, Self, TextIO

import chess
import msgspec
from filelock import FileLock, Timeout

from kriegbot.players.old_names import with_current_names
from referee import GameRecord, Limits, RecordError, UnknownRuleSet, record_from_pgn, rule_set
from referee.pgn import MAX_BYTES
from referee.text import quoted, unless_held
from tournaments import tables
from tournaments.schedule import MOST_GAMES, Died, Finished, Pairing, ScheduledGame, Shard, TournamentSettings
from tournaments.tables import AnswerRow, GameRow, IncidentRow, SideRow, StoreError, Tables, named, short

__all__ = ["FORMS", "Store", "StoreError"]

OF_A_SIDE = SideRow._fields[3:-1]  # columns of a side that are exported
FIRST_POINTS = "CASE result WHEN '1/2-1/2' THEN 0.5 ELSE (result = '1-0') = (number % 2 = 0) END"
"""Points of a pairing's first player, which has White in its even games."""
COLORS = "white", "black"
DAY = r"\d{4}\.\d\d\.\d\d"  # in PGN


class StoredGame(NamedTuple):
    """A game with all that is stored of it; sides and rescues are White's and Black's."""

    row: GameRow
    sides: tuple[SideRow, SideRow]
    rescues: tuple[dict[str, int], dict[str, int]]
    answers: list[AnswerRow]
    pgn: str


class Store(Tables):
    """An open tournament file: `Store.open` reads it, `Store.writing` adds games of its `shard`."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        super().__init__(path, connection)
        texts = dict(self.rows("SELECT name, value FROM settings"))
        if (schema := texts.get("schema")) != tables.SCHEMA:
            raise StoreError(f"{named(path)}: its format is {quoted(schema)}; this program reads {tables.SCHEMA!r}")
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

    @classmethod
    @contextmanager
    def open(cls, path: str | os.PathLike[str]) -> Iterator[Self]:
        """Open a store to read; raise StoreError if there is none, or it cannot be read."""
        where = Path(path)
        if not os.path.isfile(where):  # `Path.is_file` raises if a name is too long
            raise StoreError(f"{named(where)}: there is no such file")
        with closing(tables.connected(where, "ro")) as connection:
            yield cls(where, connection)

    @classmethod
    @contextmanager
    def writing(
        cls, path: str | os.PathLike[str], settings: TournamentSettings, games: int, shard: Shard | None = None
    ) -> Iterator[Self]:
        """Open a store to add games: a new file, or one of the same tournament and shard; raise StoreError."""
        where, shard = Path(path), shard or Shard()
        if not os.path.isdir(where.parent):
            raise StoreError(f"cannot write to {named(where)}: there is no folder {named(where.parent)}")
        lock = FileLock(f"{where}.lock")
        try:
            lock.acquire(tables.PATIENCE)
        except Timeout:
            raise StoreError(f"{named(where)}: another run is adding games to it") from None
        except OSError as error:
            raise StoreError(f"cannot write to {named(where)}: {error.strerror or short(error)}") from None
        with ExitStack() as stack:
            stack.callback(lock.release)
            if where.exists() and not where.is_file():
                raise StoreError(f"cannot write to {named(where)}: it is no regular file")
            if where.exists() and where.stat().st_nlink > 1:  # whoever reads the other name reads the players' seeds
                raise StoreError(f"cannot write to {named(where)}: it has a hard link elsewhere; copy it")
            if not where.exists() or where.stat().st_size == 0:
                identity = {"schema": tables.SCHEMA, **_identity(settings), "games": str(games), "shard": str(shard)}
                _create(where, identity, settings.pairings)
            with closing(tables.connected(where, "rw")) as connection:
                store = cls(where, connection)
                other_shard = "" if store.shard == shard else f"shard {store.shard}, here {shard}"
                if differing := _differences(store.settings, settings) or other_shard:
                    raise StoreError(f"{named(where)} holds another tournament: {differing}; name another file")
                store.check()
                store.settings = replace(store.settings, rules=settings.rules)  # the same, with the source of its file
                with _writing(where):
                    connection.execute("UPDATE settings SET value = ? WHERE name = 'games'", (str(games),))
                    store.games = games
                    yield store

    def add(self, finished: Finished) -> None:
        """Add a game, whole or not at all; raise StoreError if the file cannot be written."""
        game = finished.game
        with _writing(self.path), self.connection:  # commits all, or rolls back
            self.connection.execute("BEGIN IMMEDIATE")
            self.insert(GameRow, game, finished, reason=finished.reason.value, finished=_now())
            for color, side in zip(COLORS, (finished.white, finished.black), strict=True):
                self.insert(SideRow, side, game=game.id, color=color, rescues=json.dumps(side.rescues))
            for number, answer in enumerate(finished.answers):
                times = {"seconds": round(answer.seconds, 6), "thought": round(answer.report.seconds, 6)}
                place = {"game": game.id, "number": number, "color": chess.COLOR_NAMES[answer.color]}
                self.insert(AnswerRow, answer, answer.report, **place, **times)

    def add_incident(self, died: Died, quarantined: bool) -> None:
        """Add a game that died; it is given up if `quarantined`. Raise StoreError as `add`."""
        with _writing(self.path):
            self.insert(IncidentRow, id=None, game=died.game.id, at=_now(), what=died.cause, quarantined=quarantined)

    def copy_from(self, other: Path) -> int:
        """Copy the games of another store that this one lacks, and return their number.

        Raise StoreError if the other store is damaged or of another tournament, or a game of the same versions differs.
        """
        with Store.open(other) as store:
            if differing := _differences(self.settings, store.settings):
                raise StoreError(f"{named(other)} holds another tournament than {named(self.path)}: {differing}")
            store.check()
            here = dict(self.rows("SELECT id, versions FROM games"))
            games = []
            for game, versions in store.rows("SELECT id, versions FROM games"):
                if game not in here:
                    games.append(game)
                elif here[game] == versions and self.pgn(game) != store.pgn(game):
                    raise StoreError(f"game {game} of {named(other)} differs from the one in {named(self.path)}")
            known = {incident[1:] for incident in self.table(IncidentRow)}
            with self.connection:
                self.connection.execute("BEGIN IMMEDIATE")
                kinds: tuple[type[Any], ...] = (GameRow, SideRow, AnswerRow)
                for game, kind in product(games, kinds):
                    for row in store.table(kind, game):
                        self.insert(kind, row)
                for incident in store.table(IncidentRow):
                    if incident[1:] not in known:
                        self.insert(IncidentRow, incident, id=None)
        return len(games)

    def check(self) -> None:
        """Read everything; raise StoreError for whatever is damaged."""
        self.check_tables()
        deque(self.stored(), maxlen=0)

    def check_tables(self) -> None:
        """Raise StoreError for damage that `stored` does not find: pages of the file, rows without their game."""
        (found,) = self.rows("PRAGMA integrity_check(1)")[0]
        if found != "ok":
            raise self.damaged(short(found))
        alone = "SELECT game FROM sides UNION SELECT game FROM answers EXCEPT SELECT id FROM games LIMIT 1"
        for (game,) in self.rows(alone):
            raise self.damaged(f"game {short(game)} is missing, and its sides or answers are not")
        deque(self.table(IncidentRow), maxlen=0)

    def stored(self) -> Iterator[StoredGame]:
        """Yield all games in the order of their ids; raise StoreError for one that is damaged."""
        current = cache(with_current_names)
        for row in self.table(GameRow):
            sides, answers = tuple(self.table(SideRow, row.id)), list(self.table(AnswerRow, row.id))
            if len(sides) != 2 or not 0 <= row.pairing < len(self.settings.pairings):
                raise self.damaged(f"game {row.id} lacks its pairing or one of its sides")
            black, white = sides  # by the names of the colours
            planned = self.settings.game(row.pairing, row.number)
            if (planned.id, planned.white, planned.black) != (row.id, current(row.white), current(row.black)):
                raise self.damaged(f"game {row.id} is not the one that its tournament has there")
            pgn = self._unpacked(row.id, row.record)
            if f'[Result "{row.result}"]' not in pgn:
                raise self.damaged(f"game {row.id} has another result than its record")
            try:
                of_white, of_black = (msgspec.json.decode(one.rescues, type=dict[str, int]) for one in (white, black))
            except msgspec.MsgspecError as error:
                raise StoreError(f"{named(self.path)}: the rescues of game {row.id} are damaged ({error})") from None
            yield StoredGame(row, (white, black), (of_white, of_black), answers, pgn)

    def _unpacked(self, game: int, record: bytes) -> str:
        try:
            unpacker = zlib.decompressobj()
            text = unpacker.decompress(record, MAX_BYTES)
            if unpacker.unconsumed_tail:
                raise ValueError(f"more than {MAX_BYTES} bytes")
            if not unpacker.eof:
                raise ValueError("it is cut off")
            return text.decode()
        except (zlib.error, ValueError, TypeError) as error:
            raise StoreError(f"{named(self.path)}: the record of game {game} is damaged ({short(error)})") from None

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
        return self._unpacked(game, records[0][0])

    def record(self, game: int) -> GameRecord:
        """Return the record of a game; raise StoreError as `pgn`, or if the text is no record."""
        try:
            return record_from_pgn(self.pgn(game))
        except RecordError as error:
            raise StoreError(f"{named(self.path)}, game {game}: {error}") from None

    def game_rows(self) -> Iterator[GameRow]:
        """Yield the rows of all games in the order of their ids."""
        return self.table(GameRow)

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


def _create(path: Path, settings: Mapping[str, str], pairings: Iterable[Pairing]) -> None:
    """Make a new file beside its place and move it there, so that it is never half written."""
    part = path.with_name(f".kriegbot-{os.getpid()}.part")
    try:
        with closing(sqlite3.connect(part, isolation_level=None)) as connection:
            connection.executescript(f"PRAGMA application_id = {tables.APPLICATION};" + tables.create_tables())
            connection.executemany("INSERT INTO settings VALUES (?, ?)", settings.items())
            rows = [(number, pairing.first, pairing.second) for number, pairing in enumerate(pairings)]
            connection.executemany("INSERT INTO pairings VALUES (?, ?, ?)", rows)
        for left in ("-wal", "-shm"):  # of a killed run whose file was deleted: SQLite would take its games over
            path.with_name(path.name + left).unlink(missing_ok=True)
        unless_held(lambda: part.replace(path))
    except UnicodeEncodeError as error:
        raise StoreError(f"illegal player {quoted(error.object)}: its name cannot be written in UTF-8") from None
    except (sqlite3.Error, OSError) as error:
        raise StoreError(f"cannot write to {named(path)}: {short(error)}") from None
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    """Turn errors of sqlite into StoreError."""
    try:
        yield
    except sqlite3.Error as error:
        raise StoreError(f"cannot write to {named(path)}: {short(error)}") from error


def _identity(settings: TournamentSettings) -> dict[str, str]:
    """Return the settings, besides the players, that two files of one tournament share."""
    limits = settings.limits
    return {
        "rules": settings.rules.text,
        "plies": str(limits.plies or ""),
        "quiet": str(limits.quiet_plies or ""),
        "seed": str(settings.seed),
    } | ({} if settings.files is None else {"files": settings.files})


def _differences(there: TournamentSettings, here: TournamentSettings) -> str:
    """Say how two tournaments differ: of the players, the first pairing; of rules and files, the words that do."""
    theirs, ours = _identity(there), _identity(here)
    for both in zip_longest(there.pairings, here.pairings):
        if both[0] != both[1]:
            first, second = (f"{short(one.first)} - {short(one.second)}" if one else "" for one in both)
            theirs, ours = {"players": first, **theirs}, {"players": second, **ours}
            break
    differing = []
    for name, one in ours.items():
        other = theirs.get(name, one)
        if other != one:
            if name in ("rules", "files") and " " in one + other:  # only the facts and files that differ
                words, others = one.split(), other.split()
                one = " ".join(word for word in words if word not in others)
                other = " ".join(word for word in others if word not in words)
            title = "versions of files" if name == "files" else name
            differing.append(f"{title} {other or 'none'}, here {one or 'none'}")
    return ", ".join(differing)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def write_pgn(store: Store, target: TextIO) -> None:
    """Write all records with all tries, in the order of the games."""
    target.writelines(_dated(game) + "\n" for game in store.stored())


def write_csv(store: Store, target: TextIO) -> None:
    """Write one line per game below a header; each side's columns begin with its colour."""
    columns = [name for name in GameRow._fields if name != "record"]
    lines = csv.writer(target, lineterminator="\n")
    lines.writerow([*columns, *(f"{color}_{column}" for color in COLORS for column in OF_A_SIDE)])
    for game in store.stored():
        values = [getattr(side, name) for side in game.sides for name in OF_A_SIDE]
        lines.writerow([*(getattr(game.row, name) for name in columns), *values])


def write_jsonl(store: Store, target: TextIO) -> None:
    """Write one JSON object per line and game, including its record."""
    for game in store.stored():
        values = game.row._asdict()
        del values["record"]
        for side, rescues in zip(game.sides, game.rescues, strict=True):
            of_side = {name: getattr(side, name) for name in OF_A_SIDE} | {"rescues": rescues}
            values[side.color] = {"player": getattr(game.row, side.color), **of_side}
        target.write(json.dumps(values | {"seed": str(game.row.seed), "pgn": _dated(game)}) + "\n")


def _dated(game: StoredGame) -> str:
    """Return a game's PGN with the day (UTC) on which it was stored; its record has none, to be the same on any day."""
    day = game.row.finished[:10].replace("-", ".")
    return game.pgn.replace('[Date "????.??.??"]', f'[Date "{day}"]', 1) if re.fullmatch(DAY, day) else game.pgn


FORMS: Mapping[str, Callable[[Store, TextIO], None]] = {"pgn": write_pgn, "csv": write_csv, "jsonl": write_jsonl}
"""Formats for other programs, by name."""
