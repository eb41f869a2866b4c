"""What `from kriegbot import ...` offers: these names, loaded when first used."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import kriegbot

PUBLIC = [
    "Backup",
    "Belief",
    "Choice",
    "EmptyBelief",
    "Heard",
    "HereSeat",
    "InformationSet",
    "Method",
    "Option",
    "Played",
    "Player",
    "PlayerKind",
    "Policy",
    "ProcessSeat",
    "Report",
    "SampledSearch",
    "Search",
    "SearchPlayer",
    "Settings",
    "TryValues",
    "evaluator",
    "fold",
    "load_backup",
    "load_evaluator",
    "load_opponent",
    "make_player",
    "opponent",
    "parse_spec",
    "play_game",
    "run_tournament",
    "search_player",
    "search_tries",
    "settle",
]


def test_the_public_names_are_these() -> None:
    assert dir(kriegbot) == kriegbot.__all__ == PUBLIC


@pytest.mark.parametrize("name", PUBLIC)
def test_a_public_name_is_listed_on_the_first_page(name: str) -> None:
    assert f"`{name}`" in (kriegbot.__doc__ or "")


@pytest.mark.parametrize("name", PUBLIC)
def test_a_public_name_is_there_and_explained(name: str) -> None:
    found = getattr(kriegbot, name)
    assert found.__doc__
    assert getattr(found, "__name__", name) == name


def test_types_and_names_agree() -> None:
    """What mypy sees under TYPE_CHECKING is what is loaded, from the same modules."""
    tree = ast.parse(Path(kriegbot.__file__ or "").read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    seen = {
        alias.asname: line.module for line in block.body if isinstance(line, ast.ImportFrom) for alias in line.names
    }
    assert seen == kriegbot._HOME


def test_there_is_no_other_name() -> None:
    name = "belive"
    with pytest.raises(AttributeError, match="module 'kriegbot' has no attribute 'belive'"):
        getattr(kriegbot, name)


def test_importing_kriegbot_imports_nothing_else() -> None:
    code = "import sys, kriegbot; print({'numba', 'numpy', 'chess', 'referee', 'tournaments'} & {*sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
