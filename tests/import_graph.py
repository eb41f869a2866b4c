"""The imports of the project, read from its source: which module imports which, and when.

`python tests/import_graph.py` draws the rooms, and puts the diagram into docs/architecture.md.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs" / "architecture.md"
PACKAGES = ("referee", "evaluators", "kriegbot", "tournaments")


@dataclass(frozen=True, slots=True)
class Import:
    """One import of a module of the project.

    Attributes:
      source: who imports, such as "kriegbot.cli.play".
      target: what is imported.
      line: where.
      is_lazy: whether it is within a function.
      is_typing: whether it is under `if TYPE_CHECKING:`.
    """

    source: str
    target: str
    line: int
    is_lazy: bool
    is_typing: bool


def modules() -> dict[str, Path]:
    """Every module of the project; a package is a module, too."""
    found = {}
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


@cache
def imports() -> list[Import]:
    """Every import of one module of the project by another."""
    known = modules()
    return [one for source, path in known.items() for one in _imports_of(source, path, known)]


def _imports_of(source: str, path: Path, known: dict[str, Path]) -> Iterator[Import]:
    def walk(node: ast.AST, is_lazy: bool, is_typing: bool) -> Iterator[Import]:
        match node:
            case ast.Import(names=names):
                targets = [alias.name for alias in names]
            case ast.ImportFrom(module=module, names=names, level=level):
                assert level == 0, f"{path}:{node.lineno}: relative import"
                deeper = [f"{module}.{alias.name}" for alias in names]
                targets = [name if name in known else str(module) for name in deeper]
            case _:
                targets = []
        for target in sorted(set(targets) & set(known)):
            yield Import(source, target, getattr(node, "lineno", 0), is_lazy, is_typing)
        for child in ast.iter_child_nodes(node):
            lazy = is_lazy or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            typing = is_typing or (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING")
            yield from walk(child, lazy, typing)

    yield from walk(ast.parse(path.read_text(encoding="utf-8")), False, False)


def circle(edges: dict[str, set[str]]) -> list[str]:
    """Return a way from a node back to itself; empty if there is none."""
    done: set[str] = set()

    def visit(node: str, way: list[str]) -> list[str]:
        if node in way:
            return [*way[way.index(node) :], node]
        if node in done:
            return []
        for other in sorted(edges.get(node, ())):
            if found := visit(other, [*way, node]):
                return found
        done.add(node)
        return []

    return next((found for node in sorted(edges) if (found := visit(node, []))), [])


def room(module: str) -> str:
    """Return the package of a module: one of kriegbot or a top-level one, or a module directly in kriegbot."""
    parts = module.split(".")
    return ".".join(parts[:2]) if parts[0] == "kriegbot" else parts[0]


def rooms() -> dict[str, set[str]]:
    """For each room the rooms that it imports, lazily or not; but for the start of the page by a command."""
    found: dict[str, set[str]] = {room(module): set() for module in modules()}
    for one in imports():
        if room(one.source) != room(one.target) and (one.source, one.target) != PAGE_START:
            found[room(one.source)].add(room(one.target))
    return found


PAGE_START = ("kriegbot.cli.play", "kriegbot.web.server")
"""The one import by which a command starts the page."""


def diagram() -> str:
    """Return the rooms as a Mermaid diagram; an arrow that follows from others is left out."""
    edges = rooms()
    beyond = {name: set().union(*(_reached(edges, other) for other in others)) for name, others in edges.items()}
    lines = [
        f"    {name.removeprefix('kriegbot.')} --> {other.removeprefix('kriegbot.')}"
        for name, others in sorted(edges.items())
        for other in sorted(others - beyond[name])
        if name not in ("kriegbot", "kriegbot.public", "kriegbot.__main__")
    ]
    return "\n".join(["```mermaid", "graph TD", *lines, "    cli -. starts .-> web", "```"])


def _reached(edges: dict[str, set[str]], start: str) -> set[str]:
    """All rooms that a room imports, itself or through others."""
    found: set[str] = set()
    new = set(edges[start])
    while new:
        found |= new
        new = set().union(*(edges[name] for name in new)) - found
    return found


if __name__ == "__main__":
    page = DOCS.read_text(encoding="utf-8")
    DOCS.write_text(re.sub("```mermaid.*?```", lambda _: diagram(), page, flags=re.DOTALL), encoding="utf-8")
    print(diagram())
