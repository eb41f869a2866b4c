"""Folders of kriegbot's own files: in the user's cache and data, or in a temporary folder if the home is read-only."""

from __future__ import annotations

import logging
import os
import tempfile
from functools import cache
from pathlib import Path

import platformdirs

log = logging.getLogger("kriegbot")


def cache_folder() -> Path:
    """Return the folder for files that kriegbot can make again: compiled kernels."""
    return _writable(platformdirs.user_cache_path("kriegbot"), "cache")


def data_folder() -> Path:
    """Return the folder for files that it cannot make again: games."""
    return _writable(platformdirs.user_data_path("kriegbot"), "data")


def _writable(folder: Path, kind: str) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if os.access(folder, os.W_OK | os.X_OK):
            return folder
    except OSError:
        pass
    folder = _temporary() / kind / "kriegbot"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@cache
def _temporary() -> Path:
    """Make a temporary folder for this process and its children. It will hold code, so nobody else may write to it."""
    folder = Path(tempfile.mkdtemp(prefix="kriegbot-"))
    os.environ |= {"XDG_CACHE_HOME": str(folder / "cache"), "XDG_DATA_HOME": str(folder / "data")}
    log.warning("Your home cannot be written. Until the next start, kernels and games are kept in %s.", folder)
    return folder
