"""Quiet moves, which give no check and do not end the game.

Most moves are quiet, and most of these leave no pawn tries. Both can be seen without making the move, from facts that
`quiet_info` computes once for all moves of a position. `is_quiet` errs on the safe side: a move that it refuses has to
be made, and `announcements.situation` examined.
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
from kriegbot.kernels.jit import kernel
from kriegbot.kernels.moves import EVERYWHERE, pawn_captures
from kriegbot.kernels.position import (
    NONE,
    ONE,
    Position,
    bit,
    forward,
    halfmove_clock,
    pieces_of,
    plies_played,
    side_to_move,
)
from kriegbot.kernels.types import Word, Words, lsb, popcount

ENOUGH = 2  # with so many movable pieces no single move can immobilise them all


class QuietInfo(NamedTuple):
    """Facts about a position that show which of its moves are quiet.

    A pawn gives check on `pawns` squares, and so on. `uncovering` pieces stand alone between a slider of their own side
    and the enemy king. `movable` enemy pieces, the king aside, can move and are not pinned after any move; they are
    counted up to ENOUGH, and 0 if a limit may end the game. A move may capture or block one on `obstructing` squares.
    """

    pawns: Word
    knights: Word
    diagonals: Word
    orthogonals: Word
    uncovering: Word
    movable: int
    obstructing: Word


@kernel
def movable_pieces(tables: Words, position: Position, king: int) -> tuple[int, Word]:
    """Return `movable` and `obstructing` of QuietInfo, of the pieces off the lines of a king that is not to move."""
    side = side_to_move(position)
    own, other = pieces_of(position, side)
    free = other & ~(rook_attacks(tables, king, NONE) | bishop_attacks(tables, king, NONE))
    back = forward(side)  # from the square in front of an enemy pawn to the pawn
    ahead = shifted(position.pawns & free, -back) & ~(own | other)
    count, obstructing = popcount(ahead), ahead | shifted(ahead, back)
    rest = (position.knights | position.diagonals | position.orthogonals) & free
    while rest and count < ENOUGH:
        piece, square = rest & (NONE - rest), lsb(rest)
        steps = NONE
        if piece & position.knights:
            steps |= knight_attacks(tables, square)
        if piece & position.diagonals:
            steps |= bishop_attacks(tables, square, EVERYWHERE)
        if piece & position.orthogonals:
            steps |= rook_attacks(tables, square, EVERYWHERE)
        if steps & ~other:
            count += 1
            obstructing |= piece
        rest &= rest - ONE
    return count, obstructing


@kernel
def quiet_info(tables: Words, position: Position, rules: KernelRules) -> QuietInfo:
    """Return the facts that `is_quiet` needs."""
    side = side_to_move(position)
    own, other = pieces_of(position, side)
    king = lsb(position.kings & other)
    snipers = sliders_at(tables, position, king, other) & own
    uncovering = NONE
    while snipers:
        shield = between(tables, king, lsb(snipers)) & own
        if shield & (shield - ONE) == NONE:
            uncovering |= shield
        snipers &= snipers - ONE
    movable, obstructing = movable_pieces(tables, position, king)
    may_be_last = rules.ply_limit != 0 and plies_played(position) + 1 >= rules.ply_limit
    if may_be_last or (rules.quiet_limit != 0 and halfmove_clock(position) + 1 >= rules.quiet_limit):
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
def is_quiet(info: QuietInfo, position: Position, move: int) -> bool:
    """Return True if a legal move surely is quiet; False for castling, en passant and promotion."""
    origin, target = move & 63, move >> 6 & 63
    left, arrived = bit(origin), bit(target)
    if move >> 12 != 0 or left & info.uncovering:
        return False
    if info.movable < (2 if arrived & info.obstructing else 1):
        return False
    if (position.pawns | position.orthogonals) & ~arrived == NONE:  # maybe a dead position
        return False
    checking = NONE
    if left & position.pawns:
        if (origin ^ target) & 7 and not arrived & (position.white | position.black):
            return False
        checking = info.pawns
    elif left & position.knights:
        checking = info.knights
    elif left & position.kings:
        return abs(target - origin) != 2
    else:
        if left & position.diagonals:
            checking |= info.diagonals
        if left & position.orthogonals:
            checking |= info.orthogonals
    return arrived & checking == NONE


@kernel
def leaves_no_tries(position: Position, move: int) -> bool:
    """Return True if a legal move surely leaves no pawn capture to the opponent; False for a pawn's double step."""
    side = side_to_move(position)
    own, other = pieces_of(position, side)
    origin, target = move & 63, move >> 6 & 63
    left, arrived = bit(origin), bit(target)
    if left & position.pawns and abs(target - origin) == 16:
        return False
    takeable = (own & ~left) | arrived
    towards_a, towards_h = pawn_captures(position.pawns & other & ~arrived, 1 - side, takeable)
    return towards_a | towards_h == NONE


@kernel
def quiet_announcement(info: QuietInfo, position: Position, move: int, rules: KernelRules) -> int:
    """Return the announcement of a legal move that surely is quiet and leaves no pawn tries to announce; else -1."""
    if not is_quiet(info, position, move):
        return -1
    if rules.tries_announced != 0 and not leaves_no_tries(position, move):
        return -1
    code, target = (1 << TRIES_SHIFT if rules.tries_announced != 0 else 0), move >> 6 & 63
    if bit(target) & (position.white | position.black):
        code |= target + 1
        if rules.announces_kind != 0 and bit(target) & position.pawns:
            code |= CAPTURED_PAWN_BIT
    return code
