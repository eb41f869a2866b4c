"""Files of the kernel cache, each with a digest of its name and content at its beginning, so that damage is noticed.

A full disk, a crash or a faulty sector may empty, halve or change a file, a repair mix them up. It is then made again.
"""

import hashlib
import logging
import shutil
from contextlib import suppress
from pathlib import Path

from referee.text import counted, one_line, write_file

DIGEST_SIZE = hashlib.sha256().digest_size
MARKERS = "prepared*"

log = logging.getLogger("kriegbot")


def write_stored(path: Path, content: bytes) -> None:
    """Write a file and its digest, also in place of a folder, if that can be written."""
    with suppress(OSError):
        if path.is_dir():
            shutil.rmtree(path)
        write_file(path, _digest(path, content) + content)


def read_stored(path: Path, *, is_logged: bool = True) -> bytes | None:
    """Return the content of a file; None if it is missing or damaged, which is logged if `is_logged`."""
    with suppress(OSError):
        stored = path.read_bytes()
        digest, content = stored[:DIGEST_SIZE], stored[DIGEST_SIZE:]
        if _digest(path, content) == digest:
            return content
    if is_logged and path.exists():
        log.warning("The file %s of compiled kernels is damaged; it is made again.", path)
    return None


def _digest(path: Path, content: bytes) -> bytes:
    return hashlib.sha256(path.name.encode() + content).digest()


def write_marker(marker: Path) -> None:
    """Write the names of all kernels in a marker's folder into the marker."""
    write_stored(marker, "\n".join(path.name for path in marker.parent.glob("*.nbc")).encode())


def is_complete(marker: Path) -> bool:
    """Return True if a marker and its files are sound. If only a file is not, remove it and all markers, and log it."""
    names = read_stored(marker, is_logged=False)
    files = [] if names is None else [marker.with_name(name) for name in names.decode().splitlines()]
    damaged = [path for path in files if read_stored(path, is_logged=False) is None]
    if damaged:
        which = one_line(", ".join(path.name for path in damaged), 200)
        log.warning("Missing or damaged, and made again: %s: %s", counted(len(damaged), "compiled kernel"), which)
        for path in (*damaged, *marker.parent.glob(MARKERS)):
            with suppress(OSError):  # it is gone, or in the sandbox
                (shutil.rmtree if path.is_dir() else Path.unlink)(path)
    return names is not None and not damaged
