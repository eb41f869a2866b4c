"""Saves games; a game that was in the file is kept beside it."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from kriegbot.cli.errors import Refused
from referee import GameRecord, save_record


def save_game(record: GameRecord, path: Path) -> str:
    """Saves a game, and says so.

    Raises:
      Refused: the file cannot be written, though it could be before the game.
    """
    kept = ""
    try:
        if path.exists() and path.stat().st_size:
            older = path.with_name(path.name + "~")
            path.replace(older)
            kept = f" (what was there is now {older})"
        save_record(record, path)
    except OSError as error:
        raise Refused(f"cannot save to '{path}': {error.strerror or error}.") from None
    return f"Saved to {path}{kept}."


def free_name() -> Path:
    """A name that no file has yet."""
    stem = f"kriegspiel-{datetime.now():%Y-%m-%d-%H%M%S}"
    path, number = Path(f"{stem}.pgn"), 1
    while path.exists():
        number += 1
        path = Path(f"{stem}-{number}.pgn")
    return path
