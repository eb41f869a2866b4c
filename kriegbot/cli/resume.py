"""`kriegbot resume`: plays a game on that was broken off."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kriegbot.request import Refused

if TYPE_CHECKING:
    from referee import GameRecord

MOST_TAGS = 8 * 1024
"""Bytes of a file that are looked at to see whether its game was broken off."""


def resume(
    file: Annotated[
        str | None, typer.Argument(metavar="[FILE]", help="The saved game.  [default: the last one broken off]")
    ] = None,
    show_belief: Annotated[
        bool, typer.Option("--show-belief", help="Show where the opponent's men may be, from what you know yourself.")
    ] = False,
) -> None:
    """Play on a game that was broken off, at the terminal or on the page.

    The opponent sits down anew, and learns what has happened from its own view. What you do not know stays hidden. The
    game is saved in the same file.
    """
    from kriegbot import request
    from kriegbot.cli.arguments import path_of
    from kriegbot.cli.person import PersonGame

    path = _last() if file is None else Path(file)
    record = _record_of(path)
    why_not = _why_not(record)
    if why_not:
        raise Refused(f"'{path}' cannot be played on here: {why_not}.")
    path_of(str(path))
    program, (side,) = request.program_in(record)
    assert program is not None  # for mypy: `_why_not` has seen one person alone
    seed = record.headers.get("Seed", "")
    number = request.seed_of(seed if seed.isdigit() else None)
    PersonGame(program, side, record.rules, number, begun=record).play(path, show_belief=show_belief)


def _record_of(path: Path) -> GameRecord:
    from referee import RecordError, load_record

    try:
        return load_record(path)
    except RecordError as error:
        raise Refused(str(error)) from None


def _why_not(record: GameRecord) -> str:
    """Why a person at a terminal cannot play a game on; nothing if that is possible."""
    from kriegbot.request import PERSON, is_resumable

    if not is_resumable(record):
        return "it takes a game of a person's against an installed player that was broken off"
    if all(record.headers[color] == PERSON for color in ("White", "Black")):
        return "it is a game between two people; `kriegbot play --web` goes on with it"
    if "TimeControl" in record.headers:
        return "it has a clock; `kriegbot play --web` goes on with it"
    return ""


def _last() -> Path:
    """The last game that was broken off among the saved ones."""
    from kriegbot.cli.arguments import games_folder
    from kriegbot.request import BROKEN_OFF

    folder = games_folder()
    for path in sorted(folder.glob("*.pgn"), key=os.path.getmtime, reverse=True):
        try:
            with path.open("rb") as handle:
                tags = handle.read(MOST_TAGS).decode(errors="replace")
            if any(f'[Termination "{how}"]' in tags for how in BROKEN_OFF) and not _why_not(_record_of(path)):
                return path
        except (OSError, Refused):
            continue
    raise Refused(f"no game in '{folder}' was broken off; it takes the file of one.")
