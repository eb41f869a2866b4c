"""Compiling kernels with numba, and the folder of machine code, named by a digest of all that it depends on.

Numba alone names code by the function's own file, and so misses an edit of an inner kernel in another file. Here any
edit of a file in `CACHED` packages begins a new folder, so no code is stale, and all copies of the project with equal
files share one. `jit` imports this module when the first kernel is called.
"""

import hashlib
import inspect
import os
import pickle
import platform
import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from threading import RLock
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import llvmlite.binding
import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core.cgutils import unpack_tuple
from numba.core.codegen import JITCodeLibrary, JITCPUCodegen
from numba.core.compiler import Compiler, CompileResult
from numba.core.registry import cpu_target
from numba.core.serialize import dumps
from numba.extending import intrinsic, typeof_impl
from numba.np.arrayobj import make_array

from kriegbot.folders import cache_folder, open_to_others
from kriegbot.kernels.stored import MARKERS, read_stored, write_stored
from kriegbot.kernels.types import IMPORTED, KERNEL_PACKAGES, Intrinsic, KernelFunction

CACHED = (*KERNEL_PACKAGES, "kriegbot.environments")
"""Packages whose kernels are cached. Each other kernel is compiled in every process that calls it."""
UNUSED_SECONDS = 30 * 24 * 3600
PLAIN = {int: types.int64, float: types.float64, bool: types.boolean, None: types.void, type(None): types.void}
BIT = ir.IntType(1)
_compiling = RLock()


@cache
def folder_name() -> str:
    """Return the name of the folder for these files, libraries, Python, system and CPU; a random one after an edit."""
    versions = numba.__version__, llvmlite.__version__, np.__version__, platform.python_version(), platform.platform()
    cpu = llvmlite.binding.get_host_cpu_name(), llvmlite.binding.get_host_cpu_features().flatten()
    digest = hashlib.sha256(repr((versions, cpu)).encode())
    for package in CACHED:
        spec = find_spec(package)
        for folder in (spec and spec.submodule_search_locations) or ():
            for path in sorted(Path(folder).glob("[!.]*.*")):  # data files, too: kernels contain them
                digest.update(path.name.encode() + path.read_bytes())
                if IMPORTED < path.stat().st_mtime < time.time():  # this process may have the source before the edit
                    digest.update(os.urandom(16))
    return f"kernels-{digest.hexdigest()[:16]}"


@cache
def kernel_folder() -> Path:
    """Make the folder of `folder_name` and return it; remove folders that nobody has used for a month.

    In the sandbox it is the user's folder, which cannot be written, if it has a marker of `preparing`. Numba loads code
    from the folder, so what others could have written is removed.
    """
    path = cache_folder(f"{folder_name()}/{MARKERS}") / folder_name()
    if path.exists() and open_to_others(path) is not None:
        shutil.rmtree(path)
    with suppress(OSError):  # read-only, or another process is as fast
        path.mkdir(mode=0o700, exist_ok=True)
        os.utime(path)
        for other in path.parent.glob("kernels-*"):
            if time.time() - other.stat().st_mtime > UNUSED_SECONDS:
                shutil.rmtree(other, ignore_errors=True)
    return path


class InnerCode(JITCodeLibrary):  # type: ignore[misc]
    """The code of an inner kernel, which only other kernels call. These contain copies of it and optimize them.

    So it is neither optimized nor made machine code by itself, as numba would do.
    """

    def finalize(self) -> None:
        """Add copies of the kernels that this one calls."""
        for library in dict.fromkeys(self._linking_libraries):
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalized = True

    def get_pointer_to_function(self, _name: str) -> int:
        """Return 0, as numba does if there is no such machine code."""
        return 0

    def serialize_using_object_code(self) -> Any:
        """Return what `_unserialize` takes."""
        return self.serialize_using_bitcode()

    @classmethod
    def _unserialize(cls, codegen: Any, state: Any) -> Any:
        code = cls(codegen, state[0])
        code._final_module = llvmlite.binding.parse_bitcode(state[2])
        code._finalized = True
        return code


class InnerCodegen(JITCPUCodegen):  # type: ignore[misc]
    """Numba's generator of code, but for inner kernels."""

    _library_class = InnerCode

    def __init__(self, codegen: Any) -> None:
        self.__dict__.update(vars(codegen))

    def set_env(self, _name: str, _environment: Any) -> None:
        """Do nothing: no machine code holds the address of what Python code would need."""


def for_inner(context: Any) -> Any:
    """Return a numba target that makes inner kernels."""
    return context.subtarget(_internal_codegen=InnerCodegen(context.codegen()))


class InnerCompiler(Compiler):  # type: ignore[misc]
    """Numba's compiler, but for inner kernels."""

    def __init__(self, typing: Any, context: Any, *rest: Any) -> None:
        super().__init__(typing, for_inner(context), *rest)


class KernelCache:
    """The file of one kernel's code, in place of numba's cache, which verifies nothing that it reads."""

    def __init__(self, function: Callable[..., Any], *, is_inner: bool) -> None:
        self._is_inner = is_inner
        values = repr([cell.cell_contents for cell in function.__closure__ or ()])
        name = f"{function.__module__}.{function.__qualname__}-{hashlib.sha256(values.encode()).hexdigest()[:16]}"
        self._path = kernel_folder() / f"{name}.nbc"

    def load_overload(self, _signature: Any, context: Any) -> Any:
        """Return a kernel as numba has compiled it; None if there is no sound file."""
        context.refresh()
        context = for_inner(context) if self._is_inner else context
        content = read_stored(self._path)
        return None if content is None else CompileResult._rebuild(context, *pickle.loads(content))

    def save_overload(self, _signature: Any, result: Any) -> None:
        """Save code, if the folder can be written."""
        write_stored(self._path, dumps(result._reduce()))


def compile_kernel(kernel: KernelFunction) -> Any:
    """Compile a kernel for its annotations, or load it from the cache, and return numba's dispatcher.

    A kernel that calls itself gets its own dispatcher unfinished. Raises TypeError as `signature_of` does.
    """
    with _compiling:
        if kernel.unfinished is None:
            is_inner = not kernel.from_python and not kernel.by_pointer
            kernel.unfinished = dispatcher = numba.njit(
                nogil=True,
                error_model="numpy",
                no_cpython_wrapper=not kernel.from_python,
                no_cfunc_wrapper=not kernel.by_pointer,
                pipeline_class=InnerCompiler if is_inner else Compiler,
                forceinline=kernel.inlined,
            )(kernel.function)
            try:
                if kernel.function.__module__.rpartition(".")[0] in CACHED:
                    dispatcher._cache = KernelCache(kernel.function, is_inner=is_inner)
                dispatcher.compile(signature_of(kernel.function, has_arrays=kernel.from_python))
            except BaseException:
                kernel.unfinished = None
                raise
            dispatcher.disable_compile()
            kernel.dispatcher = dispatcher
        return kernel.unfinished


def signature_of(function: Callable[..., Any], *, has_arrays: bool = False) -> Any:
    """Return numba's signature for a function; raise TypeError if an annotation is missing or is no type of kernels.

    `has_arrays` is True if the function takes structs with arrays, instead of pointers to these.
    """
    hints = get_type_hints(function, include_extras=True)
    names = (*inspect.signature(function).parameters, "return")
    try:
        *parameters, result = [numba_type(hints[name]) for name in names]
    except KeyError as missing:
        raise TypeError(f"kernel {function.__name__}: {missing} has no annotation") from None
    except TypeError as unknown:
        raise TypeError(f"kernel {function.__name__}: {unknown}") from None
    return result(*parameters) if has_arrays else _pointed(result)(*map(_pointed, parameters))


def numba_type(hint: Any) -> Any:
    """Return numba's type for an annotation; raise TypeError if there is none."""
    origin, arguments = get_origin(hint), get_args(hint)
    if hint in PLAIN:
        return PLAIN[hint]
    if origin is Annotated:
        name, dimensions, is_pointer = arguments[1]
        item = getattr(types, name)
        if is_pointer:
            return types.CPointer(item)
        return types.Array(item, dimensions, "C") if dimensions else item
    if origin is tuple:
        return types.BaseTuple.from_types([numba_type(part) for part in arguments])
    if origin is Callable:
        return types.FunctionType(numba_type(arguments[1])(*map(numba_type, arguments[0])))
    if isinstance(hint, type) and issubclass(hint, tuple):
        fields = get_type_hints(hint, include_extras=True).values()
        return types.BaseTuple.from_types([numba_type(field) for field in fields], hint)
    raise TypeError(f"{hint} is no type of kernels; use those of kriegbot.kernels.types")


def _pointed(type_: Any) -> Any:
    """Return a type with pointers in place of arrays, also in structs within it."""
    if isinstance(type_, types.BaseNamedTuple):
        return types.BaseTuple.from_types([_pointed(field) for field in type_], type_.instance_class)
    return types.CPointer(type_.dtype) if isinstance(type_, types.Array) else type_


def _pointers(_context: Any, value: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _converted(context, builder, signature.args[0], args[0])

    return _pointed(value)(value), generate


def _converted(context: Any, builder: Any, type_: Any, value: Any) -> Any:
    if isinstance(type_, types.Array):
        return make_array(type_)(context, builder, value).data
    if isinstance(type_, types.BaseNamedTuple):
        fields = zip(type_, unpack_tuple(builder, value), strict=True)
        return context.make_tuple(builder, _pointed(type_), [_converted(context, builder, *field) for field in fields])
    return value


def _advance(_context: Any, base: Any, _count: Any) -> Any:
    def generate(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.gep(args[0], [args[1]])

    return base(base, types.int64), generate


def _cast(type_: Any) -> Any:
    def cast_to(_context: Any, _base: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.bitcast(args[0], context.get_value_type(signature.return_type))

        return types.CPointer(type_)(types.CPointer(types.uint64)), generate

    return cast_to


def _instruction(result: Any, argument: Any, build: Callable[[Any, Any], Any]) -> Any:
    """Return an intrinsic of one argument by its types, and a function (builder, value) -> result."""

    def typed(_context: Any, _value: Any) -> Any:
        return result(argument), lambda _context, builder, _signature, args: build(builder, args[0])

    return intrinsic(typed)


INTRINSICS = {
    "pointer": intrinsic(_pointers),
    "pointers": intrinsic(_pointers),
    "advance": intrinsic(_advance),
    "as_ints": intrinsic(_cast(types.int64)),
    "as_moves": intrinsic(_cast(types.int32)),
    "as_bytes": intrinsic(_cast(types.uint8)),
    "popcount": _instruction(types.int64, types.uint64, lambda builder, bits: builder.ctpop(bits)),
    "lsb": _instruction(types.int64, types.uint64, lambda builder, bits: builder.cttz(bits, ir.Constant(BIT, 1))),
    "word": _instruction(types.uint64, types.int64, lambda _, value: value),
    "number": _instruction(types.int64, types.uint64, lambda _, bits: bits),
}


def _type_of_kernel(kernel: KernelFunction, _context: Any) -> Any:
    """Compile a kernel for one that calls it, and return its type."""
    return types.Dispatcher(compile_kernel(kernel))


def _type_of_intrinsic(intrinsic: Intrinsic, _context: Any) -> Any:
    return cpu_target.typing_context.resolve_value_type(INTRINSICS[intrinsic.name])


typeof_impl.register(KernelFunction)(_type_of_kernel)
typeof_impl.register(Intrinsic)(_type_of_intrinsic)
