"""KS, the leaf evaluator of Parker, Nau and Subrahmanian (AAAI 2006, "Experiments").

Material with Kriegspiel's piece values (a bishop is worth more than a knight, whose forks and outposts need sight),
plus own men that are protected, own pawns that are advanced, opponent's men that are threatened, less a mild penalty
for giving check without mate. The paper does not publish the weights: those below are ours, chosen so that a term
never outweighs the man it is about.
"""

from evaluators.protocol import evaluator
from kriegbot.kernels.attacks import attacked_by
from kriegbot.kernels.jit import kernel, popcount, words
from kriegbot.kernels.position import WHITE, Position, men_of
from kriegbot.kernels.types import Word, Words

# Centipawns:         value  threatened
PAWN, PAWN_THREAT = 100, 2
KNIGHT, KNIGHT_THREAT = 300, 6
BISHOP, BISHOP_THREAT = 350, 7
ROOK, ROOK_THREAT = 500, 10
QUEEN, QUEEN_THREAT = 900, 18
PROTECTED = 4
RANK_4, RANK_5, RANK_6, RANK_7 = 2, 5, 12, 30
CHECK = -15

THIRD, FOURTH, FIFTH, SIXTH = words(0xFF << 16, 0xFF << 24, 0xFF << 32, 0xFF << 40)
SECOND, SEVENTH = words(0xFF << 8, 0xFF << 48)


@kernel
def material(position: Position, own: Word, other: Word) -> int:
    """Value of our men minus that of the opponent's, in centipawns."""
    pawns, knights = position.pawns, position.knights
    queens = position.diagonals & position.orthogonals
    bishops, rooks = position.diagonals ^ queens, position.orthogonals ^ queens
    score = PAWN * (popcount(pawns & own) - popcount(pawns & other))
    score += KNIGHT * (popcount(knights & own) - popcount(knights & other))
    score += BISHOP * (popcount(bishops & own) - popcount(bishops & other))
    score += ROOK * (popcount(rooks & own) - popcount(rooks & other))
    score += QUEEN * (popcount(queens & own) - popcount(queens & other))
    return score


@evaluator
def ks(tables: Words, position: Position, side: int) -> int:
    """Centipawns for `side`, whoever is to move; the game is not over."""
    own, other = men_of(position, side)
    pawns, knights = position.pawns, position.knights
    queens = position.diagonals & position.orthogonals
    bishops, rooks = position.diagonals ^ queens, position.orthogonals ^ queens

    score = material(position, own, other)
    attacks = attacked_by(tables, position, side, own | other)
    score += PROTECTED * popcount(attacks & own & ~position.kings)

    advanced = pawns & own
    if side == WHITE:
        score += RANK_4 * popcount(advanced & FOURTH) + RANK_5 * popcount(advanced & FIFTH)
        score += RANK_6 * popcount(advanced & SIXTH) + RANK_7 * popcount(advanced & SEVENTH)
    else:
        score += RANK_4 * popcount(advanced & FIFTH) + RANK_5 * popcount(advanced & FOURTH)
        score += RANK_6 * popcount(advanced & THIRD) + RANK_7 * popcount(advanced & SECOND)

    threatened = attacks & other
    score += PAWN_THREAT * popcount(threatened & pawns) + KNIGHT_THREAT * popcount(threatened & knights)
    score += BISHOP_THREAT * popcount(threatened & bishops) + ROOK_THREAT * popcount(threatened & rooks)
    score += QUEEN_THREAT * popcount(threatened & queens)
    if threatened & position.kings:
        score += CHECK
    return score
