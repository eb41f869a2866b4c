"""Sets of king squares: what a try, the referee's answer and a step of the lone king make of them.

Against a bare king our own men are known, so an information set is a bitboard: the squares on which the king may stand.
A lone king gives no check and blocks no line that matters, so all boards of a set share one map of attacks, with our
men alone on the board: he may step to any square off the map, takes what stands unprotected, and is in check on it.
Every operation then treats all boards of a set at once.

Pawns of ours go up the board here; `chooser` turns the board round for Black. We do not castle.
"""

from typing import NamedTuple

from kriegbot import kernels as kb

RISING_IS_LONG = kb.words(
    sum(1 << s for s in range(64) if abs((s & 7) - (s >> 3)) < abs(7 - (s & 7) - (s >> 3))),
)[0]
"""Squares whose longer diagonal is the one that rises towards file h."""
RANK_1, RANK_3, RANK_8, FILE_A = kb.words(0xFF, 0xFF0000, 0xFF << 56, 0x0101010101010101)
TWO, EIGHT = kb.words(2, 8)
SAME_TURN, OUR_TURN, LESSENED, MATED, DRAWN, STALEMATED = 0, 1, 2, 3, 4, 5
"""Kinds of outcomes. The first three are our turn; before the third he has taken a man, and enough is left to mate."""
MOST_OUTCOMES = 64
"""Room for the outcomes of a try: refused, silent, 15 captures, some directions of check, mate, stalemate, a draw."""
OUTCOME = 9
"""Words of an outcome: our men (5), the squares, how many boards it comes from, its kind; where he stepped from unseen,
or none."""


class Men(NamedTuple):
    """Our men as bitboards; queens are both diagonals and orthogonals, as in a `Position`."""

    pawns: kb.Word
    knights: kb.Word
    diagonals: kb.Word
    orthogonals: kb.Word
    king: kb.Word


class Attacks(NamedTuple):
    """Squares that our men attack: by the direction of the check heard there, and `all`, with those of our king."""

    rank: kb.Word
    file: kb.Word
    long_diagonal: kb.Word
    short_diagonal: kb.Word
    knight: kb.Word
    all: kb.Word


@kb.inlined
def every(men: Men) -> kb.Word:
    """All our men."""
    return men.pawns | men.knights | men.diagonals | men.orthogonals | men.king


@kb.inlined
def steps_from(squares: kb.Word) -> kb.Word:
    """Squares that kings on these squares may step to, on an empty board."""
    beside = ((squares & kb.NOT_FILE_H) << kb.ONE) | ((squares & kb.NOT_FILE_A) >> kb.ONE)
    row = squares | beside
    return beside | (row << EIGHT) | (row >> EIGHT)


@kb.kernel
def attacks_of(tables: kb.Words, men: Men) -> Attacks:
    """What our men attack, the enemy king lifted off the board."""
    own = every(men)
    rank, file, rising, falling, knight = kb.NONE, kb.NONE, kb.NONE, kb.NONE, kb.NONE
    rest = men.orthogonals
    while rest:
        square = kb.lsb(rest)
        reached, row = kb.rook_attacks(tables, square, own), RANK_1 << kb.word(square & 56)
        rank |= reached & row
        file |= reached & ~row
        rest &= rest - kb.ONE
    rest = men.diagonals
    while rest:
        square = kb.lsb(rest)
        reached, here = kb.bishop_attacks(tables, square, own), rest & (kb.NONE - rest)
        above = ~(here | (here - kb.ONE))
        right = ~(FILE_A * ((TWO << kb.word(square & 7)) - kb.ONE))
        rises = (above & right) | (~above & ~right)
        rising |= reached & rises
        falling |= reached & ~rises
        rest &= rest - kb.ONE
    rest = men.knights
    while rest:
        knight |= kb.knight_attacks(tables, kb.lsb(rest))
        rest &= rest - kb.ONE
    rising |= kb.shifted(men.pawns & kb.NOT_FILE_H, 9)
    falling |= kb.shifted(men.pawns & kb.NOT_FILE_A, 7)
    long_diagonal = (rising & RISING_IS_LONG) | (falling & ~RISING_IS_LONG)
    short_diagonal = (rising & ~RISING_IS_LONG) | (falling & RISING_IS_LONG)
    reached = rank | file | rising | falling | knight | kb.king_attacks(tables, kb.lsb(men.king))
    return Attacks(rank, file, long_diagonal, short_diagonal, knight, reached)


@kb.kernel
def list_tries(tables: kb.Words, men: Men, moves: kb.Moves) -> int:
    """Write the tries worth a thought to `moves`: no castling, no pawn captures, promotions to queen and rook alone."""
    own = every(men)
    count = kb.add_moves(moves, 0, kb.lsb(men.king), kb.king_attacks(tables, kb.lsb(men.king)) & ~own)
    rest = men.knights | men.diagonals | men.orthogonals
    while rest:
        square, here = kb.lsb(rest), rest & (kb.NONE - rest)
        targets = kb.NONE
        if here & men.knights:
            targets |= kb.knight_attacks(tables, square)
        if here & men.diagonals:
            targets |= kb.bishop_attacks(tables, square, own)
        if here & men.orthogonals:
            targets |= kb.rook_attacks(tables, square, own)
        count = kb.add_moves(moves, count, square, targets & ~own)
        rest &= rest - kb.ONE
    ahead = kb.shifted(men.pawns, 8) & ~own
    double = kb.shifted(ahead & RANK_3, 8) & ~own
    while ahead:
        square = kb.lsb(ahead)
        if ahead & (kb.NONE - ahead) & RANK_8:
            moves[count] = (square - 8) | square << 6 | kb.QUEEN << 12
            moves[count + 1] = (square - 8) | square << 6 | kb.ROOK << 12
            count += 2
        else:
            moves[count] = (square - 8) | square << 6
            count += 1
        ahead &= ahead - kb.ONE
    while double:
        square = kb.lsb(double)
        moves[count] = (square - 16) | square << 6
        count += 1
        double &= double - kb.ONE
    return count


@kb.kernel
def refusing(tables: kb.Words, men: Men, move: int) -> kb.Word:
    """Squares of the lone king on which he makes a try illegal."""
    origin, target = move & 63, move >> 6 & 63
    if kb.bit(origin) & men.king:
        return kb.king_attacks(tables, target) | kb.bit(target)
    if kb.bit(origin) & men.pawns:
        if (target - origin) & 7:
            return kb.EVERYWHERE
        return kb.between(tables, origin, target) | kb.bit(target)
    return kb.NONE


@kb.kernel
def after_try(men: Men, move: int) -> Men:
    """Our men after a try that was accepted."""
    origin, target, promotion = move & 63, move >> 6 & 63, move >> 12 & 7
    pawns, knights = kb.moved(men.pawns, origin, target), kb.moved(men.knights, origin, target)
    diagonals, orthogonals = kb.moved(men.diagonals, origin, target), kb.moved(men.orthogonals, origin, target)
    if promotion:
        arrived = kb.bit(target)
        pawns ^= arrived
        if promotion == kb.KNIGHT:
            knights |= arrived
        if promotion in (kb.BISHOP, kb.QUEEN):
            diagonals |= arrived
        if promotion in (kb.ROOK, kb.QUEEN):
            orthogonals |= arrived
    return Men(pawns, knights, diagonals, orthogonals, kb.moved(men.king, origin, target))


@kb.inlined
def without(men: Men, square: kb.Word) -> Men:
    """Our men when one of them was taken."""
    return Men(men.pawns & ~square, men.knights & ~square, men.diagonals & ~square, men.orthogonals & ~square, men.king)


@kb.inlined
def part_with(squares: kb.Word, king: kb.Word, attacked: kb.Word) -> kb.Word:
    """Those of the squares that are attacked if the king's is, or that are not if his is not."""
    return squares & (attacked if king & attacked else ~attacked)


@kb.inlined
def sounding_like(squares: kb.Word, king: kb.Word, attacks: Attacks) -> kb.Word:
    """Those of the squares on which the same check is heard as on the king's."""
    squares = part_with(squares, king, attacks.rank)
    squares = part_with(squares, king, attacks.file)
    squares = part_with(squares, king, attacks.long_diagonal)
    squares = part_with(squares, king, attacks.short_diagonal)
    return part_with(squares, king, attacks.knight)


@kb.kernel
def can_mate(men: Men) -> bool:
    """Whether our men can win by force: not one minor piece, two knights, or bishops of one colour."""
    if men.pawns | men.orthogonals:
        return True
    dark, light = men.diagonals & kb.DARK_SQUARES, men.diagonals & ~kb.DARK_SQUARES
    if dark and light:
        return True
    return kb.popcount(men.knights) > (0 if men.diagonals else 2)


@kb.inlined
def men_at(rows: kb.Words, row: int) -> Men:
    """Our men in a row of OUTCOME words."""
    i = OUTCOME * row
    return Men(rows[i], rows[i + 1], rows[i + 2], rows[i + 3], rows[i + 4])


@kb.inlined
def write(outcomes: kb.Words, count: int, men: Men, squares: kb.Word, boards: int, kind: int, before: kb.Word) -> int:
    """Append an outcome; return the new count."""
    i = OUTCOME * count
    outcomes[i] = men.pawns
    outcomes[i + 1] = men.knights
    outcomes[i + 2] = men.diagonals
    outcomes[i + 3] = men.orthogonals
    outcomes[i + 4] = men.king
    outcomes[i + 5] = squares
    outcomes[i + 6] = kb.word(boards)
    outcomes[i + 7] = kb.word(kind)
    outcomes[i + 8] = before
    return count + 1


@kb.kernel
def outcomes_of(tables: kb.Words, men: Men, squares: kb.Word, move: int, outcomes: kb.Words) -> int:
    """Write what may follow from a try, as we would hear it, up to our next try; return how many outcomes there are.

    A king that may take a man of ours is counted as taking it, and may do otherwise all the same: the boards of the
    outcomes add up to those of the set, while each outcome holds every square that fits it. None if all boards refuse
    the try.
    """
    refused = squares & refusing(tables, men, move)
    rest = squares & ~refused
    if rest == kb.NONE:
        return 0
    count = 0
    if refused:
        count = write(outcomes, count, men, refused, kb.popcount(refused), SAME_TURN, kb.NONE)
    after = after_try(men, move)
    attacks = attacks_of(tables, after)
    free, own = ~attacks.all, every(after)
    going = rest & steps_from(free)
    stuck = rest ^ going
    if stuck & attacks.all:
        count = write(outcomes, count, after, kb.NONE, kb.popcount(stuck & attacks.all), MATED, kb.NONE)
    if stuck & free:
        count = write(outcomes, count, after, kb.NONE, kb.popcount(stuck & free), STALEMATED, kb.NONE)
    hanging, takers = own & free & ~after.king, kb.NONE
    while hanging:
        square = hanging & (kb.NONE - hanging)
        taking = going & kb.king_attacks(tables, kb.lsb(hanging)) & ~takers
        if taking:
            left = without(after, square)
            kind = LESSENED if can_mate(left) else DRAWN
            count = write(outcomes, count, left, square, kb.popcount(taking), kind, kb.NONE)
        takers |= taking
        hanging &= hanging - kb.ONE
    while going:
        alike = sounding_like(going, going & (kb.NONE - going), attacks)
        following = steps_from(alike) & free & ~own
        if following:
            count = write(outcomes, count, after, following, kb.popcount(alike & ~takers), OUR_TURN, alike)
        going ^= alike
    return count
