"""A sandbox for players from outside, by bubblewrap: no network, and only /tmp can be written.

In it a player sees, read-only, the system's programs and libraries, Python with this project, and the folders of its
own files; besides these an empty /tmp and its own processes. docs/bots.md lists what remains possible.
"""

import glob
import logging
import os
import re
import shutil
import site
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from kriegbot import children
from kriegbot.children import CannotStart
from kriegbot.folders import cache_folder
from kriegbot.importing import ROOT, current_folder
from kriegbot.players.specs import PlayerSpec
from referee.text import one_line

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/opt", "/etc/alternatives", "/etc/ld.so.cache")
JAVA = "/etc/java*"  # Debian's folder for the files that Java reads at start
PYTHON = re.compile(r"python[0-9.]*")
ISOLATED = ("--unshare-all", "--die-with-parent", "--cap-drop", "ALL", "--proc", "/proc", "--dev", "/dev")
READ_ONLY = ("--remount-ro", "/proc", "--remount-ro", "/")  # else root could write /proc/sys
PACKAGES = ("kriegbot", "referee", "evaluators", "tournaments")
PATIENCE = 10.0  # seconds for bubblewrap's test run

log = logging.getLogger("kriegbot")


@cache
def is_installed() -> bool:
    """Return True if bubblewrap is installed, working or not; log a warning once if it is not."""
    has_bwrap = shutil.which("bwrap") is not None
    if not has_bwrap and not children.in_worker:
        log.warning("Players from outside play without a sandbox: %s.", why_unavailable())
    return has_bwrap


@cache
def why_unavailable() -> str:
    """Return in one line why there is no sandbox here; an empty text if there is one."""
    program = shutil.which("bwrap")
    if program is None:
        return "bubblewrap (bwrap) is not installed" if sys.platform == "linux" else "bubblewrap is for Linux alone"
    command = [program, *_arguments([]), "true"]
    try:
        done = subprocess.run(command, capture_output=True, timeout=PATIENCE, check=False, env=_environment(os.environ))
    except (OSError, subprocess.TimeoutExpired) as error:
        return one_line(f"bubblewrap does not work here: {error}", 200)
    message = done.stderr.decode(errors="replace").strip() or f"exit code {done.returncode}"
    return one_line(f"bubblewrap does not work here: {message}", 200) if done.returncode else ""


def sandboxed(
    command: Sequence[str], environment: Mapping[str, str], spec: PlayerSpec
) -> tuple[list[str], dict[str, str]]:
    """Return the command that runs a player in the sandbox, and the few variables of the environment that it needs.

    Raises:
      CannotStart: bubblewrap does not work.
    """
    if why_unavailable():
        raise CannotStart(f"{why_unavailable()}; --no-sandbox does without")
    return [shutil.which("bwrap") or "bwrap", *_arguments(_own_paths(spec)), *command], _environment(environment)


def can_read(spec: PlayerSpec, path: Path) -> bool:
    """Return True if a player can read a file in its sandbox."""
    return any(path.resolve().is_relative_to(folder.resolve()) for folder in (*_common_paths(), *_own_paths(spec)))


def _environment(outer: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of bubblewrap, which the player can read, too."""
    copied = {name: outer[name] for name in ("PATH", "LANG", "LC_ALL", "PYTHONPATH") if name in outer}
    folders = {"HOME": "/tmp", "XDG_CACHE_HOME": str(cache_folder().parent), "PYTHONUSERBASE": site.getuserbase()}
    return copied | folders | {"PYTHONDONTWRITEBYTECODE": "1"}


def _arguments(own: Sequence[Path]) -> list[str]:
    arguments = [*ISOLATED, "--tmpfs", "/tmp"]
    readable = {Path(os.path.normpath(path)) for path in (*_common_paths(), *own)}
    for path in sorted(readable):
        if not readable.intersection(path.parents):  # inside a bound folder a link stays a link
            arguments += ["--ro-bind-try", str(path), str(path)]
    here = current_folder() or "/tmp"
    return [*arguments, "--dir", here, "--chdir", here, *READ_ONLY, "--"]


def _common_paths() -> list[Path]:
    libraries = [sys.prefix, sys.base_prefix, *site.getsitepackages(), os.path.join(site.getuserbase(), "lib")]
    ours = [str(cache_folder()), *(os.path.join(ROOT, package) for package in PACKAGES)]
    return [Path(path) for path in (*SYSTEM, *glob.glob(JAVA), *libraries, *ours)]


def _own_paths(spec: PlayerSpec) -> list[Path]:
    """List the paths that only this player can read: folders of its files and in its command, and its own Python."""
    own = [path for file in spec.files for link in _links(file) for path in (_folder(link), *_python_of(link))]
    own += [path for word in spec.command[1:] if len((path := Path(word).resolve()).parts) > 2 and path.is_dir()]
    package = spec.reference.partition(":")[0].partition(".")[0]
    return own + [path for folder in spec.import_folders if (path := Path(folder, package)).is_dir()]


def _links(file: Path) -> Iterator[Path]:
    yield file
    while file.is_symlink():
        file = file.parent / os.readlink(file)
        yield file
    yield file.resolve()


def _folder(file: Path) -> Path:
    """Return the folder of a file; the file itself if the folder is at the top, such as /home."""
    return file.parent if len(file.parent.parts) > 2 else file


def _python_of(program: Path) -> Iterator[Path]:
    """Yield the virtual environment of a program, and the libraries of its Python."""
    environment = program.parent.parent
    if (environment / "pyvenv.cfg").is_file():
        yield environment
        program = (environment / "bin" / "python").resolve()
    if PYTHON.fullmatch(program.name):
        yield program.parent.parent / "lib"
