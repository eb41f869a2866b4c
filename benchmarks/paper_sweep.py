"""What the paper leaves open, one choice at a time: what each does to the cells in which we disagree with it most.

    python benchmarks/paper_sweep.py                                          all choices, 60 games a cell
    python benchmarks/paper_sweep.py --games 500 evaluator=ks:shield=30       one choice, as many games as the paper
    python benchmarks/paper_sweep.py --cells figure3 evaluator=ks:shield=30   other cells
    python benchmarks/paper_sweep.py --games 0 --plot shield.svg              what each choice adds, and the plot

`tournaments.choices` says how choices are written. Games are kept in one file, which is read first; rerun the same
command, there or on another machine, to go on from it. Results of today's choices are the games that were published.
"""

import argparse
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from rich.console import Console
from rich.progress import track

from tournaments.choices import TODAY
from tournaments.paper import LONG, SHORT
from tournaments.report_text import show_table
from tournaments.reproduce_report import contrasts_table
from tournaments.sweep import RAND, changes, every_cell, play, published, read, write
from tournaments.sweep_report import (
    beside_plot,
    contrasts_under,
    gains_table,
    near_table,
    results_of,
    shield_plot,
    table_of,
)

DOCS = Path(__file__).parent.parent / "docs/reproduction"
LAST = "boards=last,particles=100"
"""A board of the belief is drawn only where no other fits, so a small one will do."""
CHOICES = (
    TODAY,
    *(f"evaluator=ks:{weights}" for weights in ("shield=15", "shield=30", "shield=50", "protected=40", "protected=80")),
    *(f"evaluator=ks:{weights}" for weights in ("protected=0", "shield=30:attacked_only=1", "threat=0", "threat=20")),
    *(f"evaluator=ks:{weights}" for weights in ("advance=0", "advance=500", "check=0", "check=100")),
    *(f"evaluator=ks:{weights}" for weights in ("mate=1000", "mate=3000")),
    *("ties=first", "ties=last", "free=1", "further=none", "particles=samples"),
    LAST,
    *(
        f"{LAST},evaluator=ks:{weights}"
        for weights in ("threat=20", "threat=40", "advance=500", "threat=20:advance=300")
    ),
    "evaluator=ks:shield=30,boards=last",
    *("rand.by=man", "evaluator=ks:shield=30,rand.by=man", "rules=quiet"),
    *("hs.depth=1", "hs.depth=3", "hs.samples=30", "hs.samples=300", "hs.evaluator=material", "hs.sampling=los"),
    f"{LAST},hs.sampling=los",
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
    parser.add_argument("--cells", help="names joined by commas, to play and to show; by default six, and rand - rand")
    parser.add_argument("--games", type=int, default=60, help="of a cell, half of them with each colour")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--file", type=Path, default=DOCS / "sweep.csv.gz")
    parser.add_argument("--plot", type=Path, help="where to draw EU against the weight of protection")
    parser.add_argument("--beside", type=Path, help="where to draw the last choice beside the paper and today's")
    arguments = parser.parse_args()
    named, games, today = every_cell(), read(arguments.file), published(DOCS / "games.csv.gz")
    done, wanted = {game[:3] for game in (*games, *today)}, []
    try:
        for choice in arguments.choices:
            usual = CELLS_OF_HS if "hs." in choice else CELLS
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
    cells = set(cells_of(arguments.cells)) if arguments.cells else {game.cell for game in games}
    shown = [game for game in (*today, *games) if game.choice in {TODAY, *named_choices} and game.cell in cells]
    results, console = results_of(shown, CHOICES), Console(highlight=False, width=160)
    if arguments.choices is CHOICES and not arguments.cells:
        cells_met = [name for name in (*CELLS, *CELLS_OF_HS) if named[name] != RAND]
        show_table(gains_table(shown, CHOICES, cells_met), console)
    else:
        show_table(table_of(results, shown), console)
    console.print()
    show_table(near_table(results), console)
    for choice in () if arguments.choices is CHOICES else arguments.choices:
        if contrasts := contrasts_under(results, choice):
            console.print()
            show_table(contrasts_table(contrasts), console)
    if arguments.plot:
        arguments.plot.write_text(shield_plot(results), encoding="utf-8")
    if arguments.beside:
        arguments.beside.write_text(beside_plot(results, arguments.choices[-1]), encoding="utf-8")


if __name__ == "__main__":
    main()
