"""Moves to mate with the king in view: exact tables for five endings, and the start of `delayed_information`.

King against king and queen, rook, pawn, two bishops of opposite colours, or bishop and knight. Retrograde analysis as
for endgame tables (Ströhlein 1970; Thompson 1986), by sets: for each placement of our pieces, one word holds all
squares on which the king is lost within a number of moves.

The table has a row of eight words for each placement: a byte for each square of the king, with us to move. The byte is
the number of moves to mate, or 0 if there is no mate.
"""

from functools import cache

import numpy as np

from kriegbot import kernels as kb
from kriegbot.endgames.king_sets import Pieces, after_try, all_pieces, attacks_of, list_tries, refusing, steps_from

QUEENS, ROOKS, PAWNS, BISHOPS, KNIGHTS, END = 0, 4096, 8192, 12288, 77824, 339968
"""First placement of each ending. A placement combines the squares of our king and of a queen, rook or pawn (64 * 64),
of the dark and the light bishop (64 * 32 * 32), or of bishop and knight (64 * 64 * 64)."""
NO_PLACEMENT = -1  # of pieces that the table does not have
LONGEST = 33  # moves to mate, with bishop and knight
HOPELESS = 60  # moves counted if there is no mate
(BYTE,) = kb.words(255)


@kb.kernel
def placement(ours: Pieces) -> int:
    """Return the row of our pieces, or of the strongest ones that suffice."""
    king = kb.lsb(ours.king)
    queens = ours.diagonals & ours.orthogonals
    if queens:
        return QUEENS + 64 * king + kb.lsb(queens)
    if ours.orthogonals:
        return ROOKS + 64 * king + kb.lsb(ours.orthogonals)
    if ours.pawns:
        return PAWNS + 64 * king + kb.lsb(ours.pawns)
    dark, light = ours.diagonals & kb.DARK_SQUARES, ours.diagonals & ~kb.DARK_SQUARES
    if dark and light:
        return BISHOPS + (king << 10 | kb.lsb(dark) >> 1 << 5 | kb.lsb(light) >> 1)
    if ours.diagonals and ours.knights:
        return KNIGHTS + (king << 12 | kb.lsb(ours.diagonals) << 6 | kb.lsb(ours.knights))
    return NO_PLACEMENT


@kb.inlined
def coloured(half: int, dark: int) -> int:
    """Return the dark (1) or light (0) one of the squares 2 * half and 2 * half + 1."""
    square = 2 * half
    return square if (kb.DARK_SQUARES >> kb.word(square)) & kb.ONE == kb.word(dark) else square + 1


@kb.kernel
def placed(place: int) -> Pieces:
    """Return the fewest pieces with a placement. In an impossible one our king may share a square."""
    if place < BISHOPS:
        king, piece = kb.bit(place >> 6 & 63), kb.bit(place & 63)
        queen = piece if place < ROOKS else kb.NONE
        pawn = piece if place >= PAWNS else kb.NONE
        return Pieces(pawn, kb.NONE, queen, piece & ~pawn, king)
    if place < KNIGHTS:
        place -= BISHOPS
        bishops = kb.bit(coloured(place >> 5 & 31, 1)) | kb.bit(coloured(place & 31, 0))
        return Pieces(kb.NONE, kb.NONE, bishops, kb.NONE, kb.bit(place >> 10))
    place -= KNIGHTS
    return Pieces(kb.NONE, kb.bit(place & 63), kb.bit(place >> 6 & 63), kb.NONE, kb.bit(place >> 12))


@kb.kernel
def lost_in(tables: kb.Words, ours: Pieces, before: kb.Words, moves: kb.Moves) -> kb.Word:
    """Return the squares on which the king is lost with us to move, given the squares lost one move later."""
    attacks, own = attacks_of(tables, ours), all_pieces(ours)
    possible = ~attacks.all & ~own
    lost = before[placement(ours)]
    for i in range(list_tries(tables, ours, moves)):
        if lost == possible:
            break
        after = after_try(ours, moves[i])
        free = ~attacks_of(tables, after).all
        escaping = steps_from(free & ~before[placement(after)])
        stalemated = free & ~steps_from(free)
        lost |= possible & ~escaping & ~stalemated & ~refusing(tables, ours, moves[i])
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
            ours = placed(place)
            minors = kb.popcount(ours.knights) + kb.popcount(ours.diagonals & ~ours.orthogonals)
            if kb.popcount(all_pieces(ours)) != (3 if minors else 2) or ours.pawns & kb.LAST_RANKS:
                continue
            lost = lost_in(kb.pointer(tables), ours, kb.pointer(before), kb.pointer(moves))
            new = lost & ~before[place]
            after[place] = lost
            while new:
                square = kb.lsb(new)
                rows[8 * place + (square >> 3)] |= kb.word(depth) << kb.word(8 * (square & 7))
                new &= new - kb.ONE
        before[begin:end] = after[begin:end]


def fill(begin: int, end: int, rows: kb.WordArray) -> None:
    """Fill in the rows of some endings; they must include the endings after captures and promotions."""
    before, after = np.zeros(END, np.uint64), np.zeros(END, np.uint64)
    _fill(kb.TABLES, begin, end, before, after, rows, np.zeros(kb.MAX_MOVES, np.int32))


@cache
def mate_table(with_minors: bool) -> kb.WordArray:
    """Return the rows of all placements, uint64[8 * END]; those of minor pieces are 0 unless requested.

    The others take half a second. Those of minor pieces take some seconds once, and are cached with the kernels.
    """
    rows = np.zeros(8 * END, np.uint64)
    fill(QUEENS, BISHOPS, rows)
    if with_minors:
        rows[8 * BISHOPS :] = kb.load_or_build("minors", minors, *SOURCES)
    return rows


SOURCES = (_fill, LONGEST)  # the rows depend on these


def minors() -> kb.WordArray:
    """Return the rows of the minor pieces."""
    rows = np.zeros(8 * END, np.uint64)
    fill(BISHOPS, KNIGHTS, rows)
    fill(KNIGHTS, END, rows)
    return rows[8 * BISHOPS :]


@kb.kernel
def moves_in_view(rows: kb.Words, ours: Pieces, squares: kb.Word) -> float:
    """Return the moves to mate a king in view, averaged over the squares; HOPELESS counts where there is no mate."""
    place, total, rest = placement(ours), 0, squares
    while rest and place != NO_PLACEMENT:
        square = kb.lsb(rest)
        moves = kb.number(rows[8 * place + (square >> 3)] >> kb.word(8 * (square & 7)) & BYTE)
        total += moves if moves else HOPELESS
        rest &= rest - kb.ONE
    return float(total) / float(kb.popcount(squares))
