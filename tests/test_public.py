"""The names that `from kriegbot import ...` offers, loaded when first used."""

import ast
import inspect
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import kriegbot
from kriegbot.kernels.jit import Kernel

TOP = Path(__file__).parents[1]
HOMES = ("kriegbot", "referee", "kriegbot.trees", "kriegbot.endgames")
"""Packages from which public names are imported."""
EXAMPLES = {path.name: path.read_text("utf-8") for path in sorted((TOP / "examples").glob("*.py"))}
RECIPES = re.findall(
    r"```python\n(.*?)```", (TOP / "docs/bots.md").read_text("utf-8").partition("\n## From Python\n")[2], re.DOTALL
)
SHOWN = EXAMPLES | {f"recipe {number}": text for number, text in enumerate(RECIPES, 1)}
"""Programs for people to begin with."""
ENVIRONMENTS = re.findall(r"`(kriegbot\.environments\.\w+)`", (TOP / "docs/environments.md").read_text("utf-8"))
EXTRAS = ("gymnasium", "pettingzoo", "pyspiel", "httpx", "dask", "distributed", "matplotlib", "pygambit")


def test_the_first_page_lists_the_public_names_and_no_others() -> None:
    _, _, listed = (kriegbot.__doc__ or "").partition("\n\n- ")
    assert sorted(re.findall(r"`([^`]+)`", listed)) == dir(kriegbot)


@pytest.mark.parametrize("name", dir(kriegbot))
def test_a_public_name_is_there_and_explained(name: str) -> None:
    found = getattr(kriegbot, name)
    if isinstance(found, Kernel) or inspect.isroutine(found) or inspect.isclass(found):
        assert found.__doc__
        assert getattr(found, "__name__", "") == name


@pytest.mark.parametrize("name", SHOWN)
def test_an_example_imports_public_names_alone(name: str) -> None:
    assert hidden(SHOWN[name]) == []


def hidden(program: str) -> list[str]:
    """Return what a program imports of ours that is not public."""
    found = []
    for node in ast.walk(ast.parse(program)):
        if isinstance(node, ast.ImportFrom) and node.module in HOMES:
            public = import_module(node.module).__all__
            found += [f"{node.module}.{alias.name}" for alias in node.names if alias.name not in public]
        elif isinstance(node, ast.ImportFrom | ast.Import):
            named = [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
            ours = [name for name in named if re.match(r"(kriegbot|referee|evaluators|tournaments)\b", name)]
            found += [name for name in ours if name not in ENVIRONMENTS]
    return found


def test_what_is_not_public_is_found() -> None:
    program = "from kriegbot import Belief, subseed\nfrom evaluators.ks import ks\nimport kriegbot.kernels, chess\n"
    assert hidden(program) == ["kriegbot.subseed", "evaluators.ks", "kriegbot.kernels"]


@pytest.mark.slow
def test_the_api_pages_need_no_other_extra_and_can_be_read(tmp_path: Path) -> None:
    pytest.importorskip("pdoc")
    code = f"import runpy, sys; sys.modules.update(dict.fromkeys({EXTRAS})); sys.argv[1:] = [{str(tmp_path)!r}]; "
    code += "runpy.run_path('scripts/api_pages.py', run_name='__main__')"
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True, cwd=TOP)
    page = (tmp_path / "kriegbot.html").read_text("utf-8")
    assert set(dir(kriegbot)) <= set(re.findall(r'<section id="(\w+)"', page))
    signatures = re.findall(r'<span class="signature.*?</span></span>', page, re.DOTALL)
    assert len(signatures) > 50
    assert [one for one in signatures if "Annotated" in one or "object" in one] == []


def test_there_is_no_other_name() -> None:
    name = "belive"
    with pytest.raises(AttributeError, match="module 'kriegbot' has no attribute 'belive'"):
        getattr(kriegbot, name)


def test_importing_kriegbot_imports_nothing_else() -> None:
    code = "import sys, kriegbot; print({'numba', 'numpy', 'chess', 'referee', 'tournaments'} & {*sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True)
    assert done.stdout == "set()\n"


@pytest.mark.slow
@pytest.mark.parametrize("names", ["kernels", "Choice, Option"])
def test_a_module_or_a_public_name_is_imported_without_other_public_names(names: str) -> None:
    code = (
        f"import sys; from kriegbot import {names}; print({{'kriegbot.public', 'kriegbot.search'}} & {{*sys.modules}})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True)
    assert done.stdout == "set()\n"


@pytest.mark.slow
def test_a_star_imports_all_public_names() -> None:
    code = "from kriegbot import *; print(Belief.__name__, material.__name__, run_tournament.__name__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True)
    assert done.stdout == "Belief material run_tournament\n"
