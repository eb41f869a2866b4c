"""An opponent that likes captures: one is twice as likely as another move, a recapture ten times.

A recapture goes to the square of our last capture, which the referee has announced. The factors come from trial
matches, not from a fit.
"""

from kriegbot.kernels import NONE, Moves, Position, Reals, Words, bit, captured_on, pieces_of, side_to_move
from kriegbot.models.protocol import Announced, opponent

CAPTURE, RECAPTURE = 2.0, 10.0


@opponent
def recapturing(
    tables: Words,  # noqa: ARG001 - the protocol's signature
    position: Position,
    announced: Announced,
    moves: Moves,
    count: int,
    weights: Reals,
) -> bool:
    """Write weight 1 for a move that captures nothing; en passant counts as one."""
    _, other = pieces_of(position, side_to_move(position))
    for i in range(count):
        target = moves[i] >> 6 & 63
        weights[i] = 1.0
        if bit(target) & other != NONE:
            weights[i] = RECAPTURE if captured_on(announced.ours) == target else CAPTURE
    return True
