"""Saves games; a file that was there is kept under another name."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from kriegbot.request import Refused
from referee import GameRecord, save_record


def save_game(record: GameRecord, path: Path, *, is_same: bool = False) -> str:
    """Saves a game; returns a line that says so.

    Args:
      record: the game.
      path: its file.
      is_same: whether the file holds the same game up to an earlier move, and need not be kept.

    Raises:
      Refused: the file can no longer be written.
    """
    kept = ""
    try:
        if not is_same and path.exists() and path.stat().st_size:
            older = path.with_name(path.name + "~")
            path.replace(older)
            kept = f" (what was there is now {older})"
        save_record(record, path)
    except OSError as error:
        raise Refused(f"cannot save to '{path}': {error.strerror or error}.") from None
    return f"Saved to {path}{kept}."


def free_name(folder: Path = Path()) -> Path:
    """An unused file name in a folder, by default the current one."""
    stem = f"kriegspiel-{datetime.now():%Y-%m-%d-%H%M%S}"
    path, number = folder / f"{stem}.pgn", 1
    while path.exists():
        number += 1
        path = folder / f"{stem}-{number}.pgn"
    return path
