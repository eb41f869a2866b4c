"""Threads of one player's turn. Kernels release the GIL, so slices of a loop over boards run side by side.

Results come in the order of the slices. A slice is some milliseconds: a call of a kernel holds the GIL for up to 0.3.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from typing import TypeVar

P = TypeVar("P")
R = TypeVar("R")

MOST_THREADS = 256  # of a player: half of the processes and threads that `kriegbot.game.sandbox` allows


def slices(count: int, size: int) -> list[slice]:
    """Return slices of `size` that cover `count` rows."""
    return [slice(begin, min(begin + size, count)) for begin in range(0, count, size)]


def mapped(function: Callable[[P], R], parts: Sequence[P], threads: int) -> list[R]:
    """Return function(part) for each part, in order, by `threads` threads or as many as the system allows.

    >>> mapped(lambda part: part * part, [3, 1, 2], threads=2)
    [9, 1, 4]
    """
    results, left = dict[int, R](), list(enumerate(parts))
    shared = iter(left)  # each thread takes the next part from it

    def work() -> None:
        try:
            for number, part in shared:
                results[number] = function(part)
        except BaseException:
            left.clear()  # the other threads take no more
            raise

    others = list[Future[None]]()
    with suppress(RuntimeError):  # no more threads: those that there are do the work
        others.extend(_pool(threads).submit(work) for _ in range(min(threads, len(parts)) - 1))
    try:
        work()
    finally:
        failures = [failure for other in others if not other.cancel() and (failure := other.exception())]
    if failures:
        raise failures[0]
    return [results[number] for number in range(len(parts))]


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads - 1, "turn")
