"""Our results beside those of Parker, Nau and Subrahmanian (AAAI 2006): Figures 2, 3 and 5, and their conclusions.

Every figure is a tournament with a store of its own, whose pairings are the figure's cells. With a budget in seconds a
player has that long for a move, in the proportion of the paper longer for each try after an illegal one, and only the
cells of the paper's short run are there to compare with. A figure is shown as a table, a CSV file and a plot, with 95 %
intervals.
"""

import csv
import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from referee import PAPER_LIMITS
from tournaments.paper import GAMES, SHORT, TODAY, Cell, cells, pair_under, pairing, rules_under
from tournaments.presentation import LOST, NOTHING, WON, Table, finished, plotting, rows_of
from tournaments.report import Standing
from tournaments.schedule import ScheduledGame, TournamentSettings
from tournaments.statistics import NORMAL_95, expected_utility, expected_utility_interval, shares_of
from tournaments.store import Store

Key = tuple[str, int, int]  # player, depth and the opponent's depth: names a cell within a run of a figure
SEED = 2006  # of the tournaments that we publish
TITLES = {2: "EU against rand", 3: "EU against HS", 5: "EU of overconfident against paranoid play"}


@dataclass(frozen=True, slots=True)
class Result:
    """A cell of the paper, and what we have of it so far."""

    cell: Cell
    ours: Standing

    @property
    def paper(self) -> tuple[int, int, int]:
        """The paper's losses, draws and wins. It prints whole percents, so they are right to within three games."""
        losses, wins = self.cell.losses * GAMES // 100, self.cell.wins * GAMES // 100
        return losses, GAMES - losses - wins, wins

    @property
    def paper_interval(self) -> tuple[float, float]:
        """95 % interval of the paper's EU."""
        return expected_utility_interval(*self.paper)


@dataclass(frozen=True, slots=True)
class Contrast:
    """A conclusion as a difference of EU, in percent, and half the width of its 95 % interval: above 0 if it holds.

    Ours is None while a cell that it takes has no games; the paper's is of its own results.
    """

    says: str
    ours: tuple[float, float] | None
    paper: tuple[float, float]


def figure_cells(figure: int, budget: float | None) -> tuple[Cell, ...]:
    """Cells of a figure that a budget can be compared with: all at the paper's sample sizes, else the short run's."""
    return tuple(cell for cell in cells(figure) if budget is None or cell.seconds == SHORT)


def settings_of(figure: int, budget: float | None, seed: int = SEED, choice: str = TODAY) -> TournamentSettings:
    """The tournament of a figure under a choice; raises as `paper.changed` does."""
    pairings = tuple(pair_under(pairing(cell, budget), choice) for cell in figure_cells(figure, budget))
    return TournamentSettings(pairings, rules_under(choice), PAPER_LIMITS, seed)


def games_of(settings: TournamentSettings, pairings: Iterable[int], games: int) -> list[ScheduledGame]:
    """Games of some of the pairings, one pairing after another, so that whole cells are done early."""
    return [settings.game(number, game) for number in pairings for game in range(games)]


def results_of(store: Store, figure: int, budget: float | None) -> list[Result]:
    """What a figure's store holds, cell by cell."""
    results = []
    for number, cell in enumerate(figure_cells(figure, budget)):
        by_color = store.results_by_color(number)
        results.append(Result(cell, Standing.of(*map(sum, zip(*by_color, strict=True)))))
    return results


def contrasts_of(results: Sequence[Result]) -> list[Contrast]:
    """The paper's three conclusions on the short run of a figure, as differences.

    Overconfident play beats paranoid play, or does better against the same opponent (there because it knows how `rand`
    plays: its model fits). And a ply more of depth helps, or it does not, for the sample gets smaller. Each is the mean
    of what the cells that have been played say of it, and the paper's is of the same cells.
    """
    of = {
        (result.cell.player, result.cell.depth, result.cell.opponent_depth): result
        for result in results
        if result.cell.seconds == SHORT
    }
    depths = sorted({depth for _, depth, _ in of})
    against = sorted({opponent for _, _, opponent in of})
    players = sorted({player for player, _, _ in of})
    if players == ["overconfident"]:
        contrasts = [_contrast("overconfident against paranoid", [((1.0, key),) for key in of], of)]
    else:
        opponent = results[0].cell.opponent
        sides = [((1.0, ("overconfident", depth, 0)), (-1.0, ("paranoid", depth, 0))) for depth in depths]
        contrasts = [_contrast(f"overconfident less paranoid, against {opponent}", sides, of)]
    for player in players:
        for depth in depths[1:]:
            step = [((1.0, (player, depth, other)), (-1.0, (player, depth - 1, other))) for other in against]
            contrasts.append(_contrast(f"{player}, depth {depth} less depth {depth - 1}", step, of))
    return contrasts


Term = tuple[tuple[float, Key], ...]  # a difference of cells: the sign and the name of each


def _contrast(says: str, terms: Sequence[Term], of: Mapping[Key, Result]) -> Contrast:
    """The mean of some differences, of those whose cells have games, or of all where none has."""
    played = [term for term in terms if all(of[key].ours.games for _, key in term)]
    used = [(weight / len(played or terms), of[key]) for term in played or terms for weight, key in term]
    ours = _sum([(weight, one.ours.counts) for weight, one in used]) if played else None
    part = "" if len(terms) == 1 else f" ({len(played)} of {len(terms)})"
    return Contrast(f"{says}{part}", ours, _sum([(weight, one.paper) for weight, one in used]))


def _sum(weighted: Sequence[tuple[float, tuple[int, int, int]]]) -> tuple[float, float]:
    """Weighted sum of EU in percent, and half its 95 % interval.

    The variance is that of the counts with half a game more of each result, lest a cell that ended all alike had none.
    """
    total, variance = 0.0, 0.0
    for weight, counts in weighted:
        total += weight * expected_utility(*counts)
        shares, scores = shares_of([count + 0.5 for count in counts])
        spread = float(shares @ scores**2 - (shares @ scores) ** 2)
        variance += (200 * weight) ** 2 * spread / sum(counts)
    return total, NORMAL_95 * math.sqrt(variance)


@dataclass(frozen=True, slots=True)
class Agreement:
    """How near some cells come to the paper's.

    Attributes:
      distance: mean absolute difference of EU, ours from the paper's, in percent.
      by_chance: its mean if nothing but chance made a difference.
      within: cells whose difference lies within its 95 % interval.
      alike: cells in which overconfident meets paranoid search, and the same of the two is ahead; of all `meetings`.
    """

    distance: float
    by_chance: float
    within: int
    alike: int
    meetings: int


def agreement(results: Sequence[Result]) -> Agreement:
    """How near some results, each with games, come to the paper's."""
    differences, halves = [], []
    for result in results:
        differences.append(abs((result.ours.utility or 0.0) - result.cell.eu))
        ours, paper = result.ours.utility_interval or (0.0, 0.0), result.paper_interval
        halves.append(math.hypot((ours[1] - ours[0]) / 2, (paper[1] - paper[0]) / 2))
    meetings = [result for result in results if result.cell.opponent == "paranoid"]
    return Agreement(
        statistics.mean(differences),
        statistics.mean(halves) / NORMAL_95 * math.sqrt(2 / math.pi),  # the mean of |x|, x normal
        sum(difference <= half for difference, half in zip(differences, halves, strict=True)),
        sum((result.ours.utility or 0.0) * result.cell.eu > 0 for result in meetings),
        len(meetings),
    )


def agreement_table(results: Sequence[Result]) -> Table:
    """One row for each run of a figure, and one for all of them, of the cells that have games."""
    played = [result for result in results if result.ours.games]
    groups: dict[str, list[Result]] = {}
    for result in played:
        groups.setdefault(f"Figure {result.cell.figure}, {result.cell.seconds} s", []).append(result)
    if len(groups) > 1:
        groups["all"] = played
    rows = []
    for name, of_group in groups.items():
        near = agreement(of_group)
        ahead = f"{near.alike} of {near.meetings}" if near.meetings else NOTHING
        games = str(sum(result.ours.games for result in of_group))
        within = f"{near.within} of {len(of_group)}"
        rows.append((name, games, f"{near.distance:.0f}", f"{near.by_chance:.0f}", within, ahead))
    headings = ("", "games", "off by", "by chance", "within", "same side ahead")
    return Table("Mean distance from the paper's EU", headings, rows)


def table_of(figure: int, results: Sequence[Result]) -> Table:
    """One row per cell; ± is half the width of the 95 % interval, ? marks figures that are not clearly legible."""
    rows = []
    for result in results:
        ours, cell = result.ours, result.cell
        counts = str(ours.games), f"{ours.wins}/{ours.draws}/{ours.losses}"
        utility = NOTHING if ours.utility is None else _with_error(f"{ours.utility:+.1f}", ours.utility_interval)
        paper = _with_error(f"{cell.eu:+d}{'' if cell.legible else '?'}", result.paper_interval)
        rows.append((str(cell), f"{cell.seconds} s", *counts, utility, paper))
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
    rows = [_columns(result) for result in results]
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def _columns(result: Result) -> dict[str, object]:
    cell, ours = result.cell, result.ours
    low, high = ours.utility_interval or (None, None)
    paper_low, paper_high = result.paper_interval
    places = ("figure", "player", "depth", "opponent", "opponent_depth", "seconds")
    return {
        **{name: getattr(cell, name) or "" for name in places},
        **{name: getattr(ours, name) for name in ("games", "wins", "draws", "losses")},
        "eu": _decimals(ours.utility),
        "eu_low": _decimals(low),
        "eu_high": _decimals(high),
        "paper_wins_percent": cell.wins,
        "paper_losses_percent": cell.losses,
        "paper_eu": cell.eu,
        "paper_eu_low": _decimals(paper_low),
        "paper_eu_high": _decimals(paper_high),
        "paper_is_legible": "yes" if cell.legible else "no",
    }


def _decimals(number: float | None) -> str:
    return "" if number is None else f"{number:.2f}"


def plot_of(figure: int, results: Sequence[Result]) -> str:
    """SVG: a line for each cell, our EU and the paper's on it; raises PlotsMissing."""
    with plotting():
        are_of_one_run = len({result.cell.seconds for result in results}) == 1
        names = [str(result.cell) + ("" if are_of_one_run else f", {result.cell.seconds} s") for result in results]
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


def _with_error(value: str, interval: tuple[float, float] | None) -> str:
    low, high = interval or (0.0, 0.0)
    return f"{value} ± {(high - low) / 2:.1f}"
