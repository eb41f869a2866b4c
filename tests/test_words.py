"""The words of the code: how docstrings begin, one class for one name, and who announces what."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.import_graph import ROOT, modules

OPENINGS = re.compile(r"(What|Whether|How|Where|Nothing|The same)\b")
PASSIVE = re.compile(r"(?:\b|(?<=_))(?:told|heard|said|asked)(?:\b|(?=_))")
MOST_PASSIVE = 100
SOURCES = sorted(modules().values())


def docstrings(path: Path) -> Iterator[tuple[int, str]]:
    """Yield line and text of every docstring, those below fields and constants included."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        match node:
            case ast.Expr(value=ast.Constant(value=str(text)), lineno=line):
                yield line, text


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_docstring_names_what_it_is_or_does(path: Path) -> None:
    assert [(line, text[:60]) for line, text in docstrings(path) if OPENINGS.match(text)] == []


def test_a_class_name_means_one_class() -> None:
    names = Counter(
        node.name
        for path in SOURCES
        for node in ast.parse(path.read_text("utf-8")).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    assert len(names) > 100
    assert [name for name, count in names.items() if count > 1] == []


def test_somebody_announces_receives_or_requests() -> None:
    counts = {path: len(PASSIVE.findall(path.read_text("utf-8"))) for path in SOURCES}
    assert sum(counts.values()) < MOST_PASSIVE, {path: count for path, count in counts.items() if count}
