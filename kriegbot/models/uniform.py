"""The paper's opponent, which moves uniformly at random: P(m | h) = 1 / |M(h)|."""

from kriegbot.kernels import Moves, Position, Reals, Words
from kriegbot.models.protocol import Announced, opponent


@opponent
def uniform(tables: Words, position: Position, announced: Announced, moves: Moves, count: int, weights: Reals) -> bool:  # noqa: ARG001 - the protocol's signature
    """Return False: all legal moves are equally likely."""
    return False
