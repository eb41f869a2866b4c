"""`kriegbot reproduce`: the experiment of Parker, Nau and Subrahmanian (AAAI 2006), beside its own results."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from kriegbot.cli.common import Jobs, argument, compile_kernels, one_of, option, steps, whole_number
from kriegbot.cli.tournament import Games, cores, play_missing
from kriegbot.players.specs import BadSpec, parse_spec
from kriegbot.request import Refused, refusing, seed_of
from referee.text import quoted
from tournaments import figure4
from tournaments import reproduce as figures
from tournaments.presentation import PlotsMissing, show_table
from tournaments.reproduce import FIGURES, LONG, SHORT, TODAY
from tournaments.reproduce import games_of as cell_games
from tournaments.run import LocalExecutor
from tournaments.store import Store, StoreError

NUMBERS = {"figure2": (2,), "figure3": (3,), "figure4": (4,), "figure5": (5,), "all": (2, 3, 4, 5)}
RUNS = {"short": (SHORT,), "long": (LONG,), "both": (SHORT, LONG)}


def _check_budget(text: str) -> str:
    try:
        seconds = 1.0 if text == "samples" else float(text)
    except ValueError:
        seconds = 0.0
    if not 0.01 <= seconds <= 3600:
        raise Refused(f"illegal budget {quoted(text)}: it takes samples, or 0.01..3600 seconds.")
    return text


def reproduce(
    what: Annotated[str, argument("FIGURE", f"One of {', '.join(NUMBERS)}.", **one_of("figure", NUMBERS))],
    budget: Annotated[
        str, option("BUDGET", "samples for the paper's sample sizes, or seconds per move.", parser=_check_budget)
    ] = "samples",
    games: Games = 500,
    depths: Annotated[
        int, option("N", "Greatest search depth of the experiments.", parser=whole_number("depth", 1, 3))
    ] = 3,
    run: Annotated[
        str, option("RUN", "short (30 s per move in the paper), long (90 s) or both.", **one_of("run", RUNS))
    ] = "both",
    seed: Annotated[int, option("N", "Seed of the tournaments.", parser=seed_of)] = 2006,
    choice: Annotated[
        str, option("CHOICE", "Options for both players, such as boards=last,evaluator=conservative.")
    ] = "today",
    jobs: Jobs = None,
    out: Annotated[Path, option("FOLDER", "Folder of games, tables and plots.")] = Path("reproduction"),
) -> None:
    """Reproduce the paper's experiment and print our results beside the paper's.

    Figures 2, 3 and 5 are tournaments, and the same command resumes them. Figure 4 measures time and needs an otherwise
    idle machine. Each figure is written as a table, a CSV file and a plot. With --choice, games and tables go to files
    of their own; docs/reproduction/choices.md lists the options.
    """
    seconds = None if budget == "samples" else float(budget)
    with refusing(BadSpec):
        for figure in FIGURES:
            figures.settings_of(figure, seconds, seed, choice)
    try:
        out.mkdir(parents=True, exist_ok=True)
        results: list[figures.CellResult] = []
        for figure in NUMBERS[what]:
            if figure == 4:
                _sample_sizes(out, seed)
            else:
                results += _figure(figure, out, seconds, choice, games, depths, run, seed, jobs or cores())
        if (near := figures.agreement_table(results)).rows:
            show_table(near, Console(highlight=False))
    except KeyboardInterrupt:
        command = shlex.join(["kriegbot", *sys.argv[1:]])
        print(f"kriegbot: interrupted; finished games are saved. To resume:\n  {command}", file=sys.stderr)
        raise typer.Exit(130) from None
    except OSError as error:
        raise Refused(f"cannot write to {quoted(str(out))}: {error.strerror or error}.") from None


def _figure(
    figure: int,
    folder: Path,
    budget: float | None,
    choice: str,
    games: int,
    depth: int,
    run: str,
    seed: int,
    jobs: int,
) -> list[figures.CellResult]:
    """Play the missing games of a figure's cells, then show and write the figure."""
    settings = figures.settings_of(figure, budget, seed, choice)
    name = f"figure{figure}" if budget is None else f"figure{figure}-{budget:g}s"
    if choice != TODAY:
        name += "-" + re.sub(r"\W+", "-", choice)
    cells = [
        number
        for number, cell in enumerate(figures.figure_cells(figure, budget))
        if max(cell.depth, cell.opponent_depth) <= depth and cell.seconds in RUNS[run]
    ]
    with refusing(StoreError, ending="."), Store.writing(folder / f"{name}.sqlite", settings, games) as store:
        done = store.done()
        missing = [game for game in cell_games(settings, cells, games) if game.id not in done]
        if missing:
            play_missing(store, missing, LocalExecutor(jobs), [parse_spec(settings.pairings[cells[0]].first)])
        results = figures.results_of(store, figure, budget)
    _show(figure, folder / name, results)
    return results


def _show(figure: int, path: Path, results: list[figures.CellResult]) -> None:
    """Print a figure as a table, and write it as a CSV file and a plot."""
    console = Console(highlight=False)
    show_table(figures.table_of(figure, results), console)
    console.print()
    show_table(figures.contrasts_table(figures.contrasts_of(results)), console)
    figures.write_csv(path.with_name(f"{path.name}.csv"), results)
    try:
        path.with_name(f"{path.name}.svg").write_text(figures.plot_of(figure, results), encoding="utf-8")
    except PlotsMissing as error:
        print(f"kriegbot: {error}", file=sys.stderr)
    console.print()


def _sample_sizes(folder: Path, seed: int) -> None:
    """Measure the missing sample sizes of Figure 4, and show all."""
    compile_kernels()
    path = folder / "figure4.csv"
    with refusing(ValueError, ending="."):
        steps("Figure 4", figure4.measure(path, seed))
        sizes = figure4.measured(path)
    show_table(figure4.table_of(sizes), Console(highlight=False))
