"""One Elo scale for the players of several tournaments, as a table and a plot.

    python benchmarks/ladder.py partners.sqlite time.sqlite
    python benchmarks/ladder.py partners.sqlite time.sqlite --zero rand --plot docs/ladder.svg

`tournaments.ratings` says how. Intervals are 95 %, of the difference to the player at zero.
"""

import argparse
from collections import defaultdict
from pathlib import Path

from rich.console import Console

from tournaments.ratings import Meetings, Rated, rated
from tournaments.report_plots import LINE, WON, finished, plotting
from tournaments.report_tables import Table, show_table
from tournaments.store import Store, StoreError

LONGEST = 36
"""Letters of a player in the plot."""
POINTS = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}


def meetings_of(files: list[Path]) -> Meetings:
    """The finished games of some stores.

    Raises:
      StoreError: one cannot be read.
    """
    found: dict[tuple[str, str], tuple[float, int]] = defaultdict(lambda: (0.0, 0))
    for file in files:
        with Store.open(file) as store:
            for game in store.game_rows():
                points = POINTS[game.result]
                first, second = sorted((game.white, game.black))
                had, games = found[first, second]
                found[first, second] = had + (points if first == game.white else 1.0 - points), games + 1
    return found


def plot_of(found: list[Rated]) -> str:
    """SVG: Elo of each player with its interval."""
    from matplotlib.figure import Figure

    with plotting():
        figure = Figure(figsize=(7.2, 0.8 + 0.3 * len(found)), layout="constrained")
        axes = figure.subplots()
        axes.spines[["top", "right"]].set_visible(False)
        axes.axvline(0, color=LINE, linewidth=0.8)
        places = range(len(found))[::-1]
        elos, errors = [one.elo for one in found], [one.error for one in found]
        axes.errorbar(elos, places, xerr=errors, fmt="o", color=WON, capsize=3)
        axes.set_yticks(places, [name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…" for name, *_ in found])
        axes.set_xlabel("Elo, with its 95 % interval")
        told = ", ".join(f"{one.player} {one.elo:+.0f}" for one in found)
        return finished("ladder", "Players on one Elo scale", told, figure).svg


def main() -> None:
    """Read games, rate their players, and report."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("files", type=Path, nargs="+", help="stores of tournaments")
    parser.add_argument("--zero", help="the player that has 0 Elo; by default the weakest")
    parser.add_argument("--plot", type=Path, help="where to draw the scale, as SVG")
    options = parser.parse_args()
    try:
        meetings = meetings_of(options.files)
    except StoreError as error:
        parser.error(str(error))
    players = sorted({player for pair in meetings for player in pair})
    if not players:
        parser.error("no finished games")
    if options.zero is not None and options.zero not in players:
        parser.error(f"unknown player {options.zero!r}; there are {', '.join(players)}")
    found = rated(meetings, options.zero)
    rows = [(one.player, f"{one.elo:+.0f}", f"± {one.error:.0f}", str(one.games), f"{one.share:.0%}") for one in found]
    show_table(Table("Elo", ("player", "Elo", "95 %", "games", "points"), rows), Console(highlight=False, width=120))
    if options.plot:
        options.plot.write_text(plot_of(found), encoding="utf-8")


if __name__ == "__main__":
    main()
