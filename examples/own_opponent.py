"""Your own opponent model: it often pushes pawns, and usually recaptures.

    kriegbot match search:samples=321,opponent=examples/own_opponent.py:pushing rand --seed 1

Inside the project it would stand in kriegbot/models/built_in.py, listed in `OPPONENTS`, and `opponent=pushing` would
find it.
"""

from kriegbot import NONE, Announced, Moves, Position, Reals, Words, bit, captured_on, opponent

PUSH, RECAPTURE = 3.0, 20.0


@opponent
def pushing(tables: Words, position: Position, announced: Announced, moves: Moves, count: int, weights: Reals) -> bool:  # noqa: ARG001 - the protocol's signature
    """Write the weights of the opponent's legal moves. numba compiles this, so it must be plain code on numbers."""
    for i in range(count):
        origin, target = moves[i] & 63, moves[i] >> 6 & 63
        weights[i] = PUSH if bit(origin) & position.pawns != NONE else 1.0
        if target == captured_on(announced.ours):
            weights[i] = RECAPTURE
    return True
