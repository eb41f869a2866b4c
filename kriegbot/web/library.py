"""The saved games of a folder: which there are, and what can be done with them.

Only files that lie in the folder itself and end in .pgn are known here, by their names; whatever a name says, nothing
else is read, changed or deleted. Listing reads no more than the tags of each file.
"""

from __future__ import annotations

import io
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import chess.pgn

from kriegbot.narration.helping import Help
from kriegbot.narration.names import both_called
from kriegbot.request import BROKEN_OFF, Refused, can_sit, is_resumable, refusing
from kriegbot.web.replies import SavedGame
from referee import GameRecord, RecordError, RuleSet, UnknownRuleSet, load_record, rule_set, save_record
from referee.formats import format_of
from referee.pgn import pgn_decoded

MAX_SHOWN = 300  # games listed, the newest
MAX_UPLOADED = 256 * 1024  # bytes of an uploaded file
MAX_TAGS = 8 * 1024  # bytes of a file that are looked at for its tags


class Library:
    """The saved games of a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def games(self) -> list[SavedGame]:
        """The games, newest first; files that are no games of Kriegspiel are left out."""
        try:
            paths = sorted(self.folder.glob("*.pgn"), key=lambda path: -path.stat().st_mtime)
        except OSError:
            return []
        return [game for path in paths[:MAX_SHOWN] if (game := _listed(path)) is not None]

    def path(self, name: str) -> Path:
        """The file of a game."""
        path = self.folder / name
        try:
            is_there = name.endswith(".pgn") and Path(name).name == name and "\0" not in name and path.is_file()
        except OSError:  # the name is too long
            is_there = False
        if not is_there:
            raise Refused("There is no saved game of that name any more.")
        return path

    def load(self, name: str) -> GameRecord:
        """A saved game."""
        with refusing(RecordError, ending="."):
            return load_record(self.path(name))

    def open(self, name: str) -> tuple[GameRecord, Path]:
        """A saved game to look at or take away; one that could be played on is marked, for both sides are seen now."""
        record, path = self.load(name), self.path(name)
        if is_resumable(record):
            seen = Help.of(record)
            seen.has_looked = True
            record = replace(record, headers={**record.headers, **seen.header()})
            with refusing(OSError, beginning="The game cannot be marked as looked at: ", ending="."):
                save_record(record, path)
        return record, path

    def delete(self, name: str) -> None:
        """Deletes a game."""
        with refusing(OSError, beginning="The game cannot be deleted: ", ending="."):
            self.path(name).unlink()

    def save(self, record: GameRecord, id_: str) -> Path:
        """Saves a game under a name of its own; raises OSError."""
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / f"kriegspiel-{datetime.now():%Y-%m-%d-%H%M%S}-{id_[:6]}.pgn"
        save_record(record, path)
        return path

    def upload(self, data: bytes, rules: RuleSet, id_: str) -> Path:
        """Saves the first game of a file in any format that `kriegbot convert` reads; returns its new file.

        The rules are those of a game that does not name its own.
        """
        text = pgn_decoded(data)
        with refusing(RecordError, beginning="The file is refused: ", ending="."):
            form = format_of(text)
            games = form.games(text)
            if len(games) != 1:
                raise Refused(f"The file holds {len(games)} games; it takes one.")
            try:
                record, _ = form.read(games[0], rules)
            except RecordError:  # it may be a game by the rules that the file names
                record, _ = form.read(games[0], None)
        with refusing(OSError, beginning="The game cannot be saved: ", ending="."):
            return self.save(record, id_)


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
    white, black = both_called(names)
    return {
        "file": path.name,
        "date": f"{datetime.fromtimestamp(path.stat().st_mtime):%Y-%m-%d %H:%M}",
        "white": white,
        "black": black,
        "rules": rules.title,
        "result": tags.get("Result", "*"),
        "how": f"{how} ({detail})" if detail else how,
        "help": tags.get("Help", ""),
        "resumable": how in BROKEN_OFF and can_sit(names),
    }
