"""One Elo scale for the players of several tournaments, as a table and a plot.

    python benchmarks/ladder.py partners.sqlite time.sqlite
    python benchmarks/ladder.py partners.sqlite time.sqlite --zero rand --plot docs/ladder.svg

Intervals are 95%, of the difference to the player at zero. Strengths are those of Bradley and Terry (1952), fitted by
maximum likelihood with Newton's method: a player x Elo ahead scores 1 / (1 + 10^(-x / 400)), and a draw is half a win.
Each player also has PRIOR drawn games against a player of strength 0. They keep the strength of a player finite that
won or lost everything, and connect players that never met, so such strengths are cautious.
"""

import argparse
import math
from collections import defaultdict
from collections.abc import Mapping
from io import StringIO
from pathlib import Path
from typing import NamedTuple

import numpy as np
from rich.console import Console

from tournaments.leaves_examined import plotting
from tournaments.plots import LINE, WON
from tournaments.presentation import Table, show_table
from tournaments.statistics import NORMAL_95, Reals
from tournaments.store import Store, StoreError

LONGEST = 36
"""Maximum number of letters of a player in the plot."""
PRIOR = 1.0
STEPS = 50
PER_ELO = math.log(10) / 400

Meetings = Mapping[tuple[str, str], tuple[float, int]]
"""Points of the first player against the second, and number of games; one entry for each pair that met."""
POINTS = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}


class Rated(NamedTuple):
    """A player on the scale: Elo, half the width of its interval, games, and their share of the points."""

    player: str
    elo: float
    error: float
    games: int
    share: float


def rated(meetings: Meetings, zero: str | None = None) -> list[Rated]:
    """Return all players, the strongest first; `zero`, by default the weakest, has 0 Elo."""
    players = sorted({player for pair in meetings for player in pair})
    number = {player: i for i, player in enumerate(players)}
    points, games = np.zeros(len(players)), np.zeros((len(players), len(players)))
    for (first, second), (scored, played) in meetings.items():
        i, j = number[first], number[second]
        points[i] += scored
        points[j] += played - scored
        games[i, j] = games[j, i] = played
    strength = np.zeros(len(players))
    for _ in range(STEPS):
        gradient, curvature = slopes(strength, points, games)
        strength += np.clip(np.linalg.solve(curvature, gradient), -1.0, 1.0)
    covariance = np.linalg.inv(slopes(strength, points, games)[1])
    at = int(strength.argmin()) if zero is None else number[zero]
    variance = np.diag(covariance) + covariance[at, at] - 2 * covariance[at]
    elos, errors = (strength - strength[at]) / PER_ELO, NORMAL_95 * np.sqrt(np.maximum(variance, 0.0)) / PER_ELO
    played = games.sum(axis=1)
    players_rated = [
        Rated(player, float(elos[i]), float(errors[i]), int(played[i]), float(points[i] / played[i]))
        for player, i in number.items()
    ]
    return sorted(players_rated, key=lambda one: -one.elo)


def slopes(strength: Reals, points: Reals, games: Reals) -> tuple[Reals, Reals]:
    """Return the gradient [N] of the log posterior, and its negative second derivatives [N, N]."""
    expected = 1.0 / (1.0 + np.exp(strength[None, :] - strength[:, None]))
    alone = 1.0 / (1.0 + np.exp(-strength))
    gradient = points - (games * expected).sum(axis=1) + PRIOR * (0.5 - alone)
    information = games * expected * (1.0 - expected)
    return gradient, np.diag(information.sum(axis=1) + PRIOR * alone * (1.0 - alone)) - information


def meetings_of(files: list[Path]) -> Meetings:
    """Count the finished games of some tournament files."""
    meetings: dict[tuple[str, str], tuple[float, int]] = defaultdict(lambda: (0.0, 0))
    for file in files:
        with Store.open(file) as store:
            for game in store.game_rows():
                points = POINTS[game.result]
                first, second = sorted((game.white, game.black))
                earlier, games = meetings[first, second]
                meetings[first, second] = earlier + (points if first == game.white else 1.0 - points), games + 1
    return meetings


def plot_of(ladder: list[Rated]) -> str:
    """Draw the Elo of each player with its interval, as SVG."""
    from matplotlib.figure import Figure

    with plotting():
        figure = Figure(figsize=(7.2, 0.8 + 0.3 * len(ladder)), layout="constrained")
        axes = figure.subplots()
        axes.spines[["top", "right"]].set_visible(False)
        axes.axvline(0, color=LINE, linewidth=0.8)
        places = range(len(ladder))[::-1]
        elos, errors = [one.elo for one in ladder], [one.error for one in ladder]
        axes.errorbar(elos, places, xerr=errors, fmt="o", color=WON, capsize=3)
        axes.set_yticks(places, [name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…" for name, *_ in ladder])
        axes.set_xlabel("Elo, with its 95% interval")
        out = StringIO()
        figure.savefig(out, format="svg", metadata={"Date": None, "Title": "Players on one Elo scale"})
        return out.getvalue()


def main() -> None:
    """Read games, rate their players, and report."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("files", type=Path, nargs="+", help="stores of tournaments")
    parser.add_argument("--zero", help="the player that has 0 Elo; by default the weakest")
    parser.add_argument("--plot", type=Path, help="file for an SVG of the scale")
    options = parser.parse_args()
    try:
        meetings = meetings_of(options.files)
    except StoreError as error:
        parser.error(str(error))
    players = sorted({player for pair in meetings for player in pair})
    if not players:
        parser.error("no finished games")
    if options.zero is not None and options.zero not in players:
        parser.error(f"Unknown player {options.zero!r}. Players: {', '.join(players)}")
    ladder = rated(meetings, options.zero)
    rows = [(one.player, f"{one.elo:+.0f}", f"± {one.error:.0f}", str(one.games), f"{one.share:.0%}") for one in ladder]
    show_table(Table("Elo", ("player", "Elo", "95%", "games", "points"), rows), Console(highlight=False, width=120))
    if options.plot:
        options.plot.write_text(plot_of(ladder), encoding="utf-8")


if __name__ == "__main__":
    main()
