"""Processes and the systems they run on: what children import, how they end, and systems that lack what Linux has.

None of those was at hand: what they lack is taken away (`tests/without_posix`).
"""

from __future__ import annotations

import ast
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
import typer
from rich.console import Console

from kriegbot.children import LineProcess, WorkerPool
from kriegbot.cli import games
from kriegbot.cli.screen import single_keys
from kriegbot.game.process import ProcessSeat
from kriegbot.game.sandbox import why_unavailable
from kriegbot.importing import importable
from kriegbot.parts import load_object
from kriegbot.players.specs import parse_spec, words_of
from referee import BERKELEY, GameRecord
from tests.import_graph import modules
from tests.without_posix.posix_only import COMPUTATIONS, FOLDERS, FUNCTIONS, MODULES


def posix_names(path: Path) -> Iterator[str]:
    """Yield the names in a module that only POSIX systems have, and texts that begin with folders of Linux."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Attribute(ast.Name(module), name) if name in FUNCTIONS.get(module, "").split():
                yield f"{module}.{name}"
            case ast.Import(names):
                yield from MODULES.intersection(alias.name for alias in names)
            case ast.ImportFrom(str(module)) if module in MODULES | set(FUNCTIONS):
                yield module
            case ast.Constant(str(text)) if text.startswith(FOLDERS):
                yield text


@pytest.mark.slow
def test_what_only_posix_systems_have_stands_in_one_module() -> None:
    """The sandbox, which is for Linux alone, names /proc, too. Where readline is missing, nothing else changes."""
    found = {name: set(posix_names(path)) - {"readline"} for name, path in modules().items()}
    assert {name for name, names in found.items() if names} == {"kriegbot.posix", "kriegbot.game.sandbox"}
    assert {"os.killpg", "select.poll", "signal.SIGKILL", "termios"} <= found["kriegbot.posix"]
    assert all(text.startswith("/proc") for text in found["kriegbot.game.sandbox"])


def by_locale(path: Path) -> Iterator[str]:
    """Yield the calls that read or write text in the encoding of the machine. Ruff's PLW1514 misses untyped ones."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call) or any(keyword.arg == "encoding" for keyword in node.keywords):
            continue
        match node.func, node.args:
            case (ast.Attribute(_, "read_text"), []) | (ast.Attribute(_, "write_text"), [_]):
                yield f"{path.name}:{node.lineno}"
            case ast.Attribute(_, "open"), [ast.Constant(str(mode)), *_] if set(mode) <= set("rwaxt+"):
                yield f"{path.name}:{node.lineno}"
            case _ if {"text", "universal_newlines"} & {keyword.arg for keyword in node.keywords}:
                if "subprocess" in ast.unparse(node.func):
                    yield f"{path.name}:{node.lineno}"


@pytest.mark.slow
def test_no_text_is_read_or_written_in_the_encoding_of_the_machine() -> None:
    top = Path(__file__).parents[1]
    files = [*modules().values(), *(top / "benchmarks").rglob("*.py"), *(top / "examples").glob("*.py")]
    assert len(files) > 150
    assert [call for file in files for call in by_locale(file)] == []


COMPUTING = {f"kriegbot.{name}" for name in ("belief", "endgames", "kernels", "models", "search", "trees")}
OF_SYSTEMS = {"multiprocessing", "psutil", "pty", "select", "shutil", "signal", "socket", "subprocess", "tempfile"}


def imported(path: Path, seen: set[Path]) -> Iterator[str]:
    """Yield what a file of tests imports, itself or through other files of tests."""
    seen.add(path)
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import | ast.ImportFrom) else []
        if isinstance(node, ast.ImportFrom):
            of_package = node.module in ("kriegbot", "tests")
            names = [f"{node.module}.{name}" for name in names] if of_package else [str(node.module)]
        for name in names:
            other = path.with_name(f"{name.removeprefix('tests.')}.py")
            if name.startswith("tests.") and other not in seen and other.exists():
                yield from imported(other, seen)
            elif not name.startswith("tests."):
                yield name


@pytest.mark.parametrize("name", COMPUTATIONS)
def test_what_is_left_out_without_posix_only_computes(name: str) -> None:
    """Each such file starts nothing, writes no file, and imports nothing of matches, players, the page or commands."""
    files: set[Path] = set()
    modules = set(imported(Path(__file__).with_name(f"test_{name}.py"), files))
    assert not OF_SYSTEMS & {module.partition(".")[0] for module in modules}
    assert not any("tmp_path" in file.read_text(encoding="utf-8") for file in files)
    ours = {module for module in modules if module.startswith(("kriegbot", "tournaments"))} - {"tournaments.statistics"}
    assert {".".join(module.split(".")[:2]) for module in ours} <= COMPUTING


def test_how_a_child_ended_is_known() -> None:
    assert LineProcess([sys.executable, "-c", "raise SystemExit(7)"]).end(patience=20) == 7
    assert LineProcess([sys.executable, "-c", "import time; time.sleep(60)"]).end(patience=0.1) is None


SHADOWS = ("chess", "numpy", "random", "tempfile", "typer")


@pytest.fixture
def strange(tmp_path: Path) -> Path:
    """Return a folder with modules of common names that leave a mark when they are imported."""
    for name in SHADOWS:
        (tmp_path / f"{name}.py").write_text(
            f"open({str(tmp_path / 'mark')!r}, 'w').close(); raise SystemExit(1)", encoding="utf-8"
        )
    return tmp_path


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(["-m", "kriegbot"], id="module"),
        pytest.param([str(Path(sys.executable).with_name("kriegbot"))], id="script", marks=pytest.mark.slow),
    ],
)
def test_nothing_is_imported_from_the_folder_where_a_command_is_typed(command: list[str], strange: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(["", "/nonexistent"])}  # the empty entry is the folder
    done = subprocess.run(
        [sys.executable, *command, "match", "rand", "rand", "--quiet", "--limits", "plies=2"],
        cwd=strange,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert (done.returncode, (strange / "mark").exists()) == (0, False), done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_no_process_of_multiprocessing_imports_from_the_current_folder(method: str, strange: Path) -> None:
    for module in ("dask", "distributed", "cryptography"):
        pytest.importorskip(module)
    code = f"""
import os, sys
before = sys.path[:]
sys.path[:] = [path for path in before if path not in ("", os.getcwd())]
import multiprocessing
from tournaments.dask_executor import _same_environment
sys.path[:] = before
with _same_environment():
    context = multiprocessing.get_context({method!r})
    context.Queue()
    process = context.Process(target=exec, args=("import chess, numpy, random",))
    process.start()
process.join()
assert sys.path[0] == "", sys.path
assert os.environ["PYTHONPATH"] == os.pathsep
sys.exit(process.exitcode)
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=strange,
        env={**os.environ, "PYTHONPATH": os.pathsep},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert (done.returncode, (strange / "mark").exists()) == (0, False), done.stderr


def test_a_folder_that_pythonpath_names_stays_and_that_of_a_part_is_not_passed_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "part.py").write_text("here = 1", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["", "relative", str(tmp_path), "/usr/lib/python"])
    assert importable(is_same_script=False) == ["/usr/lib/python"]
    monkeypatch.setenv("PYTHONPATH", f"{os.pathsep}{tmp_path}/")
    assert importable(is_same_script=False) == [str(tmp_path), "/usr/lib/python"]
    monkeypatch.delenv("PYTHONPATH")
    monkeypatch.chdir("/")
    sys.path.remove(str(tmp_path))
    assert load_object(f"{tmp_path / 'part.py'}:here") == 1
    assert str(tmp_path) in sys.path
    assert importable(is_same_script=True) == ["/usr/lib/python"]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a program that ignores its input may outlive us")
@pytest.mark.parametrize(
    "is_walled",
    [False, pytest.param(True, marks=pytest.mark.skipif(bool(why_unavailable()), reason=why_unavailable()))],
)
def test_a_program_that_thinks_ends_when_we_are_killed(is_walled: bool, tmp_path: Path) -> None:
    (tmp_path / "bot").mkdir()
    bot = tmp_path / "bot" / "bot.sh"
    bot.write_text("sleep 61 & echo ready; sleep 62", encoding="utf-8")
    code = f"""
from kriegbot import ProcessSeat, parse_spec
seat = ProcessSeat(parse_spec("program:sh {bot}", sandbox={is_walled}))
seat.begin(1)
print("ready", flush=True)
input()
"""
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    ) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == b"ready\n"
        started = [pid for pid in descendants(parent.pid) if pid != parent.pid]
        assert len(started) >= 3
        parent.kill()
    assert_end(started)


def assert_end(pids: list[int]) -> None:
    """Wait until processes have ended: others reap them."""
    deadline = time.monotonic() + 20
    while (left := [pid for pid in pids if Path(f"/proc/{pid}").exists()]) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not left


def descendants(pid: int) -> list[int]:
    """Return a process, its children, theirs and so on."""
    children = "".join(path.read_text(encoding="utf-8") for path in Path(f"/proc/{pid}/task").glob("*/children"))
    return [pid, *(other for child in children.split() for other in descendants(int(child)))]


@pytest.mark.skipif(sys.platform != "linux", reason="supervisors are for Linux")
def test_a_kept_program_is_ended_by_a_broken_pipe_as_others_are() -> None:
    assert LineProcess(["sh", "-c", "kill -PIPE $$"], is_supervised=True).end(patience=10) == -signal.SIGPIPE


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="supervisors are for Linux")
@pytest.mark.parametrize("deed", ["STOP", "KILL"])
def test_a_program_that_stops_or_kills_its_supervisor_ends_with_the_game(deed: str, tmp_path: Path) -> None:
    bot = tmp_path / "bot.sh"
    bot.write_text(
        f"sleep 61 & read a; read b; read c; echo ready; read end; kill -{deed} $PPID; sleep 60", encoding="utf-8"
    )
    with ProcessSeat(parse_spec(f"program:sh {bot}", sandbox=False)) as seat:
        seat.begin(1)
        pid = seat.pid
        assert pid is not None
        started = descendants(pid)
        assert len(started) == 3
    assert_end(started)


@pytest.mark.slow
def test_a_script_without_a_guard_of_its_main_module_runs_a_tournament(tmp_path: Path) -> None:
    """Workers do not import the script, as processes of `multiprocessing` would."""
    code = """
from pathlib import Path
from types import SimpleNamespace
from kriegbot import run_tournament
from referee import Limits
print(run_tournament(Path("games.sqlite"), ["rand", "rand"], games=4, seed=1, limits=Limits(plies=6), jobs=2).done)
"""
    (tmp_path / "run.py").write_text(code, encoding="utf-8")
    path = os.pathsep.join(part or os.getcwd() for part in sys.path)
    done = subprocess.run(
        [sys.executable, "run.py"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=120,
    )
    assert (done.returncode, done.stdout) == (0, "4\n"), done.stderr


def test_keys_are_read_on_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    typed = iter(["l", "\xe0K", "\0Q", "zq"])
    monkeypatch.setattr(typer, "getchar", lambda: next(typed))
    monkeypatch.setattr(sys, "platform", "win32")
    places = []
    monkeypatch.setattr(games, "_draw_moment", lambda _console, _record, _frames, at, _view: places.append(at))
    monkeypatch.setattr(games, "_frames", lambda _record: [None] * 20)
    with single_keys() as read:
        games._follow_keys(GameRecord(rules=BERKELEY), Console(), read)
    assert places == [0, 1, 0, 10]


def test_a_player_stands_in_a_file_on_a_drive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("C:\\bots\\mine.py").write_text("from kriegbot.players.rand import RandPlayer as Bot", encoding="utf-8")
    spec = parse_spec("C:\\bots\\mine.py:Bot:bold=1")
    assert (spec.name, dict(spec.options)) == ("C:\\bots\\mine.py:Bot", {"bold": "1"})
    assert [path.name for path in spec.files] == ["C:\\bots\\mine.py"]


def test_a_command_holds_paths_of_windows_there_and_escapes_elsewhere() -> None:
    assert words_of(r'C:\bots\bot.exe "a b" #1', escape="") == [r"C:\bots\bot.exe", "a b", "#1"]
    assert words_of(r"./my\ bot 'a b'", escape="\\") == ["./my bot", "a b"]


def fail_once(path: Path) -> None:
    """Count calls in a file, and fail at the first."""
    with path.open("a", encoding="utf-8") as file:
        file.write("x")
    if path.read_text(encoding="utf-8") == "x":
        raise ValueError("not yet")


def test_a_worker_that_was_not_initialized_is_replaced(tmp_path: Path) -> None:
    with WorkerPool(1, partial(fail_once, tmp_path / "calls")) as pool:
        with pytest.raises(ValueError, match="not yet"):
            pool.submit(os.getpid).result()
        assert pool.submit(os.getpid).result() == pool.submit(os.getpid).result()
    assert (tmp_path / "calls").read_text(encoding="utf-8") == "xx"
