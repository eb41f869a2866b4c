"""The types of kernels, for mypy and numba alike: what a kernel's annotations say is what it is compiled for.

`int`, `float` and `bool` are int64, float64 and boolean; the names below stand for the rest. A `tuple`, a NamedTuple
and a `Callable` (a kernel given as an argument) are made of their parts. mypy takes a `Word` for an int, so it cannot
tell a bitboard from a count; numba can.
"""

import inspect
from collections.abc import Callable
from typing import Annotated, Any, Generic, TypeVar, get_args, get_origin, get_type_hints

import numpy as np
import numpy.typing as npt
from numba import types

T = TypeVar("T")


class Pointer(Generic[T]):
    """Pointer to the first of many, without bounds checks: whoever passes one says how long it must be."""

    def __getitem__(self, index: int) -> T:
        raise TypeError("a pointer is for kernels alone")

    def __setitem__(self, index: int, value: T) -> None:
        raise TypeError("a pointer is for kernels alone")


Word = Annotated[int, types.uint64]
"""A bitboard, or one word of a position."""
Words = Pointer[Word]
"""The tables, or rows of positions."""
Ints = Pointer[int]
Reals = Pointer[float]
Shorts = Pointer[Annotated[int, types.uint16]]
Moves = Pointer[Annotated[int, types.int32]]
"""A list of moves, with room for `moves.MAX_MOVES`."""
Bytes = Pointer[Annotated[int, types.uint8]]
WordArray = Annotated[npt.NDArray[np.uint64], types.Array(types.uint64, 1, "C")]
Rows = Annotated[npt.NDArray[np.uint64], types.Array(types.uint64, 2, "C")]
"""Positions [N, 8], or other rows of words."""
IntArray = Annotated[npt.NDArray[np.int64], types.Array(types.int64, 1, "C")]
RealArray = Annotated[npt.NDArray[np.float64], types.Array(types.float64, 1, "C")]
ShortArray = Annotated[npt.NDArray[np.uint16], types.Array(types.uint16, 1, "C")]
MoveArray = Annotated[npt.NDArray[np.int32], types.Array(types.int32, 1, "C")]
ByteArray = Annotated[npt.NDArray[np.uint8], types.Array(types.uint8, 1, "C")]

PLAIN = {int: types.int64, float: types.float64, bool: types.boolean, None: types.void, type(None): types.void}


def numba_type(hint: Any) -> Any:
    """Numba's type for an annotation.

    Raises:
      TypeError: it has none.
    """
    origin, arguments = get_origin(hint), get_args(hint)
    if hint in PLAIN:
        return PLAIN[hint]
    if origin is Annotated:
        return arguments[1]
    if origin is Pointer:
        return types.CPointer(numba_type(arguments[0]))
    if origin is tuple:
        return types.BaseTuple.from_types([numba_type(part) for part in arguments])
    if origin is Callable:
        return types.FunctionType(numba_type(arguments[1])(*map(numba_type, arguments[0])))
    if isinstance(hint, type) and issubclass(hint, tuple):
        fields = get_type_hints(hint, include_extras=True).values()
        return types.BaseTuple.from_types([numba_type(field) for field in fields], hint)
    raise TypeError(f"{hint} is no type of kernels; they take those of kriegbot.kernels.types")


def signature_of(function: Callable[..., Any]) -> Any:
    """Numba's signature for a function with annotations.

    Raises:
      TypeError: an annotation is missing, or is no type of kernels.
    """
    hints = get_type_hints(function, include_extras=True)
    names = (*inspect.signature(function).parameters, "return")
    try:
        *parameters, result = [numba_type(hints[name]) for name in names]
    except KeyError as missing:
        raise TypeError(f"kernel {function.__name__}: {missing} has no annotation") from None
    except TypeError as unknown:
        raise TypeError(f"kernel {function.__name__}: {unknown}") from None
    return result(*parameters)
