"""A whole game as plain text, what White and what Black sees and hears side by side."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from itertools import zip_longest

import chess

from kriegbot.cli.board import plain_board
from kriegbot.cli.diary import Diary
from referee import GameRecord, Limits, View

COLUMN = 40


def playthrough(record: GameRecord) -> Iterator[str]:
    """The game line by line.

    Raises:
      RecordError: the record is not that of a game.
    """
    yield from heading(record)
    diaries = {color: Diary() for color in chess.COLORS}
    referee = None
    for step in record.replay():
        referee = step.referee
        views = {color: referee.view(color) for color in chess.COLORS}
        for color, diary in diaries.items():
            diary.take(views[color])
        is_turn_over = step.event is not None and (referee.turn != step.color or referee.end is not None)
        if step.event is None or is_turn_over:
            news = [[entry.line() for entry in diaries[color].entries] for color in chess.COLORS]
            yield from _both(views, news)
            for diary in diaries.values():
                diary.entries.clear()
    if referee is not None:
        yield from ["", "The board at the end:", *plain_board(referee.board().piece_map())]
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


def own_men(view: View) -> dict[chess.Square, chess.Piece]:
    """The men of a view."""
    return {square: chess.Piece(kind, view.color) for square, kind in view.men.items()}


def _both(views: dict[chess.Color, View], news: list[list[str]]) -> Iterator[str]:
    """Boards and news of both sides, in two columns."""
    columns = []
    for color, lines in zip(chess.COLORS, news, strict=True):
        wrapped = [part for line in lines for part in textwrap.wrap(line, COLUMN - 2, subsequent_indent="  ")]
        columns.append([*wrapped, *plain_board(own_men(views[color]))])
    height = max(map(len, columns))
    yield ""
    yield "White".ljust(COLUMN) + "Black"
    padded = [[""] * (height - len(column)) + column for column in columns]
    for left, right in zip_longest(*padded):
        yield (left.ljust(COLUMN) + right).rstrip()
