"""What the paper leaves open, tried out: its cells under other choices than ours, the games kept in one small file.

Game i of a cell has the same seed under every choice, that of `kriegbot reproduce`.
"""

from __future__ import annotations

import csv
import gzip
import io
import math
import statistics
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import NamedTuple

import chess

from kriegbot.game.match import play_game
from kriegbot.game.seat import HereSeat
from kriegbot.players.specs import make_player, parse_spec
from referee import BERKELEY, PAPER_LIMITS
from tournaments.choices import TODAY, changed, pair_under, rules_under
from tournaments.figures import Standing
from tournaments.paper import FIGURES, LONG, SHORT, Cell, cells, pairing
from tournaments.reproduce import SEED
from tournaments.schedule import Pairing, Settings
from tournaments.statistics import NORMAL_95

RAND = Cell(2, "rand", 0, "rand", 0, SHORT, 6, 6, 0, legible=True)
"""No cell of a figure: the paper says that White and Black each win about 6 %."""


class Played(NamedTuple):
    """One game: the result is that of the cell's first player, who has White in even games: 1, 0 or -1."""

    choice: str
    cell: str
    game: int
    seed: int
    result: int
    plies: int


def cell_name(cell: Cell) -> str:
    """A cell in words."""
    if cell == RAND:
        return "rand - rand"
    opponent = f"{cell.opponent} {cell.opponent_depth}" if cell.opponent_depth else cell.opponent
    return f"{cell.player} {cell.depth} - {opponent}{' 90 s' if cell.seconds == LONG else ''}"


def every_cell() -> dict[str, Cell]:
    """All cells by name; those of the paper's long run end in "90 s"."""
    return {cell_name(cell): cell for cell in (*(cell for figure in FIGURES for cell in cells(figure)), RAND)}


def pair_of(cell: Cell) -> Pairing:
    """Who plays in a cell by today's choices."""
    return Pairing("rand", "rand") if cell == RAND else pairing(cell)


def changes(choice: str, cell: Cell) -> bool:
    """Whether a choice makes any difference to a cell; today's is one, too."""
    pair = pair_of(cell)
    is_told = cell != RAND and rules_under(choice) != BERKELEY
    return choice == TODAY or is_told or pair_under(pair, choice) != pair


def play(choice: str, cell: Cell, number: int) -> Played:
    """Play one game of a cell."""
    game = Settings((pair_of(cell),), BERKELEY, PAPER_LIMITS, SEED).game(0, number)  # its seed depends on the players
    names = changed(game.white, choice), changed(game.black, choice)
    seats = [HereSeat(name, partial(make_player, parse_spec(name))) for name in names]
    record = play_game(*seats, rules=rules_under(choice), limits=PAPER_LIMITS, seed=game.seed).record
    winner = record.end.winner if record.end is not None else None
    result = 0 if winner is None else 1 if (winner == chess.WHITE) == (number % 2 == 0) else -1
    return Played(choice, cell_name(cell), number, game.seed, result, len(record.turns))


def standing(games: Iterable[Played]) -> Standing:
    """The results of some games."""
    results = [game.result for game in games]
    return Standing.of(results.count(-1), results.count(0), results.count(1))


def gain(games: Iterable[Played], today: Iterable[Played]) -> tuple[float, float] | None:
    """How much EU a choice adds in one cell, in percent, and half the 95 % interval: from games with the same seeds.

    None if there are fewer than two such games.
    """
    before = {game[1:3]: game.result for game in today}
    gains = [100.0 * (game.result - before[game[1:3]]) for game in games if game[1:3] in before]
    if len(gains) < 2:
        return None
    return statistics.mean(gains), NORMAL_95 * statistics.stdev(gains) / math.sqrt(len(gains))


def read(path: Path) -> list[Played]:
    """The games of a file; none if there is no file."""
    if not path.exists():
        return []
    with gzip.open(path, "rt", newline="") as file:
        return [
            Played(row["choice"], row["cell"], *(int(row[name]) for name in ("game", "seed", "result", "plies")))
            for row in csv.DictReader(file)
        ]


def write(path: Path, games: Iterable[Played]) -> None:
    """Write games; the same games give the same bytes, and a file is never half written."""
    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(Played._fields)
    lines.writerows(sorted(games))
    new = path.with_name(f"{path.name}.new")
    new.write_bytes(gzip.compress(text.getvalue().encode(), mtime=0))
    new.replace(path)


def published(path: Path) -> list[Played]:
    """The games of `kriegbot reproduce` that were published, as those of today's choices."""
    of = {pair_of(cell): name for name, cell in every_cell().items()}
    results = {"1-0": 1, "0-1": -1, "1/2-1/2": 0}
    games = []
    with gzip.open(path, "rt", newline="") as file:
        for row in csv.DictReader(file):
            number = int(row["number"])
            first, second = (row["white"], row["black"])[:: 1 if number % 2 == 0 else -1]
            result = results[row["result"]] * (-1) ** number
            games.append(Played(TODAY, of[Pairing(first, second)], number, int(row["seed"]), result, int(row["plies"])))
    return games
