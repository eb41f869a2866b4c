"""What the referee says of a move, as one integer; the fast twin of `referee.announce`.

bits 0-6    square of the captured man + 1, 0 for none
bit 7       the captured man was a pawn (only under rule sets that tell)
bits 8-12   check: rank, file, long diagonal, short diagonal, knight
bits 13-17  pawn tries of the side to move + 1 (only under rule sets that count them, and while the game goes on)
bits 18-20  end of the game: 1 checkmate, 2 stalemate, 3 dead position, 4 ply limit, 5 quiet limit
"""

from typing import NamedTuple

from numba import types

from kriegbot.kernels import tables as at
from kriegbot.kernels.attacks import NOT_FILE_A, NOT_FILE_H, checkers_and_pins, shifted
from kriegbot.kernels.jit import INT, MOVES, WORD, WORDS, kernel, lowest, popcount, words
from kriegbot.kernels.magics import Words
from kriegbot.kernels.moves import en_passant_is_safe, has_legal_move
from kriegbot.kernels.position import (
    NONE,
    ONE,
    POSITION,
    WHITE,
    Position,
    bit,
    en_passant_square,
    halfmove_clock,
    men_of,
    plies_played,
    side_to_move,
)

RANK, FILE, LONG_DIAGONAL, SHORT_DIAGONAL, KNIGHT = 1, 2, 4, 8, 16
CHECKMATE, STALEMATE, DEAD_POSITION, PLY_LIMIT, QUIET_LIMIT = 1, 2, 3, 4, 5
CAPTURED_PAWN_BIT = 1 << 7
CHECK_SHIFT, TRIES_SHIFT, END_SHIFT = 8, 13, 18
CAPTURE_MASK = 0xFF
(DARK_SQUARES,) = words(0xAA55AA55AA55AA55)


class Terms(NamedTuple):
    """What kernels need of a rule set and of the limits of a game, as int64.

    tells_kind: 1 if captures are announced as pawn or piece. counts_tries: 1 if pawn tries are counted aloud.
    minor_each_draws: 1 if at most one minor piece on each side and nothing else is a draw.
    ply_limit, quiet_limit: 0 for none.
    """

    tells_kind: int
    counts_tries: int
    minor_each_draws: int
    ply_limit: int
    quiet_limit: int


TERMS = types.NamedUniTuple(types.int64, 5, Terms)


@kernel(INT(POSITION, WORD))
def check_directions(position: Position, checkers: int) -> int:
    """Directions of the checks that the side to move is in, as seen from its king."""
    own, _ = men_of(position, side_to_move(position))
    king = lowest(position.kings & own)
    rank, file = king >> 3, king & 7
    directions = 0
    while checkers:
        checker = lowest(checkers)
        if bit(checker) & position.knights:
            directions |= KNIGHT
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


@kernel(INT(WORDS, WORD, INT, WORD, INT))
def unpinned(tables: Words, targets: int, step: int, pinned: int, king: int) -> int:
    """Count pawn moves to `targets` from `step` squares behind that no pin forbids."""
    count = 0
    while targets:
        origin = (lowest(targets) - step) & 63
        arrival = targets & (NONE - targets)
        targets &= targets - ONE
        if not bit(origin) & pinned or tables[at.LINE + 64 * king + origin] & arrival:
            count += 1
    return count


@kernel(INT(WORDS, POSITION, WORD, WORD))
def pawn_tries(tables: Words, position: Position, checkers: int, pinned: int) -> int:
    """Count the legal pawn captures of the side to move, from and to; promotions of one pair are one."""
    side = side_to_move(position)
    own, other = men_of(position, side)
    king = lowest(position.kings & own)
    takeable = other
    if checkers:
        if checkers & (checkers - ONE):
            return 0
        takeable = checkers
    pawns = position.pawns & own
    forward = 8 if side == WHITE else -8
    left = shifted(pawns & NOT_FILE_A, forward - 1) & takeable
    right = shifted(pawns & NOT_FILE_H, forward + 1) & takeable
    count = unpinned(tables, left, forward - 1, pinned, king)
    count += unpinned(tables, right, forward + 1, pinned, king)
    passant = en_passant_square(position)
    if passant:
        origins = tables[at.PAWN + 64 * (1 - side) + passant] & pawns
        while origins:
            if en_passant_is_safe(tables, position, lowest(origins), king):
                count += 1
            origins &= origins - ONE
    return count


@kernel(types.boolean(POSITION, TERMS))
def is_dead(position: Position, terms: Terms) -> bool:
    """Whether the position is drawn for want of men: is_insufficient_material of python-chess, or the rule set's."""
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
    return terms.minor_each_draws != 0 and one_each


@kernel(INT(WORDS, POSITION, WORD, WORD, TERMS, MOVES))
def game_end(tables: Words, position: Position, checkers: int, pinned: int, terms: Terms, scratch: list[int]) -> int:
    """How the game ended in this position, 0 if it goes on; `scratch` is room for MOST_MOVES moves."""
    if not has_legal_move(tables, position, checkers, pinned, scratch):
        return CHECKMATE if checkers else STALEMATE
    if is_dead(position, terms):
        return DEAD_POSITION
    if terms.ply_limit != 0 and plies_played(position) >= terms.ply_limit:
        return PLY_LIMIT
    if terms.quiet_limit != 0 and halfmove_clock(position) >= terms.quiet_limit:
        return QUIET_LIMIT
    return 0


@kernel(INT(WORDS, POSITION, TERMS, MOVES))
def situation(tables: Words, position: Position, terms: Terms, scratch: list[int]) -> int:
    """What is said of the position that a move led to, whatever the move: checks, pawn tries, the end."""
    checkers, pinned = checkers_and_pins(tables, position)
    said = 0
    if checkers:
        said = check_directions(position, checkers) << CHECK_SHIFT
    end = game_end(tables, position, checkers, pinned, terms, scratch)
    if end != 0:
        return said | end << END_SHIFT
    if terms.counts_tries != 0:
        said |= (pawn_tries(tables, position, checkers, pinned) + 1) << TRIES_SHIFT
    return said


@kernel(INT(WORDS, POSITION, POSITION, INT, TERMS, MOVES))
def announcement(
    tables: Words, before: Position, after: Position, captured: int, terms: Terms, scratch: list[int]
) -> int:
    """What both sides hear of the move from `before` to `after` that captured on `captured`, -1 for no capture."""
    said = captured + 1
    if terms.tells_kind != 0 and captured >= 0 and bit(captured) & before.pawns:
        said |= CAPTURED_PAWN_BIT
    return said | situation(tables, after, terms, scratch)


@kernel(INT(INT))
def end_said(said: int) -> int:
    """End of the game in an announcement, 0 if it goes on."""
    return said >> END_SHIFT


@kernel(types.boolean(INT))
def pawn_captures_left(said: int) -> bool:
    """Whether pawn captures are worth a try after an announcement: not if "no pawn tries" was said."""
    return (said >> TRIES_SHIFT) & 31 != 1
