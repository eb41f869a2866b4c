"""Folders of kriegbot's own files: the user's, or one in a temporary folder if those cannot be used."""

from __future__ import annotations

import logging
import os
import sys
import tempfile
from functools import cache
from pathlib import Path

import platformdirs

if sys.platform != "win32":
    from kriegbot import posix

NOWHERE = Path("/nonexistent")  # a folder without files, where not even a temporary one can be made

log = logging.getLogger("kriegbot")
warn_once = cache(log.warning)


def cache_folder(complete: str = "") -> Path:
    """Return the folder for files that kriegbot can make again: compiled kernels. It holds code, so it is private.

    A folder that cannot be written will do if it has a file of the pattern `complete`, as in the sandbox.
    """
    return _folder("cache", complete)


def data_folder() -> Path:
    """Return the folder for files that it cannot make again: games."""
    return _folder("data")


def config_folder() -> Path:
    """Return the folder for settings and tokens."""
    return _folder("config")


def _folder(kind: str, complete: str = "") -> Path:
    try:
        folder = Path(os.path.realpath(getattr(platformdirs, f"user_{kind}_path")("kriegbot")))
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if kind == "cache" and (foreign := open_to_others(folder)) is not None:
            warn_once(f"Other users may change '{foreign}', so no code is loaded from '{folder}'.")
        elif os.access(folder, os.W_OK | os.X_OK) or (complete and any(folder.glob(complete))):
            return folder
    except (OSError, RuntimeError):  # platformdirs knows no home of this user
        pass
    folder = _temporary() / kind / "kriegbot"
    if folder.parents[1] != NOWHERE:
        folder.mkdir(parents=True, exist_ok=True)
    return folder


def open_to_others(folder: Path) -> Path | None:
    """Return the first of a folder and its parents that others may change; None if none is. Windows has no such modes.

    The documentation of Python says so: docs.python.org/3/library/os.html, os.chmod.
    """
    return None if sys.platform == "win32" else posix.open_to_others(folder)


@cache
def _temporary() -> Path:
    """Make a temporary folder for this process and its children. It will hold code, so nobody else may write to it."""
    try:
        folder = Path(tempfile.mkdtemp(prefix="kriegbot-"))
    except OSError:
        log.warning("No folder can be written: kernels are compiled at each start, and games are not kept.")
        return NOWHERE
    names = {"XDG_CACHE_HOME": "cache", "XDG_DATA_HOME": "data", "XDG_CONFIG_HOME": "config"}
    os.environ |= {name: str(folder / kind) for name, kind in names.items()}
    log.warning("Your home cannot be used. Until the next start, kernels and games are kept in %s.", folder)
    return folder
