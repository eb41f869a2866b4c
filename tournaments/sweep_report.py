"""What the games of a sweep say: tables and plots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tournaments.agreement import GROUPS, agreement, group_of
from tournaments.choices import TODAY
from tournaments.figures import Standing
from tournaments.paper import SHORT
from tournaments.report_plots import LINE, finished, plotting
from tournaments.report_tables import NOTHING, Table
from tournaments.reproduce import Contrast, Result, contrasts_of
from tournaments.sweep import RAND, Played, every_cell, gain, standing

SHIELD = "evaluator=ks:shield="
LEAST_PLOTTED = 8
"""Games of a point in the plot."""
LEAST_CELLS = 6
"""Cells of a line that says how near they are together."""
COLORS = ("#2b6cb0", "#c05621", "#2f855a", "#805ad5", "#b83280", "#4a5568")
Results = dict[tuple[str, str], Standing]
"""By cell and choice."""


def results_of(games: Sequence[Played], choices: Sequence[str]) -> Results:
    """The results by cell and choice, in the order of the paper's cells and of `choices`."""
    cells, order = list(every_cell()), {choice: place for place, choice in enumerate(choices)}
    keys = {(game.cell, game.choice) for game in games}
    return {
        (cell, choice): standing(game for game in games if (game.cell, game.choice) == (cell, choice))
        for cell, choice in sorted(keys, key=lambda key: (cells.index(key[0]), order.get(key[1], len(order)), key))
    }


def table_of(results: Results, games: Sequence[Played]) -> Table:
    """One row for each cell and choice; ± is half the width of the 95 % interval."""
    today = [game for game in games if game.choice == TODAY]
    rows, named = [], every_cell()
    for (name, choice), ours in results.items():
        low, high = ours.utility_interval or (0.0, 0.0)
        eu, counts = f"{ours.utility or 0.0:+.0f} ± {(high - low) / 2:.0f}", f"{ours.wins}-{ours.draws}-{ours.losses}"
        more = None if choice == TODAY else gain((game for game in games if game[:2] == (choice, name)), today)
        added = NOTHING if more is None else f"{more[0]:+.0f} ± {more[1]:.0f}"
        rows.append((name, choice, counts, eu, added, f"{named[name].eu:+d}"))
    return Table("EU in %", ("cell", "choice", "W-D-L", "ours", "more than today", "paper's"), rows)


def gains_table(games: Sequence[Played], choices: Sequence[str], cells: Sequence[str]) -> Table:
    """What each choice adds to the EU of each cell, beside today's games of the same seeds; ± is half the interval."""
    today, rows = [game for game in games if game.choice == TODAY], []
    for choice in choices:
        gains = [gain((game for game in games if game[:2] == (choice, name)), today) for name in cells]
        if choice != TODAY and any(gains):
            rows.append((choice, *(f"{one[0]:+.0f} ± {one[1]:.0f}" if one else NOTHING for one in gains)))
    short = [name.replace("overconfident ", "o").replace("paranoid ", "p") for name in cells]
    return Table("What each choice adds to EU (o overconfident, p paranoid, and the depth)", ("choice", *short), rows)


def shield_plot(results: Results) -> str:
    """SVG: EU against the weight of protection, a line for each cell, and the paper's EU beside it."""
    from matplotlib.figure import Figure

    with plotting():
        figure = Figure(figsize=(7.2, 4.6), layout="constrained")
        axes, told = figure.subplots(), []
        axes.spines[["top", "right"]].set_visible(False)
        axes.axhline(0, color=LINE, linewidth=0.8)
        drawn = [name for name in dict.fromkeys(cell for cell, _ in results) if len(points_of(results, name)) > 1]
        for place, (name, color) in enumerate(zip(drawn, COLORS, strict=False)):
            points = points_of(results, name)
            shields = [shield + 0.4 * (place - len(drawn) / 2) for shield, _ in points]  # beside one another
            values = [one.utility or 0.0 for _, one in points]
            ends = [one.utility_interval or (0.0, 0.0) for _, one in points]
            errors = [
                [max(0.0, value - low) for value, (low, _) in zip(values, ends, strict=True)],
                [max(0.0, high - value) for value, (_, high) in zip(values, ends, strict=True)],
            ]
            axes.errorbar(shields, values, yerr=errors, fmt="o-", color=color, capsize=3, label=name)
            paper = every_cell()[name].eu
            axes.plot([points[-1][0] + 4 + place], [paper], marker="D", color=color, linestyle="none")
            told.append(f"{name}: " + ", ".join(f"{value:+.0f}" for value in values) + f"; the paper {paper:+d}")
        axes.set_xlabel("what protection is worth, in percent of the man's value (diamonds: the paper)")
        axes.set_ylabel("EU in %")
        figure.legend(frameon=False, loc="outside upper center", ncols=2)
        return finished("shield", "EU against the weight of protection", "; ".join(told), figure).svg


def points_of(results: Results, name: str) -> list[tuple[int, Standing]]:
    """The results of one cell by the weight of protection, today's first."""
    points = []
    for (cell, choice), one in results.items():
        shield = "0" if choice == TODAY else choice.removeprefix(SHIELD)
        if cell == name and shield.isdigit() and one.games >= LEAST_PLOTTED:
            points.append((int(shield), one))
    return sorted(points, key=lambda point: point[0])


def near_table(results: Results) -> Table:
    """How near the cells played under each choice come to the paper's, and the same cells under today's."""
    rows = []
    for choice in dict.fromkeys(choice for _, choice in results):
        for group in GROUPS:
            names = [
                name
                for name, cell in every_cell().items()
                if (name, choice) in results and cell != RAND and group_of(cell) == group
            ]
            if len(names) < LEAST_CELLS:
                continue
            near = agreement(paper_beside(results, names, choice))
            before = agreement(paper_beside(results, [name for name in names if (name, TODAY) in results], TODAY))
            games = sum(results[name, choice].games for name in names)
            distances = f"{near.distance:.0f}", f"{near.by_chance:.0f}", f"{before.distance:.0f}"
            counts = f"{near.within} of {near.cells}", f"{near.alike} of {near.meetings}" if near.meetings else NOTHING
            rows.append((choice, group, str(games), *distances, *counts))
    headings = "choice", "cells", "games", "off by", "by chance", "today's", "within", "same side ahead"
    return Table("Mean distance from the paper's EU", headings, rows)


def contrasts_under(results: Results, choice: str) -> list[Contrast]:
    """The paper's conclusions under a choice, for each figure of which it has the whole short run."""
    found = []
    for figure in (2, 3, 5):
        of_run = {name: cell for name, cell in every_cell().items() if cell.figure == figure and cell.seconds == SHORT}
        names = [name for name, cell in of_run.items() if cell != RAND]
        if all((name, choice) in results for name in names):
            contrasts = contrasts_of(paper_beside(results, names, choice))
            found += [replace(one, says=f"Figure {figure}: {one.says}") for one in contrasts]
    return found


def paper_beside(results: Results, names: Sequence[str], choice: str) -> list[Result]:
    """Some cells under a choice as results that have the paper's beside them."""
    return [Result(every_cell()[name], results[name, choice]) for name in names]


def beside_plot(results: Results, choice: str) -> str:
    """SVG: for each cell that has been played under a choice the paper's EU, today's, and that of the choice."""
    from matplotlib.figure import Figure

    names = [name for name, cell in every_cell().items() if (name, choice) in results and cell != RAND]
    with plotting():
        figure = Figure(figsize=(7.2, 1.1 + 0.24 * len(names)), layout="constrained")
        axes, told = figure.subplots(), []
        axes.spines[["top", "right", "left"]].set_visible(False)
        axes.axvline(0, color=LINE, linewidth=0.8)
        for row, one in enumerate(paper_beside(results, names, choice)):
            today = results.get((names[row], TODAY))
            values = [one.cell.eu, one.ours.utility or 0.0] + ([today.utility or 0.0] if today else [])
            axes.plot([min(values), max(values)], [row, row], color=LINE, linewidth=0.8, zorder=1)
            if today:
                axes.plot(values[2], row, "o", color="#a0aec0", label="today's" if row == 0 else None)
            low, high = one.ours.utility_interval or (0.0, 0.0)
            errors = [[max(0.0, values[1] - low)], [max(0.0, high - values[1])]]
            label = "the choice" if row == 0 else None
            axes.errorbar(values[1], row, xerr=errors, fmt="o", color=COLORS[0], capsize=2, label=label)
            axes.plot(values[0], row, "D", color=COLORS[1], label="the paper" if row == 0 else None)
            told.append(f"{names[row]}: the paper {values[0]:+d}, the choice {values[1]:+.0f}")
        axes.set_yticks(range(len(names)), names, fontsize=9)
        axes.invert_yaxis()
        axes.set_xlabel("EU in %")
        figure.legend(frameon=False, loc="outside upper center", ncols=3)
        return finished("beside", f"EU under {choice}, the paper's and today's", "; ".join(told), figure).svg
