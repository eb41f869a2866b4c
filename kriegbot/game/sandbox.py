"""Players from outside, kept from the rest of the machine by bubblewrap: no network, nothing to write to but /tmp.

Within, a player sees the system's programs and libraries, Python with this project, and the folders of its own files,
all of them read-only; an empty /tmp; its own processes alone. See docs/bots.md for what is left.
"""

import glob
import logging
import multiprocessing
import os
import re
import shutil
import site
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from kriegbot.folders import cache_folder
from kriegbot.game.children import CannotStart
from kriegbot.importing import ROOT, current_folder
from kriegbot.players.specs import PlayerSpec
from referee.text import one_line

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/opt", "/etc/alternatives", "/etc/ld.so.cache")
JAVA = "/etc/java*"  # where Debian keeps what Java reads when it starts
PYTHON = re.compile(r"python[0-9.]*")
ALONE = ("--unshare-all", "--die-with-parent", "--cap-drop", "ALL", "--proc", "/proc", "--dev", "/dev")
READ_ONLY = ("--remount-ro", "/proc", "--remount-ro", "/")  # root could write /proc/sys
PACKAGES = ("kriegbot", "referee", "evaluators", "tournaments")
PATIENCE = 10.0  # seconds that bubblewrap may take to say whether it works

log = logging.getLogger("kriegbot")


@cache
def is_there() -> bool:
    """Whether bubblewrap is installed, working or not; it is said once if it is not."""
    found = shutil.which("bwrap") is not None
    if not found and multiprocessing.parent_process() is None:
        log.warning("Players from outside play without a sandbox: bubblewrap (bwrap) is not installed.")
    return found


@cache
def why_unavailable() -> str:
    """Why players from outside cannot be kept in a sandbox here, on one line; empty if they can."""
    program = shutil.which("bwrap")
    if program is None:
        return "bubblewrap (bwrap) is not installed"
    command = [program, *_walls([]), "true"]
    try:
        done = subprocess.run(command, capture_output=True, timeout=PATIENCE, check=False, env=_environment(os.environ))
    except (OSError, subprocess.TimeoutExpired) as error:
        return one_line(f"bubblewrap does not work here: {error}", 200)
    said = done.stderr.decode(errors="replace").strip() or f"exit code {done.returncode}"
    return one_line(f"bubblewrap does not work here: {said}", 200) if done.returncode else ""


def sandboxed(
    command: Sequence[str], environment: Mapping[str, str], spec: PlayerSpec
) -> tuple[list[str], dict[str, str]]:
    """A command as bubblewrap runs it, and the environment of both: what bubblewrap was told can be read within.

    Of its environment without a sandbox it gets the little that it needs. Raises CannotStart: bubblewrap does not work.
    """
    if why_unavailable():
        raise CannotStart(f"{why_unavailable()}; --no-sandbox does without")
    return [shutil.which("bwrap") or "bwrap", *_walls(_own(spec)), *command], _environment(environment)


def can_read(spec: PlayerSpec, path: Path) -> bool:
    """Whether a player can read a file in its sandbox."""
    return any(path.resolve().is_relative_to(folder.resolve()) for folder in (*_common(), *_own(spec)))


def _environment(of: Mapping[str, str]) -> dict[str, str]:
    kept = {name: of[name] for name in ("PATH", "LANG", "LC_ALL", "PYTHONPATH") if name in of}
    folders = {"HOME": "/tmp", "XDG_CACHE_HOME": str(cache_folder().parent), "PYTHONUSERBASE": site.getuserbase()}
    return kept | folders | {"PYTHONDONTWRITEBYTECODE": "1"}


def _walls(own: Sequence[Path]) -> list[str]:
    walls = [*ALONE, "--tmpfs", "/tmp"]
    shown = {Path(os.path.normpath(path)) for path in (*_common(), *own)}
    for path in sorted(shown):
        if not shown.intersection(path.parents):  # within, a link stays a link
            walls += ["--ro-bind-try", str(path), str(path)]
    here = current_folder() or "/tmp"
    return [*walls, "--dir", here, "--chdir", here, *READ_ONLY, "--"]


def _common() -> list[Path]:
    """What every player can read."""
    libraries = [sys.prefix, sys.base_prefix, *site.getsitepackages(), os.path.join(site.getuserbase(), "lib")]
    ours = [str(cache_folder()), *(os.path.join(ROOT, package) for package in PACKAGES)]
    return [Path(path) for path in (*SYSTEM, *glob.glob(JAVA), *libraries, *ours)]


def _own(spec: PlayerSpec) -> list[Path]:
    """What one player can read besides: the folders of its files and in its command, and the Python that it runs in."""
    own = [path for file in spec.files for link in _links(file) for path in (_folder(link), *_python_of(link))]
    own += [path for word in spec.command[1:] if len((path := Path(word).resolve()).parts) > 2 and path.is_dir()]
    package = spec.reference.partition(":")[0].partition(".")[0]
    return own + [path for folder in spec.import_folders if (path := Path(folder, package)).is_dir()]


def _links(file: Path) -> Iterator[Path]:
    """A file, whatever it links to, and what that is in the end."""
    yield file
    while file.is_symlink():
        file = file.parent / os.readlink(file)
        yield file
    yield file.resolve()


def _folder(file: Path) -> Path:
    """The folder of a file; the file itself, where its folder would be everything."""
    return file.parent if len(file.parent.parts) > 2 else file


def _python_of(program: Path) -> Iterator[Path]:
    """The virtual environment that a program is in, and the libraries of the Python beneath, or which it is itself."""
    environment = program.parent.parent
    if (environment / "pyvenv.cfg").is_file():
        yield environment
        program = (environment / "bin" / "python").resolve()
    if PYTHON.fullmatch(program.name):
        yield program.parent.parent / "lib"
