"""Tournament files: one SQLite file for a tournament, one transaction for a game.

The file is in WAL mode with full synchronisation: a stored game survives a crash of the program or the machine, and
others may read while games are added. One process writes, and holds `FILE.lock` meanwhile.

    settings    name, value: everything that determines the games, and `games`, the number wanted of each pairing
    pairings    the players of each pairing
    games       one row a game; `record` is its PGN, compressed by zlib
    sides       statistics of each player in a game: `kriegbot.game.match.PlayerStatistics`
    answers     every answer of a player: time, sample size, rescue of its belief, overrun
    incidents   processes that died during a game
"""

from __future__ import annotations

import csv
import json
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from datetime import UTC, datetime
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple, TextIO

import chess
from filelock import FileLock, Timeout

from referee.text import quoted
from tournaments.schedule import Died, Finished, Pairing, Shard, TournamentSettings
from tournaments.store_reader import (
    APPLICATION,
    OF_A_SIDE,
    SCHEMA,
    TABLES,
    AnswerRow,
    GameRow,
    IncidentRow,
    Reader,
    SideRow,
    StoreError,
    connected,
    create_tables,
    named,
    short,
)

__all__ = ["FORMS", "Store", "StoreError"]

LOCK_PATIENCE = 5.0  # seconds to wait for the lock: workers of a run that was killed hold it for a moment more

COLORS = "white", "black"


class Store(Reader):
    """An open tournament file: `Store.open` reads it, `Store.writing` adds games."""

    @classmethod
    @contextmanager
    def open(cls, path: str | os.PathLike[str]) -> Iterator[Store]:
        """Open a store to read; raise StoreError if there is none, or it cannot be read."""
        where = Path(path)
        if not os.path.isfile(where):  # `Path.is_file` raises if a name is too long
            raise StoreError(f"{named(where)}: there is no such file")
        with closing(connected(where, "ro")) as connection:
            yield cls(where, connection)

    @classmethod
    @contextmanager
    def writing(
        cls, path: str | os.PathLike[str], settings: TournamentSettings, games: int, shard: Shard | None = None
    ) -> Iterator[Store]:
        """Open a store to add games: a new file, or one of the same tournament and shard; raise StoreError."""
        where, shard = Path(path), shard or Shard()
        if not os.path.isdir(where.parent):
            raise StoreError(f"cannot write to {named(where)}: there is no folder {named(where.parent)}")
        lock = FileLock(f"{where}.lock")
        try:
            lock.acquire(LOCK_PATIENCE)
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
                identity = {"schema": SCHEMA, **_identity(settings), "games": str(games), "shard": str(shard)}
                _create(where, identity, settings.pairings)
            with closing(connected(where, "rw")) as connection:
                store = cls(where, connection)
                differing = _differences(store.settings, settings)
                if not differing and store.shard != shard:
                    differing = f"shard {store.shard}, here {shard}"
                if differing:
                    raise StoreError(f"{named(where)} holds another tournament: {differing}; name another file")
                store.check()
                try:
                    connection.execute("UPDATE settings SET value = ? WHERE name = 'games'", (str(games),))
                    store.games = games
                    yield store
                except sqlite3.Error as error:
                    raise StoreError(f"cannot write to {named(where)}: {short(error)}") from None

    def add(self, finished: Finished) -> None:
        """Add a game, whole or not at all; raise sqlite3.Error if the file cannot be written."""
        game = finished.game
        with self.connection:  # commits all, or rolls back
            self.connection.execute("BEGIN IMMEDIATE")
            self._insert(GameRow, game, finished, reason=finished.reason.value, finished=_now())
            for color, side in zip(COLORS, (finished.white, finished.black), strict=True):
                self._insert(SideRow, side, game=game.id, color=color, rescues=json.dumps(side.rescues))
            for number, answer in enumerate(finished.answers):
                times = {"seconds": round(answer.seconds, 6), "thought": round(answer.report.seconds, 6)}
                place = {"game": game.id, "number": number, "color": chess.COLOR_NAMES[answer.color]}
                astray = answer.report.belief_inconsistent
                self._insert(AnswerRow, answer, answer.report, **place, **times, astray=astray)

    def add_incident(self, died: Died, quarantined: bool) -> None:
        """Add a process that died during a game."""
        self._insert(IncidentRow, id=None, game=died.game.id, at=_now(), what=died.cause, quarantined=quarantined)

    def copy_from(self, other: Path) -> int:
        """Copy the games of another store that this one lacks, and return their number.

        Raise StoreError if the other store is damaged or of another tournament, or if a game in both differs.
        """
        with Store.open(other) as store:
            differing = _differences(self.settings, store.settings)
            if differing:
                raise StoreError(f"{named(other)} holds another tournament than {named(self.path)}: {differing}")
            store.check()
            here = dict(self.rows("SELECT id, versions FROM games"))
            games = []
            for game, versions in store.rows("SELECT id, versions FROM games"):
                if game not in here:
                    games.append(game)
                elif here[game] == versions and self.pgn(game) != store.pgn(game):
                    raise StoreError(f"game {game} of {named(other)} differs from the one in {named(self.path)}")
            with self.connection:
                self.connection.execute("BEGIN IMMEDIATE")
                for kind in (GameRow, SideRow, AnswerRow):
                    table, marks = TABLES[kind][0], ", ".join("?" * len(kind._fields))
                    for game in games:
                        rows = store.rows(f"SELECT * FROM {table} WHERE {kind._fields[0]} = ?", game)
                        self.connection.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)
                known = set(self.incidents())
                for incident in store.incidents():
                    if incident not in known:
                        self._insert(IncidentRow, incident, id=None)
        return len(games)

    def _insert(self, kind: type[NamedTuple], *sources: object, **values: object) -> None:
        """Add a row. Columns that are not in `values` are attributes of the first source that has them.

        Characters that UTF-8 cannot encode, such as half a surrogate pair in a traceback, are escaped.
        """
        for source in sources:
            values = {name: getattr(source, name) for name in kind._fields if hasattr(source, name)} | values
        texts = [v.encode(errors="backslashreplace").decode() if isinstance(v, str) else v for v in values.values()]
        names, marks = ", ".join(values), ", ".join("?" * len(values))
        self.connection.execute(f"INSERT INTO {TABLES[kind][0]} ({names}) VALUES ({marks})", texts)


def _create(path: Path, settings: Mapping[str, str], pairings: Iterable[Pairing]) -> None:
    """Make a new file beside its place and move it there, so that it is never half written."""
    part = path.with_name(f".kriegbot-{os.getpid()}.part")
    try:
        with closing(sqlite3.connect(part, isolation_level=None)) as connection:
            connection.executescript(f"PRAGMA application_id = {APPLICATION};" + create_tables())
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
    """Say how two tournaments differ; of the players, name the first pairing that does."""
    theirs, ours = _identity(there), _identity(here)
    for both in zip_longest(there.pairings, here.pairings):
        if both[0] != both[1]:
            first, second = (f"{short(one.first)} - {short(one.second)}" if one else "" for one in both)
            theirs, ours = {"players": first, **theirs}, {"players": second, **ours}
            break
    differing = [name for name in ours if theirs.get(name, ours[name]) != ours[name]]
    return ", ".join(_difference(name, theirs[name] or "none", ours[name] or "none") for name in differing)


def _difference(name: str, there: str, here: str) -> str:
    """Say how one setting differs; of rule sets and files, name the facts and files that do."""
    if name in ("rules", "files") and " " in there + here:
        there, here = (
            " ".join(word for word in one.split() if word not in other.split()) or "none"
            for one, other in ((there, here), (here, there))
        )
    return f"{'versions of files' if name == 'files' else name} {there}, here {here}"


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def write_pgn(store: Store, target: TextIO) -> None:
    """Write all records with all tries, in the order of the games."""
    for game in sorted(store.done()):
        target.write(store.pgn(game) + "\n")


def write_csv(store: Store, target: TextIO) -> None:
    """Write one line per game below a header; each side's columns begin with its colour."""
    store.check()
    sides = store.sides()
    columns = [name for name in GameRow._fields if name != "record"]
    lines = csv.writer(target, lineterminator="\n")
    lines.writerow([*columns, *(f"{color}_{column}" for color in COLORS for column in OF_A_SIDE)])
    for game in store.game_rows():
        values = [sides[game.id, color][name] for color in COLORS for name in OF_A_SIDE]
        values = [json.dumps(value) if isinstance(value, dict) else value for value in values]
        lines.writerow([*(getattr(game, name) for name in columns), *values])


def write_jsonl(store: Store, target: TextIO) -> None:
    """Write one JSON object per line and game, including its record."""
    store.check()
    sides = store.sides()
    for game in store.game_rows():
        values = game._asdict()
        del values["record"]
        values |= {color: {"player": getattr(game, color), **sides[game.id, color]} for color in COLORS}
        target.write(json.dumps(values | {"seed": str(game.seed), "pgn": store.pgn(game.id)}) + "\n")


FORMS: Mapping[str, Callable[[Store, TextIO], None]] = {"pgn": write_pgn, "csv": write_csv, "jsonl": write_jsonl}
"""Formats for other programs, by name."""
