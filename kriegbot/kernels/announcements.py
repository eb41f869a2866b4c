"""What the referee says of a move, as one integer; the fast twin of `referee.announce`.

bits 0-6    square of the captured man + 1, 0 for none; where the pawn lands, if en passant is told
bit 7       the captured man was a pawn (only under rule sets that tell)
bits 8-12   check: rank, file, long diagonal, short diagonal, knight (only under rule sets that tell)
bits 13-17  pawn tries of the side to move + 1, as far as the rule set counts (only before the end); if squares are
            told, their number + 1
bits 18-20  end of the game: 1 checkmate, 2 stalemate, 3 dead position, 4 ply limit, 5 quiet limit, 6 lost by stalemate
bit 21      en passant (only under rule sets that tell)
bit 22      a promotion (only under rule sets that tell)
bits 23-51  from which squares there are pawn tries, as `set_number` numbers them (only under rule sets that tell)
"""

from typing import NamedTuple

from kriegbot.kernels import tables as at
from kriegbot.kernels.attacks import check_info, line, pawn_attacks, shifted
from kriegbot.kernels.jit import Moves, Word, Words, kernel, lsb, number, popcount, word, words
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
    men_of,
    plies_played,
    side_to_move,
)
from kriegbot.kernels.random import mixed

RANK, FILE, LONG_DIAGONAL, SHORT_DIAGONAL, KNIGHT = 1, 2, 4, 8, 16
CHECKMATE, STALEMATE, DEAD_POSITION, PLY_LIMIT, QUIET_LIMIT, LOST_STALEMATE = 1, 2, 3, 4, 5, 6
CAPTURED_PAWN_BIT, EN_PASSANT_BIT, PROMOTION_BIT = 1 << 7, 1 << 21, 1 << 22
CHECK_SHIFT, TRIES_SHIFT, END_SHIFT, SQUARES_SHIFT = 8, 13, 18, 23
CAPTURE_MASK = 0xFF
OF_THE_MOVE = CAPTURE_MASK | EN_PASSANT_BIT | PROMOTION_BIT
"""What is said of a move; the rest is said of the position after it."""
EACH_PROMOTION, ANY_NUMBER, SQUARES = 29, 30, 31
SEVENTH_RANK, SECOND_RANK = words(0x00FF000000000000, 0xFF00)
NOT_ASKED, NO, YES, TRIED = 0, 1, 2, 3
PAIR_SHIFT, PAIR_BITS = words(18, 36)
(DARK_SQUARES,) = words(0xAA55AA55AA55AA55)


class KernelRules(NamedTuple):
    """What kernels need of a rule set and of the limits of a game, as int64.

    tells_kind: 1 if captures are announced as pawn or piece. tries_told: how far pawn tries are counted aloud: 0 not at
    all, 1 "none" or "some", ANY_NUMBER their number, EACH_PROMOTION that with a promotion counted four times, up to 29,
    SQUARES from which squares. minor_each_draws: 1 if at most one minor piece on each side and nothing else is a draw.
    tells_en_passant, tells_promotion: 1 if the kind of move is announced. stalemate_loses: 1 if a stalemated side
    loses. tells_checks: 1 if checks are announced. ply_limit, quiet_limit: 0 for none.
    """

    tells_kind: int
    tries_told: int
    minor_each_draws: int
    tells_en_passant: int
    tells_promotion: int
    stalemate_loses: int
    tells_checks: int
    ply_limit: int
    quiet_limit: int


class TurnHistory(NamedTuple):
    """What both sides heard of a turn before its move, as int64.

    answer: of the question "Any?": NOT_ASKED, NO, YES, which obliges to capture with a pawn, or TRIED for a yes that no
    longer does. refused: tries heard to be illegal, those before the question if it was asked. since: those after it.
    """

    refused: int
    answer: int
    since: int


@kernel
def check_directions(position: Position, checkers: Word) -> int:
    """Directions of the checks that the side to move is in, as seen from its king."""
    own, _ = men_of(position, side_to_move(position))
    king = lsb(position.kings & own)
    rank, file = king >> 3, king & 7
    directions = 0
    while checkers:
        checker = lsb(checkers)
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


@kernel
def unpinned(tables: Words, targets: Word, step: int, pinned: Word, king: int) -> Word:
    """Where the pawn moves to `targets`, from `step` squares behind, come from that no pin forbids."""
    origins = shifted(targets, -step)
    stuck = origins & pinned
    while stuck:
        origin = lsb(stuck)
        if not line(tables, king, origin) & bit(origin + step):
            origins &= ~bit(origin)
        stuck &= stuck - ONE
    return origins


@kernel
def pawn_tries(tables: Words, position: Position, checkers: Word, pinned: Word) -> tuple[int, Word, int]:
    """Count the legal pawn captures of the side to move, from and to; the squares they come from; how many promote.

    Promotions of one pair of squares are one.
    """
    side = side_to_move(position)
    own, other = men_of(position, side)
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
    """Number of a set of up to eight squares of the ranks 2 to 7 among those of its size.

    This is the combinatorial number system: the squares count from a2, and the n-th of a set adds the ways to choose n
    of those before it.
    """
    rank, chosen = NONE, 0
    while squares:
        rank += tables[at.CHOOSE + 8 * (lsb(squares) - 8) + chosen]
        chosen += 1
        squares &= squares - ONE
    return number(rank)


@kernel
def pawns_to_try(tables: Words, position: Position, terms: KernelRules) -> Word:
    """Squares from which pawns of the side to move may try to capture, after what was announced of a position."""
    if terms.tries_told == 0:
        return EVERYWHERE
    checkers, pinned = check_info(tables, position)
    count, capturing, _ = pawn_tries(tables, position, checkers, pinned)
    if count == 0 or terms.tries_told == SQUARES:
        return capturing
    return EVERYWHERE


@kernel
def is_dead(position: Position, terms: KernelRules) -> bool:
    """Whether material is too little to win: is_insufficient_material of python-chess, or the rule set's."""
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


@kernel
def game_end(
    tables: Words, position: Position, checkers: Word, pinned: Word, terms: KernelRules, scratch: Moves
) -> int:
    """How the game ended in this position, 0 if it did not; `scratch` is room for MAX_MOVES moves."""
    if not has_legal_move(tables, position, checkers, pinned, scratch):
        if checkers:
            return CHECKMATE
        return LOST_STALEMATE if terms.stalemate_loses != 0 else STALEMATE
    if is_dead(position, terms):
        return DEAD_POSITION
    if terms.ply_limit != 0 and plies_played(position) >= terms.ply_limit:
        return PLY_LIMIT
    if terms.quiet_limit != 0 and halfmove_clock(position) >= terms.quiet_limit:
        return QUIET_LIMIT
    return 0


@kernel
def situation(tables: Words, position: Position, terms: KernelRules, scratch: Moves) -> int:
    """What is announced of the position after a move, whatever the move: checks, pawn tries, the end."""
    checkers, pinned = check_info(tables, position)
    said = 0
    if checkers and terms.tells_checks != 0:
        said = check_directions(position, checkers) << CHECK_SHIFT
    end = game_end(tables, position, checkers, pinned, terms, scratch)
    if end != 0:
        return said | end << END_SHIFT
    if terms.tries_told != 0:
        count, capturing, promoting = pawn_tries(tables, position, checkers, pinned)
        if terms.tries_told == EACH_PROMOTION:
            count += 3 * promoting
        if terms.tries_told == SQUARES:
            count = popcount(capturing)
            said |= set_number(tables, capturing) << SQUARES_SHIFT
        said |= (min(count, terms.tries_told) + 1) << TRIES_SHIFT
    return said


@kernel
def announcement(
    tables: Words, before: Position, after: Position, captured: int, terms: KernelRules, scratch: Moves
) -> int:
    """What both sides hear of the move from `before` to `after` that captured on `captured`, -1 for no capture."""
    said = captured + 1
    if terms.tells_kind != 0 and captured >= 0 and bit(captured) & before.pawns:
        said |= CAPTURED_PAWN_BIT
    if terms.tells_en_passant != 0 and captured >= 0 and not bit(captured) & (after.white | after.black):
        said = said + forward(side_to_move(before)) | EN_PASSANT_BIT
    if terms.tells_promotion != 0:
        own, _ = men_of(before, side_to_move(before))
        left, _ = men_of(after, side_to_move(before))
        if popcount(before.pawns & own) != popcount(after.pawns & left):
            said |= PROMOTION_BIT
    return said | situation(tables, after, terms, scratch)


@kernel
def captured_on(said: int) -> int:
    """Square of a capture in an announcement, -1 if nothing was captured."""
    return (said & (CAPTURED_PAWN_BIT - 1)) - 1


@kernel
def announced_end(said: int) -> int:
    """End of the game in an announcement, 0 for none."""
    return said >> END_SHIFT & 7


@kernel
def is_won(end: int) -> bool:
    """Whether the side that has just moved won by this end."""
    return end in (CHECKMATE, LOST_STALEMATE)


@kernel
def pair_of(said: int, heard: int) -> Word:
    """Two announcements, neither of the end, as one word.

    These are 36 bits, unless either tells more than the number of pawn tries; then it is a hash. Of the half million
    sets of the largest search two fall together once in a hundred million searches.
    """
    if (said | heard) >> END_SHIFT == 0:
        return word(said) << PAIR_SHIFT | word(heard)
    return mixed(mixed(word(said)) ^ word(heard))
