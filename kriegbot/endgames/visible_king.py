"""How soon a king in full view is mated: exact for five endings, and where `seen_late` begins.

King against king and queen, rook, pawn, two bishops of opposite colours, or bishop and knight. Retrograde analysis as
for endgame tables (Ströhlein 1970; Thompson 1986), by sets: for each placing of our men one word holds all squares on
which the king is lost within so many moves.

The table has a row of eight words for each placing, a byte for each square of the king with us to move: moves to mate,
0 where there is none.
"""

from functools import cache

import numpy as np

from kriegbot import kernels as kb
from kriegbot.endgames.king_sets import Men, after_try, attacks_of, every, list_tries, refusing, steps_from

QUEENS, ROOKS, PAWNS, BISHOPS, KNIGHTS, END = 0, 4096, 8192, 12288, 77824, 339968
"""Where the placings of each ending begin: our king's square comes first, then that of a queen, rook or pawn (64 * 64),
of the dark bishop and the light one (64 * 32 * 32), or of a bishop and a knight (64 * 64 * 64)."""
ELSEWHERE = -1  # the placing of any other men
LONGEST = 33  # the most moves to mate: of bishop and knight
HOPELESS = 60  # what a king that is not lost counts, in moves
(BYTE,) = kb.words(255)


@kb.kernel
def placing(men: Men) -> int:
    """Which row holds our men; of more than two, the strongest that are enough."""
    king = kb.lsb(men.king)
    queens = men.diagonals & men.orthogonals
    if queens:
        return QUEENS + 64 * king + kb.lsb(queens)
    if men.orthogonals:
        return ROOKS + 64 * king + kb.lsb(men.orthogonals)
    if men.pawns:
        return PAWNS + 64 * king + kb.lsb(men.pawns)
    dark, light = men.diagonals & kb.DARK_SQUARES, men.diagonals & ~kb.DARK_SQUARES
    if dark and light:
        return BISHOPS + (king << 10 | kb.lsb(dark) >> 1 << 5 | kb.lsb(light) >> 1)
    if men.diagonals and men.knights:
        return KNIGHTS + (king << 12 | kb.lsb(men.diagonals) << 6 | kb.lsb(men.knights))
    return ELSEWHERE


@kb.inlined
def coloured(half: int, dark: int) -> int:
    """The dark (1) or the light (0) one of the two squares whose numbers halved are `half`."""
    square = 2 * half
    return square if (kb.DARK_SQUARES >> kb.word(square)) & kb.ONE == kb.word(dark) else square + 1


@kb.kernel
def men_placed(place: int) -> Men:
    """The inverse of `placing`, of as few men as can be; our king may share a square where there is no such placing."""
    if place < BISHOPS:
        king, man = kb.bit(place >> 6 & 63), kb.bit(place & 63)
        queen = man if place < ROOKS else kb.NONE
        pawn = man if place >= PAWNS else kb.NONE
        return Men(pawn, kb.NONE, queen, man & ~pawn, king)
    if place < KNIGHTS:
        place -= BISHOPS
        bishops = kb.bit(coloured(place >> 5 & 31, 1)) | kb.bit(coloured(place & 31, 0))
        return Men(kb.NONE, kb.NONE, bishops, kb.NONE, kb.bit(place >> 10))
    place -= KNIGHTS
    return Men(kb.NONE, kb.bit(place & 63), kb.bit(place >> 6 & 63), kb.NONE, kb.bit(place >> 12))


@kb.kernel
def lost_in(tables: kb.Words, men: Men, before: kb.Words, moves: kb.Moves) -> kb.Word:
    """Squares on which the king is lost with us to move, if he is lost before our next move on those of `before`."""
    attacks, own = attacks_of(tables, men), every(men)
    possible = ~attacks.all & ~own
    lost = before[placing(men)]
    for i in range(list_tries(tables, men, moves)):
        if lost == possible:
            break
        after = after_try(men, moves[i])
        free = ~attacks_of(tables, after).all
        escaping = steps_from(free & ~before[placing(after)])
        stalemated = free & ~steps_from(free)
        lost |= possible & ~escaping & ~stalemated & ~refusing(tables, men, moves[i])
    return lost


@kb.entry
def _fill(
    tables: kb.WordArray,
    begin: int,
    end: int,
    before: kb.WordArray,
    after: kb.WordArray,
    rows: kb.WordArray,
    moves: kb.MoveArray,
) -> None:
    for depth in range(1, LONGEST + 1):
        for place in range(begin, end):
            men = men_placed(place)
            minors = kb.popcount(men.knights) + kb.popcount(men.diagonals & ~men.orthogonals)
            if kb.popcount(every(men)) != (3 if minors else 2) or men.pawns & kb.LAST_RANKS:
                continue
            lost = lost_in(kb.pointer(tables), men, kb.pointer(before), kb.pointer(moves))
            new = lost & ~before[place]
            after[place] = lost
            while new:
                square = kb.lsb(new)
                rows[8 * place + (square >> 3)] |= kb.word(depth) << kb.word(8 * (square & 7))
                new &= new - kb.ONE
        before[begin:end] = after[begin:end]


def filled(begin: int, end: int, rows: kb.WordArray) -> None:
    """Fill in the rows of some endings, which must include those that captures and promotions of theirs lead to."""
    before, after = np.zeros(END, np.uint64), np.zeros(END, np.uint64)
    _fill(kb.TABLES, begin, end, before, after, rows, np.zeros(kb.MAX_MOVES, np.int32))


@cache
def soonest(with_minors: bool) -> kb.WordArray:
    """The rows of all placings: uint64[8 * END]; those of minor pieces are 0 if not asked for.

    The others are ready in half a second, these in some seconds, once: then they are kept beside the kernels.
    """
    rows = np.zeros(8 * END, np.uint64)
    filled(QUEENS, BISHOPS, rows)
    if with_minors:
        rows[8 * BISHOPS :] = kb.load_or_build("minors", minors, *SOURCES)
    return rows


SOURCES = (_fill, LONGEST)  # what decides the rows


def minors() -> kb.WordArray:
    """The rows of the minor pieces."""
    rows = np.zeros(8 * END, np.uint64)
    filled(BISHOPS, KNIGHTS, rows)
    filled(KNIGHTS, END, rows)
    return rows[8 * BISHOPS :]


@kb.kernel
def moves_in_view(rows: kb.Words, men: Men, squares: kb.Word) -> float:
    """Moves to mate if the king were in view, on average over the squares; HOPELESS where there is no mate."""
    place, total, rest = placing(men), 0, squares
    while rest and place != ELSEWHERE:
        square = kb.lsb(rest)
        moves = kb.number(rows[8 * place + (square >> 3)] >> kb.word(8 * (square & 7)) & BYTE)
        total += moves if moves else HOPELESS
        rest &= rest - kb.ONE
    return float(total) / float(kb.popcount(squares))
