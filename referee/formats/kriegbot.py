"""Our own PGN, see `referee.pgn`: it holds everything."""

from __future__ import annotations

import chess

from referee.errors import RecordError
from referee.formats.form import Format, Lost
from referee.formats.movetext import pgn_games
from referee.pgn import record_from_pgn, record_to_pgn
from referee.record import GameRecord
from referee.rules import RuleSet
from referee.text import quoted


def fits(text: str) -> bool:
    """Whether our header is there."""
    return "[KriegspielRecord " in text


def read(text: str, rules: RuleSet | None) -> tuple[GameRecord, Lost]:
    """A record; it names its rules itself."""
    record = record_from_pgn(text)
    if rules not in (None, record.rules):
        raise RecordError(f"illegal rules: the game is one of {quoted(record.rules.name)}; it takes no others")
    return record, ()


def write(record: GameRecord, side: chess.Color | None) -> tuple[str, Lost]:
    """A record as text, whatever side asks."""
    del side
    return record_to_pgn(record), ()


KRIEGBOT = Format(
    "kriegbot", "our own PGN, with every try, answer, announcement and time", fits, pgn_games, read, write
)
