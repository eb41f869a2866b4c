"""Take from our code what only POSIX systems have, in every process: PYTHONPATH=tests/without_posix pytest.

Python imports this module at its start. Libraries keep what they use. So our code meets what it would meet on Windows,
except for other ends of lines, encodings and consoles.
"""

import builtins
import os
import select
import signal
import sys
from types import FrameType
from typing import Any

OURS = {"__main__", "kriegbot", "referee", "evaluators", "tournaments", "tests"}
GONE = {
    os: "fork forkpty getpgid getpriority getsid getuid geteuid killpg mkfifo nice openpty register_at_fork "
    "sched_getaffinity set_blocking setpriority setsid waitid WNOHANG",
    select: "poll epoll",
    signal: "SIGALRM SIGHUP SIGKILL SIGPIPE SIGUSR1 SIGXFSZ alarm pthread_sigmask setitimer",
}
MODULES = {"fcntl", "grp", "pty", "pwd", "readline", "resource", "termios", "tty"}
FOLDERS = "/proc", "/dev/shm"
STDLIB = os.path.dirname(os.__file__)


def is_ours(scope: dict[str, Any]) -> bool:
    return str(scope.get("__name__")).partition(".")[0] in OURS


def take(module: Any, names: str, instead: str = "") -> None:
    taken = {name: vars(module).pop(name) for name in names.split() if name in vars(module)}

    def look_up(name: str) -> Any:
        if name not in taken or (is_ours(sys._getframe(1).f_globals) and not instead):
            raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")
        return instead if is_ours(sys._getframe(1).f_globals) else taken[name]

    module.__getattr__ = look_up


def import_other(name: str, scope: Any = None, *arguments: Any, **named: Any) -> Any:
    if name in MODULES and is_ours(scope or {}):
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)
    return import_any(name, scope, *arguments, **named)


def watch(event: str, arguments: tuple[Any, ...]) -> None:
    if event in ("open", "os.listdir", "os.scandir") and str(arguments[0]).startswith(FOLDERS):
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and frame.f_code.co_filename.startswith((STDLIB, "<frozen")):
            frame = frame.f_back
        if frame is not None and is_ours(frame.f_globals):
            raise FileNotFoundError(2, "No such file or directory", arguments[0])


for module, names in GONE.items():
    take(module, names)
take(sys, "platform", "without POSIX")
import_any = builtins.__import__
builtins.__import__ = import_other  # type: ignore[assignment]
sys.addaudithook(watch)
