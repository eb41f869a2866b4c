"""Files that outlive the server, so that open tabs and sent links go on working: its address, and who sits where.

Both files hold secrets. Only their owner may read them; a file that others can read is ignored and replaced.
"""

from __future__ import annotations

import logging
import secrets
import sys
from pathlib import Path
from typing import Annotated, TypeVar

import msgspec

from referee.text import read_bytes, write_file

MAX_KEPT = 1 << 20  # bytes of a file
MAX_SEATINGS = 100  # games whose links go on working, the newest

log = logging.getLogger("kriegbot.web")
T = TypeVar("T")
Token = Annotated[str, msgspec.Meta(pattern=r"^[\w-]{22,}$")]


def _token() -> str:
    return secrets.token_urlsafe(16)


class Address(msgspec.Struct):
    """The page's address: port and tokens, for one host. `network` is that at which it lets guests in."""

    host: str
    port: int = 0  # any free one
    token: Token = msgspec.field(default_factory=_token)
    guest_token: Token = msgspec.field(default_factory=_token)
    network: str | None = None


class Seating(msgspec.Struct):
    """Ids of a game's pages and browsers of its people, by side. The page for onlookers has the side "onlookers"."""

    ids: dict[str, str]
    browsers: dict[str, str]
    is_mine: bool  # True if only browsers of whoever runs the server have joined


class Seatings:
    """The seating of each saved game of a folder, by the name of its file.

    Args:
      folder: the games; the file `.seats.json` beside them has the seating.
    """

    def __init__(self, folder: Path) -> None:
        self._folder, self._path = folder, folder / ".seats.json"
        self._all = read_private(self._path, dict[str, Seating]) or {}

    def of(self, file: str) -> Seating | None:
        """Return the seating of a game, if it is known."""
        return self._all.get(file)

    def is_for_two(self, file: str) -> bool:
        """Return True if two people sit in a game."""
        seating = self._all.get(file)
        return seating is not None and {"white", "black"} <= seating.ids.keys()

    def file(self, id_: str) -> str | None:
        """Return the file of the game that has a page with this id."""
        return next((file for file, seating in self._all.items() if id_ in seating.ids.values()), None)

    def keep(self, file: str, seating: Seating) -> None:
        """Store the seating of a game; forget those whose file is gone, and the oldest beyond `MAX_SEATINGS`."""
        if self._all.get(file) == seating:
            return
        self._all = {name: one for name, one in self._all.items() if (self._folder / name).is_file()} | {file: seating}
        self._all = dict(list(self._all.items())[-MAX_SEATINGS:])
        write_private(self._path, self._all)


def read_private(path: Path, kind: type[T]) -> T | None:
    """Return what a file holds; None if there is none, if others can read it, or if it is damaged."""
    try:
        if sys.platform != "win32" and path.stat().st_mode & 0o077:
            log.warning("%s is ignored, since others can read it", path)
            return None
        return msgspec.json.decode(read_bytes(path, MAX_KEPT), type=kind)
    except (OSError, ValueError):  # msgspec's errors are ValueErrors
        return None


def write_private(path: Path, value: object) -> None:
    """Write a file that only its owner can read, if it can be written."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_file(path, msgspec.json.encode(value), mode=0o600)
    except OSError as error:
        log.warning("cannot write %s: %s", path, error.strerror or error)
