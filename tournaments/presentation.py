"""A report as tables at a terminal, and as one self-contained page with tables and plots.

Players have numbers, as in chess cross tables, because their specs are long.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from html import escape
from importlib.resources import files
from importlib.util import find_spec
from io import StringIO
from string import Template
from typing import TYPE_CHECKING, NamedTuple

from rich import box
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from referee.text import one_line
from tournaments.report import Histogram, PairingReport, Standing, TournamentReport
from tournaments.statistics import Elo

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NOTHING = "-"  # stands for a missing figure
MOST_ROWS = 50  # rows shown of each table at a terminal; the page and the JSON have all
# Inches. Narrow, so that text stays readable when a phone shrinks the plot
WIDTH, BASE_HEIGHT, ROW_HEIGHT, NAMED_ROW_HEIGHT, LEGEND_ROW = 5.2, 1.1, 0.45, 0.6, 0.2
BAR, SMALL = 0.5, 9  # height of a bar in rows, and of small letters in points
WON, DRAWN, LOST, LINE = "#2b6cb0", "#d5d9de", "#c05621", "#1a1a1a"
MISSING = "plots need matplotlib, which is missing: pip install matplotlib"
NAME = 32  # most letters of a player's name beside a plot


class Table(NamedTuple):
    """A table. prose: True if the last column is text instead of numbers."""

    title: str
    headings: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    prose: bool = False


class PlotsMissing(Exception):
    """matplotlib is not installed; the one-line message says how to install it."""


class Plot(NamedTuple):
    """A plot as an SVG element with its alternative text."""

    title: str
    svg: str


def show_report(report: TournamentReport, console: Console | None = None) -> None:
    """Write a report to a console, by default on stdout."""
    console = console or Console(highlight=False)
    settings = Grid.grid(padding=(0, 2))
    for name, value in settings_of(report):
        settings.add_row(Text(name, "bold"), Text(one_line(value)))
    console.print(settings)
    for table in tables_of(report):
        console.print()
        show_table(table, console)


def show_table(table: Table, console: Console) -> None:
    """Write a table with its title to a console."""
    edges = box.SIMPLE_HEAD if console.is_terminal else None
    grid = Grid(box=edges, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)
    last = len(table.headings) - 1
    for place, heading in enumerate(table.headings):
        is_text = place == 0 or (table.prose and place == last)
        grid.add_column(Text(heading), justify="left" if is_text else "right", no_wrap=not is_text, overflow="fold")
    for row in table.rows[:MOST_ROWS]:
        grid.add_row(*(Text(one_line(cell)) for cell in row))
    console.print(Text(table.title, "bold"))
    console.print(grid)
    if len(table.rows) > MOST_ROWS:
        console.print(f"  and {len(table.rows) - MOST_ROWS} more")


def page_of(report: TournamentReport, title: str = "Kriegspiel tournament") -> str:
    """Return the page, in HTML; without plots if matplotlib is not installed."""
    parts = {}  # by title
    for number, table in enumerate(tables_of(report)):
        head = "".join(f"<th scope=col>{escape(heading)}</th>" for heading in table.headings)
        kind = ' class="prose"' if table.prose else ""
        parts[table.title] = (
            f'<h2 id="part{number}">{escape(table.title)}</h2>\n<div class="wide"><table{kind}><thead><tr>{head}</tr>'
            f"</thead>\n<tbody>\n{_rows(table.rows)}</tbody></table></div>\n"
        )
    for plot in [] if plots_are_missing() else plots_of(report):
        caption = f"<figcaption>{escape(plot.title)}</figcaption>"
        parts[plot.title] = f'<figure id="part{len(parts)}">{caption}\n{plot.svg}</figure>\n'
    template = files("tournaments").joinpath("report.html").read_text("utf-8")
    return Template(template).substitute(
        title=escape(title),
        settings=_rows(settings_of(report)),
        contents="".join(f'<li><a href="#part{at}">{escape(name)}</a></li>\n' for at, name in enumerate(parts)),
        missing=f"<p>No plots: {escape(MISSING)}.</p>\n" if plots_are_missing() else "",
        parts="".join(parts.values()),
    )


def _rows(rows: Sequence[tuple[str, ...]]) -> str:
    return "".join(
        f"<tr><th scope=row>{escape(name)}</th>{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}</tr>\n"
        for name, *cells in rows
    )


def settings_of(report: TournamentReport) -> list[tuple[str, str]]:
    """Return the settings of the tournament as pairs of name and value."""
    limits = [f"{report.plies} plies"] if report.plies else []
    limits += [f"{report.quiet} without pawn move or capture"] if report.quiet else []
    part = "" if report.shard == "1/1" else f", part {report.shard} of the tournament"
    mean = f", {report.seconds / report.done:.1f} s of play a game" if report.done else ""
    return [
        ("Rules", report.rules),
        ("Drawn after", " or ".join(limits) or "no limit"),
        ("Seed", str(report.seed)),
        ("Games", f"{report.done} of {report.wanted}{part}{mean}"),
        *(("Played with", f"{versions} ({games} games)") for versions, games in report.versions.items()),
        *((f"Player {number}", player.player) for number, player in enumerate(report.players, 1)),
    ]


def tables_of(report: TournamentReport) -> list[Table]:
    """Return all tables that have rows."""
    makers = _results, _cross_table, _pairs, _tests, _colors, _endings, _players, _times, _forfeits, _incidents
    return [table for make in makers if (table := make(report)).rows]


def numbers_of(report: TournamentReport) -> dict[str, str]:
    """Return the number of each player by its spec."""
    return {player.player: str(number) for number, player in enumerate(report.players, 1)}


def pairings_by_title(report: TournamentReport, are_played: bool = True) -> dict[str, PairingReport]:
    """Return the pairings that have games, or all, by their players' numbers such as "1 - 2"."""
    names, pairings = numbers_of(report), report.pairings
    titles = {f"{names[pairing.first]} - {names[pairing.second]}": pairing for pairing in pairings}
    return {title: one for title, one in titles.items() if one.standing.games or not are_played}


def _results(report: TournamentReport) -> Table:
    rows = []
    for title, pairing in pairings_by_title(report, are_played=False).items():
        standing = pairing.standing
        score = (standing.wins + standing.draws / 2) / max(1, standing.games)
        counts = map(str, (standing.wins, standing.draws, standing.losses))
        interval = " ".join(_number(end, "+.1f") for end in standing.utility_interval or (None,))
        shares = _number(standing.superiority, ".1f", 100), _number(standing.draw_ratio, ".1f", 100)
        rows.append((title, *counts, _number(standing.utility, "+.1f"), interval, _elo(standing.elo, score), *shares))
    headings = ("", "won", "drawn", "lost", "EU %", "95%", "Elo", "stronger %", "draws %")
    return Table("Results of the first player", headings, rows)


def _elo(difference: Elo | None, score: float) -> str:
    """Format Elo with its error; if all games were won or lost, its lower or upper bound."""
    if difference is None:
        return NOTHING
    if score in (0, 1):
        return f"above {difference.low:+.0f}" if score else f"below {difference.high:+.0f}"
    return f"{difference.difference:+.1f} +- {difference.error:.1f}"


def _cross_table(report: TournamentReport) -> Table:
    numbers = numbers_of(report).values()
    rows = [
        (number, *(_number(cell, "g") for cell in points), f"{player.points:g}", str(player.games))
        for number, player, points in zip(numbers, report.players, report.points, strict=True)
        if len(numbers) > 2
    ]
    return Table("Points against each", ("", *numbers, "all", "games"), rows)


def _pairs(report: TournamentReport) -> Table:
    rows = [
        (title, *map(str, pairs.counts), f"{pairs.score:.3f}", f"{pairs.variance:.4f}", _elo(pairs.elo, pairs.score))
        for title, pairing in pairings_by_title(report).items()
        if (pairs := pairing.pairs)
    ]
    headings = ("", "0", "1/2", "1", "3/2", "2", "score", "variance", "Elo")
    return Table("Pairs of games with exchanged colours, by points", headings, rows)


def _tests(report: TournamentReport) -> Table:
    rows, hypotheses = [], ""
    for title, pairing in pairings_by_title(report, are_played=False).items():
        if test := pairing.test:
            hypotheses = f"H0 {test.elo0:g} against H1 {test.elo1:g}, alpha {test.alpha:g}, beta {test.beta:g}"
            bounds = "{:+.2f} {:+.2f}".format(*test.bounds)
            rows.append((title, str(sum(test.counts)), f"{test.ratio:+.2f}", bounds, test.decision or "neither yet"))
    return Table(f"SPRT in normalized Elo, {hypotheses}", ("", "pairs", "LLR", "bounds", "accepted"), rows)


def _colors(report: TournamentReport) -> Table:
    rows = []
    for title, pairing in pairings_by_title(report).items():
        by_color = pairing.as_white, pairing.as_black
        cells = [(f"{one.wins} - {one.draws} - {one.losses}", _number(one.utility, "+.1f")) for one in by_color]
        rows.append((title, *cells[0], *cells[1]))
    return Table("By colour: won - drawn - lost", ("", "with White", "EU %", "with Black", "EU %"), rows)


def _endings(report: TournamentReport) -> Table:
    rows = [
        (title, _number(pairing.mean_plies, ".1f"), _number(pairing.seconds, ".1f"), _listed(pairing.endings))
        for title, pairing in pairings_by_title(report).items()
    ]
    return Table("How games ended", ("", "mean plies", "s a game", "endings"), rows, prose=True)


def _players(report: TournamentReport) -> Table:
    rows = []
    for number, player in enumerate(report.players, 1):
        if player.games:
            row = [str(number), str(player.moves), _number(player.illegal_a_move, ".3f")]
            row += [_number(player.mean_samples, ".1f"), _number(player.rescues_a_move, ".4f")]
            row += [_number(player.inconsistent_a_move, ".4f"), str(player.overruns), str(player.forfeits)]
            rows.append((*row, _listed(player.rescues)))
    headings = ("", "moves", "illegal", "samples", "rescues", "inconsistent", "late", "forfeits", "rescues by")
    title = "Players: illegal tries, rescues and inconsistent beliefs a move, samples an answer, late answers"
    return Table(title, headings, rows, prose=True)


def _times(report: TournamentReport) -> Table:
    rows = [
        (str(number), *(_number(value, ".1f", 1000) for span in spans for value in span or (None, None)))
        for number, player in enumerate(report.players, 1)
        if (spans := (player.move_seconds, player.answer_seconds)) and player.games
    ]
    headings = ("", "median move", "99%", "median answer", "99%")
    return Table("Time in ms, of a move and of each answer", headings, rows)


def _forfeits(report: TournamentReport) -> Table:
    names = numbers_of(report)
    rows = [(str(lost.game), names[lost.player], lost.failure) for lost in report.forfeits]
    return Table("Failures", ("game", "player", "failure"), rows, prose=True)


def _incidents(report: TournamentReport) -> Table:
    rows = [
        (str(incident.game), incident.at, incident.what + " (game given up)" * incident.quarantined)
        for incident in report.incidents
    ]
    return Table("Processes that died", ("game", "when", "cause"), rows, prose=True)


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items())


def _number(value: float | None, form: str, factor: float = 1) -> str:
    return NOTHING if value is None else format(factor * value, form)


def plots_are_missing() -> bool:
    """Return True if there can be no plots."""
    return find_spec("matplotlib") is None


@contextmanager
def plotting() -> Iterator[None]:
    """Configure matplotlib so that the same figures give the same SVG; raise PlotsMissing without it."""
    try:
        import matplotlib
    except ModuleNotFoundError:
        raise PlotsMissing(MISSING) from None
    with matplotlib.rc_context({"svg.hashsalt": "kriegbot", "svg.fonttype": "none", "font.size": 11}):
        yield


def plots_of(report: TournamentReport) -> list[Plot]:
    """Return all plots that have data; the same figures give the same SVG."""
    played = pairings_by_title(report)
    names = {title: f"{_short(pairing.first)} - {_short(pairing.second)}" for title, pairing in played.items()}
    names |= {number: _short(player) for player, number in numbers_of(report).items()}
    plots = []
    with plotting():
        if played:
            standings = {title: pairing.standing for title, pairing in played.items()}
            lengths = {title: pairing.plies for title, pairing in played.items()}
            plots += [_results_plot(standings, names), _scores_plot(standings, names)]
            plots.append(_histograms("plies", "Length of games", ("plies", "games"), lengths, names))
        times = {str(at): player.times for at, player in enumerate(report.players, 1) if sum(player.times.counts)}
        if times:
            labels = "seconds, all answers of a move together", "moves"
            plots.append(_histograms("times", "Time of moves", labels, times, names))
    return plots


def _short(player: str) -> str:
    """Return a player's name in letters that every font has."""
    return one_line(player.encode("ascii", "backslashreplace").decode(), NAME)


def _results_plot(results: dict[str, Standing], names: Mapping[str, str]) -> Plot:
    figure, axes = rows_of(list(results), "% of games", NAMED_ROW_HEIGHT, names)
    texts = []
    for row, (title, standing) in enumerate(results.items()):
        texts.append(f"{title}: {standing.wins} won, {standing.draws} drawn, {standing.losses} lost")
        left = 0.0
        for count, color in zip(reversed(standing.counts), (WON, DRAWN, LOST), strict=True):
            width = 100 * count / standing.games
            axes.barh(row, width, left=left, color=color, height=BAR)
            if width > 8:
                ink = LINE if color == DRAWN else "white"
                axes.text(left + width / 2, row, str(count), ha="center", va="center", color=ink)
            left += width
    axes.set_xlim(0, 100)
    return svg_plot("results", "Games won, drawn and lost by the first player", texts, figure)


def _scores_plot(results: dict[str, Standing], names: Mapping[str, str]) -> Plot:
    figure, axes = rows_of(list(results), "EU, 100 (wins - losses) / games, in %", NAMED_ROW_HEIGHT, names)
    axes.axvline(0, color=LINE, linewidth=0.8)
    texts = []
    for row, (title, standing) in enumerate(results.items()):
        score, (low, high) = standing.utility or 0.0, standing.utility_interval or (0.0, 0.0)
        texts.append(f"{title}: {score:+.1f}, {low:+.1f} to {high:+.1f}")
        axes.errorbar(score, row, xerr=[[score - low], [high - score]], fmt="o", color=WON, capsize=4)
    axes.set_xlim(-105, 105)
    return svg_plot("scores", "Score of the first player, with 95% interval", texts, figure)


def rows_of(
    titles: list[str], label: str, height: float = ROW_HEIGHT, names: Mapping[str, str] | None = None
) -> tuple[Figure, Axes]:
    """Return axes with a row for each title, from the top. `names` are written above the rows."""
    figure, axes = _axes(BASE_HEIGHT + height * len(titles))
    axes.set_yticks(range(len(titles)), titles)
    axes.set_ylim(len(titles) - 0.4, -0.6)
    axes.set_xlabel(label)
    for row, title in enumerate(titles if names else ()):
        above = axes.text(0.01, row - BAR / 2, (names or {})[title], va="bottom", fontsize=SMALL)
        above.set_transform(axes.get_yaxis_transform())
        above.set_parse_math(False)  # else a $ in a name would begin a formula
    return figure, axes


def _histograms(
    name: str, title: str, labels: tuple[str, str], histograms: dict[str, Histogram], names: Mapping[str, str]
) -> Plot:
    """Draw histograms as steps in one plot. Times have logarithmic bins, so their scale is logarithmic."""
    figure, axes = _axes(3.2 + LEGEND_ROW * len(histograms))
    used, texts = [], []
    for key, histogram in histograms.items():
        axes.stairs(histogram.counts, histogram.edges, label=f"{key}: {names[key]}", linewidth=1.6)
        filled = [place for place, count in enumerate(histogram.counts) if count]
        used += [histogram.edges[place + side] for place in filled for side in (0, 1)]
        mode = histogram.counts.index(max(histogram.counts))
        texts.append(f"{key}: most between {histogram.edges[mode]:.3g} and {histogram.edges[mode + 1]:.3g}")
    if name == "times":
        axes.set_xscale("log")
    axes.set(xlim=(min(used), max(used)), ylim=(0, None), xlabel=labels[0], ylabel=labels[1])
    for text in figure.legend(frameon=False, loc="outside upper left", fontsize=SMALL).get_texts():
        text.set_parse_math(False)
    return svg_plot(name, title, texts, figure)


def _axes(height: float) -> tuple[Figure, Axes]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    axes = figure.subplots()
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes


def svg_plot(name: str, title: str, texts: Sequence[str], figure: Figure) -> Plot:
    """Return a plot: the SVG element alone, with ids unique to it, and `texts` as its text alternative."""
    out = StringIO()
    figure.savefig(out, format="svg", metadata=dict.fromkeys(("Date", "Creator", "Format", "Type")))
    svg = re.sub(r"^.*?(?=<svg)|<metadata>.*?</metadata>", "", out.getvalue(), flags=re.DOTALL)
    svg = re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{name}-", svg)
    label = escape(f"{title}. {'; '.join(texts)}")
    return Plot(title, svg.replace("<svg", f'<svg role="img" aria-label="{label}"', 1))
