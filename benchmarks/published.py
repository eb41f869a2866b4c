"""Play games of docs/reproduction again and compare results: `python benchmarks/published.py --games 20`.

Every row names its seed. A row of sweep.csv.gz (`--sweep`) also names a choice and a cell, from which the players
follow as in `kriegbot reproduce --choice`.
"""

import argparse
import csv
import gzip
from collections.abc import Mapping
from functools import cache, partial
from pathlib import Path

from rich.progress import track

from kriegbot import HereSeat, make_player, parse_spec, play_game
from kriegbot.players.old_names import with_current_names
from referee import PAPER_LIMITS
from tournaments.reproduce import FIGURES, LONG, TODAY, cells, changed, settings_of
from tournaments.schedule import ScheduledGame, TournamentSettings

FOLDER = Path(__file__).parents[1] / "docs/reproduction"
RAND = "rand - rand"  # a cell of the sweep that no figure has


def rows_of(name: str) -> list[dict[str, str]]:
    """Return the rows of a compressed CSV file."""
    with gzip.open(FOLDER / name, "rt", newline="") as file:
        return list(csv.DictReader(file))


def current(choice: str) -> str:
    """Return a choice of the sweep, which names options as version 0.2.0 did, under the names of today."""
    return with_current_names(f"search:{choice}").removeprefix("search:")


@cache
def cells_of(choice: str) -> dict[str, tuple[TournamentSettings, int]]:
    """Return the tournament and pairing of each cell under a choice, by its name in the sweep."""
    places = {}
    for figure in FIGURES:
        settings = settings_of(figure, None, choice=choice)
        for number, cell in enumerate(cells(figure)):
            name = str(cell) if cell.opponent_depth else f"{cell} - {cell.opponent}"
            places[name + " 90 s" * (cell.seconds == LONG)] = settings, number
    return places


def scheduled(row: Mapping[str, str], choice: str) -> ScheduledGame:
    """Return the game that `kriegbot reproduce --choice` plays in the place of a row of the sweep."""
    settings, pairing = cells_of(choice)[row["cell"]]
    return settings.game(pairing, int(row["game"]))


def replays(row: Mapping[str, str]) -> bool:
    """Return True if a published game comes out as its row says."""
    choice = current(row.get("choice", TODAY))
    if "white" in row:
        names = row["white"], row["black"]
    elif row["cell"] == RAND:
        names = (changed("rand", choice),) * 2
    else:
        game = scheduled(row, choice)
        names = game.white, game.black
    specs = [parse_spec(name) for name in names]
    seats = [HereSeat(str(spec), partial(make_player, spec)) for spec in specs]
    rules = settings_of(2, None, choice=choice).rules
    record = play_game(*seats, rules=rules, limits=PAPER_LIMITS, seed=int(row["seed"])).record
    result = record.result
    if "game" in row:  # the points of the cell's first player, who has White in even games
        points = {"1-0": 1, "0-1": -1}.get(result, 0)
        result = str(points if int(row["game"]) % 2 == 0 else -points)
    return (result, len(record.turns)) == (row["result"], int(row["plies"]))


def main() -> None:
    """Play games spread evenly over all rows, and print those that differ."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=20, help="number of games (default 20)")
    parser.add_argument("--sweep", action="store_true", help="games of sweep.csv.gz in place of games.csv.gz")
    arguments = parser.parse_args()
    rows, count = rows_of("sweep.csv.gz" if arguments.sweep else "games.csv.gz"), arguments.games
    chosen = [rows[number * len(rows) // count] for number in range(count)]
    differing = [row for row in track(chosen, "Games") if not replays(row)]
    for row in differing:
        print("differs:", ", ".join(f"{name} {value}" for name, value in row.items()))
    print(f"{count - len(differing)} of {count} games as published")
    raise SystemExit(bool(differing))


if __name__ == "__main__":
    main()
