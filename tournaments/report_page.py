"""A report as one self-contained page: contents, tables, and plots as embedded SVG, where matplotlib is installed.

The plots show results, scores with their intervals, lengths of games and times of moves. All text from a store is
escaped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from importlib.util import find_spec
from io import StringIO
from typing import TYPE_CHECKING

from referee.text import one_line
from tournaments.report import Histogram, Standing, TournamentReport
from tournaments.report_tables import Table, names_of, settings_of, tables_of, titled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH, BASE_HEIGHT, ROW_HEIGHT, NAMED_ROW_HEIGHT, LEGEND_ROW = 5.2, 1.1, 0.45, 0.6, 0.2
"""Inches. Narrow, so that text stays readable when a phone shrinks the plot."""
HIGH, SMALL = 0.5, 9  # height of a bar in rows, and points of small letters
WON, DRAWN, LOST, LINE = "#2b6cb0", "#d5d9de", "#c05621", "#1a1a1a"
MISSING = "plots need matplotlib, which is missing: pip install matplotlib"
NAME = 32  # most letters of a player's name beside a plot


STYLE = """
:root { color-scheme: light; }
body { margin: 0 auto; max-width: 60rem; padding: 1rem; background: #fff; color: #1a1a1a;
       font: 1rem/1.45 system-ui, sans-serif; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.1rem; margin: 2rem 0 0.5rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: 0.25rem 0.6rem; text-align: right; white-space: nowrap; }
thead th { border-bottom: 2px solid #1a1a1a; } tbody tr { border-bottom: 1px solid #ddd; }
.settings th, .settings td, th:first-child, .prose :is(th, td):last-child { text-align: left; }
.settings td, .prose td:last-child { white-space: normal; overflow-wrap: anywhere; }
.prose td:last-child { min-width: 14rem; }
.settings th { font-weight: 600; vertical-align: top; }
figure { margin: 2rem 0 0; } figcaption { font-size: 1.1rem; font-weight: bold; margin-bottom: 0.5rem; }
nav ul { columns: 18rem; padding-left: 1.2rem; } figure, h2 { scroll-margin-top: 1rem; }
svg { display: block; max-width: 100%; height: auto; }
"""


class PlotsMissing(Exception):
    """matplotlib is not installed; the one-line message says how to install it."""


@dataclass(frozen=True, slots=True)
class Plot:
    """A title, and the SVG element of a plot with its alternative text."""

    title: str
    svg: str


def page_of(report: TournamentReport, title: str = "Kriegspiel tournament") -> str:
    """The page, in HTML."""
    tables = tables_of(report)
    plots, missing = ([], f"<p>No plots: {escape(MISSING)}.</p>\n") if are_missing() else (plots_of(report), "")
    titles = [table.title for table in tables] + [plot.title for plot in plots]
    contents = "".join(f'<li><a href="#part{at}">{escape(title)}</a></li>\n' for at, title in enumerate(titles))
    shown = [_table(table, at) for at, table in enumerate(tables)]
    shown += [
        f'<figure id="part{at}"><figcaption>{escape(plot.title)}</figcaption>\n{plot.svg}</figure>\n'
        for at, plot in enumerate(plots, len(tables))
    ]
    settings = "".join(
        f"<tr><th scope=row>{escape(name)}</th><td>{escape(value)}</td></tr>\n" for name, value in settings_of(report)
    )
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style></head>\n"
        f'<body><h1>{escape(title)}</h1>\n<div class="wide"><table class="settings">\n{settings}</table></div>\n'
        f"<nav><h2>Contents</h2><ul>\n{contents}</ul></nav>\n{missing}{''.join(shown)}</body></html>\n"
    )


def _table(table: Table, at: int) -> str:
    head = "".join(f"<th scope=col>{escape(heading)}</th>" for heading in table.headings)
    rows = "".join(
        f"<tr><th scope=row>{escape(row[0])}</th>{''.join(f'<td>{escape(cell)}</td>' for cell in row[1:])}</tr>\n"
        for row in table.rows
    )
    kind = ' class="prose"' if table.prose else ""
    return (
        f'<h2 id="part{at}">{escape(table.title)}</h2>\n<div class="wide"><table{kind}><thead><tr>{head}</tr></thead>\n'
        f"<tbody>\n{rows}</tbody></table></div>\n"
    )


def are_missing() -> bool:
    """Whether there can be no plots."""
    return find_spec("matplotlib") is None


def plots_of(report: TournamentReport) -> list[Plot]:
    """All plots that have something to show; the same figures give the same SVG."""
    with plotting():
        return list(_plots(report))


@contextmanager
def plotting() -> Iterator[None]:
    """Matplotlib with settings under which the same figures give the same SVG; raises PlotsMissing without it."""
    try:
        import matplotlib
    except ModuleNotFoundError:
        raise PlotsMissing(MISSING) from None
    with matplotlib.rc_context({"svg.hashsalt": "kriegbot", "svg.fonttype": "none", "font.size": 11}):
        yield


def _plots(report: TournamentReport) -> Iterator[Plot]:
    played = titled(report)
    names = {title: f"{_short(pairing.first)} - {_short(pairing.second)}" for title, pairing in played.items()}
    names |= {number: _short(player) for player, number in names_of(report).items()}
    if played:
        standings = {title: pairing.standing for title, pairing in played.items()}
        yield _results(standings, names)
        yield _scores(standings, names)
        lengths = {title: pairing.plies for title, pairing in played.items()}
        yield _histograms("plies", "Length of games", "plies", "games", lengths, names)
    times = {str(number): player.times for number, player in enumerate(report.players, 1) if sum(player.times.counts)}
    if times:
        yield _histograms("times", "Time of moves", "seconds, all answers of a move together", "moves", times, names)


def _short(player: str) -> str:
    """A player's name in letters that every font has."""
    return one_line(player.encode("ascii", "backslashreplace").decode(), NAME)


def _results(results: dict[str, Standing], names: Mapping[str, str]) -> Plot:
    figure, axes = _named_rows(list(results), names, "% of games")
    told = []
    for row, (name, one) in enumerate(results.items()):
        counts, left = (one.wins, one.draws, one.losses), 0.0
        told.append(f"{name}: {one.wins} won, {one.draws} drawn, {one.losses} lost")
        for count, color in zip(counts, (WON, DRAWN, LOST), strict=True):
            width = 100 * count / sum(counts)
            axes.barh(row, width, left=left, color=color, height=HIGH)
            if width > 8:
                ink = LINE if color == DRAWN else "white"
                axes.text(left + width / 2, row, str(count), ha="center", va="center", color=ink)
            left += width
    axes.set_xlim(0, 100)
    return finished("results", "Games won, drawn and lost by the first player", "; ".join(told), figure)


def _scores(results: dict[str, Standing], names: Mapping[str, str]) -> Plot:
    figure, axes = _named_rows(list(results), names, "EU, 100 (wins - losses) / games, in %")
    axes.axvline(0, color=LINE, linewidth=0.8)
    told = []
    for row, (name, one) in enumerate(results.items()):
        score, (low, high) = one.utility or 0.0, one.utility_interval or (0.0, 0.0)
        told.append(f"{name}: {score:+.1f}, {low:+.1f} to {high:+.1f}")
        axes.errorbar(score, row, xerr=[[score - low], [high - score]], fmt="o", color=WON, capsize=4)
    axes.set_xlim(-105, 105)
    return finished("scores", "Score of the first player, with 95 % interval", "; ".join(told), figure)


def rows_of(names: list[str], label: str, height: float = ROW_HEIGHT) -> tuple[Figure, Axes]:
    """Axes with a line for each name, from the top."""
    figure, axes = _axes(BASE_HEIGHT + height * len(names))
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.set_xlabel(label)
    return figure, axes


def _named_rows(titles: list[str], names: Mapping[str, str], label: str) -> tuple[Figure, Axes]:
    """Axes with a line for each title, and the names of its players above the line."""
    figure, axes = rows_of(titles, label, NAMED_ROW_HEIGHT)
    for row, title in enumerate(titles):
        above = axes.text(0.01, row - HIGH / 2, names[title], va="bottom", fontsize=SMALL)
        above.set_transform(axes.get_yaxis_transform())
        above.set_parse_math(False)  # else a $ in a name would begin a formula
    return figure, axes


def _histograms(
    name: str, title: str, label: str, what: str, of: dict[str, Histogram], names: Mapping[str, str]
) -> Plot:
    """Histograms as steps in one plot; on a logarithmic scale for times, which have logarithmic bins."""
    figure, axes = _axes(3.2 + LEGEND_ROW * len(of))
    for key, histogram in of.items():
        axes.stairs(histogram.counts, histogram.edges, label=f"{key}: {names[key]}", linewidth=1.6)
    used = [edge for histogram in of.values() for edge in _used(histogram)]
    if name == "times":
        axes.set_xscale("log")
    axes.set_xlim(min(used), max(used))
    axes.set_ylim(bottom=0)
    axes.set_xlabel(label)
    axes.set_ylabel(what)
    legend = figure.legend(frameon=False, loc="outside upper left", fontsize=SMALL)
    for text in legend.get_texts():
        text.set_parse_math(False)
    told = "; ".join(f"{key}: most between {low:.3g} and {high:.3g}" for key, (low, high) in _modes(of).items())
    return finished(name, title, told, figure)


def _used(histogram: Histogram) -> list[float]:
    """Edges of the non-empty bins."""
    held = [place for place, count in enumerate(histogram.counts) if count]
    return [histogram.edges[held[0]], histogram.edges[held[-1] + 1]] if held else []


def _modes(histograms: dict[str, Histogram]) -> dict[str, tuple[float, float]]:
    """The fullest bin of each."""
    places = {key: histogram.counts.index(max(histogram.counts)) for key, histogram in histograms.items()}
    return {key: (histograms[key].edges[place], histograms[key].edges[place + 1]) for key, place in places.items()}


def _axes(height: float) -> tuple[Figure, Axes]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    axes = figure.subplots()
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes


def finished(name: str, title: str, told: str, figure: Figure) -> Plot:
    """The SVG element alone, with ids unique to this plot."""
    out = StringIO()
    figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    svg = out.getvalue()
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg[svg.index("<svg") :], flags=re.DOTALL)
    svg = re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{name}-", svg)
    return Plot(title, svg.replace("<svg", f'<svg role="img" aria-label="{escape(f"{title}. {told}")}"', 1))
