"""Where this process and its children import from: never from the current folder, since anything may lie there.

This module imports nothing that is not loaded already, so that it can be imported before everything else.
"""

from __future__ import annotations

import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
"""The folder of this package, which may be the current one."""
_of_parts: set[str] = set()


def importable(*, is_same_script: bool) -> list[str]:
    """What of `sys.path` a child may import from.

    Python itself puts the current folder there, for `-m` and for an empty entry of PYTHONPATH, and that of a script.
    A folder that PYTHONPATH names stays.

    Args:
      is_same_script: whether the child runs the script of this process again, as those of `multiprocessing` do.
    """
    main = sys.modules.get("__main__")
    script = "" if getattr(main, "__spec__", None) else os.path.abspath(getattr(main, "__file__", None) or "")
    left_out = {current_folder(), os.path.dirname(script), *_of_parts} - {ROOT, *map(os.path.normpath, _named())}
    if is_same_script:
        left_out.discard(os.path.dirname(script))
    return [path for path in sys.path if os.path.isabs(path) and path not in left_out]


def forget_current_folder() -> None:
    """Keeps this process, and its children as far as the environment can, from importing from the current folder."""
    sys.path[:] = importable(is_same_script=True)
    if "PYTHONPATH" in os.environ:
        os.environ["PYTHONPATH"] = os.pathsep.join(_named())


def add_folder(folder: str) -> None:
    """Lets this process alone import from the folder of a part that it has loaded."""
    if folder not in sys.path:
        sys.path.append(folder)
        _of_parts.add(folder)


def _named() -> list[str]:
    """What PYTHONPATH names, without the entries that mean the current folder or lie in it."""
    return [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if os.path.isabs(path)]


def current_folder() -> str:
    """The current folder; empty if it has been deleted."""
    try:
        return os.getcwd()
    except OSError:
        return ""
