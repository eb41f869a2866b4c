"""Kernels and games go to a temporary folder if the home cannot be written, and the log says so once."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("there, temporary files are the user's own", allow_module_level=True)

CODE = "from kriegbot.folders import *; print(cache_folder(), data_folder(), cache_folder(), sep='\\n')"


def folders(home: Path, temporary: Path, code: str = CODE) -> tuple[list[str], str]:
    """Return the folders and warnings of a process; a file as home stands for one without write access."""
    found = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
    environment = found | {"HOME": str(home), "TMPDIR": str(temporary)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, encoding="utf-8", check=True
    )
    return done.stdout.splitlines(), done.stderr


@pytest.fixture
def no_home(tmp_path: Path) -> Path:
    path = tmp_path / "home"
    path.write_text("", encoding="utf-8")
    return path


def test_a_home_that_can_be_written_is_used(tmp_path: Path) -> None:
    chosen, said = folders(tmp_path, tmp_path)
    assert said == ""
    assert all(path.startswith(str(tmp_path)) and "kriegbot-" not in path for path in chosen)


def test_without_a_home_a_process_and_its_children_use_one_temporary_folder(no_home: Path, tmp_path: Path) -> None:
    code = f"{CODE}; import subprocess, sys; subprocess.run([sys.executable, '-c', {CODE!r}])"
    chosen, said = folders(no_home, tmp_path, f"import sys; sys.stdout.reconfigure(line_buffering=True); {code}")
    (root,) = (path for path in tmp_path.iterdir() if path.name.startswith("kriegbot-"))
    assert chosen == [f"{root}/cache/kriegbot", f"{root}/data/kriegbot", f"{root}/cache/kriegbot"] * 2
    assert said == f"Your home cannot be used. Until the next start, kernels and games are kept in {root}.\n"
    assert root.stat().st_mode & 0o777 == 0o700


def change_home(home: Path, way: str) -> Path:
    """Make kriegbot's cache folder, or one above it, what another user may change. Return that one."""
    cache = home / ".cache" / "kriegbot"
    cache.mkdir(parents=True)
    if way == "a parent that all may write":
        home.chmod(0o777)
        return home
    if way == "a file mode":
        cache.chmod(0o777)
    elif way == "a group":
        os.chown(cache, -1, 54321)
        cache.chmod(0o770)
    elif way == "an owner":
        home.chmod(0o1777)
        os.chown(cache, 54321, 54321)
    elif way == "a link":
        (home / "theirs").mkdir()
        (home / "theirs").chmod(0o777)
        cache.rmdir()
        cache.symlink_to(home / "theirs")
        return home / "theirs"
    return cache


@pytest.mark.parametrize("way", ["a file mode", "a parent that all may write", "a link", "a group", "an owner"])
@pytest.mark.parametrize("by_variable", [False, True])
def test_no_code_is_loaded_from_a_folder_that_another_user_may_change(
    way: str, by_variable: bool, tmp_path: Path
) -> None:
    if way in ("a group", "an owner") and os.geteuid():
        pytest.skip("only root gives files away")
    foreign = change_home(tmp_path / "home", way)
    code = CODE
    if by_variable:
        code = f"import os; os.environ['XDG_CACHE_HOME'] = {str(tmp_path / 'home' / '.cache')!r}; {CODE}"
        (tmp_path / "other").mkdir()
    chosen, said = folders(tmp_path / ("other" if by_variable else "home"), tmp_path, code)
    (root,) = (path for path in tmp_path.iterdir() if path.name.startswith("kriegbot-"))
    assert chosen[0] == f"{root}/cache/kriegbot"
    assert said.startswith(f"Other users may change '{foreign}', so no code is loaded from ")


@pytest.mark.parametrize("mode", [0o1777, 0o755, 0o775])
def test_a_folder_that_is_the_users_own_is_used(mode: int, tmp_path: Path) -> None:
    """Mode 1777 as /tmp, 775 as where each user has a group of their own."""
    (tmp_path / "home").mkdir()
    if not os.geteuid():
        os.chown(tmp_path / "home", 0, 0)
    (tmp_path / "home").chmod(mode)
    if mode == 0o775 and os.getuid() != os.getgid():
        pytest.skip("this user has no such group")
    chosen, said = folders(tmp_path / "home", tmp_path)
    assert (chosen[0], said) == (str(tmp_path / "home" / ".cache" / "kriegbot"), "")


def test_a_user_without_a_name_or_home_gets_a_temporary_folder(tmp_path: Path) -> None:
    unknown = "import os, pwd; del os.environ['HOME']; pwd.getpwuid = {}.__getitem__; "
    chosen, said = folders(tmp_path, tmp_path, unknown + CODE)
    (root,) = tmp_path.iterdir()
    assert chosen[0] == f"{root}/cache/kriegbot"
    assert said == f"Your home cannot be used. Until the next start, kernels and games are kept in {root}.\n"


def test_where_no_folder_can_be_written_no_code_is_loaded_and_no_traceback_is_printed(no_home: Path) -> None:
    chosen, said = folders(no_home, no_home, f"import tempfile; tempfile.tempdir = {str(no_home)!r}; {CODE}")
    assert chosen[0] == "/nonexistent/cache/kriegbot"
    assert said == "No folder can be written: kernels are compiled at each start, and games are not kept.\n"


@pytest.mark.slow
def test_kernels_that_can_be_read_but_not_written_are_not_compiled_anew(no_home: Path, tmp_path: Path) -> None:
    """As in a player's sandbox: the user's cache is there, and nothing can be written to it."""
    code = """
import platformdirs, pathlib, kriegbot.folders as folders
users = pathlib.Path(r"{users}")
platformdirs.user_cache_path = lambda name: users
folders.os.access = lambda path, _: {is_writable} or path != users
from kriegbot.kernels import random_numbers
from kriegbot.kernels.compiler import kernel_folder
print(random_numbers(1, 1), *sorted((path.name, path.stat().st_mtime_ns) for path in kernel_folder().glob("*.nb?")))
(kernel_folder() / "prepared").touch()
"""
    users = tmp_path / "users"
    compiled, _ = folders(tmp_path, tmp_path, code.format(users=users, is_writable=True))
    assert "_fill_random" in compiled[0]
    loaded, _ = folders(no_home, tmp_path, code.format(users=users, is_writable=False))
    assert loaded == compiled
