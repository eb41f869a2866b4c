"""Play games of docs/reproduction again and compare results: `python benchmarks/published.py --games 20`."""

import argparse
import csv
import gzip
from functools import partial
from pathlib import Path

from rich.progress import track

from kriegbot import HereSeat, make_player, parse_spec, play_game
from referee import BERKELEY, PAPER_LIMITS

GAMES = Path(__file__).parents[1] / "docs/reproduction/games.csv.gz"


def replays(row: dict[str, str]) -> bool:
    """Return True if a published game comes out as its row says."""
    specs = [parse_spec(row[side]) for side in ("white", "black")]
    seats = [HereSeat(str(spec), partial(make_player, spec)) for spec in specs]
    record = play_game(*seats, rules=BERKELEY, limits=PAPER_LIMITS, seed=int(row["seed"])).record
    return (record.result, len(record.turns)) == (row["result"], int(row["plies"]))


def main() -> None:
    """Play games spread evenly over all rows, and print those that differ."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=20, help="number of games (default 20)")
    count = parser.parse_args().games
    with gzip.open(GAMES, "rt", newline="") as file:
        rows = list(csv.DictReader(file))
    chosen = [rows[number * len(rows) // count] for number in range(count)]
    differing = [row for row in track(chosen, "Games") if not replays(row)]
    for row in differing:
        print(f"differs: figure {row['figure']}, {row['white']} - {row['black']}, seed {row['seed']}")
    print(f"{count - len(differing)} of {count} games as published")
    raise SystemExit(bool(differing))


if __name__ == "__main__":
    main()
