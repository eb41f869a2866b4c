"""What makes a Python function a kernel: it is compiled for its annotations when it is first needed.

`int`, `float` and `bool` are int64, float64 and boolean; the names below stand for the rest. A `tuple`, a NamedTuple
and a `Callable` (a kernel given as an argument) are made of their parts. mypy takes a `Word` for an int and a pointer
for an array; numba knows better. A struct is a NamedTuple of arrays and numbers: entry kernels take it as it is, and
`pointers` makes of it what inner kernels take, the same struct with pointers to its arrays.

Inner kernels pass positions by value and vectors as bare pointers; only `entry` kernels, called from Python, take
arrays. Passing arrays between kernels costs a factor of three (some 24 words and a reference count each).
Pointers have no bounds checks: whoever passes one says how long it must be. Nor do they keep an array alive, and numba
frees one after its last use: kernels allocate nothing, all their room comes from Python.

This file does without numba, whose import takes half a second: `compiler` is imported with the first kernel that is
called. So every module can import kernels at its top, and importing one compiles nothing.
"""

from collections.abc import Callable
from functools import update_wrapper
from threading import RLock
from typing import Annotated, Any, NamedTuple, TypeVar, cast, get_args, get_type_hints

import numpy as np
import numpy.typing as npt


class Machine(NamedTuple):
    """A type of the machine by its name in numba, or a pointer to such, or a C-contiguous array of some dimensions.

    A pointer has no bounds checks: whoever passes one says how long it must be. mypy takes one for an array.
    """

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
"""A list of moves, with room for `moves.MAX_MOVES`."""
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
    """A function that is compiled once, when Python or another kernel first calls it, and never for other types.

    Attributes:
      function: in Python.
      from_python: whether Python may call it.
      by_pointer: whether other kernels may take it as an argument.
      inlined: whether it is copied to where it is called.
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
        """Numba's dispatcher; while it is being compiled, a kernel that calls itself gets it unfinished."""
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
        """Calls the machine code; kernels among the arguments are passed as pointers."""
        return self.compiled(*map(_passed, arguments))


def _passed(argument: Any) -> Any:
    """An argument as numba takes it."""
    if isinstance(argument, Kernel):
        return argument.compiled
    if isinstance(argument, tuple):
        passed = tuple(map(_passed, argument))
        return passed if type(argument) is tuple else type(argument)(*passed)
    return argument


def kernel(function: F) -> F:
    """An inner kernel: callable only from other kernels."""
    return cast(F, Kernel(function))


def inlined(function: F) -> F:
    """An inner kernel that is copied to where it is called: passing its arguments would cost more."""
    return cast(F, Kernel(function, inlined=True))


def part_of(kind: Any, function: F) -> F:
    """A kernel of one kind, a Callable type, that other kernels take as an argument: an evaluator, a backup rule.

    The call through a pointer costs some 5 % of the search; recompiling the search for each combination of parts would
    cost seconds at every start.

    Raises:
      TypeError: the function's annotations are not those of its kind.
    """
    parameters, result = get_args(kind)
    hints = get_type_hints(function, include_extras=True)
    if list(hints.values()) != [*parameters, type(None) if result is None else result]:
        takes = f"({', '.join(map(_type_name, parameters))}) -> {_type_name(result)}"
        raise TypeError(f"the annotations of {function.__name__} are not {takes}")
    return cast(F, Kernel(function, by_pointer=True))


def _type_name(kind: Any) -> str:
    """A type as annotations name it."""
    named = (name for name, value in globals().items() if value == kind)
    return str(kind.__name__ if isinstance(kind, type) else next(named, kind))


def entry(function: F) -> F:
    """A kernel that Python calls, with arrays."""
    return cast(F, Kernel(function, from_python=True))


def words(*values: int) -> tuple[int, ...]:
    """Bitboard constants as numba needs them: uint64, because `uint64 & int64` is a signed integer."""
    return cast(tuple[int, ...], tuple(np.uint64(value) for value in values))


class Intrinsic:
    """A function that is one instruction of the machine; `compiler` says which."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, *_: Any) -> Any:
        """Intrinsics are for kernels alone."""
        raise TypeError(f"{self.name} is for kernels alone")


pointer: Callable[[Any], Any] = Intrinsic("pointer")
"""Pointer to the first element of a C-contiguous array, which must outlive it."""
pointers: Callable[[Any], Any] = Intrinsic("pointers")
"""A struct as inner kernels take it: with pointers to the first elements of its arrays."""
advance: Callable[[Any, int], Any] = Intrinsic("advance")
"""(pointer, count) -> pointer `count` elements further on."""
as_ints: Callable[[Words], Ints] = Intrinsic("as_ints")
"""Words taken as numbers of another size, so that memory of many uses can be one array."""
as_moves: Callable[[Words], Moves] = Intrinsic("as_moves")
as_bytes: Callable[[Words], Bytes] = Intrinsic("as_bytes")
popcount: Callable[[int], int] = Intrinsic("popcount")
"""How many squares are on a bitboard."""
lsb: Callable[[int], int] = Intrinsic("lsb")
"""Least significant bit: the lsb square of a bitboard, which must not be empty."""
word: Callable[[int], int] = Intrinsic("word")
"""An int64 taken as a uint64, so that shifts and masks stay unsigned."""
number: Callable[[int], int] = Intrinsic("number")
"""A uint64 taken as an int64, for squares and counts."""
