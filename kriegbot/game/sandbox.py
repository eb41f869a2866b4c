"""Players from outside, kept from the rest of the machine by bubblewrap: no network, nothing to write to but /tmp.

Within, a player sees the system's programs and libraries, Python with this project, and the folders of its own files,
all of them read-only; an empty /tmp; its own processes alone. See docs/safety.md for what is left.
"""

from __future__ import annotations

import os
import shutil
import site
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from kriegbot.folders import cache_folder

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc/alternatives", "/etc/ld.so.cache", "/opt")
ALONE = ("--unshare-all", "--die-with-parent", "--cap-drop", "ALL")
PACKAGES = ("kriegbot", "referee", "evaluators")
PATIENCE = 10.0
"""Seconds that bubblewrap may take to say whether it works."""


@cache
def works() -> bool:
    """Whether bubblewrap is installed and may be used here."""
    program = shutil.which("bwrap")
    if program is None:
        return False
    try:
        done = subprocess.run([program, *_walls([]), "true"], capture_output=True, timeout=PATIENCE, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def sandboxed(command: Sequence[str], files: Sequence[Path]) -> list[str]:
    """A command as bubblewrap runs it.

    Args:
      command: the program and its arguments.
      files: its own; their folders can be read within, unless that would be everything.
    """
    return ["bwrap", *_walls(files), *command]


def _walls(files: Sequence[Path]) -> list[str]:
    root = Path(__file__).resolve().parents[2]
    cache_of_kernels = cache_folder()
    shown = [Path(path) for path in (*SYSTEM, sys.prefix, sys.base_prefix, *site.getsitepackages())]
    shown += [root / package for package in PACKAGES] + [cache_of_kernels]
    shown += [path.parent if len(path.parent.parts) > 2 else path for path in (file.resolve() for file in files)]
    shown += files
    walls = [*ALONE, "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"]
    for path in sorted({str(path) for path in shown}):
        walls += ["--ro-bind-try", path, path]
    environment = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL") if name in os.environ}
    environment |= {"HOME": "/tmp", "XDG_CACHE_HOME": str(cache_of_kernels.parent), "PYTHONDONTWRITEBYTECODE": "1"}
    environment |= {"PYTHONPATH": os.pathsep.join([str(root), *_importable()])}
    walls += ["--clearenv"]
    for name, value in environment.items():
        walls += ["--setenv", name, value]
    here = os.getcwd()
    return [*walls, "--dir", here, "--chdir", here, "--"]


def _importable() -> list[str]:
    """Folders that this process imports from, so that an installed or named player is found within as well."""
    return [path for path in sys.path if path and Path(path).is_dir()]
