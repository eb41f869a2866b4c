"""A sandbox for players from outside, by bubblewrap: no network, and only a /tmp and a /dev of its own can be written.

In it a player sees, read-only, the system's programs and libraries, Python with this project, and what `_own_paths`
lists; besides these an empty /tmp and its own processes. On x86 and ARM a filter of system calls (seccomp) shuts what
two players could share in spite of that: keyrings, locks and notices on files that both can read, the kernel's log,
sockets of families that no namespace separates, io_uring, whose calls pass no filter, and calls that tell which
parts of a file are in memory or remove them. docs/bots.md lists what remains.
"""

import logging
import os
import platform
import re
import shutil
import site
import struct
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

from kriegbot import children
from kriegbot.children import CannotStart
from kriegbot.folders import cache_folder
from kriegbot.importing import ROOT, current_folder
from kriegbot.players.specs import PlayerSpec
from referee.text import one_line

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/opt", "/etc/alternatives", "/etc/ld.so.cache")
ISOLATED = ("--unshare-all", "--die-with-parent", "--cap-drop", "ALL", "--proc", "/proc", "--dev", "/dev")
READ_ONLY = ("--remount-ro", "/proc", "--remount-ro", "/")  # else root could write /proc/sys
ARCHITECTURES = {  # x86-64, i386, aarch64 and arm by linux/audit.h: fcntl; socket, madvise, preadv2; idle; failing
    0xC000003E: ((72,), (41, 28, 327), (73, 221, 27), (248, 249, 250, 253, 254, 294, 300, 103, 546)),
    0x40000003: ((55, 221), (359, 219, 378), (143, 250, 272, 218), (286, 287, 288, 291, 292, 332, 338, 103, 102)),
    0xC00000B7: ((25,), (198, 233, 286), (32, 223, 232), (217, 218, 219, 26, 27, 262, 116)),
    0x40000028: ((55, 221), (281, 220, 392), (143, 270, 219), (309, 310, 311, 316, 317, 360, 367, 103)),
}
"""System calls. Idle, doing nothing: flock, fadvise and mincore. Failing: those for keyrings, inotify, fanotify and the
kernel's log, the preadv2 of x32 and the socketcall of i386."""
FAILING, PRETENDING = (425, 440), (451,)  # on all of them: io_uring_setup, process_madvise; cachestat
LOCKING, LOOKING = (6, 7, 13, 14, 37, 38), (5, 12, 36, 1024, 1025, 1026)
"""Commands of fcntl that lock a file, and that look for locks or ask for leases and notices."""
FAMILIES = (1, 2, 10, 16)  # sockets of files, the internet and netlink; the network is none
PAGING_OUT, NO_WAIT = (20, 21), 8  # MADV_COLD and MADV_PAGEOUT of madvise, and RWF_NOWAIT, a bit, of preadv2
ALLOW, REFUSE, PRETEND = 0x7FFF0000, 0x00050001, 0x00050000  # PRETEND: the call succeeds and does nothing
PACKAGES = ("kriegbot", "referee", "evaluators", "tournaments")
PATIENCE = 10.0  # seconds for bubblewrap's test run
MOST_PROCESSES, LINUX = 512, (5, 14)
"""Processes and threads in a sandbox, for all but root, and the version from which Linux counts each sandbox apart."""
LIMIT = '{ ulimit -u "$0" || ulimit -p "$0"; } 2>/dev/null; exec "$@"'  # the first in bash, the second in dash

log = logging.getLogger("kriegbot")


@cache
def is_installed() -> bool:
    """Return True if bubblewrap is installed, working or not; if not, log a warning once, but in no worker."""
    has_bwrap = sys.platform == "linux" and shutil.which("bwrap") is not None
    if not has_bwrap and not children.in_worker:
        log.warning("Players from outside play without a sandbox: %s.", why_unavailable())
    return has_bwrap


@cache
def why_unavailable() -> str:
    """Return in one line why there is no sandbox here; an empty text if there is one."""
    if sys.platform != "linux" or shutil.which("bwrap") is None:
        return "bubblewrap (bwrap) is not installed" if sys.platform == "linux" else "bubblewrap is for Linux alone"
    command = [*_bubblewrap([]), "true"]
    try:
        done = subprocess.run(command, capture_output=True, timeout=PATIENCE, check=False, env=_environment(os.environ))
    except (OSError, subprocess.TimeoutExpired) as error:
        return one_line(f"bubblewrap does not work here: {error}", 200)
    message = done.stderr.decode(errors="replace").strip() or f"exit code {done.returncode}"
    return one_line(f"bubblewrap does not work here: {message}", 200) if done.returncode else ""


def sandboxed(command: Sequence[str], outer: Mapping[str, str], spec: PlayerSpec) -> tuple[list[str], dict[str, str]]:
    """Return the command of a player in the sandbox, and its environment. Raise CannotStart if bubblewrap fails."""
    if why_unavailable():
        raise CannotStart(f"{why_unavailable()}; --no-sandbox does without")
    is_counted = tuple(map(int, re.findall("[0-9]+", platform.release())[:2])) >= LINUX
    limit = ["/bin/sh", "-c", LIMIT, str(MOST_PROCESSES)] if is_counted else []
    return [*_bubblewrap(_own_paths(spec)), *limit, *command], _environment(outer)


def can_read(spec: PlayerSpec, path: Path) -> bool:
    """Return True if a player can read a file in its sandbox."""
    return any(path.resolve().is_relative_to(folder.resolve()) for folder in (*_common_paths(), *_own_paths(spec)))


def _environment(outer: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of bubblewrap, which the player can read, too."""
    copied = {name: outer[name] for name in ("PATH", "LANG", "LC_ALL", "PYTHONPATH") if name in outer}
    folders = {"HOME": "/tmp", "XDG_CACHE_HOME": str(cache_folder().parent), "PYTHONUSERBASE": site.getuserbase()}
    return copied | folders | {"PYTHONDONTWRITEBYTECODE": "1"}


def _bubblewrap(own: Sequence[Path]) -> list[str]:
    """Return the command to which that of a player is appended. A shell passes the filter on, as descriptor 9."""
    shell = ["/bin/sh", "-c", 'exec "$@" 9<"$0"', f"/proc/{os.getpid()}/fd/{_filter_file()}"]
    arguments = [*shell, shutil.which("bwrap") or "bwrap", "--seccomp", "9", *ISOLATED, "--tmpfs", "/tmp"]
    readable = {Path(os.path.normpath(path)) for path in (*_common_paths(), *own)}
    for path in sorted(readable):
        if not readable.intersection(path.parents):  # inside a bound folder a link stays a link
            arguments += ["--ro-bind-try", str(path), str(path)]
    for path in (pipe for folder in own for pipe in _pipes(folder) if pipe.exists()):
        arguments += ["--ro-bind", os.devnull, str(path)]
    here = current_folder() or "/tmp"
    return [*arguments, "--dir", here, "--chdir", here, *READ_ONLY, "--"]


@cache
def _pipes(folder: Path) -> list[Path]:
    """Return the pipes and sockets in a folder: two players could talk through one, though they cannot make it."""
    found: list[Path] = []
    with suppress(OSError):  # it is a file, or cannot be read
        for entry in os.scandir(folder):
            if entry.is_dir(follow_symlinks=False):
                found += _pipes(Path(entry.path))
            elif not (entry.is_file(follow_symlinks=False) or entry.is_symlink()):
                found.append(Path(entry.path))
    return found


@cache
def _filter_file() -> int:
    """Return the descriptor of a file in memory with the filter, a program of "classic BPF" for linux/seccomp.h."""
    steps = [(0x20, 0, 0, 4)]  # load the architecture
    for architecture, (fcntl, (socket, madvise, preadv2), pretending, refused) in ARCHITECTURES.items():
        command = [(0x20, 0, 0, 24), *_returning(PRETEND, LOCKING), *_returning(REFUSE, LOOKING), (0x06, 0, 0, ALLOW)]
        family = [(0x20, 0, 0, 16), *_returning(ALLOW, FAMILIES), (0x06, 0, 0, REFUSE)]
        advice = [(0x20, 0, 0, 32), *_returning(PRETEND, PAGING_OUT), (0x06, 0, 0, ALLOW)]
        flags = [(0x20, 0, 0, 56), (0x45, 0, 1, NO_WAIT), (0x06, 0, 0, REFUSE), (0x06, 0, 0, ALLOW)]
        calls = [(0x20, 0, 0, 0), (0x54, 0, 0, 0xBFFFFFFF)]  # load the number, without the bit of the ABI x32
        calls += [*_returning(PRETEND, (*pretending, *PRETENDING)), *_returning(REFUSE, (*refused, *FAILING))]
        checked = *((number, command) for number in fcntl), (socket, family), (madvise, advice), (preadv2, flags)
        for number, argument in checked:
            calls += [(0x15, 0, len(argument), number), *argument]
        steps += [(0x15, 0, len(calls) + 1, architecture), *calls, (0x06, 0, 0, ALLOW)]
    steps.append((0x06, 0, 0, ALLOW))
    file = os.memfd_create("filter")
    os.write(file, b"".join(struct.pack("HBBI", *step) for step in steps))
    return file


def _returning(action: int, values: Sequence[int]) -> list[tuple[int, int, int, int]]:
    return [step for value in values for step in ((0x15, 0, 1, value), (0x06, 0, 0, action))]


def _common_paths() -> list[Path]:
    libraries = [sys.prefix, sys.base_prefix, *site.getsitepackages(), os.path.join(site.getuserbase(), "lib")]
    ours = [*map(str, cache_folder().glob("kernels-*/")), *(os.path.join(ROOT, package) for package in PACKAGES)]
    java = Path("/etc").glob("java*")  # Debian's folder for the files that Java reads at start
    return [*map(Path, (*SYSTEM, *libraries, *ours)), *java]


def _own_paths(spec: PlayerSpec) -> list[Path]:
    """List paths that a player sees besides the common ones: folders of its files and in its command, its Python."""
    own = [path for file in spec.files for link in _links(file) for path in (_folder(link), *_python_of(link))]
    own += [path for word in spec.command[1:] if len((path := Path(word).resolve()).parts) > 2 and path.is_dir()]
    package = spec.reference.partition(":")[0].partition(".")[0]
    return own + [path for folder in spec.import_folders if (path := Path(folder, package)).is_dir()]


def _links(file: Path) -> Iterator[Path]:
    yield from (file, file.resolve())
    while file.is_symlink():
        file = file.parent / os.readlink(file)
        yield file


@cache
def _folder(file: Path) -> Path:
    """Return the folder of a file; the file itself if the folder is at the top, as /home is.

    Likewise if the folder is or holds the home of this user or of the folder's owner.
    """
    folder, homes = file.parent, [os.path.expanduser("~")]
    with suppress(KeyError, OSError):
        homes.append(os.path.expanduser(f"~{folder.owner()}"))
    homes = [home for home in homes if os.path.isabs(home) and home != "/"]
    if any(Path(home).resolve().is_relative_to(folder.resolve()) for home in homes):
        if not children.in_worker:
            log.warning("%s lies in the home folder %s: in the sandbox a player sees that file alone.", file, folder)
        return file
    return folder if len(folder.parts) > 2 else file


def _python_of(program: Path) -> Iterator[Path]:
    """Yield the virtual environment of a program, and the libraries of its Python."""
    environment = program.parent.parent
    if (environment / "pyvenv.cfg").is_file():
        yield environment
        program = (environment / "bin" / "python").resolve()
    if program.name.strip("0123456789.") == "python":
        yield program.parent.parent / "lib"
