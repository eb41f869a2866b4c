"""`kriegbot convert`: games from one format to another."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import chess

from kriegbot.cli.common import argument, option, rules_from
from kriegbot.cli.progress import patiently
from kriegbot.request import COLORS, Refused, color_of, path_of, save_whole
from referee import RecordError, RuleSet
from referee.formats import FORMATS, format_for, format_named, format_of, written
from referee.formats.base import Format
from referee.text import quoted

STANDARD = "-"  # what stands for standard input or output
MOST_BYTES = 64 * 1024 * 1024


def convert(
    source: Annotated[str, argument("IN", "A file of games, or - for standard input.")],
    target: Annotated[str, argument("OUT", "Where to, or - for standard output.")],
    form_in: Annotated[str | None, option("FORMAT", "What IN is.  [default: what it looks like]", "--from")] = None,
    form_out: Annotated[
        str | None, option("FORMAT", "What OUT becomes.  [default: kriegspiel for .json, or kriegbot]", "--to")
    ] = None,
    rules: Annotated[
        str | None,
        option("RULES", "Rules of the games.  [default: as IN says; or wild16 for icc and umd, else berkeley]"),
    ] = None,
    side: Annotated[str | None, option("SIDE", "With --to filtered: white or black, whose view it is.")] = None,
) -> None:
    """Write games in another format; what that cannot hold is named on standard error.

    A referee plays every game again, and refuses what cannot have been. Formats:

    \b
      kriegbot    our own PGN, with every try, answer, announcement and time
      kriegspiel  saved games (JSON) of the PyPI package kriegspiel 1.7.3
      icc         PGN with comments such as {(Xd6,CN:f6,Bg7)}: Berkeley's page, Darkboard
      umd         PGN with comments such as {(K:f6,Bg7:CK)}: Maryland's page
      filtered    as icc, one side's view, with ?? for moves it did not see; written only
      plain       PGN of any game of chess: moves only; --rules says what is announced
    """  # noqa: D301 - the backspace tells where lines are to be kept
    given = None if rules is None else rules_from(rules)
    path = _target_of(source, target)
    try:
        to = format_for(target) if form_out is None else format_named(form_out)
        begun = None if form_in is None else format_named(form_in)
        color = _side_of(side, is_filtered=to is FORMATS["filtered"])
        text = text_of(source)
        begun = begun or format_of(text)
    except RecordError as error:
        raise Refused(_sentence(str(error))) from None
    games = begun.games(text)
    if not games:
        raise Refused(f"{quoted(source)}: no game in it; it takes at least one.")
    lost: dict[str, None] = {}
    texts = patiently("Converting", _converted((source, games), begun, to, (given, color), lost), len(games))
    whole = "\n".join(texts).encode()
    if len(whole) > MOST_BYTES:
        raise Refused(f"cannot save to {quoted(target)}: {len(whole)} bytes; it takes at most {MOST_BYTES}.")
    if path is None:
        sys.stdout.buffer.write(whole)
    else:
        save_whole(path, whole)
        print(f"{target}: {len(texts)} game{'' if len(texts) == 1 else 's'}")
    if lost:
        print(f"lost: {', '.join(lost)}", file=sys.stderr)


def _converted(
    found: tuple[str, list[str]],
    begun: Format,
    to: Format,
    asked: tuple[RuleSet | None, chess.Color | None],
    lost: dict[str, None],
) -> Iterator[str]:
    """The games one after another, converted; and what that has lost."""
    source, games = found
    for number, game in enumerate(games, 1):
        try:
            record, missed = begun.read(game, asked[0])
            text, left_out = written(record, to, asked[1])
        except RecordError as error:
            which = f", game {number}" if len(games) > 1 else ""
            raise Refused(_sentence(f"{quoted(source)}{which}, as {begun.name}: {error}")) from None
        lost.update(dict.fromkeys((*missed, *left_out)))
        yield text


def _sentence(text: str) -> str:
    return text if text.endswith((".", "?")) else f"{text}."


def _target_of(source: str, target: str) -> Path | None:
    if target == STANDARD:
        return None
    path = path_of(target)
    if source != STANDARD and path.exists() and os.path.exists(source) and path.samefile(source):
        raise Refused(f"cannot save to {quoted(target)}: it is the file to read; it takes another.")
    return path


def _side_of(side: str | None, *, is_filtered: bool) -> chess.Color | None:
    if side is None and is_filtered:
        raise Refused("--to filtered takes a side: add --side white or --side black.")
    if side is None:
        return None
    if not is_filtered:
        raise Refused("--side goes with --to filtered; add that.")
    if side == COLORS[-1]:
        raise Refused(f"illegal side '{side}': it takes white or black.")
    return color_of(side, 0)


def text_of(source: str) -> str:
    """What is in a file of games, or comes from standard input."""
    try:
        if source == STANDARD:
            data = sys.stdin.buffer.read(MOST_BYTES + 1)
        else:
            with Path(source).open("rb") as handle:
                data = handle.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise Refused(f"{quoted(source)}: more than {MOST_BYTES} bytes; it takes a smaller file.")
        return data.decode()
    except UnicodeDecodeError as error:
        raise Refused(f"{quoted(source)}: byte {error.start} is not UTF-8 text; it takes games as text.") from None
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise Refused(f"{quoted(source)}: cannot be read ({why}).") from None
