"""Quiet moves: those of which the referee announces at most a capture, no check and no end of the game.

Most moves are quiet, and that can be seen without making them, as `announcements.situation` requires. Where pawn
tries are told, most of these leave none. The facts needed are computed once for all moves of a position
(`quiet_info`), as chess programs do to see which of them give check. `is_quiet` errs on the safe side: the moves it
names are quiet, any other has to be made and examined.
"""

from typing import NamedTuple

from kriegbot.kernels.announcements import CAPTURED_PAWN_BIT, TRIES_SHIFT, KernelRules
from kriegbot.kernels.attacks import (
    between,
    bishop_attacks,
    knight_attacks,
    pawn_attacks,
    rook_attacks,
    shifted,
    sliders_at,
)
from kriegbot.kernels.jit import Word, Words, kernel, lsb, popcount
from kriegbot.kernels.moves import EVERYWHERE, pawn_captures
from kriegbot.kernels.position import (
    NONE,
    ONE,
    Position,
    bit,
    forward,
    halfmove_clock,
    men_of,
    plies_played,
    side_to_move,
)

ENOUGH = 2  # enough men able to move that no single enemy move can immobilise all


class QuietInfo(NamedTuple):
    """The facts computed once for all moves of a position.

    pawns, knights, diagonals, orthogonals: squares on which such a man gives check. uncovering: men that stand alone
    between a slider of their own side and the enemy king. movable: how many enemy men, the king aside, can move and are
    never pinned (counted up to ENOUGH); 0 if a limit may end the game. obstructing: squares where a move may capture or
    block one of them.
    """

    pawns: Word
    knights: Word
    diagonals: Word
    orthogonals: Word
    uncovering: Word
    movable: int
    obstructing: Word


@kernel
def movable_men(tables: Words, position: Position, king: int) -> tuple[int, Word]:
    """Men of the side not to move, off its king's lines, that have a square to go to; and the squares that matter.

    Such a man is never pinned. A move can only take it or, in front of a pawn, stand in its way.
    """
    side = side_to_move(position)
    own, other = men_of(position, side)
    free = other & ~(rook_attacks(tables, king, NONE) | bishop_attacks(tables, king, NONE))
    back = forward(side)  # from the square in front of an enemy pawn to the pawn
    ahead = shifted(position.pawns & free, -back) & ~(own | other)
    count, obstructing = popcount(ahead), ahead | shifted(ahead, back)
    rest = position.knights & free
    while rest and count < ENOUGH:
        if knight_attacks(tables, lsb(rest)) & ~other:
            count += 1
            obstructing |= rest & (NONE - rest)
        rest &= rest - ONE
    rest = (position.diagonals | position.orthogonals) & free
    while rest and count < ENOUGH:
        man, square = rest & (NONE - rest), lsb(rest)
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


@kernel
def quiet_info(tables: Words, position: Position, terms: KernelRules) -> QuietInfo:
    """Return what `is_quiet` needs of a position."""
    side = side_to_move(position)
    own, other = men_of(position, side)
    king = lsb(position.kings & other)
    snipers = sliders_at(tables, position, king, other) & own
    uncovering = NONE
    while snipers:
        shield = between(tables, king, lsb(snipers)) & own
        if shield & (shield - ONE) == NONE:
            uncovering |= shield
        snipers &= snipers - ONE
    movable, obstructing = movable_men(tables, position, king)
    may_be_last = terms.ply_limit != 0 and plies_played(position) + 1 >= terms.ply_limit
    if may_be_last or (terms.quiet_limit != 0 and halfmove_clock(position) + 1 >= terms.quiet_limit):
        movable = 0
    return QuietInfo(
        pawn_attacks(tables, 1 - side, king),
        knight_attacks(tables, king),
        bishop_attacks(tables, king, own | other),
        rook_attacks(tables, king, own | other),
        uncovering,
        movable,
        obstructing,
    )


@kernel
def is_quiet(silence: QuietInfo, position: Position, move: int) -> bool:
    """Whether a legal move surely neither checks nor ends the game; never of castling, en passant, promotion."""
    origin, target = move & 63, move >> 6 & 63
    left, arrived = bit(origin), bit(target)
    if move >> 12 != 0 or left & silence.uncovering:
        return False
    if silence.movable < (2 if arrived & silence.obstructing else 1):
        return False
    if (position.pawns | position.orthogonals) & ~arrived == NONE:  # what is left may not be enough to win
        return False
    checking = NONE
    if left & position.pawns:
        if (origin ^ target) & 7 and not arrived & (position.white | position.black):
            return False
        checking = silence.pawns
    elif left & position.knights:
        checking = silence.knights
    elif left & position.kings:
        return abs(target - origin) != 2
    else:
        if left & position.diagonals:
            checking |= silence.diagonals
        if left & position.orthogonals:
            checking |= silence.orthogonals
    return arrived & checking == NONE


@kernel
def leaves_no_tries(position: Position, move: int) -> bool:
    """Whether a legal move surely leaves the other side no pawn capture; never of a pawn's two steps."""
    side = side_to_move(position)
    own, other = men_of(position, side)
    origin, target = move & 63, move >> 6 & 63
    left, arrived = bit(origin), bit(target)
    if left & position.pawns and abs(target - origin) == 16:
        return False
    takeable = (own & ~left) | arrived
    towards_a, towards_h = pawn_captures(position.pawns & other & ~arrived, 1 - side, takeable)
    return towards_a | towards_h == NONE


@kernel
def quiet_announcement(silence: QuietInfo, position: Position, move: int, terms: KernelRules) -> int:
    """All that is announced of a legal move, if it is surely silent and leaves no pawn tries that are told; else -1."""
    if not is_quiet(silence, position, move):
        return -1
    if terms.tries_told != 0 and not leaves_no_tries(position, move):
        return -1
    said, target = (1 << TRIES_SHIFT if terms.tries_told != 0 else 0), move >> 6 & 63
    if bit(target) & (position.white | position.black):
        said |= target + 1
        if terms.tells_kind != 0 and bit(target) & position.pawns:
            said |= CAPTURED_PAWN_BIT
    return said
