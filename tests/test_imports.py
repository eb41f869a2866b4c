"""Imports run one way: no circles, and every room stands on lower ones."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from pathlib import Path

import pytest

from tests.import_graph import DOCS, PACKAGES, PAGE_START, ROOT, circle, diagram, imports, modules, room, rooms

LAYERS = (
    ("referee",),
    ("kriegbot.posix",),
    ("kriegbot.folders", "kriegbot.importing", "kriegbot.report", "kriegbot.threads"),
    ("kriegbot.children", "kriegbot.parts"),
    ("kriegbot.kernels", "kriegbot.options"),
    ("evaluators", "kriegbot.models"),
    ("kriegbot.belief", "kriegbot.endgames", "kriegbot.trees"),
    ("kriegbot.search",),
    ("kriegbot.players",),
    ("kriegbot.game", "kriegbot.request", "kriegbot.narration"),
    ("tournaments", "kriegbot.online", "kriegbot.environments"),
    ("kriegbot.cli", "kriegbot.web"),
    ("kriegbot.__main__",),
)
"""From the bottom to the top; rooms of one layer stand side by side."""
ABOVE_ALL = ("kriegbot", "kriegbot.public")
"""The package itself and its public names, which only name what others may use."""


@pytest.mark.slow
def test_every_room_has_its_place() -> None:
    placed = {name for layer in LAYERS for name in layer} | set(ABOVE_ALL)
    assert set(rooms()) <= placed


@pytest.mark.slow
def test_no_module_imports_itself_by_way_of_others_not_even_lazily() -> None:
    edges: dict[str, set[str]] = {}
    for one in imports():
        edges.setdefault(one.source, set()).add(one.target)
    assert len(edges) > 100
    assert circle(edges) == []


def test_no_room_imports_itself_by_way_of_others() -> None:
    assert circle(rooms()) == []


def test_every_room_imports_lower_ones_only() -> None:
    height = {name: number for number, layer in enumerate(LAYERS) for name in layer}
    upwards = [
        f"{one.source}:{one.line} imports {one.target}"
        for one in imports()
        if room(one.source) != room(one.target)
        and room(one.source) not in ABOVE_ALL
        and (one.source, one.target) != PAGE_START
        and (room(one.target) in ABOVE_ALL or height[room(one.source)] <= height[room(one.target)])
    ]
    assert upwards == []


def test_only_commands_and_page_stand_on_tournaments() -> None:
    users = {name for name, others in rooms().items() if "tournaments" in others}
    assert users - set(ABOVE_ALL) <= {"kriegbot.cli", "kriegbot.web"}


def test_commands_and_page_meet_in_one_lazy_import() -> None:
    met = [one for one in imports() if {room(one.source), room(one.target)} == {"kriegbot.cli", "kriegbot.web"}]
    assert [(one.source, one.target, one.is_lazy) for one in met] == [(*PAGE_START, True)]


DOORS = {
    "kriegbot.cli.games": "render",
    "kriegbot.online": "online",
    "tournaments.leaves_examined": "plots",
    "kriegbot.trees.gambit": "gambit",
    "kriegbot.environments.single": "gymnasium",
    "kriegbot.environments.aec": "pettingzoo",
    "kriegbot.environments.openspiel": "openspiel",
    "tournaments.dask_executor": "cluster",
}
"""The extra of each module, or of a package, that needs one."""


@pytest.mark.slow
def test_whatever_is_imported_is_declared() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = {extra: set(map(distribution, lines)) for extra, lines in project["optional-dependencies"].items()}
    always = set(map(distribution, project["dependencies"]))
    undeclared = []
    for source, path in modules().items():
        extra = next((extra for door, extra in DOORS.items() if f"{source}.".startswith(f"{door}.")), None)
        allowed = always | declared.get(str(extra), set())
        undeclared += [f"{source} imports {name}" for name in foreign(path) if name not in allowed]
    assert undeclared == []


def distribution(requirement: str) -> str:
    """Return the module of a distribution that pyproject.toml names."""
    name = re.split(r"[^\w-]", requirement)[0].replace("-", "_")
    return {"open_spiel": "pyspiel", "pillow": "PIL"}.get(name, name)


def foreign(path: Path) -> set[str]:
    """Return what a file imports that is neither ours nor Python's own."""
    named = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            named |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            named.add(str(node.module))
    return {name.partition(".")[0] for name in named} - set(PACKAGES) - sys.stdlib_module_names


def test_every_file_of_the_packages_is_looked_at() -> None:
    assert {"referee.view", "kriegbot.cli.main", "kriegbot.web", "kriegbot.game.match"} <= set(modules())


@pytest.mark.parametrize(
    ("edges", "expected"),
    [({"a": {"b"}, "b": {"c"}, "c": set()}, []), ({"a": {"b"}, "b": {"c"}, "c": {"b"}}, ["b", "c", "b"])],
)
def test_a_circle_is_found(edges: dict[str, set[str]], expected: list[str]) -> None:
    assert circle(edges) == expected


def test_the_diagram_in_the_docs_is_the_drawn_one() -> None:
    assert diagram() in DOCS.read_text(encoding="utf-8"), "python tests/import_graph.py draws it anew"
