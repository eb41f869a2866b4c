"""The types of kernels, for mypy and numba alike: what a kernel's annotations say is what it is compiled for.

`int`, `float` and `bool` are int64, float64 and boolean; the names below stand for the rest. A `tuple`, a NamedTuple
and a `Callable` (a kernel given as an argument) are made of their parts. mypy takes a `Word` for an int, so it cannot
tell a bitboard from a count; numba can. `compiler.numba_type` reads them, so that this file does without numba.
"""

from typing import Annotated, Generic, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

T = TypeVar("T")


class Pointer(Generic[T]):
    """Pointer to the first of many, without bounds checks: whoever passes one says how long it must be."""

    def __getitem__(self, index: int) -> T:
        raise TypeError("a pointer is for kernels alone")

    def __setitem__(self, index: int, value: T) -> None:
        raise TypeError("a pointer is for kernels alone")


class Machine(NamedTuple):
    """A type of the machine by its name in numba; of a C-contiguous array, that of its items and its dimensions."""

    name: str
    dimensions: int = 0


Word = Annotated[int, Machine("uint64")]
"""A bitboard, or one word of a position."""
Words = Pointer[Word]
"""The tables, or rows of positions."""
Ints = Pointer[int]
Reals = Pointer[float]
Shorts = Pointer[Annotated[int, Machine("uint16")]]
Moves = Pointer[Annotated[int, Machine("int32")]]
"""A list of moves, with room for `moves.MAX_MOVES`."""
Bytes = Pointer[Annotated[int, Machine("uint8")]]
WordArray = Annotated[npt.NDArray[np.uint64], Machine("uint64", 1)]
Rows = Annotated[npt.NDArray[np.uint64], Machine("uint64", 2)]
"""Positions [N, 8], or other rows of words."""
IntArray = Annotated[npt.NDArray[np.int64], Machine("int64", 1)]
RealArray = Annotated[npt.NDArray[np.float64], Machine("float64", 1)]
ShortArray = Annotated[npt.NDArray[np.uint16], Machine("uint16", 1)]
MoveArray = Annotated[npt.NDArray[np.int32], Machine("int32", 1)]
ByteArray = Annotated[npt.NDArray[np.uint8], Machine("uint8", 1)]
