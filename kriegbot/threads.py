"""Threads of one player's turn. Kernels release the GIL, so slices of a loop over boards run side by side.

Results come in the order of the slices. A slice is some milliseconds: a call of a kernel may hold the GIL for 0.3 ms.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from threading import Thread
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
    results, failures, left = dict[int, R](), list[BaseException](), list(enumerate(parts))
    shared = iter(left)  # each thread takes the next part from it

    def work() -> None:
        try:
            for number, part in shared:
                results[number] = function(part)
        except BaseException as failure:  # noqa: BLE001 - of any thread, raised below
            failures.append(failure)
            left.clear()  # the other threads take no more

    # new ones at each call: a pool would be of no use after a fork, and keep its threads from the rest of the process
    others = list[Thread]()
    try:
        with suppress(RuntimeError):  # no more threads: those that there are do the work
            for _ in range(min(threads, len(parts)) - 1):
                other = Thread(target=work, name="turn", daemon=True)
                other.start()
                others.append(other)
        work()
    finally:
        left.clear()
        for other in others:
            other.join()
    if failures:
        raise failures[0]
    return [results[number] for number in range(len(parts))]
