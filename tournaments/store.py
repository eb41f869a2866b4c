"""Where a tournament's games are kept: one SQLite file, one transaction a game. All SQL is here.

The file is in WAL mode with full synchronisation: a game that was added survives a crash of the program or the machine,
and others may read while games are added. One process writes, and holds `FILE.lock` meanwhile.

    settings    name, value: what makes the games what they are, and `games`, how many are wanted
    pairings    who plays whom
    games       one row a game; `record` is its PGN, compressed by zlib
    sides       what each player did in a game: `kriegbot.game.match.PlayerStatistics`
    answers     every answer of a player: time, sample size, rescue of its belief, overrun
    incidents   workers that died over a game
"""

from __future__ import annotations

import csv
import json
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from itertools import zip_longest
from pathlib import Path
from typing import TextIO

import chess
from filelock import FileLock, Timeout

from referee.text import quoted
from tournaments.play import Died, Finished
from tournaments.schedule import Pairing, Shard, TournamentSettings
from tournaments.store_reader import (
    APPLICATION,
    OF_A_SIDE,
    SCHEMA,
    TABLES,
    GameRow,
    Reader,
    StoreError,
    connected,
    named,
    short,
)

__all__ = ["FORMS", "Store", "StoreError"]

LOCK_PATIENCE = 5.0  # seconds to wait for the lock: workers of a run that was killed hold it for a moment more

COLORS = "white", "black"
OF_A_GAME = "result", "detail", "plies", "record", "versions", "seconds"
OF_AN_ANSWER = "samples", "leaves", "particles", "rescue", "astray", "overrun"
"""Columns named as the attributes that they hold."""


class Store(Reader):
    """A tournament's file. Made by `Store.open` to read, `Store.writing` to add games."""

    @classmethod
    @contextmanager
    def open(cls, path: str | os.PathLike[str]) -> Iterator[Store]:
        """A store to read from; raises StoreError if there is none, or it cannot be read."""
        where = Path(path)
        if not os.path.isfile(where):  # which `Path.is_file` refuses to answer for a name that is too long
            raise StoreError(f"{named(where)}: there is no such file")
        with closing(connected(where, "ro")) as connection:
            yield cls(where, connection)

    @classmethod
    @contextmanager
    def writing(
        cls, path: str | os.PathLike[str], settings: TournamentSettings, games: int, shard: Shard | None = None
    ) -> Iterator[Store]:
        """A store to add games to: a new one, or one of the same tournament; of every pairing `games` are wanted now.

        Raises StoreError: the file is something else, of another tournament or part of it, damaged, in use by another
        process, or not writable.
        """
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
            if not where.exists() or where.stat().st_size == 0:
                identity = _identity(settings) | {"schema": SCHEMA, "games": str(games), "shard": str(shard)}
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
        """Adds a game, whole or not at all; raises sqlite3.Error if it cannot be written."""
        game = finished.game
        with self.transaction():
            kept = {name: getattr(finished, name) for name in OF_A_GAME}
            self._insert("games", **asdict(game), **kept, reason=finished.reason.value, finished=_now())
            for color, side in zip(COLORS, (finished.white, finished.black), strict=True):
                kept = {name: getattr(side, name) for name in ("player", *OF_A_SIDE, "log")}
                self._insert("sides", game=game.id, color=color, **kept | {"rescues": json.dumps(side.rescues)})
            for number, thought in enumerate(finished.thoughts):
                times = {"seconds": round(thought.seconds, 6), "thought": round(thought.report.seconds, 6)}
                place = {"game": game.id, "number": number, "color": chess.COLOR_NAMES[thought.color]}
                kept = {name: getattr(thought.report, name) for name in OF_AN_ANSWER}
                self._insert("answers", **place, ply=thought.ply, **times, **kept)

    def add_incident(self, died: Died, quarantined: bool) -> None:
        """Notes that a worker died over a game."""
        self._insert("incidents", game=died.game.id, at=_now(), what=died.what, quarantined=quarantined)

    def take_from(self, other: Path) -> int:
        """Takes over the games of another store that are not here; returns how many.

        Raises StoreError: the other is damaged or of another tournament, or has a game that differs from the one here.
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
            with self.transaction():
                for table, key in (("games", "id"), ("sides", "game"), ("answers", "game")):
                    for game in games:
                        rows = store.rows(f"SELECT * FROM {table} WHERE {key} = ?", game)
                        marks = ", ".join("?" * len(rows[0])) if rows else ""
                        self.connection.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)
                known = set(self.incidents())
                for incident in store.incidents():
                    if incident not in known:
                        self._insert("incidents", **asdict(incident))
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

    def _insert(self, table: str, **values: object) -> None:
        """Adds a row. What no UTF-8 can hold, such as half a surrogate pair in a traceback, is escaped."""
        names, marks = ", ".join(values), ", ".join("?" * len(values))
        texts = [v.encode(errors="backslashreplace").decode() if isinstance(v, str) else v for v in values.values()]
        self.connection.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", texts)


def _create(path: Path, settings: Mapping[str, str], pairings: Iterable[Pairing]) -> None:
    """A new file: made beside its place and moved there, so that it is never half made."""
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


def _identity(settings: TournamentSettings) -> dict[str, str]:
    """What must be the same, besides the players, for two files to be of one tournament, as text."""
    limits = settings.limits
    return {
        "rules": settings.rules.text,
        "plies": str(limits.plies or ""),
        "quiet": str(limits.quiet_plies or ""),
        "seed": str(settings.seed),
    } | ({} if settings.files is None else {"files": settings.files})


def _differences(there: TournamentSettings, here: TournamentSettings) -> str:
    """What two tournaments differ in; of the players, the first pairing that does."""
    theirs, ours = _identity(there), _identity(here)
    for both in zip_longest(there.pairings, here.pairings):
        if both[0] != both[1]:
            first, second = (f"{short(one.first)} - {short(one.second)}" if one else "" for one in both)
            theirs, ours = {"players": first, **theirs}, {"players": second, **ours}
            break
    differing = [name for name in ours if theirs.get(name, ours[name]) != ours[name]]
    return ", ".join(_difference(name, theirs[name] or "none", ours[name] or "none") for name in differing)


def _difference(name: str, there: str, here: str) -> str:
    """In words; of rule sets and of files the facts and files that differ."""
    if name in ("rules", "files") and " " in there + here:
        there, here = (
            " ".join(word for word in one.split() if word not in other.split()) or "none"
            for one, other in ((there, here), (here, there))
        )
    return f"{'versions of files' if name == 'files' else name} {there}, here {here}"


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def write_pgn(store: Store, target: TextIO) -> None:
    """All records, by game number, with all tries."""
    for game in sorted(store.done()):
        target.write(store.pgn(game) + "\n")


def write_csv(store: Store, target: TextIO) -> None:
    """One line per game below a header; each side's columns begin with its colour."""
    store.check()
    sides = store.sides()
    lines = csv.writer(target, lineterminator="\n")
    lines.writerow([*GameRow._fields, *(f"{color}_{column}" for color in COLORS for column in OF_A_SIDE)])
    for game in store.game_rows():
        told = (sides[game.id, color][name] for color in COLORS for name in OF_A_SIDE)
        lines.writerow([*game, *(json.dumps(one) if isinstance(one, dict) else one for one in told)])


def write_jsonl(store: Store, target: TextIO) -> None:
    """One JSON object per line and game, including its record."""
    store.check()
    sides = store.sides()
    for game in store.game_rows():
        players = {color: {"player": getattr(game, color), **sides[game.id, color]} for color in COLORS}
        target.write(json.dumps(game._asdict() | players | {"seed": str(game.seed), "pgn": store.pgn(game.id)}) + "\n")


FORMS: Mapping[str, Callable[[Store, TextIO], None]] = {"pgn": write_pgn, "csv": write_csv, "jsonl": write_jsonl}
"""Ways to write a store's games for other programs, by name."""
