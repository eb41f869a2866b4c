"""Files that are written whole or not at all, and texts that are read up to a size."""

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


def text_in(path: Path, most: int) -> str:
    """The text in a file of at most so many bytes; raises ValueError, with a clause that says why it cannot be read."""
    try:
        with path.open("rb") as handle:
            data = handle.read(most + 1)
        if len(data) <= most:
            return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"byte {error.start} is not UTF-8 text") from None
    except (OSError, ValueError) as error:
        raise ValueError(f"cannot be read ({getattr(error, 'strerror', None) or error})") from None
    raise ValueError(f"more than {most} bytes")
