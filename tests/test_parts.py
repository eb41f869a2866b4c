"""Parts are found by name, in our folders, in installed packages, and in files that the user names."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from evaluators import EVALUATORS, load_evaluator
from evaluators.ks import Weights, with_weights
from kriegbot import parts
from kriegbot.cli.main import main
from kriegbot.cli.programs import kinds_of_parts
from kriegbot.models import OPPONENTS
from kriegbot.parts import BadPart, NotFound, Parts, file_of, load_object
from kriegbot.players.part_checks import check_part
from kriegbot.search.backup import BACKUPS
from tests.outside import installed

EVALUATOR = """
from evaluators.protocol import evaluator
from kriegbot.kernels.position import Position
from kriegbot.kernels.types import Words

@evaluator
def nothing(tables: Words, position: Position, side: int) -> int:
    return 0
"""


def test_a_module_without_a_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "no_init").mkdir()
    monkeypatch.syspath_prepend(tmp_path)
    for module in ("sys", "no_init"):
        with pytest.raises(NotFound, match=f"there is no file of module '{module}'"):
            file_of(f"{module}:path")


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
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    assert Parts("part", "some_parts", "no.group").names() == ("a", "b", "c", "d")


@pytest.mark.slow
def test_listing_parts_imports_no_kernels() -> None:
    program = (
        "import sys\nfrom evaluators import EVALUATORS, load_evaluator\nprint(*EVALUATORS.names())\n"
        "for load in (str, load_evaluator):\n"
        "    load('ks')\n    print(*sorted({'evaluators.ks', 'kriegbot.kernels.jit', 'numba'} & sys.modules.keys()))\n"
    )
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=True)
    names, listed, loaded = answer.stdout.splitlines()
    assert names.split() == ["conservative", "ks", "material", "sound"]
    assert listed == ""
    assert loaded.split() == ["evaluators.ks", "kriegbot.kernels.jit"]


def test_a_part_that_is_not_there_is_refused_with_what_is() -> None:
    with pytest.raises(NotFound) as refused:
        load_evaluator("materiel")
    assert str(refused.value) == (
        "unknown evaluator 'materiel'; did you mean 'material'? Known: conservative, ks, material, sound; "
        "or your own: FILE.py:NAME or MODULE:NAME."
    )


def test_a_set_of_weights_is_an_evaluator() -> None:
    assert load_evaluator("ks") is with_weights(Weights())
    assert load_evaluator("conservative") is with_weights(Weights(shield=30))
    assert load_evaluator("evaluators.ks:threat_20_advance_300") is with_weights(Weights(threat=20, advance=300))


@pytest.mark.parametrize("mate", ["0", "-3000", "499", "10001"])
def test_a_value_of_mate_beyond_its_range_is_no_evaluator(mate: str) -> None:
    with pytest.raises(NotFound):
        load_evaluator(f"evaluators.ks:mate_{mate}")


def test_an_evaluator_comes_from_a_file_or_a_module(tmp_path: Path) -> None:
    path = tmp_path / "own.py"
    path.write_text(EVALUATOR, encoding="utf-8")
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


def test_of_two_installed_parts_of_one_name_the_first_on_the_path_is_meant(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        installed(tmp_path / name, name, EVALUATOR, {"kriegbot.evaluators": {"nothing": f"{name}:nothing"}})
    for first in ("first", "second"):
        monkeypatch.syspath_prepend(tmp_path / ("second" if first == "first" else "first"))
        monkeypatch.syspath_prepend(tmp_path / first)
        parts.entry_points.cache_clear()
        try:
            assert parts.entry_points("kriegbot.evaluators")["nothing"].value == f"{first}:nothing"
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


ODD_PARTS = """
from evaluators.protocol import evaluator
from kriegbot.kernels import Moves, Position, Reals, Words
from kriegbot.models.protocol import Announced, opponent, opponents
from kriegbot.search.backup import Backup, fold, settle

@evaluator
def good(tables: Words, position: Position, side: int) -> int: return side
@evaluator
def huge(tables: Words, position: Position, side: int) -> int: return 10001 * side
@evaluator
def unknown(tables: Words, position: Position, side: int) -> int: return no_such_name
def plain(tables, position, side): return 0

@opponents((1.0, 2.0))
def fair(tables: Words, position: Position, heard: Announced, moves: Moves, count: int, weights: Reals) -> bool:
    for i in range(count): weights[i] = 1.0 + i
    return True
@opponent
def never(tables: Words, position: Position, heard: Announced, moves: Moves, count: int, weights: Reals) -> bool:
    return False
@opponent
def nothing(tables: Words, position: Position, heard: Announced, moves: Moves, count: int, weights: Reals) -> bool:
    return True
@opponent
def zero(tables: Words, position: Position, heard: Announced, moves: Moves, count: int, weights: Reals) -> bool:
    for i in range(count): weights[i] = float(i)
    return True
@opponent
def infinite(tables: Words, position: Position, heard: Announced, moves: Moves, count: int, weights: Reals) -> bool:
    for i in range(count): weights[i] = 1.0 / (heard.ours - 36)
    return True
@opponent
def beyond(tables: Words, position: Position, heard: Announced, moves: Moves, count: int, weights: Reals) -> bool:
    for i in range(513): weights[i] = 1.0
    return True

@fold
def two(totals: Reals, weights: Reals, values: Reals, count: int) -> None:
    for i in range(count):
        totals[0] += weights[i] * values[2 * i]
        totals[1] += weights[i] * values[2 * i + 1]
@settle
def both(totals: Reals, weight: float, parameters: Reals, settled: Reals) -> float:
    settled[0], settled[1] = totals[0], totals[1]
    return totals[0] / weight
@settle
def reads_on(totals: Reals, weight: float, parameters: Reals, settled: Reals) -> float:
    settled[0], settled[1] = totals[0], totals[1]
    return totals[0] / weight * parameters[1]
more = Backup("more", (0.0, 0.0), two, reads_on, (1.0,))
fits = Backup("fits", (0.0, 0.0), two, both)
narrow = Backup("narrow", (0.0,), two, both)
wide = Backup("wide", (0.0, 0.0, 0.0), two, both)
no_numbers = Backup("no_numbers", (), two, both)
infinity = Backup("infinity", (float("inf"), 0.0), two, both)
swapped = Backup("swapped", (0.0, 0.0), both, two)

@fold
def squares(totals: Reals, weights: Reals, values: Reals, count: int) -> None:
    for i in range(count):
        totals[0] += weights[i] * values[2 * i]
        totals[1] += weights[i] * values[2 * i + 1] ** 2
@settle
def less_deviation(totals: Reals, weight: float, parameters: Reals, settled: Reals) -> float:
    settled[0], settled[1] = totals[0], totals[1]
    mean = totals[0] / weight
    return mean - max(0.0, totals[1] / weight - mean * mean) ** 0.5
@fold
def lost(totals: Reals, weights: Reals, values: Reals, count: int) -> None:
    for i in range(count):
        totals[0] += weights[i] * values[2 * i]
        totals[1] += weights[i] if values[2 * i + 1] < -5000.0 else 0.0
@fold
def latest(totals: Reals, weights: Reals, values: Reals, count: int) -> None:
    for i in range(count):
        totals[0] = values[i]
@settle
def forgets_weights(totals: Reals, weight: float, parameters: Reals, settled: Reals) -> float:
    settled[0], settled[1] = totals[0] / weight, totals[1] / weight
    return totals[0] / weight
spread = Backup("spread", (0.0, 0.0), squares, less_deviation)
risk = Backup("risk", (0.0, 0.0), lost, both)
last = Backup("last", (0.0,), latest)
light = Backup("light", (0.0, 0.0), two, forgets_weights)
"""


COMPILED = [
    (EVALUATORS, "good", None),
    (EVALUATORS, "huge", "returns 10001 centipawns; it takes -10000 to 10000"),
    (EVALUATORS, "unknown", "cannot be compiled: TypingError: NameError: name 'no_such_name' is not defined"),
    (OPPONENTS, "fair", None),
    (OPPONENTS, "never", None),
    (OPPONENTS, "nothing", "gives a reply the weight none; it takes finite ones above 0, or returns False"),
    (OPPONENTS, "zero", "gives a reply the weight 0; it takes finite ones above 0, or returns False"),
    (OPPONENTS, "infinite", "gives a reply the weight "),
    (OPPONENTS, "beyond", "writes more weights than there is room for"),
    (BACKUPS, "fits", None),
    (BACKUPS, "narrow", "writes more numbers than the 1 of its `start`"),
    (BACKUPS, "wide", "writes fewer than 3 finite numbers"),
    (BACKUPS, "infinity", "writes fewer than 2 finite numbers"),
    (BACKUPS, "more", "writes fewer than 2 finite numbers, or reads beyond"),
    (BACKUPS, "spread", "keeps 3065.58, 2.68498e+15 in place of 3065.58, 6.93293e+07 at depth 2: a row of"),
    (BACKUPS, "risk", "keeps 3065.58, 0 in place of 3065.58, 0.166667 at depth 2: a row of its totals has to mean"),
    (BACKUPS, "last", "keeps -10000 in place of 10000 if the same values come in another order"),
    (BACKUPS, "light", "gives 340.62 in place of 1021.86 at depth 3: `settle` passes up another value"),
]
"""Parts that are compiled before they are accepted or refused."""


@pytest.mark.parametrize(
    ("parts_of_kind", "name", "message"),
    [
        (EVALUATORS, "plain", "is a function; it takes a function decorated with `evaluator`"),
        (EVALUATORS, "zero", "is a Kernel; it takes a function decorated with `evaluator`"),
        (EVALUATORS, "fits", "is a Backup; it takes a function decorated with `evaluator`"),
        (BACKUPS, "no_numbers", "starts with (); it takes a tuple of one number (float) or more"),
        (BACKUPS, "swapped", "is a Kernel; it takes a function decorated with `fold`"),
        *(pytest.param(*case, marks=pytest.mark.slow) for case in COMPILED),
    ],
)
def test_a_part_that_breaks_its_contract_is_refused(
    parts_of_kind: Parts, name: str, message: str | None, tmp_path: Path
) -> None:
    path = tmp_path / "odd_ones.py"
    path.write_text(ODD_PARTS, encoding="utf-8")
    part = parts_of_kind.load(f"{path}:{name}")
    assert parts_of_kind.file(f"{path}:{name}") == path
    if message is None:
        check_part(part, parts_of_kind.what)
        return
    with pytest.raises(BadPart) as refused:
        check_part(part, parts_of_kind.what)
    assert str(refused.value).startswith(message)
    assert "\n" not in str(refused.value)


def test_a_part_with_other_annotations_is_told_which_it_takes(tmp_path: Path) -> None:
    path = tmp_path / "short_one.py"
    path.write_text(
        "from kriegbot import evaluator, opponent\n@evaluator\ndef f(position, side): return 0\n", encoding="utf-8"
    )
    with pytest.raises(NotFound, match=re.escape("the annotations of f are not (Words, Position, int) -> int")):
        EVALUATORS.load(f"{path}:f")
    path.write_text("from kriegbot import fold\n@fold\ndef g(totals: float) -> float: return 0\n", encoding="utf-8")
    with pytest.raises(NotFound, match=re.escape("of g are not (Reals, Reals, Reals, int) -> None")):
        BACKUPS.load(f"{path}:g")


def test_the_docs_name_the_groups_of_entry_points() -> None:
    text = (Path(__file__).parents[1] / "docs" / "bots.md").read_text(encoding="utf-8")
    assert all(f" `{one.group}` |" in text for one in kinds_of_parts())
    snippet = tomllib.loads(text.partition("```toml\n")[2].partition("```")[0])
    assert set(snippet["project"]["entry-points"]) <= {one.group for one in kinds_of_parts()}


def test_players_lists_what_is_installed_of_every_kind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    installed(
        tmp_path, "some_things", "", {one.group: {"thing": "some_things:thing"} for one in kinds_of_parts()}, "2.5"
    )
    monkeypatch.syspath_prepend(tmp_path)
    parts.entry_points.cache_clear()
    try:
        assert main(["players"]) == 0
        out = capsys.readouterr().out
    finally:
        parts.entry_points.cache_clear()
    assert "players of installed packages: thing (some_things 2.5)\n" in out
    for one in kinds_of_parts()[1:]:
        assert f"{one.what}s: {', '.join(one.names())}, thing (some_things 2.5)\n" in out
