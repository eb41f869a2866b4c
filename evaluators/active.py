"""`evaluators.sound`, and two usual terms of chess programs: mobility and safe checks.

The weights are rounded from a fit to the values that a strong chess engine gives to quiet positions of games played
here (docs/strength.md, trial 54).
"""

from evaluators.protocol import evaluator
from evaluators.sound import pawns_attack, soundness
from kriegbot import kernels as kb

KNIGHT, BISHOP, ROOK, QUEEN = 18, 9, 10, 7
"""Centipawns for each square that a piece of a kind reaches and no enemy pawn attacks."""
CHECK = 75
"""Centipawns for each square from which a piece could safely check at its next move."""


@kb.kernel
def mobility(position: kb.Position, side: int, reached: kb.Reach) -> int:
    """Return the score of the squares that a side's pieces reach."""
    own, other = kb.pieces_of(position, side)
    free = ~(own | pawns_attack(position, other, 1 - side))
    score = KNIGHT * kb.popcount(reached.knights & free) + BISHOP * kb.popcount(reached.bishops & free)
    return score + ROOK * kb.popcount(reached.rooks & free) + QUEEN * kb.popcount(reached.queens & free)


@kb.kernel
def safe_checks(tables: kb.Words, position: kb.Position, side: int, reached: kb.Reach, guarded: kb.Word) -> int:
    """Count squares from which a side's pieces could check safely.

    Squares that are `guarded` do not count, nor those next to the king that no second piece protects.
    """
    own, other = kb.pieces_of(position, side)
    king, occupied = kb.lsb(position.kings & other), own | other
    free = ~(own | guarded | kb.king_attacks(tables, king) & ~reached.twice)
    lines, files = kb.bishop_attacks(tables, king, occupied) & free, kb.rook_attacks(tables, king, occupied) & free
    count = kb.popcount(reached.knights & kb.knight_attacks(tables, king) & free)
    count += kb.popcount(reached.bishops & lines) + kb.popcount(reached.rooks & files)
    return count + kb.popcount(reached.queens & (lines | files))


@evaluator
def active(tables: kb.Words, position: kb.Position, side: int) -> int:
    """Return centipawns for `side`, whoever is to move; the game is not over."""
    ours, theirs = kb.reach(tables, position, side), kb.reach(tables, position, 1 - side)
    score = soundness(tables, position, side, ours.every, theirs.every)
    score += mobility(position, side, ours) - mobility(position, 1 - side, theirs)
    checks = safe_checks(tables, position, side, ours, theirs.but_king)
    return score + CHECK * (checks - safe_checks(tables, position, 1 - side, theirs, ours.but_king))
