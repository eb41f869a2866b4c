"""`kriegbot render`: a saved game as a moving picture, as its sides saw it, for people who share games."""

from __future__ import annotations

from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import Annotated

import chess
import typer

from kriegbot.cli.common import argument, option
from kriegbot.cli.progress import patiently, preparing
from kriegbot.cli.replay import record_of
from kriegbot.kernels import prepare
from kriegbot.narration.pictures import FONT, INK, Picture, animated, pictures, still
from kriegbot.request import PERSON, Refused, path_of, save_whole
from referee import GameRecord
from referee.text import one_line, quoted, unknown

SIDES = {"white": [chess.WHITE], "black": [chess.BLACK], "both": [chess.WHITE, chess.BLACK]}
ENDINGS = (".gif", ".webp", ".svg")
ZOOM = 1.3  # pixels of a gif or webp for each unit of the drawing


def render(
    game: Annotated[str, argument("GAME", "A saved game; FILE#N is game N of a file or tournament.")],
    out: Annotated[str, option("FILE", "The picture: by its ending a gif, webp or svg.")],
    side: Annotated[
        str | None,
        option("SIDE", "Whose view: white, black or both.  [default: a person's who played a program; else both]"),
    ] = None,
    belief: Annotated[
        bool, typer.Option("--belief", help="Show where the other side's men may be, from what was heard.")
    ] = False,
) -> None:
    """Make a moving picture of a saved game, as its sides saw it: gif, webp or svg.

    What a side had on its board, tried and heard; the true board comes at the end, if the game has ended. A gif or
    webp needs Pillow and resvg: pip install 'kriegbot[render]'.
    """
    kind = Path(out).suffix.lower()
    if kind not in ENDINGS:
        raise Refused(f"cannot draw {quoted(out)}: it takes a name that ends in {', '.join(ENDINGS)}.")
    if side is not None and side not in SIDES:
        raise Refused(unknown("side", side, SIDES))
    if kind != ".svg" and not (find_spec("PIL") and find_spec("resvg_py")):
        raise Refused(f"a {kind[1:]} takes Pillow and resvg: pip install 'kriegbot[render]'; an svg takes nothing.")
    path, record = path_of(out), record_of(game)
    if belief:
        with preparing() as report:
            prepare(report)
    most = 2 + sum(1 + bool(turn.tries) for turn in record.turns)
    told = pictures(record, SIDES[side or side_of(record)], has_belief=belief)
    shown = patiently("Following the game", told, most)
    data = animated(shown).encode() if kind == ".svg" else _painted(shown, kind)
    save_whole(path, data)
    seconds = sum(picture.seconds for picture in shown)
    print(f"{one_line(out)}: {len(shown)} pictures, {seconds:.0f} s, {len(data) / 1000:.0f} kB")


def side_of(record: GameRecord) -> str:
    """The side of the only person; both, if there is none or another."""
    people = [name.lower() for name in ("White", "Black") if record.headers[name] == PERSON]
    return people[0] if len(people) == 1 else "both"


def _painted(shown: list[Picture], kind: str) -> bytes:
    """A gif or webp of pictures. Their text is in Pillow's own font, so that every machine draws the same."""
    import resvg_py  # only now: the extra `render`
    from PIL import Image, ImageDraw, ImageFont

    font = ImageFont.load_default(FONT * ZOOM)

    def painted(picture: Picture) -> Image.Image:
        png = resvg_py.svg_to_bytes(svg_string=still(picture), zoom=ZOOM, skip_system_fonts=True)
        image = Image.open(BytesIO(png)).convert("RGB")
        pen = ImageDraw.Draw(image)
        for x, y, text, anchor in picture.texts:
            pen.text((x * ZOOM, y * ZOOM), text, INK, font, anchor="ls" if anchor == "start" else "rs")
        return image.quantize(dither=Image.Dither.NONE)

    first, *rest = patiently("Drawing", map(painted, shown), len(shown))
    durations = [round(1000 * picture.seconds) for picture in shown]
    data = BytesIO()
    first.save(data, kind[1:], save_all=True, append_images=rest, duration=durations, loop=0, lossless=True)
    return data.getvalue()
