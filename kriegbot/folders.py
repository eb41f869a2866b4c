"""Folders of kriegbot's own files: the user's, or one in a temporary folder if those cannot be used."""

from __future__ import annotations

import logging
import os
import stat
import tempfile
from functools import cache
from pathlib import Path

import platformdirs

NOWHERE = Path("/nonexistent")  # a folder without files, where not even a temporary one can be made

log = logging.getLogger("kriegbot")


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
            _warn(f"Other users may change '{foreign}', so no code is loaded from '{folder}'.")
        elif os.access(folder, os.W_OK | os.X_OK) or (complete and any(folder.glob(complete))):
            return folder
    except (OSError, RuntimeError):  # platformdirs knows no home of this user
        pass
    folder = _temporary() / kind / "kriegbot"
    if folder.parents[1] != NOWHERE:
        folder.mkdir(parents=True, exist_ok=True)
    return folder


def open_to_others(folder: Path) -> Path | None:
    """Return the first of a folder and its parents that a user other than root may change; None if none is.

    In a parent with the sticky bit, such as /tmp, nobody can replace what belongs to another user.
    """
    if not hasattr(os, "geteuid"):  # on Windows files have no such modes
        return None
    for path in (folder, *folder.parents):
        state = path.stat()
        is_sticky = path != folder and state.st_mode & stat.S_ISVTX
        by_group = state.st_mode & stat.S_IWGRP and state.st_gid not in (0, state.st_uid)  # a user's own group is alike
        if state.st_uid not in (0, os.geteuid()) or ((by_group or state.st_mode & stat.S_IWOTH) and not is_sticky):
            return path
    return None


@cache
def _warn(text: str) -> None:
    log.warning(text)


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
