"""Compiled kernels on disk, each under a key of all that its machine code depends on, so that none is stale.

Numba alone names code by the function's own file, and so misses an edit of an inner kernel in another file. A key here
is a hash of a kernel and of all kernels that it calls: their bytecode, the constants and structs that they name, and
their types. All copies of the project share one folder. Only `compiler` and `preparing` import this module.
"""

import hashlib
import platform
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import CodeType, ModuleType
from typing import get_args, get_origin, get_type_hints

import llvmlite
import llvmlite.binding
import numba
import numpy as np
import platformdirs
from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator

from kriegbot.folders import cache_folder
from kriegbot.kernels import jit
from kriegbot.kernels.jit import Intrinsic, Kernel

UNUSED_SECONDS = 30 * 24 * 3600
HEX = 16  # digits of a key


@cache
def cache_name() -> str:
    """Return the name of the folder for these libraries, this CPU, and this project's use of numba."""
    digest = hashlib.sha256()
    for module in (jit.__file__, str(Path(__file__).with_name("compiler.py"))):
        digest.update(Path(module).read_bytes())
    versions = numba.__version__, llvmlite.__version__, np.__version__, platform.python_version(), platform.platform()
    digest.update(repr((versions, llvmlite.binding.get_host_cpu_name())).encode())
    digest.update(llvmlite.binding.get_host_cpu_features().flatten().encode())
    return f"kernels-{digest.hexdigest()[:HEX]}"


@cache
def cache_directory() -> Path:
    """Make the cache directory, remove files that nobody has read for a month, and return it.

    Numba loads code from it, so it must belong to this user alone.
    """
    base = cache_folder()
    directory = base / cache_name()
    directory.mkdir(exist_ok=True)
    for path in base.glob("kernels-*/*"):
        with suppress(OSError):  # another process is as fast
            times = path.stat()
            if time.time() - max(times.st_atime, times.st_mtime) > UNUSED_SECONDS:
                path.unlink()
    for folder in base.glob("kernels-*"):
        with suppress(OSError):  # not empty
            if folder != directory:
                folder.rmdir()
    return directory


class _Locator(_CacheLocator):  # type: ignore[misc]  # numba has no types
    """Cache location of one kernel: our directory, or the user's read-only one (inside the sandbox)."""

    def __init__(self, key: str, name: str) -> None:
        self._key = key
        is_there = any(_of_user().glob(f"*.{name}-{key}.*.nbi"))
        self._folder = _of_user() if is_there else cache_directory()

    def get_cache_path(self) -> str:
        return str(self._folder)

    def get_source_stamp(self) -> str:
        return self._key

    def get_disambiguator(self) -> str:
        return self._key


def cache_of(kernel: Kernel) -> FunctionCache:
    """Return numba's cache for a kernel."""
    locator = _Locator(key_of(kernel), kernel.function.__qualname__)

    class Locators:
        from_function = staticmethod(lambda _function, _file: locator)

    class Implementation(CompileResultCacheImpl):  # type: ignore[misc]  # numba has no types
        _locator_classes = (Locators,)

    class Cached(FunctionCache):  # type: ignore[misc]  # numba has no types
        _impl_class = Implementation

    return Cached(kernel.function)


def key_of(*parts: object) -> str:
    """Return a hash of other values and of all that the machine code of kernels depends on, this machine apart."""
    digest = hashlib.sha256()
    for part in parts:
        hashes = sorted(map(_digest, reached(part))) if isinstance(part, Kernel) else [_stable_repr(part).encode()]
        digest.update(b"".join(hashes))
    return digest.hexdigest()[:HEX]


def known_keys() -> set[str]:
    """Return the keys of all cached kernels, those of the user's cache (read-only in a player's sandbox) included."""
    folders = {cache_directory(), _of_user()}
    return {path.name.rpartition("-")[2].partition(".")[0] for folder in folders for path in folder.glob("*.nbi")}


def _of_user() -> Path:
    return platformdirs.user_cache_path("kriegbot") / cache_name()


@cache
def reached(kernel: Kernel) -> frozenset[Kernel]:
    """Return a kernel and all that it calls, directly or not."""
    known, new = {kernel}, [kernel]
    while new:
        new = [callee for caller in new for callee in callees(caller) if callee not in known]
        known.update(new)
    return frozenset(known)


@cache
def callees(kernel: Kernel) -> frozenset[Kernel]:
    """Return the kernels that a kernel names."""
    return frozenset(value for _, value in _references(kernel) if isinstance(value, Kernel))


@cache
def _digest(kernel: Kernel) -> bytes:
    """Return a hash of a kernel without its callees: name, bytecode, references, types, flags."""
    function = kernel.function
    flags = kernel.from_python, kernel.by_pointer, kernel.inlined
    references = sorted((name, _stable_repr(value)) for name, value in _references(kernel))
    hints = {name: _stable_repr(hint) for name, hint in get_type_hints(function, include_extras=True).items()}
    code = [_bytecode(one) for one in _codes(function.__code__)]
    text = repr((function.__module__, function.__qualname__, flags, function.__defaults__, code, references, hints))
    return hashlib.sha256(text.encode()).digest()


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _bytecode(code: CodeType) -> tuple[object, ...]:
    """Return all that numba reads of code, without file names and line numbers."""
    constants = [constant for constant in code.co_consts if not isinstance(constant, CodeType)]
    return code.co_code, constants, code.co_names, code.co_varnames, code.co_freevars, code.co_argcount


def _references(kernel: Kernel) -> Iterator[tuple[str, object]]:
    """Yield all values that the names in a kernel may stand for: globals, attributes of modules, enclosed variables."""
    function = kernel.function
    modules = [value for value in function.__globals__.values() if isinstance(value, ModuleType)]
    for name in {name for code in _codes(function.__code__) for name in code.co_names}:
        if name in function.__globals__:
            yield name, function.__globals__[name]
        for module in modules:
            if name in vars(module):
                yield f"{module.__name__}.{name}", vars(module)[name]
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        yield name, cell.cell_contents


def _stable_repr(value: object) -> str:
    """Return a text of a value, equal in all processes, that differs if machine code may differ."""
    match value:
        case None | bool() | int() | float() | str() | np.generic():
            return f"{type(value).__name__} {value!r}"
        case np.ndarray():
            return f"{value.dtype.str} {value.shape} {hashlib.sha256(value.tobytes()).hexdigest()}"
        case type() if issubclass(value, tuple) and hasattr(value, "_fields"):
            hints = get_type_hints(value, include_extras=True)
            return f"{value.__qualname__} {[(name, _stable_repr(hint)) for name, hint in hints.items()]}"
        case tuple():
            return f"{type(value).__qualname__} {[_stable_repr(one) for one in value]}"
        case Kernel() | Intrinsic():
            return str(vars(value).get("__qualname__", vars(value).get("name")))
    if get_origin(value) is not None:
        return f"{get_origin(value)} {[_stable_repr(one) for one in get_args(value)]}"
    if isinstance(value, list):  # the arguments of a Callable
        return f"{[_stable_repr(one) for one in value]}"
    return f"{getattr(value, '__module__', '')} {getattr(value, '__qualname__', type(value).__qualname__)}"
