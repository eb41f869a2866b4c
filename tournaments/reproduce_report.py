"""A reproduced figure as a table, a CSV file and a plot: our EU beside the paper's, both with 95 % intervals."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

from tournaments.report_plots import LOST, WON, finished, plotting, rows_of
from tournaments.report_tables import NOTHING, Table
from tournaments.reproduce import Contrast, Result

TITLES = {2: "EU against rand", 3: "EU against HS", 5: "EU of overconfident against paranoid play"}
COLUMNS = (
    "figure",
    "player",
    "depth",
    "opponent",
    "opponent_depth",
    "seconds",
    "games",
    "wins",
    "draws",
    "losses",
    "eu",
    "eu_low",
    "eu_high",
    "paper_wins_percent",
    "paper_losses_percent",
    "paper_eu",
    "paper_eu_low",
    "paper_eu_high",
    "paper_is_legible",
)


def table_of(figure: int, results: Sequence[Result]) -> Table:
    """One row per cell; ± is half the width of the 95 % interval, ? marks figures that are not clearly legible."""
    rows = []
    for result in results:
        ours, cell = result.ours, result.cell
        rows.append(
            (
                _cell(result),
                f"{cell.seconds} s",
                str(ours.games),
                f"{ours.wins}/{ours.draws}/{ours.losses}",
                NOTHING if ours.utility is None else _with_error(f"{ours.utility:+.1f}", ours.utility_interval),
                _with_error(f"{cell.eu:+d}{'' if cell.legible else '?'}", result.paper_interval),
            )
        )
    headings = ("cell", "run", "games", "W/D/L", "EU %", "paper's EU %")
    return Table(f"Figure {figure}: {TITLES[figure]}", headings, rows)


def contrasts_table(contrasts: Sequence[Contrast]) -> Table:
    """One row per conclusion, as a difference of EU that is above 0 if the conclusion holds."""
    rows = [
        (
            contrast.says,
            NOTHING if contrast.ours is None else f"{contrast.ours[0]:+.1f} ± {contrast.ours[1]:.1f}",
            f"{contrast.paper[0]:+.1f} ± {contrast.paper[1]:.1f}",
        )
        for contrast in contrasts
    ]
    return Table("Differences of EU in the short run", ("", "ours", "paper's"), rows)


def write_csv(path: Path, results: Sequence[Result]) -> None:
    """One line per cell; unknown values are empty."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for result in results:
            cell, ours = result.cell, result.ours
            low, high = ours.utility_interval or (None, None)
            numbers = [ours.utility, low, high]
            writer.writerow(
                [
                    cell.figure,
                    cell.player,
                    cell.depth,
                    cell.opponent,
                    cell.opponent_depth or "",
                    cell.seconds,
                    ours.games,
                    ours.wins,
                    ours.draws,
                    ours.losses,
                    *("" if number is None else f"{number:.2f}" for number in numbers),
                    cell.wins,
                    cell.losses,
                    cell.eu,
                    *(f"{number:.2f}" for number in result.paper_interval),
                    "yes" if cell.legible else "no",
                ]
            )


def plot_of(figure: int, results: Sequence[Result]) -> str:
    """SVG: a line for each cell, our EU and the paper's on it.

    Raises:
      PlotsMissing: matplotlib is not installed.
    """
    with plotting():
        are_of_one_run = len({result.cell.seconds for result in results}) == 1
        names = [_cell(result) + ("" if are_of_one_run else f", {result.cell.seconds} s") for result in results]
        drawing, axes = rows_of(names, "EU in %")
        axes.axvline(0, color="#1a1a1a", linewidth=0.8)
        told = []
        for row, result in enumerate(results):
            points = [(float(result.cell.eu), result.paper_interval, LOST, "the paper", 0.16)]
            if result.ours.utility is not None and result.ours.utility_interval:
                points.append((result.ours.utility, result.ours.utility_interval, WON, "kriegbot", -0.16))
            for value, (low, high), color, label, shift in points:
                errors = [[max(0.0, value - low)], [max(0.0, high - value)]]
                axes.errorbar(
                    value, row + shift, xerr=errors, fmt="o", color=color, capsize=3, label=label if row == 0 else None
                )
                told.append(f"{names[row]}: {label} {value:+.0f}")
        drawing.legend(frameon=False, loc="outside upper left", ncols=2)
        return finished(f"figure{figure}", TITLES[figure], "; ".join(told), drawing).svg


def _cell(result: Result) -> str:
    cell = result.cell
    opponent = f" - {cell.opponent} {cell.opponent_depth}" if cell.opponent_depth else ""
    return f"{cell.player} {cell.depth}{opponent}"


def _with_error(value: str, interval: tuple[float, float] | None) -> str:
    low, high = interval or (0.0, 0.0)
    return f"{value} ± {(high - low) / 2:.1f}"
