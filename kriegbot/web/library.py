"""The saved games of a folder: list, load, save, mark and delete.

A name stands for a file in the folder itself that ends in .pgn. Whatever a name says, no other file is read, changed or
deleted, nor one that is a link or has a hard link elsewhere. Listing reads only the tags of each file.
"""

from __future__ import annotations

import io
from contextlib import ExitStack, suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import chess.pgn

from kriegbot.narration.helping import Help
from kriegbot.narration.moments import both_named
from kriegbot.request import BROKEN_OFF, Refused, can_sit, is_played, is_resumable, playing, refusing
from kriegbot.web.kept import Seatings
from kriegbot.web.replies import SavedGame
from referee import GameRecord, RecordError, RuleSet, UnknownRuleSet, load_record, rule_set, save_record
from referee.formats import format_of
from referee.pgn import pgn_decoded

MAX_SHOWN = 300  # games listed, the newest
MAX_UPLOADED = 256 * 1024  # bytes of an uploaded file
MAX_TAGS = 8 * 1024  # bytes read of a file for its tags


class Library:
    """The saved games of a folder.

    Attributes:
      seatings: who sits in which game.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.seatings = folder, Seatings(folder)
        self._in_progress: dict[str, ExitStack] = {}

    def games(self) -> list[SavedGame]:
        """Return the games, newest first; skip files that are no games of Kriegspiel."""
        try:
            paths = sorted(self.folder.glob("*.pgn"), key=lambda path: -path.stat().st_mtime)
        except OSError:
            return []
        paths = [path for path in paths if not is_linked(path) and not self._is_live(path)]
        return [game for path in paths[:MAX_SHOWN] if (game := _listed(path)) is not None]

    def hold(self, path: Path) -> None:
        """Note that a game is live. Its file holds both sides, so nobody lists, reads or deletes it on the page."""
        if path.name not in self._in_progress:
            self._in_progress[path.name] = held = ExitStack()
            with suppress(Refused):
                held.enter_context(playing(path))

    def release(self, path: Path) -> None:
        """Note that a game has ended."""
        self._in_progress.pop(path.name, ExitStack()).close()

    def _is_live(self, path: Path) -> bool:
        return path.name in self._in_progress or is_played(path)

    def path(self, name: str) -> Path:
        """Return the file of a game; raise Refused if there is none."""
        path = self.folder / name
        try:
            is_there = name.endswith(".pgn") and Path(name).name == name and "\0" not in name and path.is_file()
        except OSError:  # the name is too long
            is_there = False
        if not is_there:
            raise Refused("There is no saved game with that name any more.")
        if is_linked(path):
            raise Refused("That file is a link, or has a link elsewhere. Copy it, and open the copy.")
        if self._is_live(path):
            raise Refused("That game is in progress. It can be opened when it has ended.")
        return path

    def load(self, name: str) -> GameRecord:
        """Return a saved game; raise Refused if it cannot be read."""
        with refusing(RecordError):
            return load_record(self.path(name))

    def open(self, name: str) -> tuple[GameRecord, Path]:
        """Return a saved game and its file, to show it whole; mark a game that could be played on."""
        record, path = self.load(name), self.path(name)
        if is_resumable(record):
            aid = Help.of(record)
            aid.has_looked = True
            record = replace(record, headers={**record.headers, **aid.header()})
            with refusing(OSError, beginning="The game cannot be marked as seen: "):
                save_record(record, path)
        return record, path

    def delete(self, name: str) -> None:
        """Delete a game."""
        with refusing(OSError, beginning="The game cannot be deleted: "):
            self.path(name).unlink()

    def new_path(self, id_: str) -> Path:
        """Return a new file name for a game."""
        return self.folder / f"kriegspiel-{datetime.now():%Y-%m-%d-%H%M%S}-{id_[:6]}.pgn"

    def save(self, record: GameRecord, path: Path) -> Path:
        """Save a game in a file and return it; raise OSError."""
        self.folder.mkdir(parents=True, exist_ok=True)
        save_record(record, path)
        return path

    def upload(self, data: bytes, rules: RuleSet, id_: str) -> Path:
        """Save the one game of a file in any format that `kriegbot convert` reads, and return its new file.

        `rules` apply to a game that names none.
        """
        text = pgn_decoded(data)
        with refusing(RecordError, beginning="The file is refused: "):
            form = format_of(text)
            games = form.games(text)
            if len(games) != 1:
                raise Refused(f"The file has {len(games)} games. Upload a file with one.")
            try:
                record, _ = form.read(games[0], rules)
            except RecordError:  # the file may name rules of its own
                record, _ = form.read(games[0], None)
        with refusing(OSError, beginning="The game cannot be saved: "):
            return self.save(record, self.new_path(id_))


def is_linked(path: Path) -> bool:
    """Return True if a file is a symbolic link, or has a hard link elsewhere."""
    return path.is_symlink() or path.stat().st_nlink > 1


def _listed(path: Path) -> SavedGame | None:
    try:
        with path.open("rb") as handle:
            text = handle.read(MAX_TAGS).decode(errors="replace")
    except OSError:
        return None
    tags = chess.pgn.read_headers(io.StringIO(text))
    try:
        rules = None if tags is None else rule_set(tags.get("RuleSet", ""))
    except UnknownRuleSet:
        rules = None
    if tags is None or rules is None:
        return None
    how, detail = tags.get("Termination", ""), tags.get("TerminationDetails", "")
    names = [tags.get("White", "?"), tags.get("Black", "?")]
    white, black = both_named(tags)
    return SavedGame(
        file=path.name,
        date=f"{datetime.fromtimestamp(path.stat().st_mtime):%Y-%m-%d %H:%M}",
        white=white,
        black=black,
        rules=rules.title,
        result=tags.get("Result", "*"),
        how=f"{how} ({detail})" if detail else how,
        help=tags.get("Help", ""),
        resumable=how in BROKEN_OFF and can_sit(names),
    )
