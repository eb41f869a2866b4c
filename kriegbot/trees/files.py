"""Game trees in files: the suffix says in which format, .json or .efg."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from kriegbot.trees.efg import read_efg, write_efg
from kriegbot.trees.formats import read_json, write_json
from kriegbot.trees.tree import Tree, TreeError
from referee.text import MOST_QUOTED, one_line

FORMS = {".json": (read_json, write_json), ".efg": (read_efg, write_efg)}
MOST_BYTES = 100_000_000
"""Larger files are refused."""


def load(path: str | Path) -> Tree:
    """Read a tree from a file.

    Raises:
      TreeError: it cannot be read, is too large, or is no tree; the message says where.
    """
    path = Path(path)
    read, _ = _forms(path)
    try:
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        raise TreeError(f"{_name(path)}: {getattr(error, 'strerror', None) or error}") from None
    if len(content) > MOST_BYTES:
        raise TreeError(f"{_name(path)}: larger than {MOST_BYTES} bytes")
    try:
        return read(content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise TreeError(f"{_name(path)}: byte {error.start} is not UTF-8") from None
    except TreeError as error:
        raise TreeError(f"{_name(path)}: {error}") from None


def save(tree: Tree, path: str | Path) -> None:
    """Write a tree to a file.

    Raises:
      TreeError: the format cannot hold it.
      OSError: the file cannot be written.
    """
    path = Path(path)
    _, write = _forms(path)
    path.write_text(write(tree), encoding="utf-8")


def _forms(path: Path) -> tuple[Callable[[str], Tree], Callable[[Tree], str]]:
    if path.suffix not in FORMS:
        raise TreeError(f"{_name(path)}: a file of a tree ends with {' or '.join(FORMS)}")
    return FORMS[path.suffix]


def _name(path: Path) -> str:
    return one_line(str(path), MOST_QUOTED)
