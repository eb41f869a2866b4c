"""Games of Kriegspiel in our and other programs' formats, to read (one side's view aside) and to write.

Our referee replays every game that is read, so an impossible one is refused with a line that says why. Things for
which a format has no place are left out, and named.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import MappingProxyType

import chess

from referee.formats import foreign_pgn as pgn
from referee.formats import kriegspiel_org as org
from referee.formats.foreign_pgn import ICC, UMD, Lost, Notation, Written
from referee.pgn import pgn_games, record_from_pgn, record_to_pgn
from referee.record import GameRecord, RecordError
from referee.rules import BERKELEY, WILD16, RuleSet
from referee.text import quoted, unknown

_LOOKED_AT = 100_000
_OURS = re.compile(r"^\ufeff?\[KriegspielRecord ", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Format:
    """A format of games: functions that recognise a text, read one game and write one, and split a file."""

    name: str
    fits: Callable[[str], object]
    read: Callable[[str, RuleSet | None], tuple[GameRecord, Lost]]  # with a rule set, if given; and what was lost
    write: Callable[..., Written]  # also takes a side, if it `writes_one_side`
    games: Callable[[str], list[str]] = pgn_games
    suffix: str | None = None  # of files in this format alone
    writes_one_side: bool = False


def _read_ours(text: str, rules: RuleSet | None) -> tuple[GameRecord, Lost]:
    record = record_from_pgn(text)
    if rules not in (None, record.rules):
        raise RecordError(f"illegal rules: the game is one of {quoted(record.rules.name)}; it takes no others")
    return record, ()


def _in_comments(name: str, notation: Notation) -> Format:
    """Return a format of PGN with tries and announcements in comments."""
    read, write = partial(pgn.read, default=WILD16, notation=notation), partial(pgn.write, notation)
    return Format(name, lambda text: pgn.notation_of(text) is notation, read, write)


KRIEGBOT = Format("kriegbot", _OURS.search, _read_ours, lambda record: (record_to_pgn(record), {}))
FORMATS: Mapping[str, Format] = MappingProxyType(
    {
        form.name: form
        for form in (
            KRIEGBOT,
            Format("kriegspiel", org.FIRST.match, org.read, org.write, org.games, ".json"),
            Format("filtered", pgn.ONE_SIDE.search, pgn.refuse_to_read, pgn.write_one_side, writes_one_side=True),
            _in_comments("umd", UMD),
            _in_comments("icc", ICC),
            Format("plain", pgn.FIRST.search, partial(pgn.read, default=BERKELEY), pgn.write_plain),
        )
    }
)
"""Formats by name. A text is in the first that it fits."""


def format_named(name: str) -> Format:
    """Return the format of a name. Raises RecordError if there is none."""
    if name in FORMATS:
        return FORMATS[name]
    raise RecordError(unknown("format", name, FORMATS))


def format_of(text: str) -> Format:
    """Return the format of a text. Raises RecordError if it looks like none."""
    for form in FORMATS.values():
        if form.fits(text[:_LOOKED_AT]):
            return form
    raise RecordError(f"unknown format: {quoted(text[:200])}; it takes games in one of {', '.join(FORMATS)}")


def format_for(path: str) -> Format:
    """Return the format for a file: our own, unless its suffix is another's. Raises RecordError if it is of none."""
    suffix = Path(path).suffix.lower()
    suffixes = {form.suffix: form for form in FORMATS.values() if form.suffix} | {"": KRIEGBOT, ".pgn": KRIEGBOT}
    if suffix in suffixes:
        return suffixes[suffix]
    takes = ", ".join(sorted(filter(None, suffixes)))
    raise RecordError(f"cannot write {quoted(path)}: it takes a name that ends in {takes}, or a format by --to")


def written(record: GameRecord, form: Format, side: chess.Color | None = None) -> tuple[str, Lost]:
    """Return the text of a record and what was lost. Raises RecordError if it does not replay or fit the format."""
    record.check()
    text, lost = form.write(record, side) if form.writes_one_side else form.write(record)
    return text, tuple(name for name, is_lost in lost.items() if is_lost)
