"""Analyses of reviewed games, kept in a folder: one file a game, named by its moves, so that the same game finds it.

A file of another version, or one that cannot be read, counts as none. The folder keeps the latest `MAX_FILES`.
"""

from __future__ import annotations

import logging
import zlib
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

import chess
import msgspec

from kriegbot.web.replies import Analysis, TurningPoints
from referee import GameRecord
from referee.text import read_bytes, write_file

VERSION = f"{version('kriegbot')} 1"  # count up the last number whenever an analysis changes
MAX_FILES, MAX_BYTES, MAX_LOOK_BYTES = 300, 8 * 1024 * 1024, 256 * 1024

log = logging.getLogger("kriegbot.web")


class KeptFile(msgspec.Struct):
    """The contents of a file: turning points once known, and compressed analyses by moment."""

    version: str
    turning: TurningPoints | None
    looks: dict[int, bytes]


@dataclass(slots=True)
class KeptAnalysis:
    """The analysis of one game as far as it is known; `path` is None if it is not to be kept."""

    path: Path | None = None
    turning: TurningPoints | None = None
    looks: dict[int, bytes] = field(default_factory=dict)

    @classmethod
    def load(cls, folder: Path, record: GameRecord, you: chess.Color | None) -> KeptAnalysis:
        """Return what the folder has of a game; nothing if its file is damaged or of another version."""
        turns = [(turn.move, turn.tries) for turn in record.turns]
        name = sha256(repr((record.rules, record.limits, record.start, you, turns)).encode()).hexdigest()[:32]
        path = folder / f"{name}.review"
        with suppress(ValueError, msgspec.MsgspecError):
            read = msgspec.msgpack.decode(read_bytes(path, MAX_BYTES), type=KeptFile)
            if read.version == VERSION:
                return cls(path, read.turning, read.looks)
        return cls(path)

    def save(self) -> None:
        """Write the file, if it can be written, and delete the oldest of too many."""
        if self.path is None:
            return
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            write_file(self.path, msgspec.msgpack.encode(KeptFile(VERSION, self.turning, self.looks)))
            files = sorted(self.path.parent.glob("*.review"), key=lambda path: path.stat().st_mtime)
            for old in files[:-MAX_FILES]:
                old.unlink(missing_ok=True)
        except OSError as error:
            log.warning("cannot keep an analysis in %s: %s", self.path.parent, error.strerror or error)

    def add(self, analysis: Analysis) -> None:
        """Add the analysis of a moment."""
        self.looks[analysis.index] = zlib.compress(msgspec.json.encode(analysis))

    def look(self, index: int) -> Analysis | None:
        """Return the analysis of a moment, if it is known and can be read."""
        with suppress(KeyError, zlib.error, msgspec.MsgspecError):
            data = zlib.decompressobj().decompress(self.looks[index], MAX_LOOK_BYTES)
            analysis = msgspec.json.decode(data, type=Analysis)
            if analysis.index == index:
                return analysis
        return None
