"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


@contextmanager
def whole(target: Path) -> Iterator[BinaryIO]:
    """What is written within is the file, unless something is raised: then the file is as it was.

    A device or a pipe is written to as it comes, and stays what it is. Raises OSError: the file cannot be written.
    """
    if target.exists() and not target.is_file():
        with target.open("wb") as handle:
            yield handle
        return
    part = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    try:
        with part.open("xb") as handle:
            yield handle
            handle.flush()
            os.fsync(handle.fileno())
        part.replace(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def write_whole(target: Path, data: bytes) -> None:
    """Writes a file, whole or not at all; raises OSError if that cannot be."""
    with whole(target) as handle:
        handle.write(data)
