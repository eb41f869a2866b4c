"""Static exchange evaluation: what the side to move wins by taking on one square, both sides taking in turn.

In Kriegspiel both sides know the square of a capture, and a sensible opponent looks there first. Whoever takes, takes
with the cheapest man and stops when it likes; men behind the taker join in, pins are not seen (the "SEE" of chess
programs).
"""

from kriegbot.kernels.attacks import bishop_attacks, king_attacks, knight_attacks, pawn_attacks, rook_attacks
from kriegbot.kernels.jit import kernel
from kriegbot.kernels.position import NONE, Position, bit, kind_of, men_of, side_to_move
from kriegbot.kernels.types import Word, Words

VALUES = (100, 300, 350, 500, 900, 20_000)
"""Centipawns, pawn to king. A king is worth so much that it takes only where no one takes back."""


@kernel
def cheapest_attacker(tables: Words, position: Position, square: int, side: int, occupied: Word) -> Word:
    """The cheapest man of a side, of those in `occupied`, that attacks a square; none if there is none."""
    men, _ = men_of(position, side)
    men &= occupied
    pawns = pawn_attacks(tables, 1 - side, square) & position.pawns & men
    if pawns:
        return pawns & (NONE - pawns)
    knights = knight_attacks(tables, square) & position.knights & men
    if knights:
        return knights & (NONE - knights)
    diagonals = bishop_attacks(tables, square, occupied) & position.diagonals & men
    bishops = diagonals & ~position.orthogonals
    if bishops:
        return bishops & (NONE - bishops)
    orthogonals = rook_attacks(tables, square, occupied) & position.orthogonals & men
    rooks = orthogonals & ~position.diagonals
    if rooks:
        return rooks & (NONE - rooks)
    queens = diagonals | orthogonals
    if queens:
        return queens & (NONE - queens)
    return king_attacks(tables, square) & position.kings & men


@kernel
def gain(tables: Words, position: Position, square: int, side: int, standing: int, occupied: Word) -> int:
    """What `side` wins by taking a man worth `standing` on a square with the men in `occupied`; never below 0."""
    attacker = cheapest_attacker(tables, position, square, side, occupied)
    if attacker == NONE:
        return 0
    back = gain(tables, position, square, 1 - side, VALUES[kind_of(position, attacker)], occupied & ~attacker)
    return max(0, standing - back)


@kernel
def exchange(tables: Words, position: Position, square: int) -> int:
    """Centipawns that the side to move wins by taking on a square, where an enemy man stands or nobody does."""
    men = position.white | position.black
    if not bit(square) & men & ~position.kings:
        return 0
    standing = VALUES[kind_of(position, bit(square))]
    return gain(tables, position, square, side_to_move(position), standing, men)
