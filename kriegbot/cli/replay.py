"""`kriegbot replay`: a saved game again, step by step, as the referee, White or Black saw it."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kriegbot.cli.screen import drawing_console

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from kriegbot.cli.board import Picture
    from referee import GameRecord

VIEWS = ("all", "referee", "White", "Black")
HELP = "← → step   Home End   PgUp PgDn ten   v view   q quit"


@dataclass(frozen=True, slots=True)
class Frame:
    """The game after one try.

    Attributes:
      title: what was tried, and the answer.
      pictures: by the name of the view.
      news: the last things heard, by the name of the view.
    """

    title: str
    pictures: dict[str, Picture]
    news: dict[str, list[str]]


def replay(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A game saved by kriegbot, or FILE#N of a tournament.")],
) -> None:
    """Show a saved game: with arrow keys on a terminal, as text elsewhere.

    On a terminal: left and right step through the tries, Home and End go to the beginning and the end, v changes
    between the referee's, White's and Black's view and all three, q quits.
    """
    record = _record_of(file)
    console = drawing_console()
    if console is not None and _has_keys():
        _step_through(record, console)
        return
    from kriegbot.cli.playthrough import playthrough

    print(*playthrough(record), sep="\n")


def _record_of(file: str) -> GameRecord:
    """A record from its own file, or, as FILE#N, game N of a tournament."""
    from kriegbot.cli.errors import Refused
    from referee import RecordError, load_record

    path, mark, number = file.rpartition("#")
    if mark and not Path(file).exists():
        from kriegbot.cli import arguments
        from tournaments.store import Store, StoreError

        game = arguments.whole_of(number, "number of a game", 1, 10**9)
        try:
            with Store.open(path) as store:
                return store.record(game)
        except StoreError as error:
            raise Refused(f"{error}.") from None
    try:
        return load_record(file)
    except RecordError as error:
        raise Refused(str(error)) from None


def _has_keys() -> bool:
    try:
        import termios  # noqa: F401 - not on Windows
    except ImportError:
        return False
    return True


def _step_through(record: GameRecord, console: Console) -> None:
    from kriegbot.cli.keys import single_keys
    from kriegbot.cli.playthrough import ending

    frames = _frames(record, console)
    with suppress(EOFError, KeyboardInterrupt), console.screen(hide_cursor=True), single_keys():
        _follow_keys(record, console, frames)
    console.print(ending(record))


def _follow_keys(record: GameRecord, console: Console, frames: list[Frame]) -> None:
    from kriegbot.cli.keys import next_key

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


def _frames(record: GameRecord, console: Console) -> list[Frame]:
    import chess

    from kriegbot.cli.board import Picture
    from kriegbot.cli.diary import Diary, Entry, gathered
    from kriegbot.cli.playthrough import own_men
    from referee import GameOver

    diaries = {color: Diary() for color in chess.COLORS}
    truth: list[Entry] = []
    frames = []
    for step in record.replay():
        views = {color: step.referee.view(color) for color in chess.COLORS}
        for color in chess.COLORS:
            diaries[color].take(views[color])
        title = "The game begins."
        if step.event is not None:
            truth.append(diaries[chess.WHITE if step.color is None else step.color].entries[-1])
            title = truth[-1].line()
            if step.seconds is not None:
                title += f" ({step.seconds:.1f} s)"
        last = step.event.announcement if step.event is not None and not isinstance(step.event, GameOver) else None
        marks = frozenset() if last is None or last.capture is None else frozenset([last.capture])
        men = {
            "referee": step.referee.board().piece_map(),
            "White": own_men(views[chess.WHITE]),
            "Black": own_men(views[chess.BLACK]),
        }
        pictures = {
            name: Picture(
                shown,
                marks=marks,
                has_tints=console.color_system in ("256", "truecolor"),
            )
            for name, shown in men.items()
        }
        entries = {"referee": truth, "White": diaries[chess.WHITE].entries, "Black": diaries[chess.BLACK].entries}
        news = {name: [line for _, line in gathered(lines[-50:])][-14:] for name, lines in entries.items()}
        frames.append(Frame(title, pictures, news))
    return frames


def _draw(console: Console, record: GameRecord, frames: list[Frame], at: int, view: str) -> None:
    from rich.text import Text

    from kriegbot.cli.playthrough import ending

    frame = frames[at]
    console.clear()
    names = f"{record.headers['White']} - {record.headers['Black']}"
    console.print(Text(f" {names} · {record.rules.title} · {at} of {len(frames) - 1}", "dim"), no_wrap=True)
    _draw_boards(console, frame, view)
    console.print(Text(f" {frame.title}", "bold"), no_wrap=True, overflow="ellipsis")
    if at == len(frames) - 1:
        console.print(Text(f" {ending(record)}"), no_wrap=True, overflow="ellipsis")
    console.print(Text(f" {HELP}", "dim"), no_wrap=True, end="")


def _draw_boards(console: Console, frame: Frame, view: str) -> None:
    """All three boards with the last news below, or one large with its news beside it."""
    from rich.table import Table
    from rich.text import Text

    from kriegbot.cli.board import BIG_SIZE, big_board, small_board

    grid = Table.grid(padding=(0, 1))
    if view == "all" and console.width >= 78:
        room = max(2, console.height - 15)
        names = ("White", "referee", "Black")
        grid.add_row(*(Text(name.center(26), "bold") for name in names))
        grid.add_row(*(small_board(frame.pictures[name]) for name in names))
        grid.add_row(*(_news(frame.news[name], 26, room) for name in names))
    else:
        name = "referee" if view == "all" else view
        is_big = console.width >= BIG_SIZE[0] + 25 and console.height >= BIG_SIZE[1] + 4
        board = big_board(frame.pictures[name]) if is_big else small_board(frame.pictures[name])
        width = max(20, console.width - (BIG_SIZE[0] if is_big else 26) - 3)
        heading = Text("The referee's board" if name == "referee" else f"{name}'s view", "bold")
        lines = frame.news[name]
        side = Text("\n\n").join([heading, _news(lines, width, 14)]) if lines else heading
        grid.add_row(board, side)
    console.print(grid)


def _news(lines: list[str], width: int, room: int) -> Text:
    """The last lines that there is room for."""
    import textwrap

    from rich.text import Text

    wrapped = [part for line in lines for part in textwrap.wrap(line, width, subsequent_indent="  ")]
    return Text("\n".join(wrapped[-room:]))
