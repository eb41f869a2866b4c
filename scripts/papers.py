"""The tables of docs/reproduction, from the CSV files beside them; figures as `kriegbot reproduce` prints them."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from io import StringIO
from pathlib import Path

from measurements import table, version
from rich.console import Console

from tournaments import reproduce, sample_sizes
from tournaments.presentation import Table, show_table
from tournaments.report import Standing
from tournaments.reproduce import FIGURES, LONG, SHORT, Agreement, CellResult, agreement, contrasts_of

FOLDER = Path(__file__).resolve().parents[1] / "docs/reproduction"
TODAY, LAST = "today", "boards=last,particles=100"
POOL = "boards=pool,hs.sampling=los,particles=100"
HS_TOO = f"{LAST},hs.sampling=los"
"""HS draws from boards of the last observation, too."""


def rows_of(name: str) -> list[dict[str, str]]:
    """Return the rows of a CSV file of the folder."""
    with (FOLDER / name).open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@cache
def results(figure: int, choice: str = TODAY) -> list[CellResult]:
    """Return our results of a figure under a choice, cell by cell."""
    played: dict[str, Mapping[str, str]] = {}
    if choice == TODAY:
        rows = rows_of(f"figure{figure}.csv")
        played = {f"{row['player']} {row['depth']} {row['opponent_depth']} {row['seconds']}": row for row in rows}
        names = [f"{c.player} {c.depth} {c.opponent_depth or ''} {c.seconds}" for c in reproduce.cells(figure)]
    else:
        choice = HS_TOO if choice == LAST and figure == 3 else choice
        rows = [row for row in rows_of("choices.csv") if row["figure"] == "EU in %" and row["choice"] == choice]
        played = {row["cell"]: row for row in rows}
        names = [
            (str(cell) if cell.opponent_depth else f"{cell} - {cell.opponent}") + " 90 s" * (cell.seconds == LONG)
            for cell in reproduce.cells(figure)
        ]
    counts = [[int(played.get(name, {}).get(kind) or 0) for kind in ("losses", "draws", "wins")] for name in names]
    return [CellResult(cell, Standing.of(*one)) for cell, one in zip(reproduce.cells(figure), counts, strict=True)]


def as_printed(*tables: Table) -> str:
    """Return tables as the program prints them, indented."""
    out = StringIO()
    console = Console(file=out, width=120, highlight=False)
    for number, one in enumerate(tables):
        if number:
            console.print()
        show_table(one, console)
    return "".join(f"    {line}".rstrip() + "\n" for line in out.getvalue().splitlines())


def figure(number: int) -> str:
    """Return the tables of Figure 2, 3 or 5."""
    ours = results(number)
    table_of_cells = reproduce.table_of(number, ours)
    table_of_cells = table_of_cells._replace(title=dated(table_of_cells.title, "reproduction"))
    return as_printed(table_of_cells, reproduce.contrasts_table(contrasts_of(ours)))


def sizes() -> str:
    """Return the table of Figure 4."""
    found = sample_sizes.sizes_table(sample_sizes.read_sizes(FOLDER / "figure4.csv"))
    return as_printed(found._replace(title=dated(found.title, "reproduction")))


def dated(text: str, key: str) -> str:
    """Return a text with the version that a key was measured with, unless it is this one."""
    (row,) = table()[key].values()
    return text if row.version == version() else f"{text} ({row.version})"


CHOICES = {"everything": TODAY, "the last observation": LAST, "**a pool that ages**": POOL}


def near(choice: str, figures: Iterable[int], seconds: Iterable[int]) -> Agreement:
    """Compare the cells of a choice that have games with the paper's."""
    every = [one for number in figures for one in results(number, choice)]
    return agreement([one for one in every if one.ours.games and one.cell.seconds in seconds])


def distances() -> str:
    """Return the mean distance from the paper under each of `CHOICES`."""
    columns = {
        "Figures 2 and 5, 30 s": ((2, 5), (SHORT,)),
        "Figure 3, 30 s": ((3,), (SHORT,)),
        "90 s": (FIGURES, (LONG,)),
        "all": (FIGURES, (SHORT, LONG)),
    }
    lines = [["what histories fit", *columns, "head to head"]]
    for name, choice in CHOICES.items():
        cells = []
        for figures, seconds in columns.values():
            one = near(choice, figures, seconds)
            played = sum(
                bool(each.ours.games and each.cell.seconds in seconds)
                for number in figures
                for each in results(number, choice)
            )
            cells.append(f"{one.distance:.0f} ({one.by_chance:.0f}), {one.within} of {played}")
        one = near(choice, (5,), (SHORT,))
        cells.append(f"{one.alike} of {one.meetings}")
        if name.startswith("*"):
            cells = [f"**{cell}**" for cell in cells]
        lines.append([named(name, choice), *cells])
    return markdown(lines)


def named(name: str, choice: str) -> str:
    """Return the name of a choice with its version."""
    return dated(name, "reproduction" if choice == TODAY else "choices")


def distances_of(*choices: str) -> list[str]:
    """Return the mean distance from the paper under each choice, all cells together."""
    return [f"{near(choice, FIGURES, (SHORT, LONG)).distance:.0f}" for choice in choices]


def contrast(number: int, choice: str = TODAY, place: int = 0) -> tuple[str, ...]:
    """Return a difference of `contrasts_of` under a choice, ours and the paper's, each with half its interval."""
    one = contrasts_of(results(number, choice))[place]
    return tuple(text for value, half in (one.ours or (0, 0), one.paper) for text in (f"{value:+.0f}", f"{half:.0f}"))


def added(choice: str, cell: str) -> tuple[str, str]:
    """Return what a choice adds to the EU of a cell, and half its interval."""
    key = ("EU more than today", choice, cell)
    (row,) = (row for row in rows_of("choices.csv") if (row["figure"], row["choice"], row["cell"]) == key)
    return row["value"], row["half_width"]


def too_high(choice: str) -> tuple[str, str]:
    """Return by how many points of EU depth 3 does better against `rand` than in the paper: least and most."""
    differences = [(one.ours.utility or 0) - one.cell.eu for one in results(2, choice) if one.cell.depth == 3]
    return f"{min(differences):.0f}", f"{max(differences):.0f}"


CONCLUSIONS = {
    "Overconfident beats paranoid: head to head": (5, 0),
    "A fitting model is worth much: the two against rand": (2, 0),
    "Depth 3 hurts: head to head, less depth 2": (5, 2),
    "Depth 3 hurts: overconfident against rand": (2, 2),
}
"""The paper's conclusions: a figure, and the place of the difference in it."""


def conclusions() -> str:
    """Return the paper's conclusions under each of `CHOICES`."""
    lines = [["", *(named(*choice) for choice in CHOICES.items()), "the paper"]]
    for name, (number, place) in CONCLUSIONS.items():
        of_choices = [contrast(number, choice, place) for choice in CHOICES.values()]
        cells = [*(each[:2] for each in of_choices), of_choices[0][2:]]
        lines.append([name, *(" ± ".join(cell) for cell in cells)])
    return markdown(lines)


def markdown(lines: list[list[str]]) -> str:
    """Return a table in Markdown; the first line has the headings."""
    first, *others = [f"| {' | '.join(cells)} |\n".replace("|  |", "| |") for cells in lines]
    return "".join([first, "|---" * len(lines[0]) + "|\n", *others])


BLOCKS: Mapping[str, Callable[[], str]] = {
    **{f"Figure-{number}": partial(figure, number) for number in FIGURES},
    "Figure-4": sizes,
    "distances": distances,
    "conclusions": conclusions,
}
