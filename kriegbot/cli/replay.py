"""`kriegbot replay`: a saved game, step by step, as the referee, White or Black saw it."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from contextlib import suppress
from typing import Annotated, TypeAlias

import chess
from rich.console import Console
from rich.table import Table
from rich.text import Text

from kriegbot.cli.common import NoBrowser, Port, argument, compile_kernels, flag, steps
from kriegbot.cli.convert import record_of
from kriegbot.cli.play import open_page
from kriegbot.cli.screen import BoardPicture, board, drawing_console, fitting, has_tints, next_key, single_keys, size_of
from kriegbot.narration.diary import Entry, gathered
from kriegbot.narration.moments import READERS, Moment, both_called, ending, moments, playthrough, your_side
from kriegbot.narration.turning import Hindsight
from kriegbot.request import Refused
from referee import GameRecord

VIEWS = ("all", "referee", "White", "Black")
HELP = "← → step   Home End   PgUp PgDn ten   v view   q quit"

Frame: TypeAlias = tuple[Moment, dict[str, list[str]]]
"""The game after one try, and the last lines of each view, by its name."""


def replay(
    file: Annotated[str, argument("FILE", "A saved game; FILE#N is game N of a file or tournament.")],
    web: Annotated[
        bool, flag("Show it in a browser, with each side's belief and the value of each try.", "--web")
    ] = False,
    turning_points: Annotated[
        bool, flag("Print the turns that cost each side most of its winning chances, and why.", "--turning-points")
    ] = False,
    port: Port = None,
    no_browser: NoBrowser = False,
) -> None:
    """Show a saved game: with arrow keys on a terminal, as text elsewhere; with --web in a browser.

    On a terminal, the left and right arrows step through the tries, Home and End go to the beginning and the end,
    v switches between the views of the referee, White, Black and all three, and q quits.
    """
    for name, is_given in (("port", port is not None), ("no-browser", no_browser)):
        if is_given and not web:
            raise Refused(f"--{name} goes with --web; add that.")
    if web and turning_points:
        raise Refused("--turning-points goes without --web; the page shows them by itself.")
    record = record_of(file)
    if web:
        open_page(port, has_browser=not no_browser, saved=(record, file))
    elif turning_points:
        print(*_turning_points(record), sep="\n")
    elif (console := drawing_console()) is not None:
        with suppress(EOFError, KeyboardInterrupt), console.screen(hide_cursor=True), single_keys():
            _follow_keys(record, console)
        console.print(ending(record))
    else:
        print(*playthrough(record), sep="\n")


def _turning_points(record: GameRecord) -> Iterator[str]:
    """Yield the players and the turning points of both sides, line by line."""
    specs = [record.headers["White"], record.headers["Black"]]
    *_, last = record.replay()
    views = {color: last.referee.view(color) for color in chess.COLORS}
    compile_kernels()
    for color, name in zip((chess.WHITE, chess.BLACK), both_called(specs), strict=True):
        side, view, other = chess.COLOR_NAMES[color].capitalize(), views[color], views[not color]
        hindsight = Hindsight()
        steps(f"Looking at {side}'s turns", hindsight.value_turns(view, other))
        points = hindsight.turning_points(view, other, your_side(specs)) or []
        yield f"{side}, {name}:" + ("" if points else " no costly turn while the game was open.")
        for point in points:
            chances = f"chance {point['before']:.0%} -> {point['after']:.0%}"
            yield f"  {point['place']} {point['made']}: {point['theme']}, {chances}"
            yield textwrap.fill(point["text"], 100, initial_indent="    ", subsequent_indent="    ")


def _follow_keys(record: GameRecord, console: Console) -> None:
    frames = _frames(record)
    steps = {"right": 1, " ": 1, "l": 1, "left": -1, "h": -1, "page down": 10, "page up": -10}
    ends = {"home": 0, "end": len(frames) - 1, "g": 0, "G": len(frames) - 1}
    at, view = 0, 0
    while True:
        _draw(console, record, frames, at, VIEWS[view])
        key = next_key()
        if key in steps:
            at = min(max(at + steps[key], 0), len(frames) - 1)
        elif key in ends:
            at = ends[key]
        elif key == "v":
            view = (view + 1) % len(VIEWS)
        elif key in ("q", "Q", "escape"):
            return


def _frames(record: GameRecord) -> list[Frame]:
    entries: dict[str, list[Entry]] = {name: [] for name in READERS}
    frames = []
    for moment in moments(record):
        for name in READERS:
            entries[name] += moment.news[name]
        news = {name: [line for _, line in gathered(entries[name][-50:])][-14:] for name in READERS}
        frames.append((moment, news))
    return frames


def _draw(console: Console, record: GameRecord, frames: list[Frame], at: int, view: str) -> None:
    console.clear()
    names = " - ".join(both_called([record.headers[side] for side in ("White", "Black")]))
    console.print(Text(f" {names} · {record.rules.title} · {at} of {len(frames) - 1}", "dim"), no_wrap=True)
    _draw_boards(console, frames[at], view)
    console.print(Text(f" {frames[at][0].title}", "bold"), no_wrap=True, overflow="ellipsis")
    if at == len(frames) - 1:
        console.print(Text(f" {ending(record)}"), no_wrap=True, overflow="ellipsis")
    console.print(Text(f" {HELP}", "dim"), no_wrap=True, end="")


def _draw_boards(console: Console, frame: Frame, view: str) -> None:
    """Draw all three boards with the last news below, or one large board with its news beside it."""
    moment, news = frame
    grid = Table.grid(padding=(0, 1))

    def drawn(name: str, scale: int) -> Text:
        return board(BoardPicture(moment.men[name], marks=moment.marks, has_tints=has_tints(console)), scale)

    if view == "all" and console.width >= 78:
        room = max(2, console.height - 15)
        names = ("White", "referee", "Black")
        grid.add_row(*(Text(name.center(26), "bold") for name in names))
        grid.add_row(*(drawn(name, 1) for name in names))
        grid.add_row(*(_news(news[name], 26, room) for name in names))
    else:
        name = "referee" if view == "all" else view
        scale = fitting(console.width - 25, console.height - 4)
        width = max(20, console.width - size_of(scale)[0] - 3)
        heading = Text("The referee's board" if name == "referee" else f"{name}'s view", "bold")
        side = Text("\n\n").join([heading, _news(news[name], width, 14)]) if news[name] else heading
        grid.add_row(drawn(name, scale), side)
    console.print(grid)


def _news(lines: list[str], width: int, room: int) -> Text:
    """Return the last lines that fit."""
    wrapped = [part for line in lines for part in textwrap.wrap(line, width, subsequent_indent="  ")]
    return Text("\n".join(wrapped[-room:]))
