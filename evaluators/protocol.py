"""The protocol of evaluators: a kernel from a position to centipawns.

A new one here is one file like `evaluators/material.py`, whose function has the file's name and is decorated with
`evaluator`. The position is one board of the sample: an evaluator sees whole boards, but not which is the true one.
"""

from collections.abc import Callable
from typing import TypeAlias

from kriegbot.kernels import Ints, Position, Words, inlined, part_of

MAX_CENTIPAWNS = 10_000
OUT_OF_RANGE = 2  # what `evaluate` writes to the flag of a search: 1 there says that its time is over

Evaluator: TypeAlias = Callable[[Words, Position, int], int]
"""(tables, position, side) -> centipawns for `side`, within +-10,000; the game is not over in `position`."""


def evaluator(function: Evaluator) -> Evaluator:
    """Compile an evaluator; raise TypeError unless its annotations are those of `Evaluator`."""
    return part_of(Evaluator, function)


@inlined
def evaluate(evaluator: Evaluator, tables: Words, position: Position, side: int, stop: Ints) -> int:
    """Return an evaluator's value; set the flag `stop` of the search if it is beyond MAX_CENTIPAWNS."""
    value = evaluator(tables, position, side)
    if value > MAX_CENTIPAWNS or value < -MAX_CENTIPAWNS:
        stop[0] = OUT_OF_RANGE
    return value
