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
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    return done.stdout.splitlines(), done.stderr


@pytest.fixture
def no_home(tmp_path: Path) -> Path:
    path = tmp_path / "home"
    path.write_text("")
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
    assert said == f"Your home cannot be written. Until the next start, kernels and games are kept in {root}.\n"
    assert root.stat().st_mode & 0o777 == 0o700


@pytest.mark.slow
def test_kernels_that_can_be_read_but_not_written_are_not_compiled_anew(no_home: Path, tmp_path: Path) -> None:
    """As in a player's sandbox: the user's cache is there, and nothing can be written to it."""
    code = """
import platformdirs, pathlib, kriegbot.folders as folders
users = pathlib.Path(r"{users}")
platformdirs.user_cache_path = lambda name: users
folders.os.access = lambda path, _: {is_writable} or path != users
from kriegbot.kernels import uniforms
from kriegbot.kernels.compiler import kernel_folder
print(uniforms(1, 1), *sorted((path.name, path.stat().st_mtime_ns) for path in kernel_folder().glob("*.nb?")))
(kernel_folder() / "prepared").touch()
"""
    users = tmp_path / "users"
    compiled, _ = folders(tmp_path, tmp_path, code.format(users=users, is_writable=True))
    assert "_fill_uniform" in compiled[0]
    loaded, _ = folders(no_home, tmp_path, code.format(users=users, is_writable=False))
    assert loaded == compiled
