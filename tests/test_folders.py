"""Where kernels and games are kept if the home cannot be written: in one folder of this user's, told once."""

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
    """The folders that a process chooses, and what it says; a file as home stands for one that cannot be written."""
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


def test_without_a_home_one_folder_is_made_told_and_used_again(no_home: Path, tmp_path: Path) -> None:
    root = tmp_path / f"kriegbot-{os.getuid()}"
    first, said = folders(no_home, tmp_path)
    assert first == [f"{root}/cache/kriegbot", f"{root}/data/kriegbot", f"{root}/cache/kriegbot"]
    assert said == f"Your home cannot be written; compiled kernels and games are kept in {root}.\n"
    assert root.stat().st_mode & 0o777 == 0o700
    assert folders(no_home, tmp_path) == (first, "")


@pytest.mark.parametrize("kind", ["open", "link", "file"])
def test_a_folder_that_others_could_have_written_to_is_not_used(no_home: Path, tmp_path: Path, kind: str) -> None:
    root = tmp_path / f"kriegbot-{os.getuid()}"
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    if kind == "open":
        root.mkdir()
        root.chmod(0o777)
    elif kind == "link":
        root.symlink_to(tmp_path / "elsewhere")
    else:
        root.write_text("")
    chosen, said = folders(no_home, tmp_path)
    assert chosen[0] == chosen[2]
    assert not any(path.startswith(f"{root}/") for path in chosen)
    assert said.startswith(f"Your home cannot be written, nor is {root} yours alone; for now, files go to ")
    assert said.count("\n") == 1
    assert list((tmp_path / "elsewhere").iterdir()) == []


@pytest.mark.slow
def test_kernels_that_can_be_read_but_not_written_are_not_compiled_anew(no_home: Path, tmp_path: Path) -> None:
    """As in a player's sandbox: the user's cache is there, and nothing can be written to it."""
    code = """
import platformdirs, pathlib, kriegbot.folders as folders
users = pathlib.Path(r"{users}")
platformdirs.user_cache_path = lambda name: users
folders.os.access = lambda path, _: {is_writable} or path != users
from kriegbot.kernels import uniforms
from kriegbot.kernels.cache import cache_directory
print(uniforms(1, 1), *(path.name for path in cache_directory().iterdir()))
"""
    users = tmp_path / "users"
    compiled, _ = folders(tmp_path, tmp_path, code.format(users=users, is_writable=True))
    assert "_fill_uniform" in compiled[0]
    loaded, _ = folders(no_home, tmp_path, code.format(users=users, is_writable=False))
    assert loaded[0] == compiled[0].split("]")[0] + "]"
