"""Material alone, with the values of KS: the plainest evaluator, for comparison and for tests."""

from evaluators.ks import material as material_of
from evaluators.protocol import MAX_CENTIPAWNS, evaluator
from kriegbot.kernels import Position, Words, pieces_of


@evaluator
def material(tables: Words, position: Position, side: int) -> int:  # noqa: ARG001 - the protocol's signature
    """Return centipawns for `side`."""
    own, other = pieces_of(position, side)
    return min(max(material_of(position, own, other), -MAX_CENTIPAWNS), MAX_CENTIPAWNS)
