"""Files of tournaments, for tests."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from tests.tournament_players import settings
from tournaments.schedule import Finished, Shard
from tournaments.store import Store


def store_with(path: Path, games: list[Finished], shard: Shard | None = None) -> Path:
    with Store.writing(path, settings(), 6, shard) as store:
        for game in games:
            store.add(game)
    return path


def changed(path: Path, statement: str, *values: object) -> None:
    connection = sqlite3.connect(path)
    with connection:
        connection.execute(statement, values)
    connection.close()
