"""Functions for POSIX systems alone, besides the sandbox (`kriegbot.game.sandbox`). Windows does without them.

    python -I -S posix.py COMMAND

runs a program on Linux and, when it ends or its input closes, kills everything that it has started, daemons included: a
process of Linux can adopt orphans. It runs as a file, so this module imports the standard library alone. SIGTERM ends
the program, and so does the end of input, which comes when kriegbot has ended in any way.
"""

import contextlib
import os
import resource
import select
import signal
import stat
import subprocess
import sys
import termios
import threading
import time
import tty
from collections.abc import Iterator
from pathlib import Path

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
PATIENCE = 0.5  # seconds that a program has to end by itself after the end of its input


def open_to_others(folder: Path) -> Path | None:
    """Return the first of a folder and its parents that others than root and this user may change; None if none is.

    In a parent with the sticky bit, such as /tmp, nobody can replace what belongs to another user.
    """
    for path in (folder, *folder.parents):
        state = path.stat()
        is_sticky = path != folder and state.st_mode & stat.S_ISVTX
        by_group = state.st_mode & stat.S_IWGRP and state.st_gid not in (0, state.st_uid)  # a user's own group is alike
        if state.st_uid not in (0, os.geteuid()) or ((by_group or state.st_mode & stat.S_IWOTH) and not is_sticky):
            return path
    return None


@contextlib.contextmanager
def unbuffered(terminal: int) -> Iterator[None]:
    """Let a terminal, a descriptor, pass on each key without Enter or echo."""
    before = termios.tcgetattr(terminal)
    try:
        tty.setcbreak(terminal)
        yield
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)


def kill_group(leader: int) -> None:
    """Kill the process group that a process leads or has led."""
    with contextlib.suppress(OSError):
        os.killpg(leader, signal.SIGKILL)


def lower_session(process: int, niceness: int) -> None:
    """Lower the share of a session: Linux shares time among sessions ("autogroup"), and a nice value counts within."""
    with contextlib.suppress(OSError):
        Path(f"/proc/{process}/autogroup").write_text(str(niceness), encoding="utf-8")


def main(command: list[str]) -> None:
    """Run the command and end with its exit code or signal."""
    import ctypes  # not above: nearly every command imports this module

    prctl = ctypes.CDLL(None).prctl
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    try:
        program = subprocess.Popen(command, preexec_fn=lambda: prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0))
    except OSError as error:
        os.write(1, f"refused cannot run '{command[0]}': {error.strerror}.\n".encode(errors="replace"))
        os._exit(127)
    signal.signal(signal.SIGTERM, lambda *_: program.kill())
    threading.Thread(target=_terminate_after_input, daemon=True).start()
    null = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):  # only the program holds them open now
        os.dup2(null, stream)
    code = program.wait()
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    _kill_orphans()
    if code < 0:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with contextlib.suppress(OSError, ValueError):  # SIGKILL has no handler
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


def _terminate_after_input() -> None:
    poll = select.poll()
    poll.register(0, 0)  # poll always reports POLLHUP
    poll.poll()
    time.sleep(PATIENCE)
    os.kill(os.getpid(), signal.SIGTERM)


def _kill_orphans() -> None:
    """Kill children until there are none. Children of a killed one become children of this process."""
    with contextlib.suppress(ChildProcessError):
        while True:
            lists = [path.read_text("utf-8").split() for path in Path("/proc/self/task").glob("*/children")]
            children = [int(child) for each in lists for child in each]
            for child in children:
                with contextlib.suppress(OSError):
                    os.kill(child, signal.SIGKILL)
            for _ in children or [0]:
                os.waitpid(-1, 0)


if __name__ == "__main__":
    main(sys.argv[1:])
