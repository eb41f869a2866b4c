"""Parts by name: players, evaluators, opponent models, backup rules, rule sets; and `Programs`, such as engines.

A part is built in, offered by an installed package, or in a file of the user:

    NAME                    a built-in part: defined in the file NAME.py of its folder, or listed in one module
    NAME                    an entry point of an installed package, in the group `kriegbot.PARTS`
    path/file.py:OBJECT     an object that a file defines
    package.module:OBJECT   an object that an importable module defines

All but the first are parts "from outside". Listing names reads the files of a folder as text and imports none of them.
Loading a part runs its code in this process.
"""

import hashlib
import importlib
import importlib.util
import os
import re
import shutil
import stat
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kriegbot.importing import add_folder
from referee.text import did_you_mean, quoted, unknown

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

MAX_BYTES = 2**30  # size of a part's file
GAMES = "/usr/games"  # where Debian puts chess engines, which is not on everybody's PATH


class NotFound(ValueError):
    """A part that does not exist or cannot be loaded. The message is one line, mostly with the names known."""


class BadPart(ValueError):
    """A part that does not behave as its kind must. The message names it or continues a sentence that does."""


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of one kind. Built in is each file NAME.py of a package that defines NAME, or each of `listed`."""

    what: str  # the word for one in messages: "evaluator"
    package: str  # or module: "evaluators"
    group: str  # of entry points in installed packages: "kriegbot.evaluators"
    listed: tuple[str, ...] = ()  # the built-in ones, if `package` is a module that has them all

    def names(self) -> tuple[str, ...]:
        """Return the names of the built-in parts, as `listed` or in alphabetical order. Imports none of them."""
        return self.listed or _names_in(self.package)

    def check(self, name: str) -> None:
        """Raise NotFound unless a part of this name, or the file or module that it names, exists. Imports nothing."""
        if ":" in name:
            file_of(name)
        elif name not in self.names() and name not in entry_points(self.group):
            message = unknown(self.what, name, sorted({*self.names(), *entry_points(self.group)}))
            raise NotFound(f"{message.removesuffix('.')}; or your own: FILE.py:NAME or MODULE:NAME.")

    def file(self, name: str) -> Path | None:
        """Return the file of a part from outside, None for a built-in one; raise NotFound, KeyError for a bad name."""
        if name in self.names():
            return None
        return file_of(name if ":" in name else entry_points(self.group)[name].value)

    def installed(self) -> dict[str, str]:
        """Return the parts of installed packages, each with its package and version."""
        offered = {name: entry.dist for name, entry in entry_points(self.group).items() if name not in self.names()}
        return {name: "" if dist is None else f"{dist.name} {dist.version}" for name, dist in sorted(offered.items())}

    def load(self, name: str) -> Any:
        """Return the part of a name; raise NotFound."""
        self.check(name)
        if ":" in name:
            return load_object(name)
        if name in self.names():
            return getattr(importlib.import_module(self.package if self.listed else f"{self.package}.{name}"), name)
        return load_object(entry_points(self.group)[name].value)


@dataclass(frozen=True, slots=True)
class Programs(Parts):
    """Programs of this machine, such as chess engines, by a name on the PATH or in GAMES, or by a path."""

    def check(self, name: str) -> None:
        """See `Parts.check`."""
        self.file(name)

    def file(self, name: str) -> Path:
        """Return the program's file; raise NotFound."""
        program = shutil.which(name) or shutil.which(name, path=GAMES)
        if program is None:
            why = "that can be run; it takes a program's name or path."
            raise NotFound(f"there is no {self.what} {quoted(name)} {why}")
        return Path(program).absolute()

    load = file


@cache
def _names_in(package: str) -> tuple[str, ...]:
    return tuple(
        path.stem
        for path in files_of(package)
        if re.search(rf"^(?:(?:def|class) {path.stem}\b|{path.stem}\s*[:=])", path.read_text("utf-8"), re.MULTILINE)
    )


def files_of(package: str) -> tuple[Path, ...]:
    """Return the Python files of a package, sorted, but those whose names begin with _. Imports none."""
    spec = importlib.util.find_spec(package)
    folders = spec.submodule_search_locations if spec is not None else None
    return tuple(sorted(path for folder in folders or () for path in Path(folder).glob("[!_]*.py")))


@cache
def entry_points(group: str) -> "dict[str, EntryPoint]":
    """Return the entry points of a group by name, the first of each name. Imports none of them."""
    from importlib import metadata

    entries: dict[str, EntryPoint] = {}
    for entry in metadata.entry_points(group=group):
        entries.setdefault(entry.name, entry)
    return entries


def file_of(reference: str) -> Path:
    """Return the file of `path/file.py:OBJECT` or `package.module:OBJECT`; raise NotFound. Runs nothing of it."""
    where = reference.rpartition(":")[0]
    if where.endswith(".py"):
        check_file(Path(where))
        return Path(where).resolve()
    top, *rest = where.split(".")
    try:
        spec = importlib.util.find_spec(top) if all(part.isidentifier() for part in (top, *rest)) else None
    except (ImportError, ValueError):
        spec = None
    if spec is None:
        raise NotFound(f"there is no module {quoted(where)}.")
    if not rest and (file := Path(spec.origin or "")).is_file():
        return file
    for folder in spec.submodule_search_locations or ():
        path = Path(folder, *rest)
        for file in (path.with_name(f"{path.name}.py"), path / "__init__.py"):
            if file.is_file():
                return file
    raise NotFound(f"there is no file of module {quoted(where)}.")


def check_file(path: Path) -> None:
    """Raise NotFound unless a part's file can be read."""
    try:
        state = path.stat()
    except (OSError, ValueError):
        raise NotFound(f"there is no file {quoted(str(path))}.") from None
    if not stat.S_ISREG(state.st_mode):
        raise NotFound(f"{quoted(str(path))} is no regular file.")
    if not os.access(path, os.R_OK):
        raise NotFound(f"the file {quoted(str(path))} may not be read.")
    if state.st_size > MAX_BYTES:
        raise NotFound(f"the file {quoted(str(path))} has {state.st_size} bytes; it takes at most {MAX_BYTES}.")


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a part's file in hexadecimal; raise NotFound. Reads an unchanged file once."""
    check_file(path)
    try:
        state = path.stat()
        return _sha256(path, (state.st_ino, state.st_size, state.st_mtime_ns))
    except OSError as error:
        raise NotFound(f"the file {quoted(str(path))} cannot be read: {error.strerror}.") from None


@cache
def _sha256(path: Path, _state: tuple[int, ...]) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def load_object(reference: str) -> Any:
    """Return the object `path/file.py:OBJECT` or `package.module:OBJECT`, and so run its file; raise NotFound."""
    where, _, name = reference.rpartition(":")
    try:
        module = _module_of_file(Path(where)) if where.endswith(".py") else importlib.import_module(where)
    except Exception as error:
        why = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        raise NotFound(f"cannot load {quoted(where)}: {why}.") from error
    value = module
    for part in name.split("."):
        if not hasattr(value, part):
            raise NotFound(f"{quoted(where)} has no {quoted(name)}{did_you_mean(part, dir(value))}")
        value = getattr(value, part)
    return value


def _module_of_file(path: Path) -> Any:
    path = path.resolve(strict=True)
    name = f"kriegbot_outside_{path.stem}"
    if getattr(sys.modules.get(name), "__file__", "") == str(path):
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path.name} is no Python file")
    add_folder(str(path.parent))
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module
