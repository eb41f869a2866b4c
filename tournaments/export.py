"""A store's games for other programs: PGN with all tries, or one line a game as CSV or JSON."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Mapping
from typing import TextIO

import chess

from tournaments.store import Store
from tournaments.store_reader import GameRow, SideRow

COLORS = chess.WHITE, chess.BLACK


def write_pgn(store: Store, target: TextIO) -> None:
    """All records, by game number."""
    for game in sorted(store.done()):
        target.write(store.pgn(game) + "\n")


def write_csv(store: Store, target: TextIO) -> None:
    """One line per game below a header; each side's columns begin with its colour."""
    store.check()
    sides = store.sides()
    lines = csv.writer(target, lineterminator="\n")
    of_sides = [f"{chess.COLOR_NAMES[color]}_{column}" for color in COLORS for column in SideRow._fields]
    lines.writerow([*GameRow._fields, *of_sides])
    for game in store.game_rows():
        both = (sides[game.id, color] for color in COLORS)
        counts = (json.dumps(value) if isinstance(value, dict) else value for side in both for value in side)
        lines.writerow([*game, *counts])


def write_jsonl(store: Store, target: TextIO) -> None:
    """One JSON object per line and game, including its record."""
    store.check()
    sides = store.sides()
    for game in store.game_rows():
        white, black = (sides[game.id, color]._asdict() for color in COLORS)
        players = {"white": {"player": game.white, **white}, "black": {"player": game.black, **black}}
        target.write(json.dumps(game._asdict() | players | {"seed": str(game.seed), "pgn": store.pgn(game.id)}) + "\n")


FORMS: Mapping[str, Callable[[Store, TextIO], None]] = {"pgn": write_pgn, "csv": write_csv, "jsonl": write_jsonl}
