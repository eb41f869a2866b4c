"""Kernels are compiled for their annotations, anew after an edit, and before they are needed."""

import ast
import inspect
import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from numba import types

import kriegbot
from evaluators.protocol import evaluator
from kriegbot.kernels import (
    Moves,
    Position,
    Word,
    compiler,
    kernel_modules,
    moves,
    preparing,
    random_numbers,
)
from kriegbot.kernels.compiler import signature_of
from kriegbot.kernels.preparing import LATER
from tests.effort import some
from tests.misbehaving import abort


@pytest.mark.slow
@pytest.mark.parametrize(
    ("first", "setting"),
    some(
        (
            ("import numba; ", "NUMBA_DISABLE_JIT=1"),
            ("", "NUMBA_CPU_NAME=nonsense"),
            ("", "NUMBA_DISABLE_JIT=1"),
            ("import numba; ", "NUMBA_BOUNDSCHECK=1"),
        ),
        2,
    ),
)
def test_the_environments_settings_for_numba_change_no_kernel(setting: str, first: str) -> None:
    name, _, value = setting.partition("=")
    code = f"{first}from kriegbot.kernels import random_numbers; print(random_numbers(1, 1)[0])"
    command = [sys.executable, "-W", "error", "-c", code]
    done = subprocess.run(command, env={**os.environ, name: value}, capture_output=True, encoding="utf-8", check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{random_numbers(1, 1)[0]}\n"


def test_every_module_with_kernels_that_players_use_is_prepared() -> None:
    root = Path(kriegbot.__file__).parent
    sources = [*root.rglob("*.py"), *(root.parent / "evaluators").glob("*.py")]
    decorator = re.compile(r"(?m)^@(?:kb\.)?(kernel|inlined|entry|evaluator)$")
    kernels = {path for path in sources if decorator.search(path.read_text("utf-8"))}
    names = {".".join(path.relative_to(root.parent).with_suffix("").parts) for path in kernels}
    assert {"kriegbot.belief.filter", "evaluators.material"} < names
    assert names - set(kernel_modules()) == {"kriegbot.players.part_checks", "kriegbot.environments.batch"}


def test_a_kernel_is_compiled_for_what_its_annotations_say() -> None:
    signature = signature_of(typed)
    assert signature.return_type == types.Tuple((types.uint64, types.int64))
    assert signature.args == (types.CPointer(types.int32), types.NamedUniTuple(types.uint64, 8, Position))


def typed(moves: Moves, position: Position) -> tuple[Word, int]:
    return position.pawns, moves[0]


def test_a_kernel_whose_annotations_are_no_types_is_refused() -> None:
    def untyped(square, side: int) -> int:  # type: ignore[no-untyped-def]
        return square + side  # type: ignore[no-any-return]

    def listed(moves: list[int]) -> int:
        return moves[0]

    with pytest.raises(TypeError, match="kernel untyped: 'square' has no annotation"):
        signature_of(untyped)
    with pytest.raises(TypeError, match=r"kernel listed: list\[int\] is no type of kernels"):
        signature_of(listed)


def test_an_evaluator_of_another_signature_is_refused() -> None:
    def sided(position: Position, side: int) -> int:  # noqa: ARG001
        return side

    with pytest.raises(TypeError, match="the annotations of sided are not"):
        evaluator(sided)  # type: ignore[arg-type]


def test_an_edit_of_a_source_or_a_data_file_begins_a_new_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def name_with(**texts: str) -> str:
        for stem, text in texts.items():
            path = tmp_path / "edited" / f"{stem.replace('_', '.')}"
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
            os.utime(path, (0, 0))
        return compiler.folder_name.__wrapped__()

    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(compiler, "CACHED", ("edited",))
    contents = {"one_py": "LIMIT = 3", "weights_npz": "1"}
    name = name_with(**contents)
    assert name_with(**contents) == name
    assert name_with(one_py="LIMIT = 4") != name
    assert name_with(one_py="LIMIT = 3") == name
    assert name_with(weights_npz="2") != name


def test_a_source_that_was_edited_after_the_start_belongs_to_no_shared_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "edited").mkdir()
    (tmp_path / "edited" / "one.py").write_text("LIMIT = 3", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(compiler, "CACHED", ("edited",))
    assert compiler.folder_name.__wrapped__() != compiler.folder_name.__wrapped__()


def test_a_kernel_for_which_the_longest_chain_waits_comes_first() -> None:
    needs = {"small": set(), "middle": {"small"}, "large": {"middle", "small"}, "other": set(), "last": {"other"}}
    assert preparing._chains(needs) == {"small": 2, "middle": 1, "large": 0, "other": 1, "last": 0}


@pytest.mark.parametrize(("kernel", "is_inner"), [(moves.legal_moves, True), (moves._list_tries, False)])
def test_kernels_that_only_kernels_call_have_no_machine_code(kernel: Any, is_inner: bool) -> None:
    (compiled,) = kernel.compile().overloads.values()
    assert isinstance(compiled.library, compiler.InnerCode) is is_inner
    assert (compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name) == 0) is is_inner


def test_a_dead_process_of_those_that_compile_is_reported_in_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(preparing, "_jobs", abort)
    assert not preparing._compile_in_workers(preparing.ALL, None, False)
    said = capsys.readouterr().err
    *_, last = said.splitlines()
    assert last.startswith("Kernels that are not compiled yet are compiled when they are called: the worker died (")


@pytest.mark.slow
def test_after_an_edit_of_another_file_the_new_code_runs(tmp_path: Path) -> None:
    """Numba alone would go on with the old one. `PYTHONPATH` names the folder."""
    (tmp_path / "outer.py").write_text(
        "import inner\nfrom kriegbot.kernels import entry\n\n"
        "@entry\ndef outer(value: int) -> int:\n    return inner.inner(value)\n",
        encoding="utf-8",
    )
    for factor in (2, 3):
        (tmp_path / "inner.py").write_text(
            "from kriegbot.kernels import kernel\n\n"
            f"@kernel\ndef inner(value: int) -> int:\n    return {factor} * value\n",
            encoding="utf-8",
        )
        environment = {**os.environ, "PYTHONPATH": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path)}
        environment["PYTHONDONTWRITEBYTECODE"] = "1"  # Python itself misses an edit within a second
        command = [sys.executable, "-c", "from outer import outer; print(outer(10))"]
        done = subprocess.run(command, env=environment, capture_output=True, encoding="utf-8", check=True)
        assert done.stdout == f"{10 * factor}\n"


FIRST_MOVES = """
from importlib import import_module
from kriegbot.game.match import play_turn
from kriegbot.game.seat import HereSeat
from kriegbot.kernels import kernel_modules
from kriegbot.kernels.jit import Kernel
from kriegbot.players.making import make_player
from kriegbot.players.specs import parse_spec
from referee import Referee

seats = {color: HereSeat(name, lambda seed, name=name: make_player(parse_spec(name), seed))
         for color, name in ((True, "rand"), (False, "kriegbot:samples=5"))}
for seat in seats.values():
    seat.begin(1)
referee = Referee()
while referee.ply < 6:
    for _ in play_turn(referee, seats[referee.turn]):
        pass
for module in map(import_module, kernel_modules()):
    for found in vars(module).values():
        if isinstance(found, Kernel) and found.dispatcher is not None:
            print(found.function.__module__)
"""


@pytest.mark.slow
def test_the_flagships_first_moves_need_no_kernel_that_is_compiled_later() -> None:
    done = subprocess.run([sys.executable, "-c", FIRST_MOVES], capture_output=True, encoding="utf-8", check=True)
    used = set(done.stdout.split())
    assert {"kriegbot.search.recursion", "kriegbot.belief.filter", "evaluators.sound"} < used
    assert not [name for name in used if name.startswith(LATER)]


@pytest.mark.parametrize("is_compiled", [True, False])
def test_kernels_are_marked_as_prepared_once_all_are_compiled(
    is_compiled: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "kernels"
    folder.mkdir()
    monkeypatch.setattr(preparing, "_complete", set())
    monkeypatch.setattr(preparing, "load_compiler", lambda: SimpleNamespace(kernel_folder=lambda: folder))
    monkeypatch.setattr(preparing, "_compile_in_workers", lambda *_: is_compiled)
    preparing.prepare()
    assert (folder / preparing.ALL).exists() == is_compiled
    assert not (folder / preparing.FIRST).exists()


def test_what_the_flagship_begins_without_is_not_among_the_first_kernels() -> None:
    first, everything = preparing._jobs(preparing.FIRST), preparing._jobs(preparing.ALL)
    assert first.keys() == {name for name in everything if not name.startswith(LATER)}
    assert {name.partition(":")[0] for name in first} >= {"kriegbot.search.recursion", "kriegbot.belief.filter"}
    assert len(first) < len(everything)


@pytest.mark.parametrize("name", kernel_modules())
def test_no_kernel_points_into_an_array_of_its_own(name: str) -> None:
    """Numba frees an array after its last use, though a pointer to its memory is still used: a search crashed.

    Constants of a module, in capitals, are never freed.
    """
    kinds = {"kernel", "entry", "inlined", "part", "evaluator", "fold", "settle", "opponent"}
    for function in ast.walk(ast.parse(inspect.getsource(import_module(name)))):
        if isinstance(function, ast.FunctionDef) and kinds & {
            ast.unparse(one).removeprefix("kb.") for one in function.decorator_list
        }:
            given = {argument.arg for argument in function.args.args}
            unpacked = [ast.unparse(node) for node in ast.walk(function) if isinstance(node, ast.Assign)]
            calls = [node for node in ast.walk(function) if isinstance(node, ast.Call)]
            for call in [call for call in calls if ast.unparse(call.func).removeprefix("kb.") == "pointer"]:
                of = re.split(r"[.\[]", ast.unparse(call.args[0]))[0]
                sources = [line for line in unpacked if re.search(rf"\b{of}\b.* = ", line)]
                is_given = any(line.rpartition(" = ")[2].partition(".")[0] in given for line in sources)
                assert is_given or of in given | {of.upper()}
