"""Texts: foreign ones on one line, counted nouns; and files that are read up to a size and written whole."""

import difflib
import errno
import os
import reprlib
import secrets
import stat
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

MOST_QUOTED = 80  # characters of a text that a message quotes, quotation marks included
PRIVATE = 0o600  # the mode of a file that its owner alone can read
HELD = (5, 32)  # Windows' "access is denied" and "used by another process"

_quoting = reprlib.Repr()
_quoting.maxstring = _quoting.maxlong = _quoting.maxother = MOST_QUOTED


def one_line(text: str, most: int | None = None) -> str:
    """Return a text on one line, without control characters, cut to `most` characters with "..." at its end."""
    line = harmless(" ".join(text.split()))
    return line if most is None or len(line) <= most else line[: most - 3] + "..."


def harmless(text: str) -> str:
    """Return a text with "?" for unprintable characters: some drive a terminal. Tabs and LF stay, CR LF becomes LF."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() or char in "\n\t" else "?" for char in text.replace("\r\n", "\n"))


def quoted(value: object) -> str:
    """Return a value as messages quote it: the middle of a text beyond `MOST_QUOTED` characters is left out."""
    return _quoting.repr(value)


def did_you_mean(text: str, known: Iterable[str]) -> str:
    """Return the rest of a sentence about an unknown name: "; did you mean 'white'?", or "." if none is similar."""
    near = difflib.get_close_matches(text[:MOST_QUOTED].lower(), list(known), n=1)
    return f"; did you mean '{near[0]}'?" if near else "."


def unknown(kind: str, name: str, known: Collection[str]) -> str:
    """Return a message about a name: "unknown side 'whit'; did you mean 'white'? Known: white, black."."""
    return f"unknown {kind} {quoted(name)}{did_you_mean(name, known)} Known: {', '.join(known)}."


@contextmanager
def atomic_file(path: Path, mode: int = 0o666) -> Iterator[BinaryIO]:
    """Open a file that replaces `path` at the end, unless something is raised.

    A new one gets this mode, less the umask. An older file keeps its mode, symbolic links stay. A device is written to.
    """
    path = Path(os.path.realpath(path))
    if path.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
    if path.exists() and not path.is_file():
        with path.open("wb") as handle:
            yield handle
        return
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        with open(part, "xb", opener=lambda name, flags: os.open(name, flags, mode)) as handle:
            if path.exists():
                part.chmod(stat.S_IMODE(path.stat().st_mode))
            yield handle
            handle.flush()
            os.fsync(handle.fileno())
        unless_held(lambda: part.replace(path))
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def unless_held(act: Callable[[], object]) -> None:
    """Rename or delete a file; try again for 1.55 s while Windows refuses, since a virus scanner may be reading it."""
    for pause in (0.05, 0.1, 0.2, 0.4, 0.8, None):
        try:
            act()
            return
        except PermissionError as error:
            if getattr(error, "winerror", None) not in HELD or pause is None:
                raise
            time.sleep(pause)


def write_file(path: Path, data: bytes, *, mode: int = 0o666) -> None:
    """Write a file (a device aside) whole or not at all, with `mode` as of `atomic_file`. Raises OSError."""
    with atomic_file(path, mode) as handle:
        handle.write(data)


def write_secret(path: Path, data: bytes) -> None:
    """Write a file for its owner alone, whoever could read it before. Raises OSError if that fails."""
    with suppress(FileNotFoundError):
        path.chmod(PRIVATE)
    write_file(path, data, mode=PRIVATE)


def read_bytes(path: Path, most: int) -> bytes:
    """Return the bytes of a file. Raises ValueError, with a clause, if it is unreadable or has more than `most`."""
    try:
        with path.open("rb") as handle:
            data = handle.read(most + 1)
    except (OSError, ValueError) as error:
        raise ValueError(f"cannot be read ({getattr(error, 'strerror', None) or error})") from None
    if len(data) > most:
        raise ValueError(f"more than {most} bytes")
    return data


def read_text(path: Path, most: int) -> str:
    """Return the text of a file in UTF-8. Raises ValueError as `read_bytes` does, or if it is not UTF-8."""
    try:
        return read_bytes(path, most).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"byte {error.start} is not UTF-8 text") from None


def counted(number: int, one: str, many: str = "") -> str:
    """Return a number with its noun.

    >>> counted(1, "game"), counted(0, "game"), counted(2, "ply", "plies")
    ('1 game', '0 games', '2 plies')
    """
    return f"{number} {one if number == 1 else many or f'{one}s'}"


def listed(names: Sequence[str], word: str = "and") -> str:
    """Return "a", "a and b", or "a, b and c"."""
    return f" {word} ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))
