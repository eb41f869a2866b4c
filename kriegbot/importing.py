"""Keep the current folder, where anything may lie, off `sys.path` of this process and its children.

This module imports only `os` and `sys`, which Python itself has loaded before, so it can come before other imports.
"""

import os
import sys

SAFE_PATH = "PYTHONSAFEPATH"  # environment variable that keeps the current folder off sys.path
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
"""The folder that this package lies in, which may be the current one."""
_part_folders: set[str] = set()


def importable(*, is_same_script: bool) -> list[str]:
    """Return the folders of `sys.path` from which a child may import, also those that PYTHONPATH names in full.

    Python itself adds the current folder, for `-m` and for an empty entry of PYTHONPATH, and the folder of a script. A
    child that `is_same_script` runs that again, as those of `multiprocessing` do.
    """
    main = sys.modules.get("__main__")
    script = "" if getattr(main, "__spec__", None) else os.path.abspath(getattr(main, "__file__", None) or "")
    excluded = {current_folder(), os.path.dirname(script), *_part_folders} - {ROOT, *map(os.path.normpath, _named())}
    if is_same_script:
        excluded.discard(os.path.dirname(script))
    return [path for path in sys.path if os.path.isabs(path) and path not in excluded]


def forget_current_folder() -> None:
    """Remove the current folder from `sys.path`, unless PYTHONPATH names it in full, and relative ones from both."""
    sys.path[:] = importable(is_same_script=True)
    if "PYTHONPATH" in os.environ:
        os.environ["PYTHONPATH"] = os.pathsep.join(_named())


def add_folder(folder: str) -> None:
    """Let this process, but no child, import from the folder of a part."""
    if folder not in sys.path:
        sys.path.append(folder)
        _part_folders.add(folder)


def _named() -> list[str]:
    return [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if os.path.isabs(path)]


def current_folder() -> str:
    """Return the current folder; an empty text if somebody has deleted it."""
    try:
        return os.getcwd()
    except OSError:
        return ""
