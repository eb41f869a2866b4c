"""`kriegbot reproduce`: the experiment of Parker, Nau and Subrahmanian (AAAI 2006), beside its own results."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from kriegbot.cli.common import argument, option
from kriegbot.cli.progress import preparing, steps
from kriegbot.cli.tournament import games_of, jobs_of, play_missing
from kriegbot.kernels import prepare
from kriegbot.players.specs import BadSpec, parse_spec
from kriegbot.request import Refused, refusing, seed_of, whole_of
from referee.text import quoted, unknown
from tournaments import figure4
from tournaments import reproduce as figures
from tournaments.paper import FIGURES, LONG, SHORT, TODAY
from tournaments.report_page import PlotsMissing
from tournaments.report_tables import show_table
from tournaments.reproduce import games_of as cell_games
from tournaments.run import LocalExecutor
from tournaments.store import Store, StoreError

WHAT = {"figure2": 2, "figure3": 3, "figure4": 4, "figure5": 5}
RUNS = {"short": (SHORT,), "long": (LONG,), "both": (SHORT, LONG)}


def reproduce(
    what: Annotated[str, argument("FIGURE", "figure2, figure3, figure4, figure5 or all.")],
    budget: Annotated[str, option("BUDGET", "samples, for the paper's sample sizes; or seconds a move.")] = "samples",
    games: Annotated[str, option("N", "Games of each cell, half of them with each colour.")] = "500",
    depths: Annotated[str, option("N", "Only the cells up to this depth.")] = "3",
    run: Annotated[str, option("RUN", "short (30 s a move in the paper), long (90 s) or both.")] = "both",
    seed: Annotated[str, option("N", "Seed of the tournaments.")] = "2006",
    choice: Annotated[
        str, option("CHOICE", "Other options of both players: boards=last,evaluator=ks:shield=30.")
    ] = "today",
    jobs: Annotated[str | None, option("N", "Games at once.  [default: one a core]")] = None,
    out: Annotated[str, option("FOLDER", "Where games, tables and plots go.")] = "reproduction",
) -> None:
    """Reproduce the paper's experiment, and print our results beside the paper's.

    Figures 2, 3 and 5 are tournaments; rerun the same command to resume. Figure 4 is measured by the clock, and needs
    an otherwise idle machine. Each comes as a table, a CSV file and a plot. With a choice, games and tables stand
    beside the others, in files of their own; docs/reproduction/choices.md says what can be chosen.
    """
    if what not in (*WHAT, "all"):
        raise Refused(unknown("figure", what, (*WHAT, "all")))
    if run not in RUNS:
        raise Refused(unknown("run", run, RUNS))
    seconds = None if budget == "samples" else _budget_of(budget)
    wanted = games_of(games)
    depth = whole_of(depths, "depth", 1, 3)
    number, workers = seed_of(seed), jobs_of(jobs)
    folder = Path(out)
    with refusing(BadSpec):
        for figure in FIGURES:
            figures.settings_of(figure, seconds, number, choice)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        results: list[figures.Result] = []
        for figure in WHAT.values() if what == "all" else (WHAT[what],):
            if figure == 4:
                _sample_sizes(folder, number)
            else:
                results += _figure(figure, folder, seconds, choice, wanted, depth, run, number, workers)
        if (near := figures.agreement_table(results)).rows:
            show_table(near, Console(highlight=False))
    except KeyboardInterrupt:
        again = shlex.join(["kriegbot", *sys.argv[1:]])
        print(f"kriegbot: interrupted; the games played are kept. To resume:\n  {again}", file=sys.stderr)
        raise typer.Exit(130) from None
    except OSError as error:
        raise Refused(f"cannot write to {quoted(out)}: {error.strerror or error}.") from None


def _budget_of(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0.01 <= seconds <= 3600:
        raise Refused(f"illegal budget {quoted(text)}: it takes samples, or 0.01..3600 seconds.")
    return seconds


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
) -> list[figures.Result]:
    """Play the missing games of a figure's cells, then show and write the figure."""
    settings = figures.settings_of(figure, budget, seed, choice)
    name = f"figure{figure}" if budget is None else f"figure{figure}-{budget:g}s"
    if choice != TODAY:
        name += "-" + re.sub(r"\W+", "-", choice)
    chosen = [
        number
        for number, cell in enumerate(figures.figure_cells(figure, budget))
        if max(cell.depth, cell.opponent_depth) <= depth and cell.seconds in RUNS[run]
    ]
    with refusing(StoreError, ending="."), Store.writing(folder / f"{name}.sqlite", settings, games) as store:
        done = store.done()
        missing = [game for game in cell_games(settings, chosen, games) if game.id not in done]
        if missing:
            play_missing(store, missing, LocalExecutor(jobs), [parse_spec(settings.pairings[chosen[0]].first)])
        results = figures.results_of(store, figure, budget)
    _show(figure, folder / name, results)
    return results


def _show(figure: int, path: Path, results: list[figures.Result]) -> None:
    """A figure as text, and as a CSV file and a plot."""
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
    """Measure what is missing of Figure 4, and show it."""
    with preparing() as report:
        prepare(report)

    path = folder / "figure4.csv"
    with refusing(ValueError, ending="."):
        steps("Figure 4", figure4.measure(path, seed))
        sizes = figure4.measured(path)
    show_table(figure4.table_of(sizes), Console(highlight=False))
