"""Moves of which the referee has nothing to say but a capture: no check, no end of the game.

Most moves are so, and that can be seen without making them, which `hearing.situation` takes. What there is to know of a
position is found out once for all its moves (`silence_of`), as chess programs do to tell which of them give check.
Whether the game goes on is a guess on the safe side: what `is_silent` names is silent, any other move has to be made
and looked at.
"""

from typing import NamedTuple

from numba import types

from kriegbot.kernels import tables as at
from kriegbot.kernels.attacks import bishop_attacks, rook_attacks, shifted
from kriegbot.kernels.hearing import CAPTURED_PAWN_BIT, TERMS, Terms
from kriegbot.kernels.jit import INT, WORD, WORDS, kernel, lowest, popcount
from kriegbot.kernels.magics import Words
from kriegbot.kernels.moves import EVERYWHERE
from kriegbot.kernels.position import (
    NONE,
    ONE,
    POSITION,
    WHITE,
    Position,
    bit,
    halfmove_clock,
    men_of,
    plies_played,
    side_to_move,
)

ENOUGH = 2
"""Men able to move, of which no single move of the other side's takes away more than one."""


class Silence(NamedTuple):
    """What is looked at once for all moves of a position.

    pawns, knights, diagonals, orthogonals: squares on which such a man gives check. uncovering: men that stand alone
    between a slider of their side and the king that it looks at. movable: how many men of the other side's, the king
    aside, can move and are never pinned (once there are ENOUGH, no more are counted); 0 if a limit may end the game.
    obstructing: squares where a move takes away one of them.
    """

    pawns: int
    knights: int
    diagonals: int
    orthogonals: int
    uncovering: int
    movable: int
    obstructing: int


SILENCE = types.NamedTuple((WORD, WORD, WORD, WORD, WORD, types.int64, WORD), Silence)


@kernel(types.Tuple((INT, WORD))(WORDS, POSITION, INT))
def movable_men(tables: Words, position: Position, king: int) -> tuple[int, int]:
    """Men of the side not to move, off its king's lines, that have a square to go to; and the squares that matter.

    Such a man is never pinned. A move can only take it or, in front of a pawn, stand in its way.
    """
    side = side_to_move(position)
    own, other = men_of(position, side)
    free = other & ~(rook_attacks(tables, king, NONE) | bishop_attacks(tables, king, NONE))
    back = 8 if side == WHITE else -8  # from the square before a pawn of the other side's to the pawn
    ahead = shifted(position.pawns & free, -back) & ~(own | other)
    count, obstructing = popcount(ahead), ahead | shifted(ahead, back)
    rest = position.knights & free
    while rest and count < ENOUGH:
        if tables[at.KNIGHT + lowest(rest)] & ~other:
            count += 1
            obstructing |= rest & (NONE - rest)
        rest &= rest - ONE
    rest = (position.diagonals | position.orthogonals) & free
    while rest and count < ENOUGH:
        man, square = rest & (NONE - rest), lowest(rest)
        steps = NONE
        if man & position.diagonals:
            steps |= bishop_attacks(tables, square, EVERYWHERE)
        if man & position.orthogonals:
            steps |= rook_attacks(tables, square, EVERYWHERE)
        if steps & ~other:
            count += 1
            obstructing |= man
        rest &= rest - ONE
    return count, obstructing


@kernel(SILENCE(WORDS, POSITION, TERMS))
def silence_of(tables: Words, position: Position, terms: Terms) -> Silence:
    """What `is_silent` needs of a position."""
    side = side_to_move(position)
    own, other = men_of(position, side)
    king = lowest(position.kings & other)
    snipers = bishop_attacks(tables, king, other) & position.diagonals & own
    snipers |= rook_attacks(tables, king, other) & position.orthogonals & own
    uncovering = NONE
    while snipers:
        between = tables[at.BETWEEN + 64 * king + lowest(snipers)] & own
        if between & (between - ONE) == NONE:
            uncovering |= between
        snipers &= snipers - ONE
    movable, obstructing = movable_men(tables, position, king)
    may_be_last = terms.ply_limit != 0 and plies_played(position) + 1 >= terms.ply_limit
    if may_be_last or (terms.quiet_limit != 0 and halfmove_clock(position) + 1 >= terms.quiet_limit):
        movable = 0
    return Silence(
        tables[at.PAWN + 64 * (1 - side) + king],
        tables[at.KNIGHT + king],
        bishop_attacks(tables, king, own | other),
        rook_attacks(tables, king, own | other),
        uncovering,
        movable,
        obstructing,
    )


@kernel(types.boolean(SILENCE, POSITION, INT))
def is_silent(silence: Silence, position: Position, move: int) -> bool:
    """Whether a legal move surely neither checks nor ends the game; never of castling, en passant, promotion."""
    origin, target = move & 63, move >> 6 & 63
    left, arrived = bit(origin), bit(target)
    if move >> 12 != 0 or left & silence.uncovering:
        return False
    if silence.movable < (2 if arrived & silence.obstructing else 1):
        return False
    if (position.pawns | position.orthogonals) & ~arrived == NONE:  # the men may not be enough to win any more
        return False
    checking = NONE
    if left & position.pawns:
        if (origin ^ target) & 7 and not arrived & (position.white | position.black):
            return False
        checking = silence.pawns
    elif left & position.knights:
        checking = silence.knights
    elif left & position.kings:
        return target - origin != 2 and origin - target != 2
    else:
        if left & position.diagonals:
            checking |= silence.diagonals
        if left & position.orthogonals:
            checking |= silence.orthogonals
    return arrived & checking == NONE


@kernel(INT(POSITION, INT, TERMS))
def capture_said(position: Position, move: int, terms: Terms) -> int:
    """All that is announced of a silent move, under rule sets that do not count pawn tries."""
    target = move >> 6 & 63
    if not bit(target) & (position.white | position.black):
        return 0
    if terms.tells_kind != 0 and bit(target) & position.pawns:
        return (target + 1) | CAPTURED_PAWN_BIT
    return target + 1
