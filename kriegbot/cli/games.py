"""`kriegbot replay`, `render` and `convert`: saved games, step by step, as pictures, and in other formats."""

import os
import re
import sys
import textwrap
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib.util import find_spec
from io import BytesIO
from itertools import starmap
from pathlib import Path
from typing import TypeAlias

import chess
from rich.console import Console
from rich.text import Text

from kriegbot.cli import common, screen
from kriegbot.cli.common import argument, compile_kernels, flag, one_of, option, patiently
from kriegbot.cli.play import open_page
from kriegbot.game.process import find_rules
from kriegbot.narration.diary import Entry, gathered, side_name
from kriegbot.narration.moments import READERS, Moment, ending, moments, playthrough
from kriegbot.narration.names import both_called, both_named, your_side
from kriegbot.narration.pictures import FONT, INK, Picture, animated, pictures, still
from kriegbot.narration.reasons import LUCKY
from kriegbot.narration.turning import Hindsight
from kriegbot.request import PERSON, Refused, apart_from, path_of, refusing, save_whole, whole_of
from referee import GameRecord, RecordError
from referee.formats import FORMATS, format_for, format_named, format_of, written
from referee.pgn import pgn_decoded
from referee.text import counted, one_line, quoted, read_bytes
from tournaments.store import Store, StoreError

STANDARD = "-"  # standard input or output
MAX_BYTES = 64 * 1024 * 1024
DATABASE = b"SQLite format 3"  # the first bytes of a file of SQLite
SIDES = {"white": [chess.WHITE], "black": [chess.BLACK], "both": [chess.WHITE, chess.BLACK]}
ENDINGS = (".gif", ".webp", ".svg")
ZOOM = 1.3  # pixels of a gif or webp per unit of the drawing
VIEWS = ("all", "referee", "White", "Black")
HELP = "← → step   Home End   PgUp PgDn ten   v view   q quit"
KEY = re.compile(r"\x1b\[[0-9;]*[A-Za-z~]|\xe0.|.", re.DOTALL)
END = 10**6  # more tries than a game has
STEPS = {
    1: ("\x1b[C", "\x1b[B", "\xe0M", "\xe0P", " ", "l"),
    -1: ("\x1b[D", "\x1b[A", "\xe0K", "\xe0H", "h"),
    10: ("\x1b[6~", "\xe0Q"),
    -10: ("\x1b[5~", "\xe0I"),
    END: ("\x1b[F", "\x1b[4~", "\xe0O", "G"),
    -END: ("\x1b[H", "\x1b[1~", "\xe0G", "g"),
}
"""Steps by keys: the sequences of terminals and of Windows for arrows, Page Down and Up, End and Home, and letters."""

Frame: TypeAlias = tuple[Moment, dict[str, list[str]]]  # with the last lines of each view, by its name


def replay(
    file: str = argument("FILE", "A saved game; FILE#N is game N of a file or tournament."),
    web: bool = flag("Show it in a browser, with each side's belief and the value of each try.", "--web"),
    turning_points: bool = flag("Print the turns that cost each side most, and why.", "--turning-points"),
    port: int | None = common.PORT,
    no_browser: bool = common.NO_BROWSER,
) -> None:
    """Show a saved game: with arrow keys on a terminal, else as text; with --web in a browser.

    On a terminal, the left and right arrows step through the tries, Home and End go to the beginning and the end,
    v switches between the views of the referee, White, Black and all three, and q quits.
    """
    if not web and (port is not None or no_browser):
        raise Refused(f"--{'no-browser' if port is None else 'port'} goes with --web; add that.")
    if web and turning_points:
        raise Refused("--turning-points goes without --web; the page shows them by itself.")
    record = record_of(file)
    if web:
        open_page(port, has_browser=not no_browser, saved=(record, file))
    elif turning_points:
        print(*_turning_points(record), sep="\n")
    elif (console := screen.drawing_console()) is not None:
        with suppress(EOFError, KeyboardInterrupt), console.screen(hide_cursor=True), screen.single_keys() as read:
            _follow_keys(record, console, read)
        console.print(ending(record))
    else:
        print(*playthrough(record), sep="\n")


def _turning_points(record: GameRecord) -> Iterator[str]:
    specs = [record.headers["White"], record.headers["Black"]]
    referee = record.referee()
    compile_kernels()
    for color, name in zip((chess.WHITE, chess.BLACK), both_called(specs), strict=True):
        view, other = referee.view(color), referee.view(not color)
        with Console(stderr=True).status(f"Looking at {side_name(color)}'s turns ..."):
            points = Hindsight().turning_points(view, other, your_side(specs)) or []
        yield f"{side_name(color)}, {name}:" + ("" if points else " by what was known, no move certainly lost much.")
        for point in points:
            chances = "" if point["theme"] == LUCKY else f", winning chances {point['before']}% -> {point['after']}%"
            yield f"  {point['place']} {point['made']}: {point['theme']}{chances}"
            yield textwrap.fill(point["text"], 100, initial_indent="    ", subsequent_indent="    ")


def _follow_keys(record: GameRecord, console: Console, read: Callable[[], str]) -> None:
    frames, steps = list(_frames(record)), {key: step for step, keys in STEPS.items() for key in keys}
    at, view = 0, 0
    while True:
        _draw_moment(console, record, frames, at, VIEWS[view % len(VIEWS)])
        for key in KEY.findall(read().replace("\x1bO", "\x1b[").replace("\0", "\xe0")):
            if key in ("q", "Q"):
                return
            view += key == "v"
            at = min(max(at + steps.get(key, 0), 0), len(frames) - 1)


def _frames(record: GameRecord) -> Iterator[Frame]:
    entries: dict[str, list[Entry]] = {name: [] for name in READERS}
    for moment in moments(record):
        for name in READERS:
            entries[name] += moment.news[name]
        yield moment, {name: [line for _, line in gathered(entries[name][-50:])][-14:] for name in READERS}


def _draw_moment(console: Console, record: GameRecord, frames: list[Frame], at: int, view: str) -> None:
    names = " - ".join(both_named(record.headers))
    title = Text(f" {names} · {record.rules.title} · {at} of {len(frames) - 1}", "dim")
    screen.draw_beside(console, title, *_columns(console, frames[at], view))
    lines = [Text(f" {frames[at][0].title}", "bold")]
    lines += [Text(f" {ending(record)}")] * (at == len(frames) - 1)
    lines.append(Text(f" {HELP}", "dim"))
    console.print(*lines, sep="\n", no_wrap=True, overflow="ellipsis", end="")


def _columns(console: Console, frame: Frame, view: str) -> list[Text]:
    """Return all three boards with the last news below each, or one large board and its news."""
    moment, news = frame

    def drawn(name: str, scale: int) -> Text:
        has_tints = screen.has_tints(console)
        return screen.board(screen.BoardPicture(moment.men[name], marks=moment.marks, has_tints=has_tints), scale)

    def last_lines(name: str, width: int, room: int) -> Text:
        wrapped = [part for line in news[name] for part in textwrap.wrap(line, width, subsequent_indent="  ")]
        return Text("\n".join(wrapped[-room:]))

    if view == "all" and console.width >= 78:
        room = max(2, console.height - 16)
        names = ("White", "referee", "Black")
        columns = [(Text(name.center(26), "bold"), drawn(name, 1), last_lines(name, 26, room)) for name in names]
        return [Text("\n").join(column) for column in columns]
    name = "referee" if view == "all" else view
    scale = screen.fitting(console.width - 25, console.height - 5)
    heading = Text("The referee's board" if name == "referee" else f"{name}'s view", "bold")
    lines = last_lines(name, max(20, console.width - screen.size_of(scale)[0] - 3), 14)
    return [drawn(name, scale), Text("\n\n").join([heading, lines] if lines else [heading])]


def convert(
    source: str = argument("IN", "A file of games, or - for standard input."),
    target: str = argument("OUT", "The file to write, or - for standard output."),
    form_in: str | None = option("FORMAT", "Format of IN.  [default: what it looks like]", "--from"),
    form_out: str | None = option("FORMAT", "Format of OUT.  [default: .json kriegspiel, .pgn kriegbot]", "--to"),
    rules: str | None = option("RULES", "Rules of the games.  [default: IN's; wild16 for icc and umd, else berkeley]"),
    side: str | None = option("SIDE", "With --to filtered: white or black.", **one_of("side", ("white", "black"))),
    strict: bool = flag("Refuse a file with an impossible game, in place of leaving it out."),
) -> None:
    """Convert games to another format, and list on standard error what it cannot hold.

    A referee replays every game. Formats:

    \b
      kriegbot    our own PGN, with every try, answer, announcement and time
      kriegspiel  saved games (JSON) of the PyPI package kriegspiel 1.7.3
      icc         PGN with comments such as {(Xd6,CN:f6,Bg7)}: Berkeley's page, Darkboard
      umd         PGN with comments such as {(K:f6,Bg7:CK)}: Maryland's page
      filtered    as icc, one side's view, with ?? for moves it did not see; written only
      plain       PGN of any game of chess: moves only; --rules says what is announced
    """  # noqa: D301 - \b keeps the lines that follow it
    given_rules = None if rules is None else find_rules(rules)
    path = None if target == STANDARD else apart_from(source, path_of(target))
    to = format_for(target) if form_out is None else format_named(form_out)
    is_filtered = to is FORMATS["filtered"]
    if side is None and is_filtered:
        raise Refused("--to filtered needs a side: add --side white or --side black.")
    if side is not None and not is_filtered:
        raise Refused("--side goes with --to filtered; add that.")
    text = text_of(source)
    form = format_of(text) if form_in is None else format_named(form_in)
    games = form.games(text)
    if not games:
        raise Refused(f"{quoted(source)}: no game in it.")
    omitted, refusals = dict[str, None](), list[Refused]()

    def convert_one(number: int, game: str) -> str | None:
        try:
            record, unread = form.read(game, given_rules)
            text, unwritten = written(record, to, None if side is None else side == "white")
        except RecordError as error:
            where = f", game {number}" if len(games) > 1 else ""
            refusals.append(Refused(f"{quoted(source)}{where}, as {form.name}: {error}"))
            if strict or len(refusals) == len(games):
                raise refusals[-1] from None
            return None
        omitted.update(dict.fromkeys((*unread, *unwritten)))
        return text

    converted = patiently("Converting", starmap(convert_one, enumerate(games, 1)), len(games))
    texts = [text for text in converted if text is not None]
    data = "\n".join(texts).encode()
    if len(data) > MAX_BYTES:
        raise Refused(f"cannot save to {quoted(target)}: {len(data)} bytes; it takes at most {MAX_BYTES}.")
    if path is None:
        sys.stdout.buffer.write(data)
    else:
        save_whole(path, data)
        print(f"{target}: {counted(len(texts), 'game')}")
    for refusal in refusals:
        print(f"Left out: {refusal}", file=sys.stderr)
    if omitted:
        print(f"Not kept in this format: {', '.join(omitted)}.", file=sys.stderr)


def text_of(source: str) -> str:
    """Return the text of a file of games, or of standard input."""
    with refusing(ValueError, beginning=f"{quoted(source)}: "):
        return pgn_decoded(sys.stdin.buffer.read() if source == STANDARD else read_bytes(Path(source), MAX_BYTES))


def record_of(game: str) -> GameRecord:
    """Return the game in a file of any format. FILE#N is game N of a file or tournament."""
    file, mark, digits = game.rpartition("#")
    is_numbered = bool(mark) and not os.path.exists(game)
    file = file if is_numbered else game
    number = whole_of(digits, "number of a game", 1, 10**9) if is_numbered else None
    if number is None and _is_database(file):
        raise Refused(f"{quoted(file)}: a tournament; it takes one of its games, such as {quoted(f'{file}#1')}.")
    if number is not None and (_is_database(file) or not os.path.exists(file)):
        with refusing(StoreError), Store.open(file) as store:
            return store.record(number)
    text = text_of(file)
    with refusing(RecordError, beginning=f"{quoted(file)}: "):
        form = format_of(text)
        games = form.games(text)
        if number is None and len(games) > 1:
            raise Refused(f"{quoted(file)}: {len(games)} games; it takes one of them, such as {quoted(f'{file}#1')}.")
        if (number or 1) > len(games):
            raise Refused(f"{quoted(file)}: no game {number or 1}; it holds {len(games)}.")
        return form.read(games[(number or 1) - 1], None)[0]


def _is_database(file: str) -> bool:
    with suppress(OSError, ValueError), Path(file).open("rb") as handle:
        return handle.read(len(DATABASE)) == DATABASE
    return False


def render(
    game: str = argument("GAME", "A saved game; FILE#N is game N of a file or tournament."),
    out: str = option("FILE", "The picture: a name that ends in .gif, .webp or .svg.", default=...),
    side: str | None = option(
        "SIDE", "white, black or both.  [default: the person's against a program, else both]", **one_of("side", SIDES)
    ),
    belief: bool = flag("Show how likely the opponent has a piece on each square, by the announcements.", "--belief"),
) -> None:
    """Make an animated picture of a saved game as its sides saw it: gif, webp or svg.

    It shows a side's own pieces, its tries and the announcements. If the game has ended, the true board comes last. A
    gif or webp needs Pillow and resvg: pip install pillow resvg_py.
    """
    suffix = Path(out).suffix.lower()
    if suffix not in ENDINGS:
        raise Refused(f"cannot draw {quoted(out)}: it takes a name that ends in {', '.join(ENDINGS)}.")
    if suffix != ".svg" and not (find_spec("PIL") and find_spec("resvg_py")):
        needs = f"A {suffix[1:]} needs Pillow and resvg: pip install pillow resvg_py"
        raise Refused(f"{needs}; an svg needs nothing more.")
    path = apart_from(game.rpartition("#")[0], apart_from(game, path_of(out)))
    record = record_of(game)
    if belief:
        compile_kernels()
    sides = _sides_of(record) if side is None else SIDES[side]
    total = 2 + sum(1 + bool(turn.tries) for turn in record.turns)
    frames = patiently("Following the game", pictures(record, sides, has_belief=belief), total)
    data = animated(frames).encode() if suffix == ".svg" else _painted(frames, suffix)
    save_whole(path, data)
    seconds = sum(picture.seconds for picture in frames)
    print(f"{one_line(out)}: {counted(len(frames), 'picture')}, {seconds:.0f} s, {len(data) / 1000:.0f} kB")


def _sides_of(record: GameRecord) -> list[chess.Color]:
    people = [color for color in SIDES["both"] if record.headers[side_name(color)] == PERSON]
    return people if len(people) == 1 else SIDES["both"]


def _painted(frames: list[Picture], suffix: str) -> bytes:
    """Return a gif or webp. Pillow's own font draws the texts on every machine."""
    import resvg_py  # only now: the extra `render`
    from PIL import Image, ImageDraw, ImageFont

    font = ImageFont.load_default(FONT * ZOOM)

    def paint(picture: Picture) -> Image.Image:
        png = resvg_py.svg_to_bytes(svg_string=still(picture), zoom=ZOOM, skip_system_fonts=True)
        image = Image.open(BytesIO(png)).convert("RGB")
        pen = ImageDraw.Draw(image)
        for x, y, text, anchor in picture.texts:
            pen.text((x * ZOOM, y * ZOOM), text, INK, font, anchor="ls" if anchor == "start" else "rs")
        return image.quantize(dither=Image.Dither.NONE)

    first, *rest = patiently("Drawing", map(paint, frames), len(frames))
    durations = [round(1000 * picture.seconds) for picture in frames]
    data = BytesIO()
    first.save(data, suffix[1:], save_all=True, append_images=rest, duration=durations, loop=0, lossless=True)
    return data.getvalue()
