"""Sets of king squares: what a try, the referee's answer and a step of the lone king make of them.

Against a bare king our own men are known, so an information set is a bitboard: the squares on which the king may stand.
A lone king gives no check and blocks no line that matters, so all boards of a set share one map of attacks, with our
men alone on the board: he may step to any square off the map, takes what stands unprotected, and is in check on it.
Every operation then treats all boards of a set at once.

Pawns of ours go up the board here; `chooser` turns the board round for Black. We do not castle.
"""

from typing import NamedTuple

from kriegbot.kernels.attacks import (
    NOT_FILE_A,
    NOT_FILE_H,
    between,
    bishop_attacks,
    king_attacks,
    knight_attacks,
    rook_attacks,
    shifted,
)
from kriegbot.kernels.hearing import DARK_SQUARES
from kriegbot.kernels.jit import entry, inlined, kernel, lsb, pointer, popcount, word, words
from kriegbot.kernels.moves import BISHOP, EVERYWHERE, KNIGHT, QUEEN, ROOK, add_moves, moved
from kriegbot.kernels.position import NONE, ONE, bit
from kriegbot.kernels.types import Moves, Word, WordArray, Words

RISING_IS_LONG = words(
    sum(1 << s for s in range(64) if abs((s & 7) - (s >> 3)) < abs(7 - (s & 7) - (s >> 3))),
)[0]
"""Squares whose longer diagonal is the one that rises towards file h."""
RANK_1, RANK_3, RANK_8, FILE_A = words(0xFF, 0xFF0000, 0xFF << 56, 0x0101010101010101)
TWO, EIGHT = words(2, 8)
SAME_TURN, OUR_TURN, MATED, DRAWN, STALEMATED, LESSENED = 0, 1, 2, 3, 4, 5
"""Kinds of outcomes. The last one is our turn too, with a man taken and enough left to mate."""
MOST_OUTCOMES = 64
"""Room for the outcomes of a try: refused, silent, 15 captures, some directions of check, mate, stalemate, a draw."""
OUTCOME = 9
"""Words of an outcome: our men (5), the squares, how many boards it comes from, its kind; where he stepped from unseen,
or none."""


class Men(NamedTuple):
    """Our men as bitboards; queens are both diagonals and orthogonals, as in a `Position`."""

    pawns: Word
    knights: Word
    diagonals: Word
    orthogonals: Word
    king: Word


class Attacks(NamedTuple):
    """Squares that our men attack: by the direction of the check heard there, and `all`, with those of our king."""

    rank: Word
    file: Word
    long_diagonal: Word
    short_diagonal: Word
    knight: Word
    all: Word


@inlined
def every(men: Men) -> Word:
    """All our men."""
    return men.pawns | men.knights | men.diagonals | men.orthogonals | men.king


@inlined
def steps_from(squares: Word) -> Word:
    """Squares that kings on these squares may step to, on an empty board."""
    beside = ((squares & NOT_FILE_H) << ONE) | ((squares & NOT_FILE_A) >> ONE)
    row = squares | beside
    return beside | (row << EIGHT) | (row >> EIGHT)


@kernel
def attacks_of(tables: Words, men: Men) -> Attacks:
    """What our men attack, the enemy king lifted off the board."""
    own = every(men)
    rank, file, rising, falling, knight = NONE, NONE, NONE, NONE, NONE
    rest = men.orthogonals
    while rest:
        square = lsb(rest)
        reached, row = rook_attacks(tables, square, own), RANK_1 << word(square & 56)
        rank |= reached & row
        file |= reached & ~row
        rest &= rest - ONE
    rest = men.diagonals
    while rest:
        square = lsb(rest)
        reached, here = bishop_attacks(tables, square, own), rest & (NONE - rest)
        above = ~(here | (here - ONE))
        right = ~(FILE_A * ((TWO << word(square & 7)) - ONE))
        rises = (above & right) | (~above & ~right)
        rising |= reached & rises
        falling |= reached & ~rises
        rest &= rest - ONE
    rest = men.knights
    while rest:
        knight |= knight_attacks(tables, lsb(rest))
        rest &= rest - ONE
    rising |= shifted(men.pawns & NOT_FILE_H, 9)
    falling |= shifted(men.pawns & NOT_FILE_A, 7)
    long_diagonal = (rising & RISING_IS_LONG) | (falling & ~RISING_IS_LONG)
    short_diagonal = (rising & ~RISING_IS_LONG) | (falling & RISING_IS_LONG)
    reached = rank | file | rising | falling | knight | king_attacks(tables, lsb(men.king))
    return Attacks(rank, file, long_diagonal, short_diagonal, knight, reached)


@kernel
def list_tries(tables: Words, men: Men, moves: Moves) -> int:
    """Write the tries worth a thought to `moves`: no castling, no pawn captures, promotions to queen and rook alone."""
    own = every(men)
    count = add_moves(moves, 0, lsb(men.king), king_attacks(tables, lsb(men.king)) & ~own)
    rest = men.knights | men.diagonals | men.orthogonals
    while rest:
        square, here = lsb(rest), rest & (NONE - rest)
        targets = NONE
        if here & men.knights:
            targets |= knight_attacks(tables, square)
        if here & men.diagonals:
            targets |= bishop_attacks(tables, square, own)
        if here & men.orthogonals:
            targets |= rook_attacks(tables, square, own)
        count = add_moves(moves, count, square, targets & ~own)
        rest &= rest - ONE
    ahead = shifted(men.pawns, 8) & ~own
    double = shifted(ahead & RANK_3, 8) & ~own
    while ahead:
        square = lsb(ahead)
        if ahead & (NONE - ahead) & RANK_8:
            moves[count] = (square - 8) | square << 6 | QUEEN << 12
            moves[count + 1] = (square - 8) | square << 6 | ROOK << 12
            count += 2
        else:
            moves[count] = (square - 8) | square << 6
            count += 1
        ahead &= ahead - ONE
    while double:
        square = lsb(double)
        moves[count] = (square - 16) | square << 6
        count += 1
        double &= double - ONE
    return count


@kernel
def refusing(tables: Words, men: Men, move: int) -> Word:
    """Squares of the lone king on which he makes a try illegal."""
    origin, target = move & 63, move >> 6 & 63
    if bit(origin) & men.king:
        return king_attacks(tables, target) | bit(target)
    if bit(origin) & men.pawns:
        if (target - origin) & 7:
            return EVERYWHERE
        return between(tables, origin, target) | bit(target)
    return NONE


@kernel
def after_try(men: Men, move: int) -> Men:
    """Our men after a try that was accepted."""
    origin, target, promotion = move & 63, move >> 6 & 63, move >> 12 & 7
    pawns, knights = moved(men.pawns, origin, target), moved(men.knights, origin, target)
    diagonals, orthogonals = moved(men.diagonals, origin, target), moved(men.orthogonals, origin, target)
    if promotion:
        arrived = bit(target)
        pawns ^= arrived
        if promotion == KNIGHT:
            knights |= arrived
        if promotion in (BISHOP, QUEEN):
            diagonals |= arrived
        if promotion in (ROOK, QUEEN):
            orthogonals |= arrived
    return Men(pawns, knights, diagonals, orthogonals, moved(men.king, origin, target))


@inlined
def without(men: Men, square: Word) -> Men:
    """Our men when one of them was taken."""
    return Men(men.pawns & ~square, men.knights & ~square, men.diagonals & ~square, men.orthogonals & ~square, men.king)


@inlined
def part_with(squares: Word, king: Word, attacked: Word) -> Word:
    """Those of the squares that are attacked if the king's is, or that are not if his is not."""
    return squares & (attacked if king & attacked else ~attacked)


@inlined
def sounding_like(squares: Word, king: Word, attacks: Attacks) -> Word:
    """Those of the squares on which the same check is heard as on the king's."""
    squares = part_with(squares, king, attacks.rank)
    squares = part_with(squares, king, attacks.file)
    squares = part_with(squares, king, attacks.long_diagonal)
    squares = part_with(squares, king, attacks.short_diagonal)
    return part_with(squares, king, attacks.knight)


@kernel
def can_mate(men: Men) -> bool:
    """Whether our men can win by force: not one minor piece, two knights, or bishops of one colour."""
    if men.pawns | men.orthogonals:
        return True
    dark, light = men.diagonals & DARK_SQUARES, men.diagonals & ~DARK_SQUARES
    if dark and light:
        return True
    return popcount(men.knights) > (0 if men.diagonals else 2)


@inlined
def men_at(rows: Words, row: int) -> Men:
    """Our men in a row of OUTCOME words."""
    i = OUTCOME * row
    return Men(rows[i], rows[i + 1], rows[i + 2], rows[i + 3], rows[i + 4])


@inlined
def write(outcomes: Words, count: int, men: Men, squares: Word, boards: int, kind: int, before: Word) -> int:
    """Append an outcome; return the new count."""
    i = OUTCOME * count
    outcomes[i] = men.pawns
    outcomes[i + 1] = men.knights
    outcomes[i + 2] = men.diagonals
    outcomes[i + 3] = men.orthogonals
    outcomes[i + 4] = men.king
    outcomes[i + 5] = squares
    outcomes[i + 6] = word(boards)
    outcomes[i + 7] = word(kind)
    outcomes[i + 8] = before
    return count + 1


@kernel
def outcomes_of(tables: Words, men: Men, squares: Word, move: int, outcomes: Words) -> int:
    """Write what may follow from a try, as we would hear it, up to our next try; return how many outcomes there are.

    A king that may take a man of ours is counted as taking it, and may do otherwise all the same: the boards of the
    outcomes add up to those of the set, while each outcome holds every square that fits it. None if all boards refuse
    the try.
    """
    refused = squares & refusing(tables, men, move)
    rest = squares & ~refused
    if rest == NONE:
        return 0
    count = 0
    if refused:
        count = write(outcomes, count, men, refused, popcount(refused), SAME_TURN, NONE)
    after = after_try(men, move)
    attacks = attacks_of(tables, after)
    free, own = ~attacks.all, every(after)
    going = rest & steps_from(free)
    stuck = rest ^ going
    if stuck & attacks.all:
        count = write(outcomes, count, after, NONE, popcount(stuck & attacks.all), MATED, NONE)
    if stuck & free:
        count = write(outcomes, count, after, NONE, popcount(stuck & free), STALEMATED, NONE)
    hanging, takers = own & free & ~after.king, NONE
    while hanging:
        square = hanging & (NONE - hanging)
        taking = going & king_attacks(tables, lsb(hanging)) & ~takers
        if taking:
            left = without(after, square)
            kind = LESSENED if can_mate(left) else DRAWN
            count = write(outcomes, count, left, square, popcount(taking), kind, NONE)
        takers |= taking
        hanging &= hanging - ONE
    while going:
        alike = sounding_like(going, going & (NONE - going), attacks)
        following = steps_from(alike) & free & ~own
        if following:
            count = write(outcomes, count, after, following, popcount(alike & ~takers), OUR_TURN, alike)
        going ^= alike
    return count


@entry
def making_illegal(tables: WordArray, men: WordArray, move: int) -> Word:
    """Squares of the lone king on which he makes a try illegal; `men` are ours before it."""
    return refusing(pointer(tables), men_at(pointer(men), 0), move)


@entry
def hearing(tables: WordArray, men: WordArray, directions: int) -> Word:
    """Squares of the lone king on which these checks are heard and no other.

    `men` are ours, as the try has left them; `directions` are the bits of `kernels.hearing`, from 1.
    """
    attacks, squares = attacks_of(pointer(tables), men_at(pointer(men), 0)), EVERYWHERE
    heard = (attacks.rank, attacks.file, attacks.long_diagonal, attacks.short_diagonal, attacks.knight)
    for i in range(5):
        squares &= heard[i] if directions >> i & 1 else ~heard[i]
    return squares


@entry
def reachable(tables: WordArray, men: WordArray, squares: Word) -> Word:
    """Squares of the lone king after a step of his that took nothing; `men` are ours."""
    ours = men_at(pointer(men), 0)
    return steps_from(squares) & ~attacks_of(pointer(tables), ours).all & ~every(ours)


@entry
def everywhere(tables: WordArray, men: WordArray) -> Word:
    """Squares on which a lone king may stand with us to move; `men` are ours."""
    ours = men_at(pointer(men), 0)
    return ~attacks_of(pointer(tables), ours).all & ~every(ours)
