"""A store's games for other programs: PGN with all tries, or one line a game as CSV or JSON."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TextIO

from tournaments.store import Store, StoreError

COLUMNS = (
    *("id", "pairing", "number", "seed", "white", "black", "result", "reason", "detail", "plies"),
    *("versions", "finished", "seconds"),
)
COLORS = ("white", "black")
SIDE_COLUMNS = ("turns", "tries", "illegal", "nonsense", "overruns", "astray", "rescues", "failure")


def write_pgn(store: Store, target: TextIO) -> None:
    """All records, in the order of their numbers."""
    for (game,) in store.connection.execute("SELECT id FROM games ORDER BY id"):
        target.write(store.pgn(game) + "\n")


def write_csv(store: Store, target: TextIO) -> None:
    """One line a game, with a line of headings; each side's columns begin with its colour."""
    headings = [*COLUMNS, *(f"{color}_{column}" for color in COLORS for column in SIDE_COLUMNS)]
    lines = csv.writer(target, lineterminator="\n")
    lines.writerow(headings)
    for game, sides in _rows(store):
        lines.writerow([*game.values(), *sides["white"].values(), *sides["black"].values()])


def write_jsonl(store: Store, target: TextIO) -> None:
    """One JSON object a game and line, its record among the values."""
    for game, sides in _rows(store):
        for color, side in sides.items():
            side["rescues"] = json.loads(side["rescues"])
            game[color] = {"player": game[color], **side}
        target.write(json.dumps(game | {"pgn": store.pgn(game["id"])}) + "\n")


def _rows(store: Store) -> Iterator[tuple[dict[str, Any], dict[str, dict[str, Any]]]]:
    """Each game, and what each side did in it."""
    for values in store.connection.execute(f"SELECT {', '.join(COLUMNS)} FROM games ORDER BY id"):
        game = dict(zip(COLUMNS, values, strict=True))
        select = f"SELECT color, {', '.join(SIDE_COLUMNS)} FROM sides WHERE game = ?"
        sides = {color: side for color, *side in store.connection.execute(select, (game["id"],))}
        if sides.keys() != set(COLORS):
            raise StoreError(f"'{store.path}': game {game['id']} is damaged: no statistics of both sides")
        yield game, {color: dict(zip(SIDE_COLUMNS, sides[color], strict=True)) for color in COLORS}


FORMS: Mapping[str, Callable[[Store, TextIO], None]] = {"pgn": write_pgn, "csv": write_csv, "jsonl": write_jsonl}
