"""Folders of kriegbot's own files: the user's, or for each that cannot be used a temporary one."""

import atexit
import logging
import os
import shutil
import sys
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path

import platformdirs

if sys.platform != "win32":
    from kriegbot import posix

NOWHERE = Path("/nonexistent")  # a folder without files, where not even a temporary one can be made

log = logging.getLogger("kriegbot")
FILES = {"cache": "compiled kernels", "data": "games and results", "config": "settings and tokens"}


def cache_folder(complete: str = "") -> Path:
    """Return the folder for files that kriegbot can make again: compiled kernels. Not one that others may change.

    A folder that cannot be written will do if it has a file of the pattern `complete`, as in the sandbox.
    """
    return _folder("cache", complete)


def data_folder() -> Path:
    """Return the folder for files that it cannot make again: games and results."""
    return _folder("data")


def config_folder() -> Path:
    """Return the folder for settings and tokens."""
    return _folder("config")


def _folder(kind: str, complete: str = "") -> Path:
    try:
        folder = getattr(platformdirs, f"user_{kind}_path")("kriegbot").expanduser()
        folder = Path(os.path.realpath(folder))
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if kind == "cache" and (foreign := open_to_others(folder)) is not None:
            why = f"Other users may change '{foreign}', so no code is loaded from '{folder}'."
        elif os.access(folder, os.W_OK | os.X_OK) or (complete and any(folder.glob(complete))):
            return folder
        else:
            why = f"'{folder}' cannot be written."
    except OSError as error:
        why = f"{error.strerror or error}: '{error.filename}'."
    except RuntimeError:  # as platformdirs and `expanduser` say it
        why = "This user has no home."
    return _temporary(kind, why)


def open_to_others(folder: Path) -> Path | None:
    """Return the first of a folder and its parents that others may change; None if none is, and on Windows."""
    return None if sys.platform == "win32" else posix.open_to_others(folder)


@cache
def _temporary(kind: str, why: str) -> Path:
    """Make a private temporary folder for one kind, for this process and its children, or return one below NOWHERE.

    At the end it is removed, unless it holds games or results, and so are those that killed processes have left.
    """
    from filelock import FileLock  # only now: few need it

    def remove_unused() -> None:
        lock.release()
        for old in Path(tempfile.gettempdir()).glob(f"kriegbot-{kind}-*"):
            with suppress(OSError):
                if not old.is_symlink() and open_to_others(old) is None:
                    with FileLock(old / "in-use", timeout=0):
                        if kind != "data" or not any(path.is_file() for path in (old / "kriegbot").rglob("*")):
                            shutil.rmtree(old)

    try:
        folder = Path(tempfile.mkdtemp(prefix=f"kriegbot-{kind}-"))
        lock = FileLock(folder / "in-use", thread_local=False)
        lock.acquire()
        (folder / "kriegbot").mkdir()
    except OSError:
        log.warning("%s No folder can be written: %s are not kept.", why, FILES[kind])
        return NOWHERE / kind / "kriegbot"
    os.environ[f"XDG_{kind.upper()}_HOME"] = str(folder)
    atexit.register(remove_unused)
    until = "" if kind == "data" else ", until the end"
    log.warning("%s %s are kept in %s%s.", why, FILES[kind].capitalize(), folder, until)
    return folder / "kriegbot"
