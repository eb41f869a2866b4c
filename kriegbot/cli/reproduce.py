"""`kriegbot reproduce`: the experiment of Parker, Nau and Subrahmanian (AAAI 2006)."""

import re
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from kriegbot.children import usable_cores
from kriegbot.cli import common
from kriegbot.cli.common import argument, one_of, option, seconds, whole_number
from kriegbot.cli.tournament import GAMES, play_missing
from kriegbot.players.specs import parse_spec, versions_of
from kriegbot.request import Refused, refusing, seed_of
from referee.text import quoted
from tournaments import reproduce as figures
from tournaments import sample_sizes
from tournaments.presentation import show_table
from tournaments.reproduce import FIGURES, LONG, SHORT, TODAY
from tournaments.run import LocalExecutor
from tournaments.store import Store, StoreError

NUMBERS = {"figure2": (2,), "figure3": (3,), "figure4": (4,), "figure5": (5,), "all": (2, 3, 4, 5)}
RUNS = {"short": (SHORT,), "long": (LONG,), "both": (SHORT, LONG)}


def reproduce(
    what: str = argument("FIGURE", f"One of {', '.join(NUMBERS)}.", **one_of("figure", NUMBERS)),
    budget: float | None = option(
        "BUDGET",
        "samples for the paper's sample sizes, or seconds per turn's first try.  [default: samples]",
        parser=seconds("budget", 0.01, 3600, "samples"),
    ),
    games: int = GAMES,
    depths: int = option("N", "Greatest search depth.", parser=whole_number("depth", 1, 3), default=3),
    run: str = option(
        "RUN", "short (30 s per move in the paper), long (90 s) or both.", **one_of("run", RUNS), default="both"
    ),
    seed: int = option("N", "Seed of the tournaments.", parser=seed_of, default=2006),
    choice: str = option("CHOICE", "Changed options of players, such as boards=last,hs.samples=300.", default="today"),
    jobs: int | None = common.JOBS,
    out: Path = option("FOLDER", "Folder of games, tables and plots.", default=Path("reproduction")),
) -> None:
    """Reproduce the paper's experiment and print our results beside the paper's.

    Figures 2, 3 and 5 are tournaments, and the same command resumes them. Figure 4 measures time and needs an otherwise
    idle machine. Each figure is printed as a table and written as a CSV file and, but for Figure 4, a plot. With
    --choice or --budget, those of Figures 2, 3 and 5 go to files of their own; docs/reproduction/choices.md has some.
    """
    settings = {figure: figures.settings_of(figure, budget, seed, choice) for figure in FIGURES}
    for figure, each in settings.items():
        specs = [parse_spec(player) for pairing in each.pairings for player in (pairing.first, pairing.second)]
        common.check_players([spec for spec in specs if spec.parts], each.rules)
        settings[figure] = replace(each, files=versions_of(specs) or None)
    suffix = "" if budget is None else f"-{budget:g}s"
    suffix += "" if choice == TODAY else "-" + re.sub(r"\W+", "-", choice)
    try:
        out.mkdir(parents=True, exist_ok=True)
        results: list[figures.CellResult] = []
        for figure in NUMBERS[what]:
            if figure == 4:
                common.compile_kernels()
                with refusing(ValueError):
                    common.patiently("Figure 4", sample_sizes.measure_sizes(out / "figure4.csv", seed))
                    sizes = sample_sizes.read_sizes(out / "figure4.csv")
                show_table(sample_sizes.sizes_table(sizes), Console(highlight=False))
            else:
                cells = [
                    number
                    for number, cell in enumerate(figures.cells(figure, budget))
                    if max(cell.depth, cell.opponent_depth) <= depths and cell.seconds in RUNS[run]
                ]
                path = out / f"figure{figure}{suffix}.sqlite"
                with refusing(StoreError), Store.writing(path, settings[figure], games) as store:
                    done, play = store.done(), settings[figure]
                    missing = [game for game in figures.games_of(play, cells, games) if game.id not in done]
                    if missing:
                        local = LocalExecutor(jobs or usable_cores())
                        play_missing(store, missing, local, [parse_spec(play.pairings[cells[0]].first)])
                    of_figure = figures.results_of(store, figure, budget)
                _show_figure(figure, path.with_suffix(""), of_figure)
                results += of_figure
        if (near := figures.agreement_table(results)).rows:
            show_table(near, Console(highlight=False))
    except OSError as error:
        raise Refused(f"cannot write to {quoted(str(out))}: {error.strerror or error}.") from None


def _show_figure(figure: int, path: Path, results: list[figures.CellResult]) -> None:
    console = Console(highlight=False)
    show_table(figures.table_of(figure, results), console)
    console.print()
    show_table(figures.contrasts_table(figures.contrasts_of(results)), console)
    figures.write_csv(path.with_name(f"{path.name}.csv"), results)
    path.with_name(f"{path.name}.svg").write_text(figures.plot_of(figure, results), encoding="utf-8")
    console.print()
