"""Plots as SVG elements, written as text: rows of bars or of intervals on one scale, and histograms."""

import math
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import NamedTuple

from referee.text import one_line
from tournaments.report import Histogram

WON, DRAWN, LOST, LINE = "#2b6cb0", "#d5d9de", "#c05621", "#1a1a1a"
COLORS = (WON, LOST, "#2f855a", "#6b46c1", "#b7791f", "#4a5568")  # of histograms, again and again
WIDTH, LEFT, RIGHT, TOP, FOOT = 560, 96, 16, 10, 44  # pixels; narrow, so that a phone need not shrink it much
ROW, HEIGHT, BAR, LETTERS, SMALL = 46, 190, 16, 14, 12  # pixels: of a row, a histogram, a bar, letters
WIDEST_NAME = 13  # letters to the left of a row
NAME = 32  # most letters of a player's name beside a plot


class Plot(NamedTuple):
    """A plot as an SVG element with its alternative text."""

    title: str
    svg: str


class Row(NamedTuple):
    """A row: its title, a name above, bars from left to right, and points with their intervals."""

    title: str
    name: str = ""
    bars: Sequence[tuple[float, str, str]] = ()  # width, colour, text
    points: Sequence[tuple[float, float, float, str]] = ()  # value, both ends of the interval, colour


def short(player: str) -> str:
    """Return a player's name in letters that every font has."""
    return one_line(player.encode("ascii", "backslashreplace").decode(), NAME)


def rows_plot(
    title: str, label: str, rows: Sequence[Row], ticks: Sequence[float], texts: Sequence[str], legend: Mapping[str, str]
) -> Plot:
    """Return a plot with a row for each title, from the first tick to the last; `texts` are its text alternative."""

    def x(value: float) -> float:
        return LEFT + (value - ticks[0]) / (ticks[-1] - ticks[0]) * (WIDTH - LEFT - RIGHT)

    top = TOP + ROW // 2 * bool(legend)
    bottom = top + ROW * len(rows)
    parts = [*_legend(legend), *_axis({f"{tick:g}": x(tick) for tick in ticks}, bottom, label)]
    if ticks[0] < 0:
        parts.append(_line(x(0), top, x(0), bottom))
    for number, row in enumerate(rows):
        middle, left = top + ROW * number + 28, ticks[0]
        size = min(LETTERS, LETTERS * WIDEST_NAME / max(1, len(row.title)))
        parts.append(_text(LEFT - 8, middle + 5, row.title, "end", size))
        parts.append(_text(LEFT + 4, middle - 11, row.name, "start", SMALL))
        for width, color, text in row.bars:
            box = f'x="{x(left):.1f}" y="{middle - BAR // 2}" width="{x(left + width) - x(left):.1f}" height="{BAR}"'
            parts.append(f'<rect {box} fill="{color}"/>')
            ink = LINE if color == DRAWN else "white"
            parts.append(_text(x(left + width / 2), middle + 5, text * (width > 8), "middle", SMALL, ink))
            left += width
        for shift, (value, low, high, color) in enumerate(row.points):
            y = middle + 9 * shift
            parts.append(_line(x(low), y, x(high), y, color, 2))
            parts += [_line(x(end), y - 4, x(end), y + 4, color, 2) for end in (low, high)]
            parts.append(f'<circle cx="{x(value):.1f}" cy="{y}" r="4" fill="{color}"/>')
    return _plot(title, texts, parts, bottom + FOOT)


def histograms(
    title: str, labels: tuple[str, str], by_key: Mapping[str, Histogram], names: Mapping[str, str], *, is_log: bool
) -> Plot:
    """Return histograms as steps in one plot. `is_log` is for logarithmic bins: the scale is logarithmic, too."""
    filled = [(one, at) for one in by_key.values() for at, count in enumerate(one.counts) if count]
    used = [edge for one, at in filled for edge in one.edges[at : at + 2]]
    low, high, most = min(used), max(used), max(max(one.counts) for one in by_key.values())
    top = TOP + 22 * (len(by_key) + 1)
    bottom = top + HEIGHT

    def x(value: float) -> float:
        share = math.log(value / low) / math.log(high / low) if is_log else (value - low) / (high - low)
        return LEFT + share * (WIDTH - LEFT - RIGHT)

    def y(count: float) -> float:
        return bottom - HEIGHT * count / most

    ticks = [10.0**power for power in range(-9, 9)] if is_log else [step * _step(high - low) for step in range(10_000)]
    parts = _axis({f"{tick:g}": x(tick) for tick in ticks if low <= tick <= high}, bottom, labels[0])
    counts = range(0, most + 1, max(1, math.ceil(_step(most))))
    parts += [_text(LEFT - 8, y(count) + 5, str(count), "end", SMALL) for count in counts]
    parts += [_line(LEFT - 4, y(count), LEFT, y(count)) for count in counts]
    parts += [_line(LEFT, top, LEFT, bottom), _text(LEFT, top - 8, labels[1], "end", SMALL)]
    colors, texts = dict[str, str](), []
    for number, (key, one) in enumerate(by_key.items()):
        color = colors[f"{key}: {names[key]}"] = COLORS[number % len(COLORS)]
        bins = [(count, *one.edges[at : at + 2]) for at, count in enumerate(one.counts) if low <= one.edges[at] < high]
        steps = "".join(f"V{y(count):.1f}H{x(end):.1f}" for count, _, end in bins)
        path = f'd="M{x(bins[0][1]):.1f} {bottom}{steps}V{bottom}"'
        parts.append(f'<path {path} fill="none" stroke="{color}" stroke-width="2"/>')
        mode = one.counts.index(max(one.counts))
        texts.append(f"{key}: most between {one.edges[mode]:.3g} and {one.edges[mode + 1]:.3g}")
    return _plot(title, texts, [*_legend(colors, 22), *parts], bottom + FOOT)


def _step(span: float) -> float:
    """Return the distance of about five ticks: 1, 2 or 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(max(span, 1e-9) / 5))
    return next(step * power for step in (1, 2, 5, 10) if span / (step * power) <= 6)


def _axis(ticks: Mapping[str, float], y: float, label: str) -> list[str]:
    marks = [_line(x, y, x, y + 4) + _text(x, y + 18, text, "middle", SMALL) for text, x in ticks.items()]
    return [_line(LEFT, y, WIDTH - RIGHT, y), *marks, _text((LEFT + WIDTH - RIGHT) / 2, y + 36, label, "middle", SMALL)]


def _legend(colors: Mapping[str, str], step: int = 0) -> Iterator[str]:
    """Yield colours with their meaning, beside each other or, with a step, below each other."""
    for number, (text, color) in enumerate(colors.items()):
        left, y = LEFT + (0 if step else 140 * number), TOP + 8 + step * number
        yield f'<rect x="{left}" y="{y - 9}" width="12" height="10" fill="{color}"/>'
        yield _text(left + 18, y, text, "start", SMALL)


def _line(x1: float, y1: float, x2: float, y2: float, color: str = LINE, width: float = 1) -> str:
    ends = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
    return f'<line {ends} stroke="{color}" stroke-width="{width:g}"/>'


def _text(x: float, y: float, text: str, anchor: str, size: float, color: str = LINE) -> str:
    attributes = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size:.3g}" fill="{color}"'
    return f"<text {attributes}>{escape(text)}</text>" if text else ""


def _plot(title: str, texts: Sequence[str], parts: Sequence[str], height: float) -> Plot:
    label = escape(f"{title}. {'; '.join(texts)}")
    size = f'viewBox="0 0 {WIDTH} {height:g}" width="{WIDTH}" height="{height:g}" font-family="system-ui, sans-serif"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{label}">'
    return Plot(title, f"{head}{''.join(parts)}</svg>\n")
