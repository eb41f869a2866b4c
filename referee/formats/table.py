"""Every format by name, and what a text or a file's name says about which one it is."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import chess

from referee.errors import RecordError
from referee.formats.comments import ICC, UMD
from referee.formats.filtered import FILTERED
from referee.formats.form import Format, Lost
from referee.formats.kriegbot import KRIEGBOT
from referee.formats.kriegspiel_org import KRIEGSPIEL
from referee.formats.plain import PLAIN
from referee.record import GameRecord
from referee.rules import RULE_SETS
from referee.text import did_you_mean, quoted

FORMATS: Mapping[str, Format] = MappingProxyType(
    {form.name: form for form in (KRIEGBOT, KRIEGSPIEL, FILTERED, UMD, ICC, PLAIN)}
)
"""By name; a text is in the first that it fits."""

_LOOKED_AT = 100_000


def format_named(name: str) -> Format:
    """The format of a name.

    Raises:
      RecordError: there is none.
    """
    if name in FORMATS:
        return FORMATS[name]
    raise RecordError(f"unknown format {quoted(name)}{did_you_mean(name, FORMATS)} Known: {', '.join(FORMATS)}")


def format_of(text: str) -> Format:
    """The format that a text is in.

    Raises:
      RecordError: it looks like none.
    """
    beginning = text[:_LOOKED_AT]
    for form in FORMATS.values():
        if form.fits(beginning):
            return form
    raise RecordError(f"unknown format: {quoted(text[:200])}; it takes games in one of {', '.join(FORMATS)}")


def format_for(path: str) -> Format:
    """The format to write a file of this name in: our own, unless its suffix belongs to another."""
    return next((form for form in FORMATS.values() if form.suffix and path.endswith(form.suffix)), KRIEGBOT)


def written(record: GameRecord, form: Format, side: chess.Color | None = None) -> tuple[str, Lost]:
    """The text of a record, and what was lost.

    Raises:
      RecordError: the record cannot be replayed, or not be written in this format.
    """
    if record.rules != RULE_SETS.get(record.rules.name):
        raise RecordError(f"illegal rule set: {quoted(record.rules.name)} is not the known one of that name")
    for _ in record.replay():
        pass
    return form.write(record, side)
