"""`kriegbot convert` and `render`: saved games in other formats and as animated pictures."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import Annotated

import chess

from kriegbot.cli.common import argument, compile_kernels, flag, one_of, option, patiently, rules_from
from kriegbot.narration.pictures import FONT, INK, Picture, animated, pictures, still
from kriegbot.request import PERSON, Refused, path_of, refusing, save_whole, whole_of
from referee import GameRecord, RecordError, RuleSet
from referee.formats import FORMATS, format_for, format_named, format_of, written
from referee.formats.base import Format
from referee.pgn import pgn_decoded
from referee.text import one_line, quoted
from tournaments.store import Store, StoreError

STANDARD = "-"  # standard input or output
MAX_BYTES = 64 * 1024 * 1024
DATABASE = b"SQLite format 3"  # the first bytes of a file of SQLite
SIDES = {"white": [chess.WHITE], "black": [chess.BLACK], "both": [chess.WHITE, chess.BLACK]}
ENDINGS = (".gif", ".webp", ".svg")
ZOOM = 1.3  # pixels of a gif or webp per unit of the drawing


def convert(
    source: Annotated[str, argument("IN", "A file of games, or - for standard input.")],
    target: Annotated[str, argument("OUT", "The file to write, or - for standard output.")],
    form_in: Annotated[str | None, option("FORMAT", "Format of IN.  [default: what it looks like]", "--from")] = None,
    form_out: Annotated[
        str | None, option("FORMAT", "Format of OUT.  [default: kriegspiel for .json, else kriegbot]", "--to")
    ] = None,
    rules: Annotated[
        str | None,
        option(
            "RULES",
            "Rules of the games.  [default: those in IN, else wild16 for icc and umd, berkeley for others]",
        ),
    ] = None,
    side: Annotated[
        str | None,
        option("SIDE", "With --to filtered: whose view, white or black.", **one_of("side", ("white", "black"))),
    ] = None,
) -> None:
    """Convert games to another format, and list on standard error what it cannot hold.

    A referee replays every game and refuses impossible ones. Formats:

    \b
      kriegbot    our own PGN, with every try, answer, announcement and time
      kriegspiel  saved games (JSON) of the PyPI package kriegspiel 1.7.3
      icc         PGN with comments such as {(Xd6,CN:f6,Bg7)}: Berkeley's page, Darkboard
      umd         PGN with comments such as {(K:f6,Bg7:CK)}: Maryland's page
      filtered    as icc, one side's view, with ?? for moves it did not see; written only
      plain       PGN of any game of chess: moves only; --rules says what is announced
    """  # noqa: D301 - \b keeps the lines that follow it
    given_rules = None if rules is None else rules_from(rules)
    path = _target_of(source, target)
    try:
        to = format_for(target) if form_out is None else format_named(form_out)
        form = None if form_in is None else format_named(form_in)
        is_filtered = to is FORMATS["filtered"]
        if side is None and is_filtered:
            raise Refused("--to filtered needs a side: add --side white or --side black.")
        if side is not None and not is_filtered:
            raise Refused("--side goes with --to filtered; add that.")
        text = text_of(source)
        form = form or format_of(text)
    except RecordError as error:
        raise Refused(_sentence(str(error))) from None
    games = form.games(text)
    if not games:
        raise Refused(f"{quoted(source)}: no game in it.")
    color, omitted = None if side is None else side == "white", dict[str, None]()
    converted = _converted(source, games, form, to, given_rules, color, omitted)
    texts = patiently("Converting", converted, len(games))
    data = "\n".join(texts).encode()
    if len(data) > MAX_BYTES:
        raise Refused(f"cannot save to {quoted(target)}: {len(data)} bytes; it takes at most {MAX_BYTES}.")
    if path is None:
        sys.stdout.buffer.write(data)
    else:
        save_whole(path, data)
        print(f"{target}: {len(texts)} game{'' if len(texts) == 1 else 's'}")
    if omitted:
        print(f"Not kept in this format: {', '.join(omitted)}.", file=sys.stderr)


def _converted(
    source: str,
    games: list[str],
    form: Format,
    to: Format,
    rules: RuleSet | None,
    color: chess.Color | None,
    omitted: dict[str, None],
) -> Iterator[str]:
    """Yield the games in the new format; add to `omitted` everything that it cannot hold."""
    for number, game in enumerate(games, 1):
        try:
            record, unread = form.read(game, rules)
            text, unwritten = written(record, to, color)
        except RecordError as error:
            where = f", game {number}" if len(games) > 1 else ""
            raise Refused(_sentence(f"{quoted(source)}{where}, as {form.name}: {error}")) from None
        omitted.update(dict.fromkeys((*unread, *unwritten)))
        yield text


def _sentence(text: str) -> str:
    return text if text.endswith((".", "?")) else f"{text}."


def _target_of(source: str, target: str) -> Path | None:
    if target == STANDARD:
        return None
    path = path_of(target)
    if source != STANDARD and path.exists() and os.path.exists(source) and path.samefile(source):
        raise Refused(f"cannot save to {quoted(target)}: it is the file to read; choose another.")
    return path


def text_of(source: str) -> str:
    """Return the text of a file of games, or of standard input."""
    try:
        if source == STANDARD:
            data = sys.stdin.buffer.read(MAX_BYTES + 1)
        else:
            with Path(source).open("rb") as handle:
                data = handle.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise Refused(f"{quoted(source)}: more than {MAX_BYTES} bytes; it takes a smaller file.")
        return pgn_decoded(data)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise Refused(f"{quoted(source)}: cannot be read ({reason}).") from None


def record_of(game: str) -> GameRecord:
    """Return the game in a file of any format. FILE#N is game N of a file or tournament."""
    file, mark, digits = game.rpartition("#")
    is_numbered = bool(mark) and not os.path.exists(game)
    file = file if is_numbered else game
    number = whole_of(digits, "number of a game", 1, 10**9) if is_numbered else None
    if number is None and _is_database(file):
        raise Refused(f"{quoted(file)}: a tournament; it takes one of its games, such as {quoted(f'{file}#1')}.")
    if number is not None and (_is_database(file) or not os.path.exists(file)):
        with refusing(StoreError, ending="."), Store.open(file) as store:
            return store.record(number)
    text = text_of(file)
    try:
        form = format_of(text)
        games = form.games(text)
        if number is None and len(games) > 1:
            raise Refused(f"{quoted(file)}: {len(games)} games; it takes one of them, such as {quoted(f'{file}#1')}.")
        if (number or 1) > len(games):
            raise Refused(f"{quoted(file)}: no game {number or 1}; it holds {len(games)}.")
        return form.read(games[(number or 1) - 1], None)[0]
    except RecordError as error:
        raise Refused(f"{quoted(file)}: {str(error).rstrip('.')}.") from None


def _is_database(file: str) -> bool:
    with suppress(OSError, ValueError), Path(file).open("rb") as handle:
        return handle.read(len(DATABASE)) == DATABASE
    return False


def render(
    game: Annotated[str, argument("GAME", "A saved game; FILE#N is game N of a file or tournament.")],
    out: Annotated[str, option("FILE", "The picture: a name that ends in .gif, .webp or .svg.")],
    side: Annotated[
        str | None,
        option(
            "SIDE",
            "Whose view: white, black or both.  [default: the person's against a program, else both]",
            **one_of("side", SIDES),
        ),
    ] = None,
    belief: Annotated[
        bool, flag("Show how likely the opponent has a piece on each square, judging by the announcements.", "--belief")
    ] = False,
) -> None:
    """Make an animated picture of a saved game as its sides saw it: gif, webp or svg.

    It shows a side's own pieces, its tries and the announcements. If the game has ended, the true board comes last. A
    gif or webp needs Pillow and resvg: pip install 'kriegbot[render]'.
    """
    kind = Path(out).suffix.lower()
    if kind not in ENDINGS:
        raise Refused(f"cannot draw {quoted(out)}: it takes a name that ends in {', '.join(ENDINGS)}.")
    if kind != ".svg" and not (find_spec("PIL") and find_spec("resvg_py")):
        needs = f"A {kind[1:]} needs Pillow and resvg: pip install 'kriegbot[render]'"
        raise Refused(f"{needs}; an svg needs nothing more.")
    path, record = path_of(out), record_of(game)
    if belief:
        compile_kernels()
    total = 2 + sum(1 + bool(turn.tries) for turn in record.turns)
    frames = patiently(
        "Following the game", pictures(record, SIDES[side or _side_of(record)], has_belief=belief), total
    )
    data = animated(frames).encode() if kind == ".svg" else _painted(frames, kind)
    save_whole(path, data)
    seconds = sum(picture.seconds for picture in frames)
    print(f"{one_line(out)}: {len(frames)} pictures, {seconds:.0f} s, {len(data) / 1000:.0f} kB")


def _side_of(record: GameRecord) -> str:
    """Return the side of the only person; "both" if there are two or none."""
    people = [name.lower() for name in ("White", "Black") if record.headers[name] == PERSON]
    return people[0] if len(people) == 1 else "both"


def _painted(frames: list[Picture], kind: str) -> bytes:
    """Return a gif or webp. Pillow's own font makes it the same on every machine."""
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
    first.save(data, kind[1:], save_all=True, append_images=rest, duration=durations, loop=0, lossless=True)
    return data.getvalue()
