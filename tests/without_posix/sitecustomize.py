"""Take from our code what only POSIX systems have, in every process: PYTHONPATH=tests/without_posix pytest.

Python imports this module at its start. Libraries keep what they use. So our code meets what it would meet on Windows,
except for other ends of lines, encodings and consoles.
"""

import builtins
import importlib
import os
import sys
from types import FrameType
from typing import Any

from posix_only import FOLDERS, FUNCTIONS, MODULES  # type: ignore[import-not-found]  # beside this file

OURS = {"__main__", "kriegbot", "referee", "evaluators", "tournaments", "tests"}
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


for module, names in FUNCTIONS.items():
    take(importlib.import_module(module), names)
take(sys, "platform", "win32")
import_any = builtins.__import__
builtins.__import__ = import_other  # type: ignore[assignment]
sys.addaudithook(watch)
