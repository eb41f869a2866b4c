"""The experiment of Parker, Nau and Subrahmanian (AAAI 2006) and its reproduction: Figures 2, 3 and 5.

`paper.csv` holds the paper's results: a line for each cell with wins, losses and EU in percent of 500 games, 250 with
each colour. Its players had 30 or 90 seconds for a move, and 2 more after each illegal try. Figure 4 gives the mean
sample sizes that they reached in that time. With those sizes any machine can repeat the experiment. With a budget in
seconds only the cells of the short run compare.

Here every figure is a tournament with a store of its own, and its cells are the pairings.

Where the paper is ambiguous, a choice names a variant by what it changes: an option of both searching players, or of
one player by its name, as in `rand.by=man`. Commas join several changes. Some values stand for more: `resample=none`
samples all histories again after a refusal, `particles=samples` holds as many boards as are sampled (100 at least),
`rules=quiet` announces refused tries to the mover alone, as if players chose among legal moves; `today` changes none.
"""

import csv
import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path

import msgspec

from kriegbot.players.specs import BadSpec, parse_spec
from referee import BERKELEY, PAPER_LIMITS, Audience
from tournaments.plots import LOST, WON, Row, rows_plot
from tournaments.presentation import NOTHING, Table
from tournaments.report import Standing
from tournaments.schedule import Pairing, ScheduledGame, TournamentSettings
from tournaments.statistics import NORMAL_95, expected_utility, expected_utility_interval, shares_of
from tournaments.store import Store

SAMPLES = {(30, 1): 1683, (30, 2): 321, (30, 3): 67, (90, 1): 3145, (90, 2): 662, (90, 3): 190}
"""Figure 4: mean sample size by seconds a move and depth."""
SHORT, LONG = 30, 90  # seconds per move in the paper's two runs
EXTRA_SECONDS = 2  # extra seconds after each illegal try
GAMES = 500
PARTICLES = 20_000  # boards in a belief, many times the largest sample; the paper does not say how it samples
HS = "hs:depth=2,samples=100"  # the HS of Figure 3, with settings of ours: the paper gives none
LEAST_BUDGET = 0.01  # seconds; no budget may be shorter
FIGURES = (2, 3, 5)
TITLES = {2: "EU against rand", 3: "EU against HS", 5: "EU of overconfident against paranoid play"}
SEED = 2006  # of the published tournaments
TODAY = "today"  # the choice that changes nothing
SEARCHING = ("overconfident", "paranoid")
OF_SEARCH = ("ties", "free_refusals", "boards")  # options of `search` that SEARCHING lack; it is otherwise the same
LEAST_PARTICLES = 100
RULES = "rules=quiet"

Key = tuple[str, int, int]  # a cell within a run of a figure: player, depth, the opponent's depth
Term = tuple[tuple[float, Key], ...]  # a difference of cells: sign and key of each


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a figure, with the paper's results in percent. rand and hs have depth 0; `legible` is of our copy."""

    figure: int
    player: str
    depth: int
    opponent: str
    opponent_depth: int
    seconds: int
    wins: int
    losses: int
    eu: int
    legible: bool

    def __str__(self) -> str:
        opponent = f" - {self.opponent} {self.opponent_depth}" if self.opponent_depth else ""
        return f"{self.player} {self.depth}{opponent}"


def cells(figure: int, budget: float | None = None) -> tuple[Cell, ...]:
    """Return the cells of a figure, cheapest first; with a budget only those that compare, of the short run."""
    text = files("tournaments").joinpath("paper.csv").read_text(encoding="utf-8")
    every = msgspec.convert(list(csv.DictReader(text.splitlines())), list[Cell], strict=False)
    of_figure = [cell for cell in every if cell.figure == figure and (budget is None or cell.seconds == SHORT)]
    return tuple(sorted(of_figure, key=lambda cell: (cell.seconds, max(cell.depth, cell.opponent_depth), cell.depth)))


def spec_of(name: str, depth: int, seconds: int, budget: float | None = None) -> str:
    """Return the spec of a cell's player, with the paper's sample size in `seconds` or with a budget."""
    if name in ("rand", "hs"):
        return name if name == "rand" else HS if budget is None else f"hs:time={budget:g}"
    if budget is not None:
        retry_time = max(LEAST_BUDGET, budget * EXTRA_SECONDS / SHORT)
        return str(parse_spec(f"{name}:depth={depth},time={budget:g},retry_time={retry_time:g}"))
    samples = SAMPLES[seconds, depth]
    resample = round(samples * EXTRA_SECONDS / seconds)
    return f"{name}:depth={depth},samples={samples},resample={resample},particles={PARTICLES}"


def changed(spec: str, choice: str) -> str:
    """Return the spec of a player under a choice; raise BadSpec if the player has no such option or value."""
    player = parse_spec(spec)
    name = player.name
    for change in choice.split(",") if choice != TODAY else ():
        path, equals, value = change.partition("=")
        who, _, option = path.rpartition(".")
        if not equals or who not in ("", "rand", "hs", *SEARCHING) or (path == "rules" and change != RULES):
            raise BadSpec(f"illegal choice {change!r}: it takes option=value, player.option=value, {RULES} or {TODAY}.")
        if path == "rules" or name not in ((who,) if who else SEARCHING):
            continue
        if change == "resample=none":
            options = {key: number for key, number in player.options.items() if key != "resample"}
            player = replace(player, options=options)
            continue
        if change == "particles=samples":
            value = str(max(LEAST_PARTICLES, int(player.get("samples") or 0)))
        if option in OF_SEARCH and player.name != "search":
            _, _, options_text = str(player).partition(":")
            player = parse_spec(f"search:{options_text},backup={name}")
        player = player.with_option(option, value)
    return str(player)


@dataclass(frozen=True, slots=True)
class CellResult:
    """A cell of the paper and our results so far."""

    cell: Cell
    ours: Standing

    @property
    def paper(self) -> tuple[int, int, int]:
        """The paper's losses, draws and wins, to within five games: it prints whole percents."""
        losses, wins = self.cell.losses * GAMES // 100, self.cell.wins * GAMES // 100
        return losses, GAMES - losses - wins, wins

    @property
    def paper_interval(self) -> tuple[float, float]:
        """95% interval of the paper's EU."""
        return expected_utility_interval(*self.paper)


@dataclass(frozen=True, slots=True)
class Contrast:
    """A conclusion of the paper as a difference of EU in percent, above 0 if it holds, with half its 95% interval."""

    claim: str
    ours: tuple[float, float] | None  # None while a cell has no games
    paper: tuple[float, float]


def settings_of(figure: int, budget: float | None, seed: int = SEED, choice: str = TODAY) -> TournamentSettings:
    """Return the tournament of a figure under a choice; raise BadSpec as `changed`."""
    pairings = []
    for cell in cells(figure, budget):
        players = (cell.player, cell.depth), (cell.opponent, cell.opponent_depth)
        pairings.append(Pairing(*(changed(spec_of(*player, cell.seconds, budget), choice) for player in players)))
    rules = replace(BERKELEY, illegal_to=Audience.MOVER) if RULES in choice.split(",") else BERKELEY
    return TournamentSettings(tuple(pairings), rules, PAPER_LIMITS, seed)


def games_of(settings: TournamentSettings, pairings: Iterable[int], games: int) -> list[ScheduledGame]:
    """Return the games of some pairings, one pairing after another, so that whole cells are done early."""
    return [settings.game(number, game) for number in pairings for game in range(games)]


def results_of(store: Store, figure: int, budget: float | None) -> list[CellResult]:
    """Return the results in a figure's store, cell by cell."""
    return [
        CellResult(cell, Standing.of(*map(sum, zip(*store.results_by_color(number), strict=True))))
        for number, cell in enumerate(cells(figure, budget))
    ]


def contrasts_of(results: Sequence[CellResult]) -> list[Contrast]:
    """Return the paper's conclusions on the short run of a figure, as differences.

    Overconfident play beats paranoid play, or does better against the same opponent (against `rand` because its model
    fits). A ply more of depth helps, or does not, because the sample gets smaller. Means are over the cells that have
    games (all if none has), of the paper's results as of ours.
    """
    by_key = {
        (result.cell.player, result.cell.depth, result.cell.opponent_depth): result
        for result in results
        if result.cell.seconds == SHORT
    }
    depths = sorted({depth for _, depth, _ in by_key})
    against = sorted({opponent for _, _, opponent in by_key})
    players = sorted({player for player, _, _ in by_key})
    if players == ["overconfident"]:
        contrasts = [_contrast("overconfident against paranoid", [((1.0, key),) for key in by_key], by_key)]
    else:
        opponent = results[0].cell.opponent
        sides = [((1.0, ("overconfident", depth, 0)), (-1.0, ("paranoid", depth, 0))) for depth in depths]
        contrasts = [_contrast(f"overconfident less paranoid, against {opponent}", sides, by_key)]
    for player in players:
        for depth in depths[1:]:
            step = [((1.0, (player, depth, other)), (-1.0, (player, depth - 1, other))) for other in against]
            contrasts.append(_contrast(f"{player}, depth {depth} less depth {depth - 1}", step, by_key))
    return contrasts


def _contrast(claim: str, terms: Sequence[Term], by_key: Mapping[Key, CellResult]) -> Contrast:
    """Average the differences whose cells have games, or all of them if none has."""
    played = [term for term in terms if all(by_key[key].ours.games for _, key in term)]
    used = [(weight / len(played or terms), by_key[key]) for term in played or terms for weight, key in term]
    ours = _sum([(weight, one.ours.counts) for weight, one in used]) if played else None
    part = "" if len(terms) == 1 else f" ({len(played)} of {len(terms)})"
    return Contrast(f"{claim}{part}", ours, _sum([(weight, one.paper) for weight, one in used]))


def _sum(weighted: Sequence[tuple[float, tuple[int, int, int]]]) -> tuple[float, float]:
    """Return a weighted sum of EU in percent, and half the width of its 95% interval.

    Each result counts half a game more in the variance, so that a cell in which all games ended alike has one, too.
    """
    total = variance = 0.0
    for weight, counts in weighted:
        total += weight * expected_utility(*counts)
        shares, scores = shares_of([count + 0.5 for count in counts])
        spread = float(shares @ scores**2 - (shares @ scores) ** 2)
        variance += (200 * weight) ** 2 * spread / sum(counts)
    return total, NORMAL_95 * math.sqrt(variance)


@dataclass(frozen=True, slots=True)
class Agreement:
    """Mean absolute difference of EU from the paper's, in percent, and what it would be by chance alone."""

    distance: float
    by_chance: float
    within: int  # cells whose difference lies within its 95% interval
    alike: int  # those of the `meetings` with the same player ahead as in the paper
    meetings: int  # of overconfident with paranoid search


def agreement(results: Sequence[CellResult]) -> Agreement:
    """Compare results, each with games, with the paper's."""
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


def agreement_table(results: Sequence[CellResult]) -> Table:
    """Return a table of the cells that have games: a row for each run of a figure, and one for all."""
    played = [result for result in results if result.ours.games]
    groups: dict[str, list[CellResult]] = {}
    for result in played:
        groups.setdefault(f"Figure {result.cell.figure}, {result.cell.seconds} s", []).append(result)
    if len(groups) > 1:
        groups["all"] = played
    rows = []
    for name, group in groups.items():
        near = agreement(group)
        ahead = f"{near.alike} of {near.meetings}" if near.meetings else NOTHING
        games = str(sum(result.ours.games for result in group))
        within = f"{near.within} of {len(group)}"
        rows.append((name, games, f"{near.distance:.0f}", f"{near.by_chance:.0f}", within, ahead))
    headings = ("", "games", "off by", "by chance", "within", "same side ahead")
    return Table("Mean distance from the paper's EU", headings, rows)


def table_of(figure: int, results: Sequence[CellResult]) -> Table:
    """Return a row per cell; ± is half the width of the 95% interval, ? marks figures that are not clearly legible."""
    rows = []
    for result in results:
        ours, cell = result.ours, result.cell
        counts = str(ours.games), f"{ours.wins}/{ours.draws}/{ours.losses}"
        half, paper_half = ((high - low) / 2 for low, high in (ours.utility_interval or (0, 0), result.paper_interval))
        utility = NOTHING if ours.utility is None else f"{ours.utility:+.1f} ± {half:.1f}"
        paper = f"{cell.eu:+d}{'' if cell.legible else '?'} ± {paper_half:.1f}"
        rows.append((str(cell), f"{cell.seconds} s", *counts, utility, paper))
    headings = ("cell", "run", "games", "W/D/L", "EU %", "paper's EU %")
    return Table(f"Figure {figure}: {TITLES[figure]}", headings, rows)


def contrasts_table(contrasts: Sequence[Contrast]) -> Table:
    """Return a row per conclusion: a difference of EU that is above 0 if it holds."""
    rows = [
        (one.claim, *("{:+.1f} ± {:.1f}".format(*value) if value else NOTHING for value in (one.ours, one.paper)))
        for one in contrasts
    ]
    return Table("Differences of EU in the short run", ("", "ours", "paper's"), rows)


def write_csv(path: Path, results: Sequence[CellResult]) -> None:
    """Write one line per cell; unknown values and depth 0 are empty."""
    rows = []
    for result in results:
        cell, ours = result.cell, result.ours
        (low, high), (paper_low, paper_high) = ours.utility_interval or (None, None), result.paper_interval
        places = ("figure", "player", "depth", "opponent", "opponent_depth", "seconds")
        row = {name: getattr(cell, name) or "" for name in places}
        row |= {name: getattr(ours, name) for name in ("games", "wins", "draws", "losses")}
        row |= {"eu": ours.utility, "eu_low": low, "eu_high": high}
        row |= {"paper_wins_percent": cell.wins, "paper_losses_percent": cell.losses, "paper_eu": cell.eu}
        row |= {"paper_eu_low": paper_low, "paper_eu_high": paper_high}
        row["paper_is_legible"] = "yes" if cell.legible else "no"
        rows.append({name: f"{value:.2f}" if isinstance(value, float) else value for name, value in row.items()})
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def plot_of(figure: int, results: Sequence[CellResult]) -> str:
    """Return an SVG with a row for each cell, our EU and the paper's on it."""
    are_of_one_run, rows, texts = len({result.cell.seconds for result in results}) == 1, [], []
    for result in results:
        name = str(result.cell) + ("" if are_of_one_run else f", {result.cell.seconds} s")
        points = [(float(result.cell.eu), *result.paper_interval, LOST)]
        texts.append(f"{name}: the paper {result.cell.eu:+.0f}")
        if result.ours.utility is not None and result.ours.utility_interval:
            points.append((result.ours.utility, *result.ours.utility_interval, WON))
            texts[-1] += f", kriegbot {result.ours.utility:+.0f}"
        rows.append(Row("", name, points=points))
    legend = {"the paper": LOST, "kriegbot": WON}
    return rows_plot(TITLES[figure], "EU in %", rows, range(-100, 101, 50), texts, legend).svg
