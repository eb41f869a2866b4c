"""What an evaluator is: a kernel from a position to centipawns, compiled to one signature.

A new one is one file like `evaluators/material.py`, its function decorated with `evaluator`, and one line in
`evaluators.EVALUATORS`. The position is one board of the sample: an evaluator sees whole boards, never the true one.
"""

from numba import types

from kriegbot.kernels.jit import INT, WORDS, part
from kriegbot.kernels.position import POSITION

EVALUATOR = INT(WORDS, POSITION, INT)
"""(tables, position, side) -> centipawns for `side`, within +-10,000; the game is not over in `position`."""

EVALUATOR_TYPE = types.FunctionType(EVALUATOR)
evaluator = part(EVALUATOR)
