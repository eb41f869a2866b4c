"""Legal moves, tries as the mover sees them, and making a move.

Both generators list moves in one order (king, castling, knights, diagonals, orthogonals, pawns; targets ascending), so
the legal moves of any position that fits a view are a subsequence of the tries open in that view. Search and belief
rely on it to match the two lists in one pass.
"""

from numba import types

from kriegbot.kernels import tables as at
from kriegbot.kernels.attacks import (
    NOT_FILE_A,
    NOT_FILE_H,
    attacked_by,
    bishop_attacks,
    checkers_and_pins,
    rook_attacks,
    shifted,
)
from kriegbot.kernels.jit import INT, MOVES, WORD, WORDS, kernel, lowest, word, words
from kriegbot.kernels.magics import Words
from kriegbot.kernels.position import (
    CLOCK_MASK,
    CLOCK_SHIFT,
    NONE,
    ONE,
    PASSANT_SHIFT,
    PLY,
    PLY_SHIFT,
    POSITION,
    WHITE,
    Position,
    bit,
    en_passant_square,
    men_of,
    side_to_move,
)

MOST_MOVES = 512
"""Places that a list of moves needs. No position has so many, nor so many tries: a side has a king and at most 15 men
besides, of which none has more than a queen's 27 targets, and 15 * 27 + 8 + 2 = 415."""

LAST_RANKS, RANK_3, RANK_6, TWO, THREE, SEVEN, RIGHTS_MASK = words(
    0xFF000000000000FF, 0xFF0000, 0xFF0000000000, 2, 3, 7, 15
)
EVERYWHERE = words(2**64 - 1)[0]
KNIGHT, BISHOP, ROOK, QUEEN = 1, 2, 3, 4


@kernel(INT(MOVES, INT, INT, WORD))
def add_moves(moves: list[int], count: int, origin: int, targets: int) -> int:
    """Append the moves from `origin` to every target; return the new count."""
    while targets:
        moves[count] = origin | lowest(targets) << 6
        count += 1
        targets &= targets - ONE
    return count


@kernel(INT(MOVES, INT, INT, INT))
def add_pawn_move(moves: list[int], count: int, origin: int, target: int) -> int:
    """Append a pawn's move, on the last rank once for each promotion, queen first."""
    if bit(target) & LAST_RANKS:
        for promotion in range(QUEEN, 0, -1):
            moves[count] = origin | target << 6 | promotion << 12
            count += 1
        return count
    moves[count] = origin | target << 6
    return count + 1


@kernel(types.boolean(WORDS, POSITION, INT, WORD, WORD))
def is_attacked(tables: Words, position: Position, square: int, men: int, occupied: int) -> bool:
    """Whether any of these men of the side not to move, which stand as in `position`, attacks a square."""
    attackers = tables[at.PAWN + 64 * side_to_move(position) + square] & position.pawns
    attackers |= tables[at.KNIGHT + square] & position.knights
    attackers |= tables[at.KING + square] & position.kings
    attackers |= bishop_attacks(tables, square, occupied) & position.diagonals
    attackers |= rook_attacks(tables, square, occupied) & position.orthogonals
    return attackers & men != NONE


@kernel(types.boolean(WORDS, POSITION, INT, INT))
def en_passant_is_safe(tables: Words, position: Position, origin: int, king: int) -> bool:
    """Whether the king is safe once capturer and captured pawn, two men of one rank, have left their squares."""
    side = side_to_move(position)
    own, other = men_of(position, side)
    target = en_passant_square(position)
    other &= ~bit(target - 8 if side == WHITE else target + 8)
    occupied = ((own | other) ^ bit(origin)) | bit(target)
    return not is_attacked(tables, position, king, other, occupied)


@kernel(INT(WORDS, POSITION, MOVES, INT, WORD, INT, WORD, INT))
def add_pawn_moves(
    tables: Words,
    position: Position,
    moves: list[int],
    count: int,
    targets: int,
    step: int,
    pinned: int,
    king: int,
) -> int:
    """Append the legal pawn moves that arrive on `targets`, each from `step` squares behind."""
    passant = en_passant_square(position)
    while targets:
        target = lowest(targets)
        origin = (target - step) & 63
        arrival = targets & (NONE - targets)
        targets &= targets - ONE
        if bit(origin) & pinned and not tables[at.LINE + 64 * king + origin] & arrival:
            continue
        is_capture = step & 7 != 0
        if is_capture and passant and target == passant and not en_passant_is_safe(tables, position, origin, king):
            continue
        count = add_pawn_move(moves, count, origin, target)
    return count


@kernel(types.UniTuple(WORD, 4)(POSITION))
def pawn_targets(position: Position) -> tuple[int, int, int, int]:
    """Squares that pawns of the side to move reach by a push, a double push, a capture towards file a, file h."""
    side = side_to_move(position)
    own, other = men_of(position, side)
    pawns = position.pawns & own
    empty = ~(own | other)
    takeable = other
    passant = en_passant_square(position)
    if passant:
        takeable |= bit(passant)
    forward = 8 if side == WHITE else -8
    push = shifted(pawns, forward) & empty
    double = shifted(push & (RANK_3 if side == WHITE else RANK_6), forward) & empty
    left = shifted(pawns & NOT_FILE_A, forward - 1) & takeable
    right = shifted(pawns & NOT_FILE_H, forward + 1) & takeable
    return push, double, left, right


@kernel(INT(WORDS, POSITION, WORD, MOVES))
def moves_to(tables: Words, position: Position, wanted: int, moves: list[int]) -> int:
    """Write the legal moves whose targets are `wanted` to `moves` (MOST_MOVES places); return how many there are."""
    side = side_to_move(position)
    own, other = men_of(position, side)
    occupied = own | other
    king = lowest(position.kings & own)
    checkers, pinned = checkers_and_pins(tables, position)
    danger = attacked_by(tables, position, 1 - side, occupied ^ bit(king))
    count = add_moves(moves, 0, king, tables[at.KING + king] & ~own & ~danger & wanted)

    passant = en_passant_square(position)
    useful, useful_captures = ~own & wanted, wanted
    if checkers:
        if checkers & (checkers - ONE):
            return count  # double check: only the king moves
        useful = (tables[at.BETWEEN + 64 * king + lowest(checkers)] | checkers) & wanted
        useful_captures = useful
        if passant:  # it may take the checking pawn, or block; en_passant_is_safe decides
            useful_captures |= bit(passant) & wanted
    else:
        rights = position.meta >> word(1 + 2 * side)
        home = word(56 * side)
        rights &= ((wanted >> home) >> word(6) & ONE) | ((wanted >> home) >> ONE & TWO)
        if rights & ONE and not (occupied >> home) >> word(5) & THREE and not (danger >> home) >> word(5) & THREE:
            moves[count] = king | (king + 2) << 6
            count += 1
        if rights & TWO and not (occupied >> home) >> ONE & SEVEN and not (danger >> home) >> TWO & THREE:
            moves[count] = king | (king - 2) << 6
            count += 1

    rest = position.knights & own & ~pinned
    while rest:
        square = lowest(rest)
        count = add_moves(moves, count, square, tables[at.KNIGHT + square] & useful)
        rest &= rest - ONE
    rest = position.diagonals & own
    while rest:
        square = lowest(rest)
        targets = bishop_attacks(tables, square, occupied) & useful
        if bit(square) & pinned:
            targets &= tables[at.LINE + 64 * king + square]
        count = add_moves(moves, count, square, targets)
        rest &= rest - ONE
    rest = position.orthogonals & own
    while rest:
        square = lowest(rest)
        targets = rook_attacks(tables, square, occupied) & useful
        if bit(square) & pinned:
            targets &= tables[at.LINE + 64 * king + square]
        count = add_moves(moves, count, square, targets)
        rest &= rest - ONE

    push, double, left, right = pawn_targets(position)
    forward = 8 if side == WHITE else -8
    count = add_pawn_moves(tables, position, moves, count, push & useful, forward, pinned, king)
    count = add_pawn_moves(tables, position, moves, count, double & useful, 2 * forward, pinned, king)
    count = add_pawn_moves(tables, position, moves, count, left & useful_captures, forward - 1, pinned, king)
    return add_pawn_moves(tables, position, moves, count, right & useful_captures, forward + 1, pinned, king)


@kernel(INT(WORDS, POSITION, MOVES))
def legal_moves(tables: Words, position: Position, moves: list[int]) -> int:
    """Write the legal moves to `moves` (MOST_MOVES places); return how many there are."""
    return moves_to(tables, position, EVERYWHERE, moves)


@kernel(INT(WORDS, POSITION, types.boolean, MOVES))
def open_tries(tables: Words, position: Position, pawns_may_capture: bool, moves: list[int]) -> int:
    """Write the tries of the side to move, of which only its own men and rights are looked at; return the count.

    `pawns_may_capture` is false where the referee has just announced that there is no pawn try.
    """
    side = side_to_move(position)
    own, _ = men_of(position, side)
    king = lowest(position.kings & own)
    count = add_moves(moves, 0, king, tables[at.KING + king] & ~own)
    rights = position.meta >> word(1 + 2 * side)
    home = word(56 * side)
    if rights & ONE and not (own >> home) >> word(5) & THREE:
        moves[count] = king | (king + 2) << 6
        count += 1
    if rights & TWO and not (own >> home) >> ONE & SEVEN:
        moves[count] = king | (king - 2) << 6
        count += 1
    rest = position.knights & own
    while rest:
        square = lowest(rest)
        count = add_moves(moves, count, square, tables[at.KNIGHT + square] & ~own)
        rest &= rest - ONE
    rest = position.diagonals & own
    while rest:
        square = lowest(rest)
        count = add_moves(moves, count, square, bishop_attacks(tables, square, own) & ~own)
        rest &= rest - ONE
    rest = position.orthogonals & own
    while rest:
        square = lowest(rest)
        count = add_moves(moves, count, square, rook_attacks(tables, square, own) & ~own)
        rest &= rest - ONE
    pawns = position.pawns & own
    forward = 8 if side == WHITE else -8
    push = shifted(pawns, forward) & ~own
    double = shifted(push & (RANK_3 if side == WHITE else RANK_6), forward) & ~own
    left, right = NONE, NONE
    if pawns_may_capture:
        left = shifted(pawns & NOT_FILE_A, forward - 1) & ~own
        right = shifted(pawns & NOT_FILE_H, forward + 1) & ~own
    for targets, step in ((push, forward), (double, 2 * forward), (left, forward - 1), (right, forward + 1)):
        while targets:
            target = lowest(targets)
            count = add_pawn_move(moves, count, (target - step) & 63, target)
            targets &= targets - ONE
    return count


@kernel(types.boolean(WORDS, POSITION, INT))
def is_legal_try(tables: Words, position: Position, move: int) -> bool:
    """Whether a try is a legal move; it must be one of `open_tries`, so that our own men allow it."""
    origin, target = move & 63, move >> 6 & 63
    left, arrived = bit(origin), bit(target)
    side = side_to_move(position)
    own, other = men_of(position, side)
    if tables[at.BETWEEN + 64 * origin + target] & other:
        return False
    if left & position.pawns:
        if not (origin ^ target) & 7:
            if arrived & other:
                return False
        elif not arrived & other:
            passant, king = en_passant_square(position), lowest(position.kings & own)
            return passant != 0 and target == passant and en_passant_is_safe(tables, position, origin, king)
    elif left & position.kings and (target - origin == 2 or origin - target == 2):
        rook = target + 1 if target > origin else target - 2
        path = bit(origin) | bit((origin + target) >> 1) | arrived
        if tables[at.BETWEEN + 64 * origin + rook] & other:
            return False
        return attacked_by(tables, position, 1 - side, own | other) & path == NONE
    king = target if left & position.kings else lowest(position.kings & own)
    return not is_attacked(tables, position, king, other & ~arrived, ((own | other) & ~left) | arrived)


@kernel(types.boolean(WORDS, POSITION, WORD, WORD, MOVES))
def has_legal_move(tables: Words, position: Position, checkers: int, pinned: int, moves: list[int]) -> bool:
    """Whether the side to move has any legal move; `moves` is room to list them (MOST_MOVES places), if need be."""
    side = side_to_move(position)
    own, other = men_of(position, side)
    if checkers:  # nearly always the king can move
        king = position.kings & own
        danger = attacked_by(tables, position, 1 - side, (own | other) ^ king)
        if tables[at.KING + lowest(king)] & ~own & ~danger:
            return True
    else:  # nearly always an unpinned pawn or knight can move
        pawns = position.pawns & own & ~pinned
        if shifted(pawns, 8 if side == WHITE else -8) & ~(own | other):
            return True
        knights = position.knights & own & ~pinned
        if knights and tables[at.KNIGHT + lowest(knights)] & ~own:
            return True
    return legal_moves(tables, position, moves) > 0


@kernel(types.Tuple((POSITION, INT))(WORDS, POSITION, INT))
def make_move(tables: Words, position: Position, move: int) -> tuple[Position, int]:
    """Position after a legal move, and the square of the captured man, -1 for none."""
    origin, target, promotion = move & 63, move >> 6 & 63, move >> 12 & 7
    left, arrived = bit(origin), bit(target)
    stay = ~(left | arrived)
    side = side_to_move(position)
    own, other = men_of(position, side)
    captured = -1
    if other & arrived:
        captured = target
    start, end = word(origin), word(target)
    is_pawn = (position.pawns >> start) & ONE
    is_king = (position.kings >> start) & ONE
    pawns = (position.pawns & stay) | (is_pawn << end)
    knights = (position.knights & stay) | (((position.knights >> start) & ONE) << end)
    diagonals = (position.diagonals & stay) | (((position.diagonals >> start) & ONE) << end)
    orthogonals = (position.orthogonals & stay) | (((position.orthogonals >> start) & ONE) << end)
    kings = (position.kings & stay) | (is_king << end)
    own = (own & stay) | arrived
    other &= stay
    clock = ((position.meta >> CLOCK_SHIFT) & CLOCK_MASK) + ONE
    passant = NONE
    if is_pawn:
        clock = NONE
        if promotion:
            pawns ^= arrived
            if promotion == KNIGHT:
                knights |= arrived
            if promotion in (BISHOP, QUEEN):
                diagonals |= arrived
            if promotion in (ROOK, QUEEN):
                orthogonals |= arrived
        elif target == en_passant_square(position) and (origin ^ target) & 7:
            captured = target - 8 if side == WHITE else target + 8
            pawns ^= bit(captured)
            other ^= bit(captured)
        elif origin ^ target == 16:
            passed = (origin + target) >> 1
            if tables[at.PAWN + 64 * side + passed] & pawns & other:
                passant = word(passed)
    elif is_king and (target - origin == 2 or origin - target == 2):
        rook = bit(origin + 3) | bit(origin + 1) if target > origin else bit(origin - 4) | bit(origin - 1)
        orthogonals ^= rook
        own ^= rook
    if captured >= 0:
        clock = NONE
    rights = (position.meta >> ONE) & RIGHTS_MASK & tables[at.RIGHTS + origin] & tables[at.RIGHTS + target]
    played = ((position.meta >> PLY_SHIFT) << PLY_SHIFT) + PLY
    meta = played | (clock << CLOCK_SHIFT) | (passant << PASSANT_SHIFT) | (rights << ONE) | word(1 - side)
    if side == WHITE:
        return Position(pawns, knights, diagonals, orthogonals, kings, own, other, meta), captured
    return Position(pawns, knights, diagonals, orthogonals, kings, other, own, meta), captured
