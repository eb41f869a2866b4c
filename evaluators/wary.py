"""`evaluators.sound`, and a king's safety: what an opponent who plays for mate aims at.

Counted are the squares next to our king, men of ours on them or not, that are attacked and that nobody but the king
protects: f7 with a bishop on c4, say. The price of each was tried in matches (docs/strength.md).
"""

from evaluators.protocol import evaluator
from evaluators.sound import sound
from kriegbot import kernels as kb

EXPOSED = 15
"""Centipawns for each such square."""


@kb.kernel
def exposed(tables: kb.Words, position: kb.Position, side: int) -> int:
    """Squares next to a side's king that are attacked and that no other man of its protects."""
    own, other = kb.men_of(position, side)
    occupied = own | other
    near = kb.king_attacks(tables, kb.lsb(position.kings & own))
    near &= kb.attacked_by(tables, position, 1 - side, occupied)
    protectors, found = own & ~position.kings, 0
    while near:
        square = kb.lsb(near)
        near &= near - kb.ONE
        protecting = kb.pawn_attacks(tables, 1 - side, square) & position.pawns
        protecting |= kb.knight_attacks(tables, square) & position.knights
        protecting |= kb.bishop_attacks(tables, square, occupied) & position.diagonals
        protecting |= kb.rook_attacks(tables, square, occupied) & position.orthogonals
        if protecting & protectors == kb.NONE:
            found += 1
    return found


@evaluator
def wary(tables: kb.Words, position: kb.Position, side: int) -> int:
    """Centipawns for `side`, whoever is to move; the game is not over."""
    return sound(tables, position, side) - EXPOSED * exposed(tables, position, side)
