"""The protocol of evaluators: a kernel from a position to centipawns.

A new one is one file like `evaluators/material.py`, whose function has the file's name and is decorated with
`evaluator`. The position is one board of the sample: an evaluator sees whole boards, never the true one.
"""

from collections.abc import Callable
from typing import TypeAlias

from kriegbot.kernels import Position, Words, part_of

Evaluator: TypeAlias = Callable[[Words, Position, int], int]
"""(tables, position, side) -> centipawns for `side`, within +-10,000; the game is not over in `position`."""


def evaluator(function: Evaluator) -> Evaluator:
    """Compile an evaluator; raise TypeError unless its annotations are those of `Evaluator`."""
    return part_of(Evaluator, function)
