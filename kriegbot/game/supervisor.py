"""Run a program and, when it ends or its input closes, kill everything that it has started, daemons included.

    python -I -S supervisor.py COMMAND

For Linux, where a process can adopt orphans. It runs as a file, so it imports the standard library alone. SIGTERM ends
the program, and so does the end of input, which comes when kriegbot has ended in any way.
"""

import contextlib
import ctypes
import os
import resource
import select
import signal
import sys
import threading
import time
from pathlib import Path

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
PATIENCE = 0.5  # seconds that a program has to end by itself after the end of its input


def main(command: list[str]) -> None:
    """Run the command and end with its exit code or signal."""
    libc = ctypes.CDLL(None)
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    program = os.fork()
    if not program:
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        for ignored in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores them
            signal.signal(ignored, signal.SIG_DFL)
        try:
            os.execvp(command[0], command)
        except OSError as error:
            os.write(1, f"refused cannot run '{command[0]}': {error.strerror}.\n".encode(errors="replace"))
            os._exit(127)
    signal.signal(signal.SIGTERM, lambda *_: os.kill(program, signal.SIGKILL))
    threading.Thread(target=_terminate_after_input, daemon=True).start()
    null = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):  # only the program holds them open now
        os.dup2(null, stream)
    ended = 0
    while ended != program:  # any other is an orphan
        ended, status = os.waitpid(-1, 0)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    _kill_orphans()
    code = os.waitstatus_to_exitcode(status)
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
    while True:
        for child in _children():
            with contextlib.suppress(OSError):
                os.kill(child, signal.SIGKILL)
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def _children() -> list[int]:
    children = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # the process may end meanwhile
            parent = stat.read_text(errors="replace").rpartition(")")[2].split()[1]
            if int(parent) == os.getpid():
                children.append(int(stat.parent.name))
    return children


if __name__ == "__main__":
    main(sys.argv[1:])
