"""Where parts come from: a folder with one file each, installed packages, and files named by the user.

    NAME                    one of ours: the file NAME.py of the part's folder, which defines NAME
    NAME                    an entry point of an installed package, in the group `kriegbot.PARTS`
    NAME:NUMBER=VALUE:...   one of ours, or from outside, that takes numbers: mixed:worst=0.3
    path/file.py:OBJECT     what a file defines
    package.module:OBJECT   what an importable module defines

Files of our folders are found by their text, so that listing names imports nothing: kernels take half a second.
Whatever is loaded runs in the process that loads it; players from outside are loaded in processes of their own.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import os
import re
import shutil
import stat
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kriegbot.importing import add_folder
from referee.text import did_you_mean, quoted

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

MOST_BYTES = 2**30  # of a part's file
GAMES = "/usr/games"  # where Debian puts chess engines, which is not on everybody's PATH
_WITH_NUMBERS = re.compile(r"(?P<name>.+?)(?P<numbers>(?::[a-z_]+=[^:]*)+)")


class NotFound(ValueError):
    """There is no such part; the message is one line and lists those there are."""


class BadPart(ValueError):
    """A part is not what it should be; the message is the rest of a sentence that names it."""


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of one kind.

    Attributes:
      what: the word for one in messages: "evaluator".
      package: our folder, as a module: "evaluators"; each file NAME.py in it that defines NAME is one.
      group: the group of entry points for installed packages: "kriegbot.evaluators".
    """

    what: str
    package: str
    group: str

    def names(self) -> tuple[str, ...]:
        """Names of ours, in alphabetical order; nothing is imported."""
        return _names_in(self.package)

    def check(self, name: str) -> None:
        """Does nothing if `load` can be tried with this name; raises NotFound."""
        if name in self.names():
            return
        if ":" in name:
            file_of(name)
            return
        known = sorted({*self.names(), *entry_points(self.group)})
        if name not in known:
            raise NotFound(
                f"unknown {self.what} {quoted(name)}{did_you_mean(name, known)} "
                f"Known: {', '.join(known)}; and FILE.py:NAME or MODULE:NAME from outside."
            )

    def file(self, name: str) -> Path | None:
        """The file of a part from outside, None of one of ours; nothing of it is run. Raises NotFound."""
        part = without_numbers(name)
        if part in self.names():
            return None
        return file_of(part if ":" in part else entry_points(self.group)[part].value)

    def installed(self) -> dict[str, str]:
        """The parts that installed packages offer, and of each the package with its version."""
        offered = {name: entry.dist for name, entry in entry_points(self.group).items() if name not in self.names()}
        return {name: "" if dist is None else f"{dist.name} {dist.version}" for name, dist in sorted(offered.items())}

    def load(self, name: str) -> Any:
        """The part with a name; raises NotFound."""
        self.check(name)
        if ":" in name:
            return load_object(name)
        if name in self.names():
            return getattr(importlib.import_module(f"{self.package}.{name}"), name)
        return load_object(entry_points(self.group)[name].value)


@dataclass(frozen=True, slots=True)
class PartsWithNumbers(Parts):
    """Parts whose names may carry numbers.

    Attributes:
      numbers: the numbers that ours take, least and greatest; here, so that a spec is checked without loading kernels.
      are_whole: whether ours take whole numbers only.
    """

    numbers: Mapping[str, Mapping[str, tuple[float, float]]] = field(default_factory=dict)
    are_whole: bool = False

    def check(self, name: str) -> None:
        """See `Parts.check`; the numbers of parts from outside are checked when they are loaded."""
        part, given = self.split(name)
        Parts.check(self, part)
        ranges = self.numbers.get(part, {})
        if part in self.names() and not all(
            number in ranges
            and ranges[number][0] <= value <= ranges[number][1]
            and (value.is_integer() or not self.are_whole)
            for number, value in given.items()
        ):
            takes = ", ".join(f"{number} ({low:g}..{high:g})" for number, (low, high) in ranges.items())
            kind = "the whole numbers " if self.are_whole and takes else ""
            raise NotFound(f"illegal {self.what} {quoted(name)}: {part} takes {kind}{takes or 'no numbers'}.")

    def split(self, name: str) -> tuple[str, dict[str, float]]:
        """A part's own name, and the numbers that a name carries; raises NotFound."""
        match = _WITH_NUMBERS.fullmatch(name)
        if match is None:
            return name, {}
        pairs = (pair.split("=") for pair in match["numbers"].removeprefix(":").split(":"))
        try:
            return match["name"], {key: float(value) for key, value in pairs}
        except ValueError:
            such = next((f"{part}:{number}=1" for part, taken in self.numbers.items() for number in taken), "none")
            raise NotFound(f"illegal {self.what} {quoted(name)}: it takes numbers, such as {such}.") from None


@dataclass(frozen=True, slots=True)
class Programs(Parts):
    """Programs of this machine, such as chess engines: a name, looked for on the PATH, or a path. They are run.

    Attributes:
      usual: names that anybody may ask for, also from another machine.
    """

    usual: tuple[str, ...] = ()

    def names(self) -> tuple[str, ...]:
        """Those that are usual."""
        return self.usual

    def check(self, name: str) -> None:
        """See `Parts.check`."""
        self.file(name)

    def file(self, name: str) -> Path:
        """The program's file, also of those that are usual."""
        found = shutil.which(name) or shutil.which(name, path=GAMES)
        if found is None:
            raise NotFound(
                f"there is no {self.what} {quoted(name)} that can be run; it takes a program's name or path."
            )
        return Path(found).absolute()

    def load(self, name: str) -> Path:
        """The same."""
        return self.file(name)


@cache
def _names_in(package: str) -> tuple[str, ...]:
    return tuple(
        path.stem
        for path in files_of(package)
        if re.search(rf"^(?:(?:def|class) {path.stem}\b|{path.stem}\s*[:=])", path.read_text("utf-8"), re.MULTILINE)
    )


def files_of(package: str) -> tuple[Path, ...]:
    """The Python files of a package except `__init__.py`, sorted by name; its modules are not imported."""
    spec = importlib.util.find_spec(package)
    folders = spec.submodule_search_locations if spec is not None else None
    return tuple(sorted(path for folder in folders or () for path in Path(folder).glob("[!_]*.py")))


@cache
def entry_points(group: str) -> dict[str, EntryPoint]:
    """The entry points of a group, by name; of two with one name, the first found. Nothing is imported."""
    from importlib import metadata

    found: dict[str, EntryPoint] = {}
    for entry in metadata.entry_points(group=group):
        found.setdefault(entry.name, entry)
    return found


def without_numbers(name: str) -> str:
    """A part's own name, without the numbers that it may carry."""
    match = _WITH_NUMBERS.fullmatch(name)
    return name if match is None else match["name"]


def file_of(reference: str) -> Path:
    """The file of `path/file.py:OBJECT` or `package.module:OBJECT`; nothing of it is run. Raises NotFound."""
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
    if not rest:
        return Path(spec.origin or "")
    for folder in spec.submodule_search_locations or ():
        path = Path(folder, *rest)
        for found in (path.with_name(f"{path.name}.py"), path / "__init__.py"):
            if found.is_file():
                return found
    raise NotFound(f"there is no module {quoted(where)}.")


def check_file(path: Path) -> None:
    """Nothing, if a part's file can be read; raises NotFound."""
    try:
        state = path.stat()
    except (OSError, ValueError):
        raise NotFound(f"there is no file {quoted(str(path))}.") from None
    if not stat.S_ISREG(state.st_mode):
        raise NotFound(f"{quoted(str(path))} is no regular file.")
    if not os.access(path, os.R_OK):
        raise NotFound(f"the file {quoted(str(path))} may not be read.")
    if state.st_size > MOST_BYTES:
        raise NotFound(f"the file {quoted(str(path))} has {state.st_size} bytes; it takes at most {MOST_BYTES}.")


def sha256_of(path: Path) -> str:
    """The hash of a part's file, in hexadecimal; a file that has not changed is read once. Raises NotFound."""
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
    """The object that `path/file.py:OBJECT` or `package.module:OBJECT` names; the file or module is run.

    Raises:
      NotFound: there is no such file, module or object, or running it raised.
    """
    where, _, name = reference.rpartition(":")
    try:
        module = _module_of_file(Path(where)) if where.endswith(".py") else importlib.import_module(where)
    except Exception as error:
        why = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        raise NotFound(f"cannot load {quoted(where)}: {why}.") from error
    found = module
    for part in name.split("."):
        if not hasattr(found, part):
            hint = did_you_mean(part, vars(found) if hasattr(found, "__dict__") else ())
            raise NotFound(f"{quoted(where)} has no {quoted(name)}{hint}")
        found = getattr(found, part)
    return found


def _module_of_file(path: Path) -> Any:
    """Runs a file as a module; it can import from its folder."""
    path = path.resolve(strict=True)
    name = f"kriegbot_outside_{path.stem}"
    if name in sys.modules and sys.modules[name].__file__ == str(path):
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
