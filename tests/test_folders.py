"""Each kind of folder that cannot be used is replaced by a temporary one, alone; the log says so once."""

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


@pytest.mark.slow
def test_without_a_home_a_process_and_its_children_share_temporary_folders(no_home: Path, tmp_path: Path) -> None:
    code = f"{CODE}; import subprocess, sys; subprocess.run([sys.executable, '-c', {CODE!r}])"
    chosen, said = folders(no_home, tmp_path, f"import sys; sys.stdout.reconfigure(line_buffering=True); {code}")
    cache, data, again = chosen[:3]
    assert chosen[3:] == chosen[:3]
    assert cache == again
    assert (Path(cache).parent.name[:15], Path(data).parent.name[:14]) == ("kriegbot-cache-", "kriegbot-data-")
    assert said == (
        f"Not a directory: '{no_home}/.cache/kriegbot'. Compiled kernels are kept in {Path(cache).parent}, until the "
        f"end.\nNot a directory: '{no_home}/.local/share/kriegbot'. Games and results are kept in "
        f"{Path(data).parent}.\n"
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["home"]  # nothing was in them


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["CACHE", "DATA", "CONFIG"])
def test_a_folder_that_cannot_be_used_moves_alone_and_only_games_stay(kind: str, tmp_path: Path) -> None:
    code = "import os; os.environ['XDG_{}_HOME'] = '/dev/null/x'; {}; (config_folder() / 'a').touch()"
    write = "[(folder() / 'a').write_bytes(b'x') for folder in (cache_folder, data_folder)]"
    (tmp_path / "temporary").mkdir()
    _, said = folders(tmp_path, tmp_path / "temporary", code.format(kind, f"{CODE}; {write}"))
    assert said.count("\n") == 1
    assert said.startswith("Not a directory: '/dev/null/x/kriegbot'. ")
    left = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("a")}
    homes = {"CACHE": ".cache/kriegbot/a", "DATA": ".local/share/kriegbot/a", "CONFIG": ".config/kriegbot/a"}
    kept = {path for path in left if path.startswith("temporary")}
    assert left - kept == {path for name, path in homes.items() if name != kind}
    assert len(kept) == (kind == "DATA")
    assert len(list((tmp_path / "temporary").iterdir())) == (kind == "DATA")


@pytest.mark.slow
def test_what_a_killed_process_has_left_is_removed_and_what_is_in_use_or_not_ours_is_not(
    no_home: Path, tmp_path: Path
) -> None:
    kill = f"{CODE}; sys.stdout.flush(); os.kill(os.getpid(), 9)".replace("; sys", "; import os, sys; sys", 1)
    with pytest.raises(subprocess.CalledProcessError):
        folders(no_home, tmp_path, kill)
    left = [path.name for path in tmp_path.iterdir() if "cache" in path.name]
    assert len(left) == 1
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "kriegbot-cache-link").symlink_to(tmp_path / "elsewhere")
    other = f"import os; os.environ['XDG_CACHE_HOME'] = '/dev/null/x'; {CODE}"  # sees ours in use
    inner = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {other!r}])"
    chosen, _ = folders(no_home, tmp_path, f"import os; {CODE}; there = cache_folder(); {inner}; print(there.is_dir())")
    assert chosen[-1] == "True"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["elsewhere", "home", "kriegbot-cache-link"]
    assert list((tmp_path / "elsewhere").iterdir()) == []


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


@pytest.mark.slow
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
    assert Path(chosen[0]).parent.name.startswith("kriegbot-cache-")
    assert not Path(chosen[0]).exists()
    assert "kriegbot-" not in chosen[1]
    assert said.startswith(f"Other users may change '{foreign}', so no code is loaded from ")
    assert said.count("\n") == 1


@pytest.mark.slow
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
    thread = "import threading; first = threading.Thread(target=cache_folder); first.start(); first.join(); "
    chosen, said = folders(tmp_path, tmp_path, f"{unknown}from kriegbot.folders import cache_folder; {thread}{CODE}")
    assert Path(chosen[0]).parent.name.startswith("kriegbot-cache-")
    assert list(tmp_path.iterdir()) == []  # nothing is left, whichever thread made it
    assert said.startswith("This user has no home. Compiled kernels are kept in ")


def test_where_no_folder_can_be_written_no_code_is_loaded_and_no_traceback_is_printed(no_home: Path) -> None:
    chosen, said = folders(no_home, no_home, f"import tempfile; tempfile.tempdir = {str(no_home)!r}; {CODE}")
    assert chosen[0] == "/nonexistent/cache/kriegbot"
    assert "No folder can be written: compiled kernels are not kept.\n" in said
    assert said.endswith("No folder can be written: games and results are not kept.\n")


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
