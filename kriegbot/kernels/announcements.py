"""Announcements of the referee, rule sets and limits as integers, made from the referee's or computed by kernels.

0-6    square of the captured piece + 1, 0 for no capture; the capturing pawn's target, if en passant is announced
7      the captured piece was a pawn (*)
8-12   check: rank, file, long diagonal, short diagonal, knight (*)
13-17  number of pawn tries of the side to move + 1, or of their squares + 1, up to the most that the rule set
       announces; 0 after the end (*)
18-20  end of the game: 1 checkmate, 2 stalemate, 3 dead position, 4 ply limit, 5 quiet limit, 6 lost by stalemate
21     en passant (*)
22     promotion (*)
23-51  number of the set of squares from which pawns can capture, as in `set_number` (*)

(*) 0 unless the rule set announces it.
"""

from typing import NamedTuple

from kriegbot.kernels import tables as layout
from kriegbot.kernels.attacks import (
    between,
    bishop_attacks,
    check_info,
    knight_attacks,
    line,
    pawn_attacks,
    rook_attacks,
    shifted,
    sliders_at,
)
from kriegbot.kernels.jit import kernel, words
from kriegbot.kernels.moves import EVERYWHERE, ep_is_safe, has_legal_move, pawn_captures
from kriegbot.kernels.position import (
    NONE,
    ONE,
    WHITE,
    Position,
    bit,
    ep_square,
    forward,
    halfmove_clock,
    pieces_of,
    plies_played,
    side_to_move,
)
from kriegbot.kernels.types import Moves, Word, Words, lsb, number, popcount

RANK, FILE, LONG_DIAGONAL, SHORT_DIAGONAL, BY_KNIGHT = 1, 2, 4, 8, 16
CHECKMATE, STALEMATE, DEAD_POSITION, PLY_LIMIT, QUIET_LIMIT, LOST_STALEMATE = 1, 2, 3, 4, 5, 6
CAPTURED_PAWN_BIT, EN_PASSANT_BIT, PROMOTION_BIT = 1 << 7, 1 << 21, 1 << 22
CHECK_SHIFT, TRIES_SHIFT, END_SHIFT, SQUARES_SHIFT = 8, 13, 18, 23
CAPTURE_MASK = 0xFF
MOVE_BITS = CAPTURE_MASK | EN_PASSANT_BIT | PROMOTION_BIT
"""Bits that announce the move; the others announce the position after it."""
EACH_PROMOTION, ANY_NUMBER, SQUARES = 29, 30, 31
ENOUGH = 2  # with so many movable pieces no single move can immobilise them all
SEVENTH_RANK, SECOND_RANK = words(0x00FF000000000000, 0xFF00)
NOT_ASKED, NO, YES, TRIED = 0, 1, 2, 3
(DARK_SQUARES,) = words(0xAA55AA55AA55AA55)


class KernelRules(NamedTuple):
    """Rule set and limits of a game for kernels: int64, 0 or 1 for no or yes, 0 for no limit."""

    announces_kind: int  # whether a capture was of a pawn or of a piece
    tries_announced: int  # 0, 1 "none" or "some", ANY_NUMBER, EACH_PROMOTION (which counts four times), SQUARES
    minor_each_draws: int  # kings with at most one minor piece each are a dead position
    announces_en_passant: int
    announces_promotion: int
    stalemate_loses: int
    announces_checks: int
    ply_limit: int
    halfmove_limit: int


class TurnHistory(NamedTuple):
    """Announcements of a turn before its move."""

    refused_before_any: int  # illegal tries before the question "Any?"; without it all
    answer: int  # NOT_ASKED, NO, YES (a pawn must capture) or TRIED (a pawn has tried to, and need not any more)
    refused_after_any: int


@kernel
def check_directions(position: Position, checkers: Word) -> int:
    """Return the directions, from its king, of the checks that the side to move is in."""
    own, _ = pieces_of(position, side_to_move(position))
    king = lsb(position.kings & own)
    rank, file = king >> 3, king & 7
    directions = 0
    while checkers:
        checker = lsb(checkers)
        if bit(checker) & position.knights:
            directions |= BY_KNIGHT
        elif checker >> 3 == rank:
            directions |= RANK
        elif checker & 7 == file:
            directions |= FILE
        else:  # of the king's two diagonals, the one nearer to a main diagonal is the longer
            rising = (checker & 7) - file == (checker >> 3) - rank
            rising_is_longer = abs(file - rank) < abs(7 - file - rank)
            directions |= LONG_DIAGONAL if rising == rising_is_longer else SHORT_DIAGONAL
        checkers &= checkers - ONE
    return directions


@kernel
def unpinned(tables: Words, targets: Word, step: int, pinned: Word, king: int) -> Word:
    """Return the origins of pawn moves to `targets`, each `step` squares behind, less those that a pin forbids."""
    origins = shifted(targets, -step)
    pinned_origins = origins & pinned
    while pinned_origins:
        origin = lsb(pinned_origins)
        if not line(tables, king, origin) & bit(origin + step):
            origins &= ~bit(origin)
        pinned_origins &= pinned_origins - ONE
    return origins


@kernel
def pawn_tries(tables: Words, position: Position, checkers: Word, pinned: Word) -> tuple[int, Word, int]:
    """Return the number of legal pawn captures of the side to move, their origins, and how many of them promote."""
    side = side_to_move(position)
    own, other = pieces_of(position, side)
    king = lsb(position.kings & own)
    takeable = other
    if checkers:
        if checkers & (checkers - ONE):
            return 0, NONE, 0
        takeable = checkers
    pawns = position.pawns & own
    left, right = pawn_captures(pawns, side, takeable)
    from_right = unpinned(tables, left, forward(side) - 1, pinned, king)
    from_left = unpinned(tables, right, forward(side) + 1, pinned, king)
    count, capturing = popcount(from_right) + popcount(from_left), from_right | from_left
    last = SEVENTH_RANK if side == WHITE else SECOND_RANK
    promoting = popcount(from_right & last) + popcount(from_left & last)
    ep = ep_square(position)
    if ep:
        origins = pawn_attacks(tables, 1 - side, ep) & pawns
        while origins:
            if ep_is_safe(tables, position, lsb(origins), king):
                count += 1
                capturing |= origins & (NONE - origins)
            origins &= origins - ONE
    return count, capturing, promoting


@kernel
def set_number(tables: Words, squares: Word) -> int:
    """Return the number of a set of at most eight squares on ranks 2 to 7: the combinatorial number system.

    The n-th square of the set, counted from a2, adds the number of ways to choose n of the squares before it.
    """
    index, chosen = NONE, 0
    while squares:
        index += tables[layout.CHOOSE + 8 * (lsb(squares) - 8) + chosen]
        chosen += 1
        squares &= squares - ONE
    return number(index)


@kernel
def pawns_to_try(tables: Words, position: Position, rules: KernelRules) -> Word:
    """Return the squares from which the side to move may try pawn captures after the announcement of a position."""
    if rules.tries_announced == 0:
        return EVERYWHERE
    checkers, pinned = check_info(tables, position)
    count, capturing, _ = pawn_tries(tables, position, checkers, pinned)
    if count == 0 or rules.tries_announced == SQUARES:
        return capturing
    return EVERYWHERE


@kernel
def is_dead(position: Position, rules: KernelRules) -> bool:
    """Return True for a dead position: is_insufficient_material of python-chess, or the rule set's own draw."""
    if position.pawns | position.orthogonals:
        return False
    minors = position.knights | position.diagonals  # there is no queen, so diagonals are bishops
    if popcount(minors) <= 1:
        return True
    if position.knights == NONE and (
        position.diagonals & DARK_SQUARES == NONE or position.diagonals & ~DARK_SQUARES == NONE
    ):
        return True
    one_each = popcount(minors & position.white) <= 1 and popcount(minors & position.black) <= 1
    return rules.minor_each_draws != 0 and one_each


@kernel
def game_end(
    tables: Words, position: Position, checkers: Word, pinned: Word, rules: KernelRules, scratch: Moves
) -> int:
    """Return the end of the game in this position, 0 if it goes on; `scratch` has MAX_MOVES places."""
    if not has_legal_move(tables, position, checkers, pinned, scratch):
        if checkers:
            return CHECKMATE
        return LOST_STALEMATE if rules.stalemate_loses != 0 else STALEMATE
    if is_dead(position, rules):
        return DEAD_POSITION
    if rules.ply_limit != 0 and plies_played(position) >= rules.ply_limit:
        return PLY_LIMIT
    if rules.halfmove_limit != 0 and halfmove_clock(position) >= rules.halfmove_limit:
        return QUIET_LIMIT
    return 0


@kernel
def situation(tables: Words, position: Position, rules: KernelRules, scratch: Moves) -> int:
    """Return the announcement of a position, whatever the move before: checks, pawn tries, end of the game."""
    checkers, pinned = check_info(tables, position)
    code = 0
    if checkers and rules.announces_checks != 0:
        code = check_directions(position, checkers) << CHECK_SHIFT
    end = game_end(tables, position, checkers, pinned, rules, scratch)
    if end != 0:
        return code | end << END_SHIFT
    if rules.tries_announced != 0:
        count, capturing, promoting = pawn_tries(tables, position, checkers, pinned)
        if rules.tries_announced == EACH_PROMOTION:
            count += 3 * promoting
        if rules.tries_announced == SQUARES:
            count = popcount(capturing)
            code |= set_number(tables, capturing) << SQUARES_SHIFT
        code |= (min(count, rules.tries_announced) + 1) << TRIES_SHIFT
    return code


@kernel
def announcement(
    tables: Words, before: Position, after: Position, captured: int, rules: KernelRules, scratch: Moves
) -> int:
    """Return the announcement of the move from `before` to `after`; `captured` is the captured square, or -1."""
    code = captured + 1
    if rules.announces_kind != 0 and captured >= 0 and bit(captured) & before.pawns:
        code |= CAPTURED_PAWN_BIT
    if rules.announces_en_passant != 0 and captured >= 0 and not bit(captured) & (after.white | after.black):
        code = code + forward(side_to_move(before)) | EN_PASSANT_BIT
    if rules.announces_promotion != 0:
        own, _ = pieces_of(before, side_to_move(before))
        left, _ = pieces_of(after, side_to_move(before))
        if popcount(before.pawns & own) != popcount(after.pawns & left):
            code |= PROMOTION_BIT
    return code | situation(tables, after, rules, scratch)


@kernel
def captured_on(code: int) -> int:
    """Return the announced square of a capture, -1 for no capture."""
    return (code & (CAPTURED_PAWN_BIT - 1)) - 1


@kernel
def announced_end(code: int) -> int:
    """Return the announced end of the game, 0 if it goes on."""
    return code >> END_SHIFT & 7


@kernel
def is_won(end: int) -> bool:
    """Return True if this end is a win of the side that has just moved."""
    return end in (CHECKMATE, LOST_STALEMATE)


class QuietInfo(NamedTuple):
    """Facts that show which moves are quiet: give no check and end nothing. `is_quiet` errs on the safe side."""

    pawns: Word  # squares on which a pawn gives check
    knights: Word  # and so on
    diagonals: Word
    orthogonals: Word
    uncovering: Word  # pieces that stand alone between a slider of their own side and the enemy king
    movable: int
    """Number of enemy pieces, the king aside, that can move and are not pinned after any move; right up to ENOUGH, 0 if
    a limit may end the game."""
    obstructing: Word  # squares on which a move may capture or block one of them


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
    if may_be_last or (rules.halfmove_limit != 0 and halfmove_clock(position) + 1 >= rules.halfmove_limit):
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
