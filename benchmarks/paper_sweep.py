"""What the paper leaves open, one choice at a time: what each does to the cells in which we disagree with it most.

    python benchmarks/paper_sweep.py                                          all choices, 60 games a cell
    python benchmarks/paper_sweep.py --games 500 evaluator=ks:shield=30       one choice, as many games as the paper
    python benchmarks/paper_sweep.py --cells figure3 evaluator=ks:shield=30   other cells
    python benchmarks/paper_sweep.py --games 0 --plot shield.svg              the table of what there is, and the plot

`tournaments.choices` says how choices are written. Games are kept in one file, which is read first; rerun the same
command, there or on another machine, to go on from it. Results of today's choices are the games that were published.
"""

import argparse
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from rich.console import Console
from rich.progress import track

from tournaments.choices import TODAY
from tournaments.figures import Standing
from tournaments.paper import LONG, SHORT
from tournaments.report_plots import LINE, finished, plotting
from tournaments.report_tables import NOTHING, Table
from tournaments.report_text import show_table
from tournaments.sweep import Played, changes, every_cell, gain, play, published, read, standing, write

DOCS = Path(__file__).parent.parent / "docs/reproduction"
CHOICES = (
    TODAY,
    *(f"evaluator=ks:{weights}" for weights in ("shield=15", "shield=30", "shield=50", "protected=40", "protected=80")),
    *(f"evaluator=ks:{weights}" for weights in ("protected=0", "shield=30:attacked_only=1", "threat=0", "threat=20")),
    *(f"evaluator=ks:{weights}" for weights in ("advance=0", "advance=500", "check=0", "check=100")),
    *(f"evaluator=ks:{weights}" for weights in ("mate=1000", "mate=3000")),
    *("ties=first", "ties=last", "free=1", "further=none", "particles=samples"),
    *("boards=last", "evaluator=ks:shield=30,boards=last"),
    *("rand.by=man", "evaluator=ks:shield=30,rand.by=man", "rules=quiet"),
    *("hs.depth=1", "hs.depth=3", "hs.samples=30", "hs.samples=300", "hs.evaluator=material"),
)
CELLS = (
    "overconfident 1 - paranoid 2",
    "overconfident 2 - paranoid 2",
    "overconfident 1 - paranoid 3",
    "overconfident 2 - paranoid 3",
    "overconfident 1 - rand",
    "paranoid 2 - rand",
    "rand - rand",
)
"""Where we are farthest from the paper, what the same players do against rand, and rand alone."""
CELLS_OF_HS = ("overconfident 1 - hs", "paranoid 2 - hs")
"""For choices of HS alone."""
AT_ONCE = 12
"""Games of a cell before the next choice's turn, so that a sweep cut short has something of all."""
SHIELD = "evaluator=ks:shield="
LEAST_PLOTTED = 8
"""Games of a point in the plot."""
COLORS = ("#2b6cb0", "#c05621", "#2f855a", "#805ad5", "#b83280", "#4a5568")


def results_of(games: Sequence[Played]) -> dict[tuple[str, str], Standing]:
    """The results by cell and choice, in the order of the paper's cells and of our choices."""
    cells, order = list(every_cell()), {choice: place for place, choice in enumerate(CHOICES)}
    keys = {(game.cell, game.choice) for game in games}
    return {
        (cell, choice): standing(game for game in games if (game.cell, game.choice) == (cell, choice))
        for cell, choice in sorted(keys, key=lambda key: (cells.index(key[0]), order.get(key[1], len(order)), key))
    }


def table_of(results: dict[tuple[str, str], Standing], games: Sequence[Played]) -> Table:
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


def plot_of(results: dict[tuple[str, str], Standing]) -> str:
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


def points_of(results: dict[tuple[str, str], Standing], name: str) -> list[tuple[int, Standing]]:
    """The results of one cell by the weight of protection, today's first."""
    points = []
    for (cell, choice), one in results.items():
        shield = "0" if choice == TODAY else choice.removeprefix(SHIELD)
        if cell == name and shield.isdigit() and one.games >= LEAST_PLOTTED:
            points.append((int(shield), one))
    return sorted(points, key=lambda point: point[0])


def cells_of(names: str) -> list[str]:
    """The cells of a list of names, or of a figure's short or long run: `figure3`, `figure3 long`.

    Raises:
      ValueError: there is no such cell.
    """
    named, found = every_cell(), []
    for name in names.split(","):
        figure, _, run = name.partition(" ")
        seconds = LONG if run == "long" else SHORT
        of_run = [one for one, cell in named.items() if f"figure{cell.figure}" == figure and cell.seconds == seconds]
        if not of_run and name not in named:
            raise ValueError(f"unknown cell {name!r}; known: figure2, figure3, figure5, {', '.join(named)}")
        found += of_run or [name]
    return found


def main() -> None:
    """Play what is missing, and show the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("choices", nargs="*", default=CHOICES, help="by default all")
    parser.add_argument("--cells", help="names joined by commas; by default six, and rand - rand")
    parser.add_argument("--games", type=int, default=60, help="of a cell, half of them with each colour")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--file", type=Path, default=DOCS / "sweep.csv.gz")
    parser.add_argument("--plot", type=Path, help="where to draw EU against the weight of protection")
    arguments = parser.parse_args()
    named, games, today = every_cell(), read(arguments.file), published(DOCS / "games.csv.gz")
    done, wanted = {game[:3] for game in (*games, *today)}, []
    try:
        for choice in arguments.choices:
            usual = CELLS_OF_HS if choice.startswith("hs.") else CELLS
            among = cells_of(arguments.cells) if arguments.cells else list(usual)
            touched = [name for name in among if changes(choice, named[name])]
            if not touched:
                parser.error(f"choice {choice!r} changes nothing in these cells")
            wanted += [(choice, name, number) for name in touched for number in range(arguments.games)]
    except ValueError as error:
        parser.error(str(error))
    missing = [one for one in wanted if one not in done]
    missing.sort(key=lambda one: one[2] // AT_ONCE)  # stable: choices and cells stay in order
    if missing:
        choices, names, numbers = zip(*missing, strict=True)
        with ProcessPoolExecutor(arguments.jobs) as pool:
            played = pool.map(play, choices, [named[name] for name in names], numbers)
            for game in track(played, total=len(missing), description="games"):
                games.append(game)
                write(arguments.file, games)
    named_choices = {game.choice for game in games} if arguments.choices is CHOICES else set(arguments.choices)
    tried = {game.cell for game in games}
    shown = [game for game in (*today, *games) if game.choice in {TODAY, *named_choices} and game.cell in tried]
    results = results_of(shown)
    show_table(table_of(results, shown), Console(highlight=False, width=120))
    if arguments.plot:
        arguments.plot.write_text(plot_of(results), encoding="utf-8")


if __name__ == "__main__":
    main()
