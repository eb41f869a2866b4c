"""The first items of a list that grows: a view of every moment of a game, without a copy of all that came before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar, overload

T = TypeVar("T")


class Prefix(Sequence[T]):
    """The items that a sequence holds now; it equals the tuple of them, and is pickled as that.

    Args:
      items: a sequence to which items may be added, but in which none may change.
      count: how many of them to take; by default all that are there.
    """

    __slots__ = ("_count", "_items")

    def __init__(self, items: Sequence[T], count: int | None = None) -> None:
        self._items, self._count = items, len(items) if count is None else count

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[T, ...]: ...
    def __getitem__(self, index: int | slice) -> T | tuple[T, ...]:
        if isinstance(index, slice):
            start, stop, step = index.indices(self._count)
            return tuple(self._items[place] for place in range(start, stop, step))
        return self._items[range(self._count)[index]]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Prefix | tuple):
            return NotImplemented
        return len(self) == len(other) and all(one == two for one, two in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(self[:])

    def __reduce__(self) -> tuple[type[tuple[T, ...]], tuple[tuple[T, ...]]]:
        return tuple, (self[:],)
