"""The experiment of Parker, Nau and Subrahmanian (AAAI 2006): its cells, and what the paper reports of each.

`paper.csv` holds Figures 2, 3 and 5: one line a cell, wins, losses and EU in percent of 500 games, 250 with each
colour. The players had 30 or 90 seconds a move, and 2 more after each illegal try. Figure 4 gives the mean sample sizes
that they reached in that time; at those sizes the experiment can be repeated on any machine.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from importlib.resources import files

SAMPLES = {(30, 1): 1683, (30, 2): 321, (30, 3): 67, (90, 1): 3145, (90, 2): 662, (90, 3): 190}
"""Figure 4: mean sample size by seconds a move and depth."""
EXTRA_SECONDS = 2
"""More time after each illegal try."""
GAMES = 500
PARTICLES = 20_000
"""Boards in a belief: many times the largest sample. How the paper draws its histories it does not say."""
FIGURES = (2, 3, 5)


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a figure.

    Attributes:
      figure: 2, 3 or 5.
      player: overconfident or paranoid.
      depth: its depth.
      opponent: rand, hs or paranoid.
      opponent_depth: its depth; 0 for rand and hs.
      seconds: a move, 30 or 90.
      wins: the paper's, in percent.
      losses: the same.
      eu: the paper's 100 (wins - losses) / games.
      legible: whether our copy of the paper could be read with certainty there.
    """

    figure: int
    player: str
    depth: int
    opponent: str
    opponent_depth: int
    seconds: int
    wins: int
    losses: int
    eu: int
    legible: bool


def cells(figure: int) -> tuple[Cell, ...]:
    """The cells of a figure, cheapest first: the short run before the long one, small depths before great ones."""
    text = files("tournaments").joinpath("paper.csv").read_text()
    found = []
    for row in csv.DictReader(text.splitlines()):
        numbers = (int(row[name] or 0) for name in ("opponent_depth", "seconds", "wins", "losses", "eu"))
        opponent_depth, seconds, wins, losses, eu = numbers
        cell = Cell(
            int(row["figure"]),
            row["player"],
            int(row["depth"]),
            row["opponent"],
            opponent_depth,
            seconds,
            wins,
            losses,
            eu,
            row["legible"] == "yes",
        )
        if cell.figure == figure:
            found.append(cell)
    return tuple(sorted(found, key=lambda cell: (cell.seconds, max(cell.depth, cell.opponent_depth), cell.depth)))


def searcher(name: str, depth: int, seconds: int) -> str:
    """Spec of a searching player with the sample size that the paper's had in so many seconds a move."""
    samples = SAMPLES[seconds, depth]
    further = round(samples * EXTRA_SECONDS / seconds)
    return f"{name}:depth={depth},samples={samples},further={further},particles={PARTICLES}"
