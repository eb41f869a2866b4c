"""The bot's token: in the user's configuration, outside any project, readable by its owner alone; one for each site."""

from __future__ import annotations

import contextlib
import os
import re
from pathlib import Path
from urllib.parse import urlsplit

import platformdirs

from kriegbot.request import Refused

_TOKEN = re.compile(r"[!-~]{1,500}")


def token_path(address: str) -> Path:
    """Where the token for a site is kept."""
    host = re.sub("[^a-z0-9.]+", "-", urlsplit(address).netloc.lower())
    return platformdirs.user_config_path("kriegbot") / f"token-{host}"


def check_free(path: Path) -> None:
    """Nothing, if a token can be saved there; tried before a bot is registered, whose token is told only once.

    Raises:
      Refused: there is one already, or there can be none.
    """
    if path.exists():
        raise Refused(f"'{path}' already holds a token; remove it to register another bot.")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _write(path, "")
        path.unlink()
    except OSError as error:
        raise _cannot("save", path, error) from None


def save_token(path: Path, token: str) -> None:
    """Saves a token; nobody but its owner can ever read the file.

    Raises:
      Refused: it is none, or cannot be saved.
    """
    if not _TOKEN.fullmatch(token):
        raise Refused("illegal token: it takes printable characters without spaces.")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _write(path, f"{token}\n")
    except OSError as error:
        raise _cannot("save", path, error) from None


def load_token(path: Path) -> str:
    """The token.

    Raises:
      Refused: there is none, or others can read it.
    """
    try:
        with path.open(encoding="ascii", errors="replace") as file:
            if os.name == "posix" and os.fstat(file.fileno()).st_mode & 0o077:
                raise Refused(f"'{path}' can be read by others; it takes a token of yours alone: chmod 600 '{path}'.")
            token = file.read(1000).strip()
    except FileNotFoundError:
        raise Refused(f"there is no token in '{path}'; `kriegbot online register` gets one.") from None
    except OSError as error:
        raise _cannot("read", path, error) from None
    if not _TOKEN.fullmatch(token):
        raise Refused(f"'{path}' holds no token; it takes one line, as `kriegbot online register` writes it.")
    return token


def _write(path: Path, text: str) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        os.write(descriptor, text.encode())
        os.fsync(descriptor)
    except BaseException:
        with contextlib.suppress(OSError):
            path.unlink()
        raise
    finally:
        os.close(descriptor)


def _cannot(what: str, path: Path, error: OSError) -> Refused:
    return Refused(f"cannot {what} the token '{path}': {error.strerror or error}.")
