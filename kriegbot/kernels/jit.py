"""What makes a Python function a kernel: numba with explicit types, and a cache on disk that cannot be stale.

A kernel is compiled for its annotations (see `types`), once, when its module is imported, and never again for another
integer type. Compiled code is kept in a directory named after a hash of all kernel sources and their paths, numba's and
llvmlite's versions and the CPU: numba itself would miss an edit of an inner function in another file.

Inner kernels pass positions by value and vectors as bare pointers; only `entry` kernels, called from Python, take
arrays. Passing arrays between kernels costs a factor of three (some 24 words and a reference count each).
Pointers have no bounds checks: whoever passes one says how long it must be. Nor do they keep an array alive, and numba
frees one after its last use: kernels allocate nothing, all their room comes from Python.
"""

import hashlib
import platform
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar, cast

import llvmlite
import numba
import platformdirs
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from kriegbot.folders import cache_folder
from kriegbot.kernels import KERNEL_PACKAGES
from kriegbot.kernels.types import Bytes, Ints, Moves, Pointer, Words, numba_type, signature_of

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")

UNUSED_SECONDS = 30 * 24 * 3600


def cache_name() -> str:
    """Name of the cache directory for exactly these sources and weights, this numba and this CPU."""
    import llvmlite.binding as llvm

    root = Path(__file__).resolve().parents[2]
    digest = hashlib.sha256(bytes(root))
    for package in (*KERNEL_PACKAGES, "kriegbot.trees", "kriegbot.environments"):
        folder = root / package.replace(".", "/")
        for source in sorted([*folder.glob("*.py"), *folder.glob("*.json")]):
            digest.update(source.name.encode() + b"\0" + source.read_bytes() + b"\0")
    versions = (numba.__version__, llvmlite.__version__, platform.python_version(), platform.machine())
    digest.update(repr((versions, sys.platform, llvm.get_host_cpu_name())).encode())
    digest.update(llvm.get_host_cpu_features().flatten().encode())
    return f"kernels-{digest.hexdigest()[:16]}"


def cache_directory() -> Path:
    """Make the cache directory and return it.

    Numba loads code from it, so it must belong to this user alone. Directories not used for a month are removed.
    """
    base, users = cache_folder(), platformdirs.user_cache_path("kriegbot")
    directory = base / cache_name()
    readable = users / directory.name
    if base != users and readable.is_dir() and not directory.exists():
        # read-only, as in a player's sandbox: numba insists on writing
        copy = Path(tempfile.mkdtemp(dir=base))
        shutil.copytree(readable, copy, dirs_exist_ok=True)
        with suppress(OSError):  # another process was faster
            copy.rename(directory)
        shutil.rmtree(copy, ignore_errors=True)
    directory.mkdir(exist_ok=True)
    (directory / "used").touch()
    for other in base.glob("kernels-*"):
        try:
            if time.time() - (other / "used").stat().st_mtime > UNUSED_SECONDS:
                shutil.rmtree(other, ignore_errors=True)
        except OSError:  # being made or removed by another process
            continue
    return directory


CACHE_DIRECTORY = cache_directory()


def _compile(function: F, from_python: bool = False, by_pointer: bool = False, inlined: bool = False) -> F:
    """Compile a function for its annotations; numba reads its cache setting now, so it is set only here."""
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(CACHE_DIRECTORY)
    try:
        compiled = numba.njit(
            signature_of(function),
            cache=True,
            nogil=True,
            error_model="numpy",
            no_cpython_wrapper=not from_python,
            no_cfunc_wrapper=not by_pointer,
            forceinline=inlined,
        )(function)
    finally:
        numba.config.CACHE_DIR = before
    return cast(F, compiled)


def kernel(function: F) -> F:
    """Compile an inner kernel: callable only from other kernels."""
    return _compile(function)


def inlined(function: F) -> F:
    """Compile an inner kernel that is copied to where it is called: passing its arguments would cost more."""
    return _compile(function, inlined=True)


def part(function: F) -> F:
    """Compile a kernel that other kernels take as an argument: an evaluator, a backup rule.

    The call through a pointer costs some 5 % of the search; recompiling the search for each combination of parts would
    cost seconds at every start.
    """
    return _compile(function, by_pointer=True)


def part_of(kind: Any, function: F) -> F:
    """Compile a part of one kind, a Callable type, such as an evaluator.

    Raises:
      TypeError: the function's annotations are not those of its kind.
    """
    signature, expected = signature_of(function), numba_type(kind).signature
    if signature != expected:
        raise TypeError(f"kernel {function.__name__}: {signature}, where {expected} is expected")
    return part(function)


def entry(function: F) -> F:
    """Compile a kernel that Python calls, with arrays."""
    return _compile(function, from_python=True)


def words(*values: int) -> tuple[int, ...]:
    """Bitboard constants as numba needs them: uint64, because `uint64 & int64` is a signed integer."""
    import numpy as np

    return cast(tuple[int, ...], tuple(np.uint64(value) for value in values))


def _pointer(_context: Any, array: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        from numba.np.arrayobj import make_array

        return make_array(signature.args[0])(context, builder, args[0]).data

    return types.CPointer(array.dtype)(array), generate


def _advance(_context: Any, base: Any, _count: Any) -> Any:
    def generate(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.gep(args[0], [args[1]])

    return base(base, types.int64), generate


def _cast(kind: Any) -> Any:
    def cast_to(_context: Any, _base: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.bitcast(args[0], context.get_value_type(signature.return_type))

        return types.CPointer(kind)(types.CPointer(types.uint64)), generate

    return intrinsic(cast_to)


def _popcount(_context: Any, _bits: Any) -> Any:
    def generate(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.uint64), generate


def _lsb(_context: Any, _bits: Any) -> Any:
    def generate(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.uint64), generate


def _as_it_stands(_context: Any, _builder: Any, _signature: Any, args: Any) -> Any:
    return args[0]


def _word(_context: Any, _value: Any) -> Any:
    return types.uint64(types.int64), _as_it_stands


def _number(_context: Any, _bits: Any) -> Any:
    return types.int64(types.uint64), _as_it_stands


pointer: Callable[[Any], Any] = intrinsic(_pointer)
"""Pointer to the first element of a C-contiguous array, which must outlive it."""
advance: Callable[[Pointer[T], int], Pointer[T]] = intrinsic(_advance)
"""(pointer, count) -> pointer `count` elements further on."""
as_ints: Callable[[Words], Ints] = _cast(types.int64)
"""Words taken as numbers of another size, so that memory of many uses can be one array."""
as_moves: Callable[[Words], Moves] = _cast(types.int32)
as_bytes: Callable[[Words], Bytes] = _cast(types.uint8)
popcount: Callable[[int], int] = intrinsic(_popcount)
"""How many squares are on a bitboard."""
lsb: Callable[[int], int] = intrinsic(_lsb)
"""Least significant bit: the lsb square of a bitboard, which must not be empty."""
word: Callable[[int], int] = intrinsic(_word)
"""An int64 taken as a uint64, so that shifts and masks stay unsigned."""
number: Callable[[int], int] = intrinsic(_number)
"""A uint64 taken as an int64, for squares and counts."""
