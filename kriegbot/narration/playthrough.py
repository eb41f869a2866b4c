"""A whole game as plain text, what White and what Black sees and hears side by side."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest

import chess

from kriegbot.narration.board import Men, plain_board
from kriegbot.narration.moments import moments
from referee import GameRecord, Limits

COLUMN = 40


def playthrough(record: GameRecord, notes: Mapping[int, Sequence[str]] | None = None) -> Iterator[str]:
    """The game line by line.

    Args:
      record: the game.
      notes: lines to add after the move of a ply, counted from 0.

    Raises:
      RecordError: the record is not that of a game.
    """
    yield from heading(record)
    news: dict[chess.Color, list[str]] = {color: [] for color in chess.COLORS}
    moment, ply = None, -1
    for moment in moments(record):
        for color, lines in news.items():
            lines += [entry.line() for entry in moment.news[chess.COLOR_NAMES[color].capitalize()]]
        if moment.event is None or moment.turn != moment.mover:
            yield from _both(moment.men, [news[color] for color in chess.COLORS])
            for lines in news.values():
                lines.clear()
            if notes and ply in notes:
                yield from ["", *notes[ply]]
            ply += 1
    if moment is not None:
        yield from ["", "The board at the end:", *plain_board(moment.men["referee"])]
    yield from ["", ending(record)]


def heading(record: GameRecord) -> Iterator[str]:
    """Who plays, and how."""
    for name in ("White", "Black", "Seed"):
        if name in record.headers:
            yield f"{name}: {record.headers[name]}"
    yield f"Rules: {record.rules.title}"
    yield f"Limits: {limits_text(record.limits)}"
    if record.start != chess.STARTING_FEN:
        yield f"Start: {record.start}"


def ending(record: GameRecord) -> str:
    """The result in a line: "0-1: checkmate, Black wins, after 57 plies"."""
    how = record.end.text() if record.end is not None else "the game goes on"
    count = len(record.turns)
    return f"{record.result}: {how}, after {count} {'ply' if count == 1 else 'plies'}"


def limits_text(limits: Limits) -> str:
    """Limits in words."""
    parts = []
    if limits.plies is not None:
        parts.append(f"{limits.plies} plies")
    if limits.quiet_plies is not None:
        parts.append(f"{limits.quiet_plies} plies without pawn move or capture")
    return "draw after " + ", or after ".join(parts) if parts else "none"


def _both(men: Mapping[str, Men], news: list[list[str]]) -> Iterator[str]:
    """Boards and news of both sides, in two columns."""
    columns = []
    for name, lines in zip(("White", "Black"), news, strict=True):
        wrapped = [part for line in lines for part in textwrap.wrap(line, COLUMN - 2, subsequent_indent="  ")]
        columns.append([*wrapped, *plain_board(men[name])])
    height = max(map(len, columns))
    yield ""
    yield "White".ljust(COLUMN) + "Black"
    padded = [[""] * (height - len(column)) + column for column in columns]
    for left, right in zip_longest(*padded):
        yield (left.ljust(COLUMN) + right).rstrip()
