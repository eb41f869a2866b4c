"""An opponent who looks after material: a capture is twice as likely as another move, a recapture ten times.

The factors come from trial matches, not from a fit. A recapture goes to the square on which our capture was just
announced. It uses nothing else that the opponent knows; which moves capture follows from the board.
"""

from kriegbot.kernels import NONE, Moves, Position, Reals, Words, bit, captured_on, men_of, side_to_move
from kriegbot.models.protocol import Announced, opponent

CAPTURE, RECAPTURE = 2.0, 10.0


@opponent
def recapturing(tables: Words, position: Position, heard: Announced, moves: Moves, count: int, weights: Reals) -> bool:  # noqa: ARG001 - the protocol's signature
    """Weight 1 for a move that takes nothing; en passant counts as one."""
    _, other = men_of(position, side_to_move(position))
    for i in range(count):
        target = moves[i] >> 6 & 63
        weights[i] = 1.0
        if bit(target) & other != NONE:
            weights[i] = RECAPTURE if captured_on(heard.ours) == target else CAPTURE
    return True
