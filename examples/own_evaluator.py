"""Your own evaluator: material, and three centipawns for each square that only you attack, less as many for theirs.

    kriegbot match overconfident:samples=321,evaluator=examples/own_evaluator.py:activity rand --seed 1

Inside the project it would be the file evaluators/activity.py, and `evaluator=activity` would find it.
"""

from kriegbot import Position, Words, attacked_by, evaluator, material, pieces_of, popcount

SQUARE = 3


@evaluator
def activity(tables: Words, position: Position, side: int) -> int:
    """Return centipawns for `side`. numba compiles this, so it must be plain integer code, as in evaluators/ks.py."""
    own, other = pieces_of(position, side)
    ours = attacked_by(tables, position, side, own | other)
    theirs = attacked_by(tables, position, 1 - side, own | other)
    return material(position, own, other) + SQUARE * (popcount(ours & ~theirs) - popcount(theirs & ~ours))
