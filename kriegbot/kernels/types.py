"""The types of kernels, for mypy and numba alike: what a kernel's annotations say is what it is compiled for.

`int`, `float` and `bool` are int64, float64 and boolean; the names below stand for the rest. A `tuple`, a NamedTuple
and a `Callable` (a kernel given as an argument) are made of their parts. mypy takes a `Word` for an int, so it cannot
tell a bitboard from a count; numba can. `compiler.numba_type` reads them, so that this file does without numba.

A struct is a NamedTuple of arrays and numbers: entry kernels take it as it is, and `jit.pointers` makes of it what
inner kernels take, the same struct with pointers to its arrays.
"""

from typing import Annotated, NamedTuple

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
