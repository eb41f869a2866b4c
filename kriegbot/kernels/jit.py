"""Decorators that make kernels of Python functions. A kernel is compiled when Python or another kernel first calls it.

Numba, whose import is slow, is imported with that first call. So every module can import kernels at its top, and
importing one compiles nothing.
"""

import os
from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar, cast, get_args, get_type_hints

import numpy as np

from kriegbot.kernels import types
from kriegbot.kernels.types import KernelFunction

F = TypeVar("F", bound=Callable[..., Any])


class Kernel(KernelFunction):
    """A kernel that Python can hold, pass to other kernels and, if it is an entry, call."""

    def __call__(self, *arguments: Any) -> Any:
        """Call the machine code."""
        return self.compile()(*map(_to_numba, arguments))

    def compile(self) -> Any:
        """Compile the function, unless that was done, and return numba's dispatcher."""
        if self.dispatcher is None:
            load_compiler().compile_kernel(self)
        return self.dispatcher


@cache
def load_compiler() -> Any:
    """Import `kriegbot.kernels.compiler` and numba, without the environment's settings, which can switch it off."""
    for name in [name for name in os.environ if name.startswith("NUMBA_")]:
        del os.environ[name]
    os.environ["NUMBA_DISABLE_JIT"] = "0"  # a file .numba_config.yaml in the current folder counts for less
    import numba

    from kriegbot.kernels import compiler

    numba.config.reload_config()  # it may have been imported before
    return compiler


def _to_numba(argument: Any) -> Any:
    """Return an argument with dispatchers in place of kernels."""
    if isinstance(argument, Kernel):
        return argument.compile()
    if isinstance(argument, tuple):
        fields = tuple(map(_to_numba, argument))
        return fields if type(argument) is tuple else type(argument)(*fields)
    return argument


def kernel(function: F) -> F:
    """Make an inner kernel, which only other kernels call."""
    return cast(F, Kernel(function))


def inlined(function: F) -> F:
    """Make an inner kernel that is copied to where it is called: passing its arguments would cost more."""
    return cast(F, Kernel(function, inlined=True))


def entry(function: F) -> F:
    """Make a kernel that Python calls, with arrays."""
    return cast(F, Kernel(function, from_python=True))


def part_of(signature: Any, function: F) -> F:
    """Make a kernel that other kernels take as an argument: an evaluator, a backup rule, an opponent model.

    The call through a pointer takes more time, but no search is compiled again for other parts. Raises
    TypeError unless the annotations are those of the `signature`, a Callable.
    """
    parameters, result = get_args(signature)
    hints = get_type_hints(function, include_extras=True)
    if list(hints.values()) != [*parameters, type(None) if result is None else result]:
        takes = f"({', '.join(map(_type_name, parameters))}) -> {_type_name(result)}"
        raise TypeError(f"the annotations of {function.__name__} are not {takes}")
    return cast(F, Kernel(function, by_pointer=True))


def _type_name(hint: Any) -> str:
    """Return the name of a type in annotations."""
    names = (name for name, value in vars(types).items() if value == hint)
    return str(hint.__name__ if isinstance(hint, type) else next(names, hint))


def words(*values: int) -> tuple[int, ...]:
    """Return bitboard constants for numba: uint64, because `uint64 & int64` is a signed integer."""
    return cast(tuple[int, ...], tuple(np.uint64(value) for value in values))
