"""What it is like to play the players of a tournament: tries in vain, time for a turn, and whether games differ.

    kriegbot tournament --gauntlet kriegbot:level=club metaposition --games 20 --out club.sqlite
    python benchmarks/manners.py club.sqlite

For each player: its games and turns; illegal tries a turn, on average and at most; seconds of a turn, all its tries
together: median, 99th percentile and longest; how many different sequences of its first three moves there were; and its
commonest first move's share of the games with that colour.
"""

import argparse
from collections import Counter, defaultdict
from pathlib import Path

import chess
import numpy as np
from rich.console import Console
from rich.progress import track

from referee import GameRecord
from tournaments.report_tables import Table
from tournaments.report_text import show_table
from tournaments.store import Store, StoreError

OPENING = 3
"""Own moves that make an opening."""
HEADINGS = ("", "games", "turns", "illegal", "most", "s median", "99 %", "longest", "openings", "commonest")


class Manners:
    """What one player did in all its games."""

    def __init__(self) -> None:
        self.moves: list[tuple[chess.Color, tuple[str, ...]]] = []
        self.refused: list[int] = []

    def add(self, record: GameRecord, color: chess.Color) -> None:
        """Counts what it did in a game."""
        turns = record.turns[0 if color == chess.WHITE else 1 :: 2]
        self.moves.append((color, tuple(turn.move.uci() for turn in turns)))
        self.refused += [len(turn.tries) for turn in turns]

    def openings(self, count: int) -> int:
        """How many different sequences of so many first moves there were, each with its colour."""
        return len({(color, moves[:count]) for color, moves in self.moves})

    def row(self, seconds: list[float]) -> tuple[str, ...]:
        """The figures, from these and the seconds of each turn."""
        first, often = Counter((color, moves[:1]) for color, moves in self.moves).most_common(1)[0]
        as_color = sum(color == first[0] for color, _ in self.moves)
        return (
            str(len(self.moves)),
            str(len(self.refused)),
            f"{np.mean(self.refused):.2f}",
            str(max(self.refused)),
            *(f"{value:.3f}" for value in (np.median(seconds), np.percentile(seconds, 99), max(seconds))),
            str(self.openings(OPENING)),
            f"{often / as_color:.0%}",
        )


def main() -> None:
    """Read games and report."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("file", type=Path, help="a tournament's store")
    options = parser.parse_args()
    found: dict[str, Manners] = defaultdict(Manners)
    try:
        with Store.open(options.file) as store:
            for game in track(store.game_rows(), description="reading"):
                record = store.record(game.id)
                for color, player in ((chess.WHITE, game.white), (chess.BLACK, game.black)):
                    found[player].add(record, color)
            rows = [(player, *manners.row(store.move_seconds(player))) for player, manners in sorted(found.items())]
    except StoreError as error:
        parser.error(str(error))
    show_table(Table("Manners", HEADINGS, rows), Console(highlight=False, width=140))


if __name__ == "__main__":
    main()
