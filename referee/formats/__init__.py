"""Games of Kriegspiel in other programs' formats, both ways.

Our referee replays every game that is read, so an impossible one is refused with a line that says where. Things for
which a format has no place are left out, and named.
"""

import re
from collections.abc import Mapping
from types import MappingProxyType

import chess

from referee.formats.base import Format, Lost
from referee.formats.foreign_pgn import FILTERED, ICC, PLAIN, UMD
from referee.formats.kriegspiel_org import KRIEGSPIEL
from referee.pgn import pgn_games, record_from_pgn, record_to_pgn
from referee.record import GameRecord, RecordError
from referee.rules import RuleSet
from referee.text import quoted, unknown

_LOOKED_AT = 100_000
_OURS = re.compile(r"^\ufeff?\[KriegspielRecord ", re.MULTILINE)


def _read_ours(text: str, rules: RuleSet | None) -> tuple[GameRecord, Lost]:
    record = record_from_pgn(text)
    if rules not in (None, record.rules):
        raise RecordError(f"illegal rules: the game is one of {quoted(record.rules.name)}; it takes no others")
    return record, ()


KRIEGBOT = Format(
    "kriegbot",
    "our own PGN, with every try, answer, announcement and time",
    lambda text: _OURS.search(text) is not None,
    pgn_games,
    _read_ours,
    lambda record, _side: (record_to_pgn(record), {}),
)
FORMATS: Mapping[str, Format] = MappingProxyType(
    {form.name: form for form in (KRIEGBOT, KRIEGSPIEL, FILTERED, UMD, ICC, PLAIN)}
)
"""Formats by name. A text is in the first that it fits."""


def format_named(name: str) -> Format:
    """Return the format of a name. Raises RecordError if there is none."""
    if name in FORMATS:
        return FORMATS[name]
    raise RecordError(unknown("format", name, FORMATS))


def format_of(text: str) -> Format:
    """Return the format of a text. Raises RecordError if it looks like none."""
    beginning = text[:_LOOKED_AT]
    for form in FORMATS.values():
        if form.fits(beginning):
            return form
    raise RecordError(f"unknown format: {quoted(text[:200])}; it takes games in one of {', '.join(FORMATS)}")


def format_for(path: str) -> Format:
    """Return the format in which to write a file of this name: our own, unless its suffix belongs to another."""
    return next((form for form in FORMATS.values() if form.suffix and path.endswith(form.suffix)), KRIEGBOT)


def written(record: GameRecord, form: Format, side: chess.Color | None = None) -> tuple[str, Lost]:
    """Return the text of a record and what was lost. Raises RecordError if it does not replay or fit the format."""
    record.check()
    text, lost = form.write(record, side)
    return text, tuple(name for name, is_lost in lost.items() if is_lost)
