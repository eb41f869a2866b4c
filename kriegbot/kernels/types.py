"""Types of kernels' arguments, the data of a kernel, and intrinsics: functions of a machine instruction or so.

`int`, `float` and `bool` are int64, float64 and boolean. The names below stand for the other types. A `tuple`, a
NamedTuple and a `Callable` (a kernel as an argument) consist of such types. To mypy a `Word` is an int and a pointer an
array; numba compiles both as machine types.

A struct is a NamedTuple of arrays, numbers, kernels and structs. Only `entry` kernels, which Python calls, take arrays.
Inner kernels take positions by value and vectors as bare pointers, and `pointers` makes the same struct with pointers
in place of arrays. Arrays between kernels would cost much time: several words and a reference count each.

Pointers have no bounds checks: usually a docstring says how long a vector must be. Nor do they keep an array alive,
and numba frees an array after its last use. So kernels allocate nothing: all their memory comes from Python.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import update_wrapper
from typing import Annotated, Any, NamedTuple

import numpy as np
import numpy.typing as npt

IMPORTED = time.time()  # before any kernel's source is read
KERNEL_PACKAGES = (
    "kriegbot.kernels",
    "evaluators",
    "kriegbot.models",
    "kriegbot.search",
    "kriegbot.belief",
    "kriegbot.endgames",
)
"""Packages with the kernels that players use."""


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


@dataclass(eq=False)
class KernelFunction:
    """A Python function to be compiled once, for the types of its annotations."""

    function: Callable[..., Any]
    from_python: bool = False  # Python calls it
    by_pointer: bool = False  # other kernels take it as an argument
    inlined: bool = False  # it is copied to each place of its call
    dispatcher: Any = field(default=None, init=False)  # numba's, once the function is compiled
    unfinished: Any = field(default=None, init=False)  # the same while it is compiled, for a kernel that calls itself

    def __post_init__(self) -> None:
        update_wrapper(self, self.function)  # type: ignore[arg-type]  # only `jit.Kernel` can be called

    def __repr__(self) -> str:
        return f"<kernel {self.function.__module__}.{self.function.__qualname__}>"


class Intrinsic:
    """A function of a machine instruction or so, defined in `compiler`. Only kernels can call it."""

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
