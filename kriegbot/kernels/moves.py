"""Legal moves, tries as the mover sees them, and making a move.

Both generators list moves in one order: king, castling (kingside first), knights, diagonals, orthogonals, pawns (as in
`pawn_moves`); targets ascending. So the legal moves of any position consistent with a view are a subsequence of the
tries open in that view, unless "Any?" obliges. Search and belief match the two lists in one pass.
"""

from collections.abc import Sequence
from typing import NamedTuple

import chess
import numpy as np

from kriegbot.kernels import tables as layout
from kriegbot.kernels.attacks import (
    attacked_by,
    attacks_of_pawns,
    between,
    check_info,
    is_attacked,
    king_attacks,
    knight_attacks,
    line,
    pawn_attacks,
    shifted,
    slider_attacks,
)
from kriegbot.kernels.jit import entry, inlined, kernel, words
from kriegbot.kernels.position import (
    BISHOP,
    CLOCK_MASK,
    CLOCK_SHIFT,
    EP_SHIFT,
    KNIGHT,
    NONE,
    ONE,
    PLY,
    PLY_SHIFT,
    QUEEN,
    ROOK,
    TYPE_MASK,
    WHITE,
    Position,
    bit,
    ep_square,
    forward,
    load,
    pieces_of,
    side_to_move,
)
from kriegbot.kernels.types import MoveArray, Moves, Word, WordArray, Words, lsb, pointer, word

MAX_MOVES = 512
"""Length of a list of moves. A side has a king and at most 15 other pieces, each with at most a queen's 27 targets, so
no position has more than 15 * 27 + 8 + 2 = 415 moves or tries."""

LAST_RANKS, RANK_3, RANK_6, RIGHTS_MASK = words(0xFF000000000000FF, 0xFF0000, 0xFF0000000000, 15)
KINGSIDE, QUEENSIDE, FILES_FG, FILES_CD, FILES_BCD = words(1, 2, 0b1100000, 0b1100, 0b1110)
(EVERYWHERE,) = words(2**64 - 1)


class Scope(NamedTuple):
    """Restrictions on the moves of the side to move, the king's aside."""

    blocking: Word  # pieces that stop sliders and pawns
    targets: Word  # squares to which pieces go
    takeable: Word  # squares on which pawns capture
    capturing: Word  # squares from which they do
    pinned: Word  # pieces that stay in line with the `king`
    king: int
    ep: int  # target of an en passant capture that may expose the king, or 0


@kernel
def add_moves(moves: Moves, count: int, origin: int, targets: Word) -> int:
    """Append the moves from `origin` to all targets, and return the new count."""
    while targets:
        moves[count] = origin | lsb(targets) << 6
        count += 1
        targets &= targets - ONE
    return count


@inlined
def castling_moves(position: Position, blocking: Word, danger: Word, wanted: Word, moves: Moves, count: int) -> int:
    """Append the castling moves to `wanted` with a free and safe path, and return the new count."""
    side = side_to_move(position)
    rights = position.meta >> word(1 + 2 * side)
    home, king = word(56 * side), 4 + 56 * side
    if rights & KINGSIDE and wanted & bit(king + 2) and not (blocking | danger) & (FILES_FG << home):
        moves[count] = king | (king + 2) << 6
        count += 1
    free = not blocking & (FILES_BCD << home) and not danger & (FILES_CD << home)
    if rights & QUEENSIDE and wanted & bit(king - 2) and free:
        moves[count] = king | (king - 2) << 6
        count += 1
    return count


@inlined
def slider_moves(tables: Words, slider: int, pieces: Word, scope: Scope, moves: Moves, count: int) -> int:
    """Append the moves of some pieces along diagonals (`slider` layout.BISHOP) or orthogonals (layout.ROOK)."""
    while pieces:
        square = lsb(pieces)
        targets = slider_attacks(tables, slider, square, scope.blocking) & scope.targets
        if bit(square) & scope.pinned:
            targets &= line(tables, scope.king, square)
        count = add_moves(moves, count, square, targets)
        pieces &= pieces - ONE
    return count


@inlined
def pawn_captures(pawns: Word, side: int, takeable: Word) -> tuple[Word, Word]:
    """Return the squares of `takeable` on which pawns of a side can capture towards file a, and towards file h."""
    left, right = attacks_of_pawns(pawns, side)
    return left & takeable, right & takeable


@kernel
def ep_is_safe(tables: Words, position: Position, origin: int, king: int) -> bool:
    """Return True if en passant does not expose the king: both pawns leave one rank."""
    side = side_to_move(position)
    own, other = pieces_of(position, side)
    target = ep_square(position)
    other &= ~bit(target - forward(side))
    occupied = ((own | other) ^ bit(origin)) | bit(target)
    return not is_attacked(tables, position, king, 1 - side, other, occupied)


@inlined
def pawn_moves_to(
    tables: Words, position: Position, targets: Word, step: int, scope: Scope, moves: Moves, count: int
) -> int:
    """Append the pawn moves to `targets`, each from `step` squares behind; promotions to a queen come first."""
    while targets:
        target = lsb(targets)
        origin = (target - step) & 63
        targets &= targets - ONE
        if bit(origin) & scope.pinned and not line(tables, scope.king, origin) & bit(target):
            continue
        is_capture = step & 7 != 0
        if is_capture and scope.ep and target == scope.ep and not ep_is_safe(tables, position, origin, scope.king):
            continue
        if bit(target) & LAST_RANKS:
            for promotion in range(QUEEN, 0, -1):
                moves[count] = origin | target << 6 | promotion << 12
                count += 1
        else:
            moves[count] = origin | target << 6
            count += 1
    return count


@inlined
def pawn_moves(tables: Words, position: Position, scope: Scope, moves: Moves, count: int) -> int:
    """Append the moves of all pawns: pushes, double pushes, captures towards file a, captures towards file h."""
    side = side_to_move(position)
    own, _ = pieces_of(position, side)
    pawns, ahead = position.pawns & own, forward(side)
    push = shifted(pawns, ahead) & ~scope.blocking
    double = shifted(push & (RANK_3 if side == WHITE else RANK_6), ahead) & ~scope.blocking
    left, right = pawn_captures(pawns & scope.capturing, side, scope.takeable)
    count = pawn_moves_to(tables, position, push & scope.targets, ahead, scope, moves, count)
    count = pawn_moves_to(tables, position, double & scope.targets, 2 * ahead, scope, moves, count)
    count = pawn_moves_to(tables, position, left, ahead - 1, scope, moves, count)
    return pawn_moves_to(tables, position, right, ahead + 1, scope, moves, count)


@inlined
def other_moves(tables: Words, position: Position, scope: Scope, moves: Moves, count: int) -> int:
    """Append the moves of all pieces and pawns but the king, and return the new count."""
    own, _ = pieces_of(position, side_to_move(position))
    knights = position.knights & own & ~scope.pinned
    while knights:
        square = lsb(knights)
        count = add_moves(moves, count, square, knight_attacks(tables, square) & scope.targets)
        knights &= knights - ONE
    count = slider_moves(tables, layout.BISHOP, position.diagonals & own, scope, moves, count)
    count = slider_moves(tables, layout.ROOK, position.orthogonals & own, scope, moves, count)
    return pawn_moves(tables, position, scope, moves, count)


@kernel
def moves_to(tables: Words, position: Position, wanted: Word, moves: Moves) -> int:
    """Write the legal moves to `wanted` squares to `moves` (MAX_MOVES places), and return their number."""
    side = side_to_move(position)
    own, other = pieces_of(position, side)
    occupied = own | other
    king, ep = lsb(position.kings & own), ep_square(position)
    checkers, pinned = check_info(tables, position)
    danger = attacked_by(tables, position, 1 - side, occupied ^ bit(king))
    count = add_moves(moves, 0, king, king_attacks(tables, king) & ~own & ~danger & wanted)
    targets, takeable = ~own & wanted, other & wanted
    if not checkers:
        count = castling_moves(position, occupied, danger, wanted, moves, count)
    elif checkers & (checkers - ONE):
        return count  # double check: only the king moves
    else:
        targets = (between(tables, king, lsb(checkers)) | checkers) & wanted
        takeable = checkers & wanted
    if ep:  # it may capture the checking pawn or block a check: ep_is_safe decides
        takeable |= bit(ep) & wanted
    scope = Scope(occupied, targets, takeable, EVERYWHERE, pinned, king, ep)
    return other_moves(tables, position, scope, moves, count)


@kernel
def legal_moves(tables: Words, position: Position, moves: Moves) -> int:
    """Write the legal moves to `moves` (MAX_MOVES places), and return their number."""
    return moves_to(tables, position, EVERYWHERE, moves)


@kernel
def open_tries(tables: Words, position: Position, capturing: Word, moves: Moves) -> int:
    """Write the tries that the side to move can make, for all that its own pieces show, and return their number.

    Pawns may try to capture from `capturing` squares. `moves` has MAX_MOVES places.
    """
    own, _ = pieces_of(position, side_to_move(position))
    king = lsb(position.kings & own)
    count = add_moves(moves, 0, king, king_attacks(tables, king) & ~own)
    count = castling_moves(position, own, NONE, EVERYWHERE, moves, count)
    return other_moves(tables, position, Scope(own, ~own, ~own, capturing, NONE, king, 0), moves, count)


@entry
def _list_tries(tables: WordArray, row: WordArray, capturing: Word, moves: MoveArray) -> int:
    return open_tries(pointer(tables), load(pointer(row), 0), capturing, pointer(moves))


def tries_of(row: WordArray, capturing: int = chess.BB_ALL, illegal: Sequence[int] = ()) -> MoveArray:
    """Return the tries [M] open to the side to move, in the order of this module: legal moves are a subsequence.

    `row` [8] is any board of the set; only the side's own pieces and rights to castle matter. Pawns may try to capture
    from `capturing` squares. `illegal` tries were refused this turn, other than by the answer to "Any?".
    """
    moves = np.empty(MAX_MOVES, np.int32)
    count = _list_tries(layout.TABLES, row, words(capturing)[0], moves)
    return np.array([move for move in moves[:count].tolist() if move not in illegal], np.int32)


@inlined
def is_castling(position: Position, origin: int, target: int) -> bool:
    """Return True if a move of the side to move is castling: a king goes two files."""
    return bit(origin) & position.kings != NONE and abs(target - origin) == 2


@kernel
def is_legal_try(tables: Words, position: Position, move: int) -> bool:
    """Return True if a try, one of `open_tries`, is a legal move."""
    origin, target = move & 63, move >> 6 & 63
    left, arrived = bit(origin), bit(target)
    side = side_to_move(position)
    own, other = pieces_of(position, side)
    if between(tables, origin, target) & other:
        return False
    king = target if left & position.kings else lsb(position.kings & own)
    if left & position.pawns:
        if not (origin ^ target) & 7:
            if arrived & other:
                return False
        elif not arrived & other:
            ep = ep_square(position)
            return ep != 0 and target == ep and ep_is_safe(tables, position, origin, king)
    elif is_castling(position, origin, target):
        rook = target + 1 if target > origin else target - 2
        if between(tables, origin, rook) & other:
            return False
        path = left | bit((origin + target) >> 1) | arrived
        return attacked_by(tables, position, 1 - side, own | other) & path == NONE
    return not is_attacked(tables, position, king, 1 - side, other & ~arrived, ((own | other) & ~left) | arrived)


@kernel
def has_legal_move(tables: Words, position: Position, checkers: Word, pinned: Word, scratch: Moves) -> bool:
    """Return True if the side to move has a legal move; `scratch` has MAX_MOVES places."""
    side = side_to_move(position)
    own, other = pieces_of(position, side)
    if checkers:  # nearly always the king can move
        king = position.kings & own
        danger = attacked_by(tables, position, 1 - side, (own | other) ^ king)
        if king_attacks(tables, lsb(king)) & ~own & ~danger:
            return True
    else:  # nearly always an unpinned pawn or knight can move
        pawns = position.pawns & own & ~pinned
        if shifted(pawns, forward(side)) & ~(own | other):
            return True
        knights = position.knights & own & ~pinned
        if knights and knight_attacks(tables, lsb(knights)) & ~own:
            return True
    return legal_moves(tables, position, scratch) > 0


@inlined
def moved(bits: Word, origin: int, target: int) -> Word:
    """Return a bitboard after a move: the bit of `origin` replaces that of `target`."""
    return (bits & ~(bit(origin) | bit(target))) | ((bits >> word(origin)) & ONE) << word(target)


@kernel
def make_move(tables: Words, position: Position, move: int) -> tuple[Position, int]:
    """Return the position after a legal move, and the square of the captured piece, -1 for none."""
    origin, target, promotion = move & 63, move >> 6 & 63, move >> 12 & 7
    left, arrived = bit(origin), bit(target)
    side = side_to_move(position)
    own, other = pieces_of(position, side)
    captured = target if other & arrived else -1
    pawns, knights = moved(position.pawns, origin, target), moved(position.knights, origin, target)
    diagonals, orthogonals = moved(position.diagonals, origin, target), moved(position.orthogonals, origin, target)
    kings = moved(position.kings, origin, target)
    own, other = (own & ~left) | arrived, other & ~arrived
    clock = ((position.meta >> CLOCK_SHIFT) & CLOCK_MASK) + ONE
    ep = NONE
    if left & position.pawns:
        clock = NONE
        if promotion:
            pawns ^= arrived
            if promotion == KNIGHT:
                knights |= arrived
            if promotion in (BISHOP, QUEEN):
                diagonals |= arrived
            if promotion in (ROOK, QUEEN):
                orthogonals |= arrived
        elif target == ep_square(position) and (origin ^ target) & 7:
            captured = target - forward(side)
            pawns ^= bit(captured)
            other ^= bit(captured)
        elif origin ^ target == 16:
            passed = (origin + target) >> 1
            if pawn_attacks(tables, side, passed) & pawns & other:
                ep = word(passed)
    elif is_castling(position, origin, target):
        rook = bit(origin + 3) | bit(origin + 1) if target > origin else bit(origin - 4) | bit(origin - 1)
        orthogonals ^= rook
        own ^= rook
    if captured >= 0:
        clock = NONE
    rights = (position.meta >> ONE) & RIGHTS_MASK & tables[layout.RIGHTS + origin] & tables[layout.RIGHTS + target]
    plies = ((position.meta >> PLY_SHIFT) << PLY_SHIFT) + PLY
    kept = plies | (position.meta & TYPE_MASK)
    meta = kept | (clock << CLOCK_SHIFT) | (ep << EP_SHIFT) | (rights << ONE) | word(1 - side)
    if side == WHITE:
        return Position(pawns, knights, diagonals, orthogonals, kings, own, other, meta), captured
    return Position(pawns, knights, diagonals, orthogonals, kings, other, own, meta), captured
