"""Files of the page: saved games with who sits where, analyses, and the address of the page.

Saved games are files of one folder that end in .pgn. Whatever a name says, no other file is shown, changed or deleted,
nor one that is a link or has a hard link elsewhere. Seats and the address let open tabs and sent links go on working
with the next server. They are secrets: but on Windows, a file that others can read is ignored and replaced.
"""

import io
import logging
import secrets
import sys
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Self, TypeVar

import chess.pgn
import msgspec

from kriegbot.narration.helping import Help
from kriegbot.narration.names import both_named
from kriegbot.request import BROKEN_OFF, Refused, can_sit, is_played, is_resumable, playing, refusing, saved_games
from kriegbot.web.notices import Analysis, GameList, SavedGame, TurningPoints
from referee import GameRecord, RecordError, RuleSet, UnknownRuleSet, load_record, rule_set, save_record
from referee.formats import format_of
from referee.pgn import pgn_decoded
from referee.text import quoted, read_bytes, unless_held, write_secret

MAX_SHOWN = 300  # games listed, the newest
MAX_UPLOADED = 256 * 1024  # bytes of an uploaded file
LINKED = "a link, or has a link elsewhere. Copy it, and open the copy."
MAX_PRIVATE = 1 << 20  # bytes of a file of seats or of an address
MAX_SEATINGS = 100  # games whose links go on working, the newest
VERSION = f"{version('kriegbot')} 3"  # of analyses; count up the last number whenever one changes
MAX_ANALYSES, MAX_ANALYSIS, MAX_LOOK = 300, 8 * 1024 * 1024, 256 * 1024  # files kept; bytes of one, and of a moment

T = TypeVar("T")
Token = Annotated[str, msgspec.Meta(pattern=r"^[\w-]{22,}$")]

log = logging.getLogger("kriegbot.web")


class Library:
    """The saved games of a folder, and who sits in which."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.seatings = folder, Seatings(folder)
        self._in_progress: dict[str, ExitStack] = {}

    def games(self) -> GameList:
        """Return the newest games that are not live, newest first, and lines on files that are no games."""
        found, passed_over = saved_games(self.folder)
        games = list[SavedGame]()
        for when, path, text in found:
            try:
                if is_linked(path):
                    raise ValueError(LINKED)
                if len(games) < MAX_SHOWN and not self._is_live(path):
                    games.append(_listed(path, when, text))
            except (UnknownRuleSet, ValueError, OverflowError, OSError) as error:  # a time may be beyond all calendars
                passed_over.append(f"{quoted(path.name)}: {error}")
        return GameList(str(self.folder), games, passed_over)

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
        """Return the file of a game; raise Refused if there is none, it is a link, or the game is live."""
        path = self.folder / name
        try:
            is_there = name.endswith(".pgn") and Path(name).name == name and "\0" not in name and path.is_file()
        except OSError:  # the name is too long
            is_there = False
        if not is_there:
            raise Refused("There is no saved game with that name any more.")
        if is_linked(path):
            raise Refused(f"That file is {LINKED}")
        if self._is_live(path):
            raise Refused("That game is in progress. It can be opened when it has ended.")
        return path

    def waiting(self, browser: str) -> dict[str, str]:
        """Return unfinished games that are not live and in which a person has one seat: the players, by id."""
        mine = dict[str, str]()
        for file, one in [*self.seatings.items()]:
            sides = [side for side, owner in one.browsers.items() if owner == browser]
            mine |= {file: one.ids[sides[0]]} if len(sides) == 1 else {}
        games = [game for game in self.games().games if game.resumable and game.file in mine] if mine else []
        return {mine[game.file]: f"{game.white} – {game.black}" for game in games}  # noqa: RUF001

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
            unless_held(self.path(name).unlink)

    def new_path(self, id_: str) -> Path:
        """Return a new file name for a game."""
        return self.folder / f"kriegspiel-{datetime.now():%Y-%m-%d-%H%M%S}-{id_[:6]}.pgn"

    def upload(self, data: bytes, rules: RuleSet, id_: str) -> Path:
        """Save the one game of a file that `kriegbot convert` reads; return its new file. It may name other rules."""
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
            self.folder.mkdir(parents=True, exist_ok=True)
            save_record(record, path := self.new_path(id_))
            return path


def is_linked(path: Path) -> bool:
    """Return True if a file is a symbolic link, has a hard link elsewhere, or is gone."""
    try:
        return path.is_symlink() or path.stat().st_nlink > 1
    except OSError:
        return True


def _listed(path: Path, when: float, text: str) -> SavedGame:
    tags = chess.pgn.read_headers(io.StringIO(text)) or chess.pgn.Headers()
    how, detail = tags.get("Termination", ""), tags.get("TerminationDetails", "")
    names = [tags.get("White", "?"), tags.get("Black", "?")]
    white, black = both_named(tags)
    return SavedGame(
        file=path.name,
        date=f"{datetime.fromtimestamp(when):%Y-%m-%d %H:%M}",
        white=white,
        black=black,
        rules=rule_set(tags.get("RuleSet", "")).title,
        result=tags.get("Result", "*"),
        how=f"{how} ({detail})" if detail else how,
        help=tags.get("Help", ""),
        resumable=how in BROKEN_OFF and can_sit(names),
    )


class Address(msgspec.Struct):
    """The page's address: port and tokens, for one host. `network` is that at which it lets guests in."""

    host: str
    port: Annotated[int, msgspec.Meta(ge=0, le=65535)] = 0  # any free one
    token: Token = msgspec.field(default_factory=lambda: secrets.token_urlsafe(16))
    guest_token: Token = msgspec.field(default_factory=lambda: secrets.token_urlsafe(16))
    network: str | None = None


class Seating(msgspec.Struct):
    """Ids of a game's pages and browsers of its people, by side. The page for onlookers has the side "onlookers"."""

    ids: dict[str, str]
    browsers: dict[str, str]
    is_mine: bool  # True if only browsers of whoever runs the server have joined


class Seatings(dict[str, Seating]):
    """Seatings of a folder's latest saved games, by the names of files; `.seats.json` in the folder stores them."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._path = folder, folder / ".seats.json"
        super().__init__(read_private(self._path, dict[str, Seating]) or {})

    def is_for_two(self, file: str) -> bool:
        """Return True if a game is between two people."""
        return file in self and {"white", "black"} <= self[file].ids.keys()

    def file(self, id_: str) -> str | None:
        """Return the file of the game that has a page with this id."""
        return next((file for file, seating in [*self.items()] if id_ in seating.ids.values()), None)

    def keep(self, file: str, seating: Seating) -> None:
        """Store the seating of a game; forget those whose file is gone, and the oldest beyond `MAX_SEATINGS`."""
        if self.get(file) == seating:
            return
        self.pop(file, None)
        self[file] = seating
        known = [name for name in self if (self._folder / name).is_file() or name == file][-MAX_SEATINGS:]
        for name in self.keys() - known:
            del self[name]
        write_private(self._path, msgspec.json.encode(self))


def read_private(path: Path, kind: type[T]) -> T | None:
    """Return what a file holds; None if there is none, if others can read it, or if it is damaged."""
    try:
        if sys.platform != "win32" and path.stat().st_mode & 0o077:
            log.warning("%s is ignored, since others can read it", path)
            return None
        return msgspec.json.decode(read_own(path, MAX_PRIVATE), type=kind)
    except (OSError, ValueError):  # msgspec's errors are ValueErrors
        return None


def read_own(path: Path, most: int) -> bytes:
    """Return the bytes of a file of ours; raise ValueError. It opens no pipe, which would not answer."""
    if not path.is_file():
        raise ValueError("it is no file")
    return read_bytes(path, most)


def write_private(path: Path, data: bytes) -> None:
    """Write a file that only its owner can read, if it can be written."""
    with logged("write", path):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_secret(path, data)


@contextmanager
def logged(what: str, path: Path) -> Iterator[None]:
    """Log an OSError as "cannot WHAT PATH: ..."."""
    try:
        yield
    except OSError as error:
        log.warning("cannot %s %s: %s", what, path, error.strerror or error)


@dataclass(slots=True)
class KeptAnalysis:
    """The analysis of one game as far as it is known: turning points, and compressed analyses by moment.

    The file is named by the moves, so that the same game finds it. A damaged one, or one of another version, is none.
    """

    path: Path | None = None  # None if nothing is to be kept
    turning: TurningPoints | None = None
    looks: dict[int, bytes] = field(default_factory=dict)

    @classmethod
    def load(cls, folder: Path, record: GameRecord, you: chess.Color | None) -> Self:
        """Return what the folder has of a game, if anything."""
        turns = [(turn.move, turn.tries) for turn in record.turns]
        name = sha256(repr((record.rules, record.limits, record.start, you, turns)).encode()).hexdigest()[:32]
        path = folder / f"{name}.review"
        with suppress(ValueError, msgspec.MsgspecError):
            kind = tuple[str, TurningPoints | None, dict[int, bytes]]
            found, turning, looks = msgspec.msgpack.decode(read_own(path, MAX_ANALYSIS), type=kind)
            if found == VERSION:
                return cls(path, turning, looks)
        return cls(path)

    def save(self) -> None:
        """Write the file, if it can be written, and delete the oldest of too many."""
        if self.path is not None:
            write_private(self.path, msgspec.msgpack.encode((VERSION, self.turning, self.looks)))
            with logged("delete old analyses in", self.path.parent):
                files = sorted(self.path.parent.glob("*.review"), key=lambda path: path.stat().st_mtime)
                for old in files[:-MAX_ANALYSES]:
                    old.unlink(missing_ok=True)

    def add(self, analysis: Analysis) -> None:
        """Add the analysis of a moment."""
        self.looks[analysis.index] = zlib.compress(msgspec.json.encode(analysis))

    def look(self, index: int) -> Analysis | None:
        """Return the analysis of a moment, if it is known and can be read."""
        with suppress(KeyError, zlib.error, msgspec.MsgspecError):
            data = zlib.decompressobj().decompress(self.looks[index], MAX_LOOK)
            analysis = msgspec.json.decode(data, type=Analysis)
            if analysis.index == index:
                return analysis
        return None
