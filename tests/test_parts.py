"""Parts are found by name, in our folders, in installed packages, and in files that the user names."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from evaluators import EVALUATORS, WIN, load_evaluator
from evaluators.ks import RANGES, SETS, Weights
from kriegbot import parts
from kriegbot.parts import NotFound, Parts, load_object
from tests.outside import installed

EVALUATOR = """
from evaluators.protocol import evaluator
from kriegbot.kernels.position import Position
from kriegbot.kernels.jit import Words

@evaluator
def nothing(tables: Words, position: Position, side: int) -> int:
    return 0
"""


def test_a_file_is_a_part_if_it_defines_its_own_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "some_parts"
    folder.mkdir()
    texts = {
        "a": "def a(): ...",
        "b": "class b: ...",
        "c": "c: int = 1",
        "d": "d=1",
        "e": "def f(): ...",
        "g": " g = 1",
    }
    for name, text in {"__init__": "raise AssertionError", **texts}.items():
        (folder / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    assert Parts("part", "some_parts", "no.group").names() == ("a", "b", "c", "d")


def test_listing_parts_imports_no_kernels() -> None:
    program = (
        "import sys\nfrom evaluators import EVALUATORS\nprint(*EVALUATORS.names())\nassert 'numba' not in sys.modules\n"
    )
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert answer.stdout.split() == ["conservative", "ks", "material", "sound"]


def test_a_part_that_is_not_there_is_refused_with_what_is() -> None:
    with pytest.raises(NotFound) as refused:
        load_evaluator("materiel")
    assert str(refused.value) == (
        "unknown evaluator 'materiel'; did you mean 'material'? Known: conservative, ks, material, sound; "
        "and FILE.py:NAME or MODULE:NAME from outside."
    )


def test_a_set_of_weights_is_an_evaluator_and_so_are_changes_to_it() -> None:
    assert load_evaluator("ks:shield=30:threat=0") is load_evaluator("ks:threat=0:shield=30")
    assert load_evaluator("ks:shield=0") is load_evaluator("ks")
    assert load_evaluator("conservative:shield=0") is load_evaluator("ks")
    assert set(RANGES) == set(Weights._fields)
    assert SETS["ks"].mate == WIN
    for weights in SETS.values():
        assert all(low <= weights._asdict()[name] <= high for name, (low, high) in RANGES.items())


@pytest.mark.parametrize("name", ["ks:shields=3", "ks:shield=1.5", "ks:shield=nan", "ks:shield=-1", "ks:mate=0"])
def test_weights_that_ks_does_not_have_are_refused_with_those_it_has(name: str) -> None:
    with pytest.raises(NotFound) as refused:
        load_evaluator(name)
    assert str(refused.value) == (
        f"illegal evaluator '{name}': ks takes the whole numbers protected (0..200), shield (0..200), "
        "attacked_only (0..1), threat (0..200), advance (0..2000), check (-200..200), mate (500..10000)."
    )


def test_an_evaluator_comes_from_a_file_or_a_module(tmp_path: Path) -> None:
    path = tmp_path / "own.py"
    path.write_text(EVALUATOR)
    own = load_evaluator(f"{path}:nothing")
    assert own is load_evaluator(f"{path}:nothing")
    assert load_evaluator("evaluators.ks:ks") is load_evaluator("ks")


def test_an_installed_package_offers_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed(tmp_path, "some_evaluators", EVALUATOR, {"kriegbot.evaluators": {"nothing": "some_evaluators:nothing"}})
    monkeypatch.syspath_prepend(tmp_path)
    parts.entry_points.cache_clear()
    try:
        assert EVALUATORS.names() == ("conservative", "ks", "material", "sound")
        assert load_evaluator("nothing").__name__ == "nothing"
    finally:
        parts.entry_points.cache_clear()


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ("no/such.py:Bot", "cannot load 'no/such.py': FileNotFoundError: "),
        ("no_such_module:Bot", "cannot load 'no_such_module': ModuleNotFoundError: No module named 'no_such_module'."),
        ("kriegbot.parts:Partz", "'kriegbot.parts' has no 'Partz'; did you mean 'Parts'?"),
        ("kriegbot.parts:Parts.mames", "'kriegbot.parts' has no 'Parts.mames'; did you mean 'names'?"),
    ],
)
def test_an_object_that_cannot_be_loaded_is_refused_in_one_line(reference: str, message: str) -> None:
    with pytest.raises(NotFound) as refused:
        load_object(reference)
    assert str(refused.value).startswith(message)
    assert "\n" not in str(refused.value)
