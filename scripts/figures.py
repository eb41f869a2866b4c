"""Write the figures of a page from their data, in three kinds of places.

A row of a table whose first cell ends in `<!--KEY-->` is about that key of benchmarks/log/measurements.csv. Its cells
under the headings of `FIELDS`, and under the name of a figure of the key, are written; the others are free text.

A block, `<!--NAME-->` on a line of its own, is followed by what a function of `papers` returns.

A number in a sentence is found by its words and written from a constant or a file: `numbers_in_text`.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

import measurements
from measurements import RESULT, TOP, Measurement, table
from numbers_in_text import NUMBERS
from papers import BLOCKS

FIELDS: Mapping[str, Callable[[Measurement], str]] = {
    "answer": lambda row: row.text,
    "figure": lambda row: row.text,
    "won - drawn - lost": lambda row: row.record,
    "points": lambda row: row.points,
    "Elo": lambda row: row.elo,
    "games": lambda row: row.games,
    "seed": lambda row: row.seed,
    "trial": lambda row: row.trial,
    "version": lambda row: row.version,
    "command": lambda row: f"`{row.command}`",
}
PAGES = ("README.md", *(f"docs/{name}.md" for name in ("strength", "method", "environments", "endings")))
PAGES += tuple(f"docs/reproduction/{name}.md" for name in ("README", "choices"))
"""Pages on which no figure may stand that has no data."""
KEYED = re.compile(r"^\|(?P<label>.*?)<!--(?P<key>\S+?)--> \|(?P<cells>.*)\|$")
BLOCK = re.compile(r"^<!--(?P<name>[\w-]+)-->\n\n(?P<text>(?:(?: {4}|\|).*\n|\n(?= {4}))+)", re.MULTILINE)
LOOKS_MEASURED = re.compile(
    r"\d+ - \d+ - \d+|[-+\d.]* ± \d+|[\d.,]*\d ?%|\([-+\d.,]+ to [-+\d.,]+\)|\d[\d,]* of [\d,]*\d"
)
NO_FIGURES = re.compile(r"95%|30% of the\s+piece|```[^`]*```|`[^`]*`|^    .*", re.MULTILINE)
TRIALS = TOP / "benchmarks/log/trials.csv"


class Wrong(Exception):
    """A page cannot be written from its data; the message says where and why."""


def filled(page: str, text: str, version: str) -> str:
    """Return the text of a page with all figures as their data has them; raise Wrong."""
    text = BLOCK.sub(lambda found: f"<!--{found['name']}-->\n\n{block(page, found['name'])}", text)
    lines = text.split("\n")
    commands: dict[int, str] = {}
    for number, found, headings in keyed_rows(text):
        where = f"{page}:{number + 1}"
        main, rows = rows_of(where, found["key"])
        commands[number] = main.command
        fields = {**FIELDS, "command": lambda _: "the same"} if main.command == commands.get(number - 1) else FIELDS
        cells, versions = cells_of(f"|{found['cells']}|"), set()
        for place, heading in enumerate(headings[1:]):
            row = rows.get(heading, main if heading in fields else None)
            if row is not None:
                cells[place] = row.text if heading in rows else fields[heading](row)
                versions.add(row.version)
        line = f"|{found['label']}<!--{found['key']}--> | {' | '.join(cells)} |".replace("|  |", "| |")
        lines[number] = line.replace("|  |", "| |")
        if not versions:
            raise Wrong(f"{where}: no heading names a figure of {main.key!r}. Headings: {', '.join([*fields, *rows])}.")
        if unnamed := [one for one in versions if one != version and one not in line]:
            raise Wrong(f"{where}: {main.key!r} is of version {unnamed[0]}; name it in the row, or measure it anew.")
    return with_numbers(page, "\n".join(lines))


def keyed_rows(text: str) -> Iterator[tuple[int, re.Match[str], list[str]]]:
    """Yield the rows of tables that have a key: number of the line from 0, match, and headings of the table."""
    headings, is_inside = [""], False
    for number, line in enumerate(text.split("\n")):
        if line.startswith("|") and not is_inside:
            headings = cells_of(line)
        is_inside = line.startswith("|")
        if found := KEYED.match(line):
            yield number, found, headings


def cells_of(row: str) -> list[str]:
    """Return the cells of a line of a table."""
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", row.strip()[1:-1])]


def rows_of(where: str, key: str) -> tuple[Measurement, dict[str, Measurement]]:
    """Return the figures of a key: the result or else the first one, and all by name; raise Wrong if there are none."""
    rows = table().get(key)
    if rows is None:
        raise Wrong(f"{where}: measurements.csv has no key {key!r}.")
    return rows.get(RESULT) or next(iter(rows.values())), rows


def block(page: str, name: str) -> str:
    """Return the text of a block."""
    if name not in BLOCKS:
        raise Wrong(f"{page}: there is no block {name!r}. Blocks: {', '.join(BLOCKS)}.")
    return BLOCKS[name]()


def with_numbers(page: str, text: str, *, is_blank: bool = False) -> str:
    """Return a text with the numbers of its sentences, or with * in their place; raise Wrong if a sentence is gone."""
    for words, *values in NUMBERS.get(page, ()):
        pattern = pattern_of(str(words))
        if not pattern.search(text):
            raise Wrong(f"{page}: no sentence says {words!r}; scripts/numbers_in_text.py writes its number.")
        texts = ["*" if is_blank else f"{value:,}" if isinstance(value, int) else value for value in values]
        text = pattern.sub(partial(with_groups, texts), text)
    return text


def pattern_of(words: str) -> re.Pattern[str]:
    """Return a pattern for words of a sentence; each {} is a number, as figures or as a word, and lines may break."""
    parts = [r"\s+".join(map(re.escape, part.split(" "))) for part in words.split("{}")]
    return re.compile(r"([-+±\w.,/]*\w)".join(parts))


def with_groups(texts: Sequence[str], found: re.Match[str]) -> str:
    """Return a match with its groups replaced by texts."""
    text = found[0]
    for group, new in reversed(list(enumerate(texts, 1))):
        start, end = (place - found.start() for place in found.span(group))
        text = text[:start] + new + text[end:]
    return text


def unbacked(page: str, text: str) -> list[str]:
    """Return what looks like a measured figure and is not written from data."""
    text = with_numbers(page, BLOCK.sub("", text), is_blank=True)
    lines = text.split("\n")
    for number, found, headings in keyed_rows(text):
        from_data = {*FIELDS, *table().get(found["key"], {})}
        cells = zip(headings[1:], cells_of(f"|{found['cells']}|"), strict=True)
        lines[number] = " | ".join([found["label"], *(cell for name, cell in cells if name not in from_data)])
    return LOOKS_MEASURED.findall(NO_FIGURES.sub("", "\n".join(lines)))


def unlike_trials() -> list[str]:
    """Return what measurements.csv says of a trial and the row of the trial does not."""
    with TRIALS.open(newline="", encoding="utf-8") as file:
        trials = {row["trial"]: " ".join(row.values()) for row in csv.DictReader(file)}
    return [
        f"measurements.csv: {row.key!r} has {row.record or row.value} of trial {row.trial}, whose row has not"
        for row in measurements.read()
        if row.trial and (row.record or row.value) not in trials.get(row.trial, "")
    ]
