"""Kernels: Python functions that numba compiles for their annotations when they are first called.

`int`, `float` and `bool` are int64, float64 and boolean. The names below stand for the other types. A `tuple`, a
NamedTuple and a `Callable` (a kernel as an argument) consist of such types. To mypy a `Word` is an int and a pointer an
array; numba compiles both as machine types.

A struct is a NamedTuple of arrays and numbers. Only `entry` kernels, which Python calls, take arrays. Inner kernels
take positions by value and vectors as bare pointers, and `pointers` makes the same struct with pointers in place of
arrays. Arrays between kernels would cost a factor of three: some 24 words and a reference count each.

Pointers have no bounds checks: a kernel's docstring says how long a vector must be. Nor do they keep an array alive,
and numba frees an array after its last use. So kernels allocate nothing: all their memory comes from Python.

Numba, whose import takes half a second, is imported with the first call. So every module can import kernels at its
top, and importing one compiles nothing.
"""

from collections.abc import Callable
from functools import update_wrapper
from threading import RLock
from typing import Annotated, Any, NamedTuple, TypeVar, cast, get_args, get_type_hints

import numpy as np
import numpy.typing as npt


class Machine(NamedTuple):
    """A type by its name in numba, or a pointer to it, or a C-contiguous array of it."""

    name: str
    dimensions: int = 0
    is_pointer: bool = False


Word = Annotated[int, Machine("uint64")]
"""A bitboard, or one word of a position."""
Words = Annotated[npt.NDArray[np.uint64], Machine("uint64", is_pointer=True)]
"""The tables, or rows of positions."""
Ints = Annotated[npt.NDArray[np.int64], Machine("int64", is_pointer=True)]
Reals = Annotated[npt.NDArray[np.float64], Machine("float64", is_pointer=True)]
Shorts = Annotated[npt.NDArray[np.uint16], Machine("uint16", is_pointer=True)]
Moves = Annotated[npt.NDArray[np.int32], Machine("int32", is_pointer=True)]
"""A list of moves, of `moves.MAX_MOVES` places."""
Bytes = Annotated[npt.NDArray[np.uint8], Machine("uint8", is_pointer=True)]
WordArray = Annotated[npt.NDArray[np.uint64], Machine("uint64", 1)]
Rows = Annotated[npt.NDArray[np.uint64], Machine("uint64", 2)]
"""Positions [N, 8], or other rows of words."""
IntArray = Annotated[npt.NDArray[np.int64], Machine("int64", 1)]
RealArray = Annotated[npt.NDArray[np.float64], Machine("float64", 1)]
ShortArray = Annotated[npt.NDArray[np.uint16], Machine("uint16", 1)]
MoveArray = Annotated[npt.NDArray[np.int32], Machine("int32", 1)]
ByteArray = Annotated[npt.NDArray[np.uint8], Machine("uint8", 1)]


F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")


class Kernel:
    """A function that is compiled once, for the types of its annotations.

    Attributes:
      function: the Python function.
      from_python: True if Python may call it.
      by_pointer: True if other kernels may take it as an argument.
      inlined: True if it is copied to each place of its call.
    """

    _compiling = RLock()

    def __init__(
        self,
        function: Callable[..., Any],
        *,
        from_python: bool = False,
        by_pointer: bool = False,
        inlined: bool = False,
    ) -> None:
        self.function, self.inlined = function, inlined
        self.from_python, self.by_pointer = from_python, by_pointer
        self._dispatcher: Any = None
        self._is_compiled = False
        update_wrapper(self, function)

    @property
    def compiled(self) -> Any:
        """Numba's dispatcher, compiled; unfinished only for a kernel that calls itself, during its compilation."""
        if self._is_compiled:
            return self._dispatcher
        from kriegbot.kernels import compiler

        with self._compiling:
            if self._dispatcher is None:
                self._dispatcher = compiler.dispatcher(self)
                try:
                    compiler.compile_for_annotations(self._dispatcher, self)
                    self._is_compiled = True
                finally:
                    if not self._is_compiled:
                        self._dispatcher = None
            return self._dispatcher

    def __call__(self, *arguments: Any) -> Any:
        """Call the machine code."""
        return self.compiled(*map(_to_numba, arguments))


def _to_numba(argument: Any) -> Any:
    """Return an argument with dispatchers in place of kernels."""
    if isinstance(argument, Kernel):
        return argument.compiled
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


def part_of(signature: Any, function: F) -> F:
    """Make a kernel that other kernels take as an argument: an evaluator, a backup rule, an opponent model.

    The call through a pointer costs some 5% of the search. Compiling the search anew for each combination of parts
    would cost seconds at every start.

    Args:
      signature: the Callable type of such parts.
      function: the function.

    Raises:
      TypeError: the function's annotations are not those of the signature.
    """
    parameters, result = get_args(signature)
    hints = get_type_hints(function, include_extras=True)
    if list(hints.values()) != [*parameters, type(None) if result is None else result]:
        takes = f"({', '.join(map(_type_name, parameters))}) -> {_type_name(result)}"
        raise TypeError(f"the annotations of {function.__name__} are not {takes}")
    return cast(F, Kernel(function, by_pointer=True))


def _type_name(hint: Any) -> str:
    """Return the name of a type in annotations."""
    names = (name for name, value in globals().items() if value == hint)
    return str(hint.__name__ if isinstance(hint, type) else next(names, hint))


def entry(function: F) -> F:
    """Make a kernel that Python calls, with arrays."""
    return cast(F, Kernel(function, from_python=True))


def words(*values: int) -> tuple[int, ...]:
    """Return bitboard constants for numba: uint64, because `uint64 & int64` is a signed integer."""
    return cast(tuple[int, ...], tuple(np.uint64(value) for value in values))


class Intrinsic:
    """A function that is one machine instruction, defined in `compiler`. Only kernels can call it."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, *_: Any) -> Any:
        """Raise TypeError: Python cannot call an intrinsic."""
        raise TypeError(f"{self.name} is for kernels alone")


pointer: Callable[[Any], Any] = Intrinsic("pointer")
"""Pointer to the first element of a C-contiguous array, which must outlive it."""
pointers: Callable[[Any], Any] = Intrinsic("pointers")
"""A struct for inner kernels: with pointers to the first elements of its arrays."""
advance: Callable[[Any, int], Any] = Intrinsic("advance")
"""(pointer, count) -> pointer to the element `count` places further on."""
as_ints: Callable[[Words], Ints] = Intrinsic("as_ints")
"""A pointer to words as one to int64, so that one array can hold numbers of several sizes."""
as_moves: Callable[[Words], Moves] = Intrinsic("as_moves")
as_bytes: Callable[[Words], Bytes] = Intrinsic("as_bytes")
popcount: Callable[[int], int] = Intrinsic("popcount")
"""Number of squares on a bitboard."""
lsb: Callable[[int], int] = Intrinsic("lsb")
"""Least significant bit: the first square of a bitboard, which must not be empty."""
word: Callable[[int], int] = Intrinsic("word")
"""An int64 as a uint64, so that shifts and masks stay unsigned."""
number: Callable[[int], int] = Intrinsic("number")
"""A uint64 as an int64, for squares and counts."""
