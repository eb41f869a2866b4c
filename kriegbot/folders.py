"""Where kriegbot keeps files of its own: in the user's cache and data, or else in one temporary folder.

A home may be read-only, or not be there at all, as in containers. The folder instead belongs to this user alone, since
code is loaded from it, and is used again at the next start.
"""

from __future__ import annotations

import logging
import os
import stat
import tempfile
from functools import cache
from pathlib import Path

import platformdirs

log = logging.getLogger("kriegbot")


def cache_folder() -> Path:
    """For what can be made again: compiled kernels."""
    return _writable(platformdirs.user_cache_path("kriegbot"), "cache")


def data_folder() -> Path:
    """For what cannot: games."""
    return _writable(platformdirs.user_data_path("kriegbot"), "data")


def _writable(folder: Path, kind: str) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if os.access(folder, os.W_OK | os.X_OK):
            return folder
    except OSError:
        pass
    instead = _instead() / kind / "kriegbot"
    instead.mkdir(parents=True, exist_ok=True)
    return instead


@cache
def _instead() -> Path:
    """The temporary folder; told when it is made. If that of its name is not ours alone, one for this process."""
    folder = Path(tempfile.gettempdir()) / f"kriegbot-{os.getuid()}"
    try:
        folder.mkdir(mode=0o700)
    except FileExistsError:
        if _is_ours(folder):
            return folder
        folder, shared = Path(tempfile.mkdtemp(prefix="kriegbot-")), folder
        log.warning("Your home cannot be written, nor is %s yours alone; for now, files go to %s.", shared, folder)
        return folder
    log.warning("Your home cannot be written; compiled kernels and games are kept in %s.", folder)
    return folder


def _is_ours(folder: Path) -> bool:
    """Whether it is a folder, and no link to one, that nobody else can read or write."""
    found = folder.lstat()
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077
