"""Tables of moves to mate: a king that we see, and a king that we see one move late.

Retrograde analysis as for endgame tables (Ströhlein 1970; Thompson 1986), by sets, gives the moves to mate a king in
view. For the other table, suppose that somebody shows us at each of our turns the square that the king stood on before
its last step. It is then on one of at most eight squares. Value iteration (Bellman 1957) finds the cost of each such
set, in moves, starting from the king in view, a lower bound. Unlike that bound it accounts for squares that must be
covered because the king may stand there, for pieces that hang near it, and for the information in a refusal.

A placement of our pieces and a square have two costs. `delayed`: the king has just stepped from the square, unseen.
`current`: it stands there, and this once we know it. The cost of a step mixes the mean over the king's squares and the
worst of them, since the king may know our pieces. After a second refusal in a turn the king counts as seen.

There are tables for king and queen, rook, pawn, two bishops, bishop and knight, and two rooks. The board is rotated and
reflected until our king is on one of ten squares (32 with a pawn).
"""

from functools import cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from kriegbot import kernels as kb
from kriegbot.endgames.king_sets import (
    Pieces,
    after_try,
    all_pieces,
    attacks_of,
    can_mate,
    list_tries,
    pieces_at,
    refusing,
    steps_from,
    without,
)

QUEENS, ROOKS, PAWNS, BISHOPS, KNIGHTS, PAIRS, END = 0, 640, 1280, 3328, 44288, 85248, 126208
"""First placement of each ending. A placement combines our king's square, of ten (32), and the other squares."""
NO_PLACEMENT = -1  # of pieces that the tables do not have
LOST = 100.0  # cost, in moves, if there is no mate
PIECE_COST = 15.0  # cost of losing a piece if the rest can still mate
SCALE = 512.0  # units of a move in the 16-bit tables
LONGEST = 33  # moves to mate a king in view, with bishop and knight
ADVERSE = 1.0, 0.5, 0.9
"""Weight of the king's worst square; for two bishops; for bishop and knight, which cannot force mate."""
MAX_SWEEPS, CONVERGED = 40, 0.1  # rounds of value iteration, and the largest change that ends them


@kb.inlined
def transformed(square: int, symmetry: int) -> int:
    """Return a square of the transformed board: bits 0-5 reflect it, bit 6 swaps files and ranks."""
    square ^= symmetry & 63
    return (square >> 3 | (square & 7) << 3) if symmetry & 64 else square


@kb.kernel
def restored(squares: kb.Word, symmetry: int) -> kb.Word:
    """Return the squares whose transforms these are."""
    result = kb.NONE
    while squares:
        square = kb.lsb(squares)
        result |= kb.bit((square >> 3 | (square & 7) << 3 if symmetry & 64 else square) ^ symmetry & 63)
        squares &= squares - kb.ONE
    return result


@kb.kernel
def placement(ours: Pieces) -> int:
    """Return the placement of our pieces, or of the strongest, times 128, plus the symmetry that leads to it."""
    king = kb.lsb(ours.king)
    symmetry = 7 if king & 4 else 0
    if ours.pawns and ours.orthogonals == kb.NONE:
        king ^= symmetry
        return (PAWNS + 64 * ((king >> 3) * 4 + (king & 3)) + (kb.lsb(ours.pawns) ^ symmetry)) << 7 | symmetry
    symmetry |= 56 if king & 32 else 0
    king ^= symmetry
    symmetry |= 64 if king >> 3 > king & 7 else 0
    rank, file = min(king >> 3, king & 7), max(king >> 3, king & 7)
    king = file * (file + 1) // 2 + rank
    queens, first, second, begin = ours.diagonals & ours.orthogonals, 0, 0, NO_PLACEMENT
    if queens:
        return (QUEENS + 64 * king + transformed(kb.lsb(queens), symmetry)) << 7 | symmetry
    if ours.orthogonals:
        first, others = kb.lsb(ours.orthogonals), ours.orthogonals & (ours.orthogonals - kb.ONE)
        if others == kb.NONE:
            return (ROOKS + 64 * king + transformed(first, symmetry)) << 7 | symmetry
        second, begin = kb.lsb(others), PAIRS
    else:
        dark, light = ours.diagonals & kb.DARK_SQUARES, ours.diagonals & ~kb.DARK_SQUARES
        if dark and light:
            first, second, begin = kb.lsb(dark), kb.lsb(light), BISHOPS
        elif ours.diagonals and ours.knights:
            first, second, begin = kb.lsb(ours.diagonals), kb.lsb(ours.knights), KNIGHTS
    if begin == NO_PLACEMENT:
        return NO_PLACEMENT
    first, second = transformed(first, symmetry), transformed(second, symmetry)
    if begin != KNIGHTS and first > second:
        first, second = second, first
    return (begin + 4096 * king + 64 * first + second) << 7 | symmetry


@kb.kernel
def placed(place: int) -> Pieces:
    """Return the pieces of a placement. Those of an impossible one have another placement, or are too few."""
    last = kb.bit(place & 63)
    if PAWNS <= place < BISHOPS:
        king = (place - PAWNS) >> 6
        return Pieces(last, kb.NONE, kb.NONE, kb.NONE, kb.bit(king >> 2 << 3 | king & 3))
    if place < PAWNS:
        king = (place if place < ROOKS else place - ROOKS) >> 6
    else:
        king = (place - BISHOPS) >> 12 if place < KNIGHTS else (place - KNIGHTS) >> 12
        king = king if place < PAIRS else king - 10
    file = 0
    while (file + 1) * (file + 2) // 2 <= king:
        file += 1
    where = kb.bit((king - file * (file + 1) // 2) << 3 | file)
    if place < PAWNS:
        return Pieces(kb.NONE, kb.NONE, last if place < ROOKS else kb.NONE, last, where)
    first = kb.bit((place - BISHOPS) >> 6 & 63)
    if place >= PAIRS:
        return Pieces(kb.NONE, kb.NONE, kb.NONE, first | last, where)
    return Pieces(
        kb.NONE, last if place >= KNIGHTS else kb.NONE, first if place >= KNIGHTS else first | last, kb.NONE, where
    )


@kb.kernel
def is_possible(place: int, ours: Pieces) -> bool:
    """Return True if a placement, whose pieces these are, can occur and is the one that `placement` returns."""
    count = 3 if place >= BISHOPS else 2
    return (
        kb.popcount(all_pieces(ours)) == count
        and ours.pawns & kb.LAST_RANKS == kb.NONE
        and placement(ours) >> 7 == place
    )


@kb.kernel
def mean_cost(costs: kb.Shorts, ours: Pieces, squares: kb.Word) -> float:
    """Return the mean of a table over squares; LOST for pieces that the table does not have."""
    place, total, rest = placement(ours), 0, squares
    if place == NO_PLACEMENT:
        return LOST
    while rest:
        total += costs[(place >> 7) * 64 + transformed(kb.lsb(rest), place & 127)]
        rest &= rest - kb.ONE
    return float(total) / (SCALE * float(kb.popcount(squares)))


@kb.kernel
def cost_try(
    tables: kb.Words, delayed: kb.Shorts, current: kb.Shorts, ours: Pieces, move: int, squares: kb.Word, costs: kb.Reals
) -> None:
    """Write the cost of an accepted try, for each of the squares."""
    after = after_try(ours, move)
    free, place = ~attacks_of(tables, after).all, placement(after)
    going, hanging = steps_from(free), all_pieces(after) & free & ~after.king
    while squares:
        square, here = kb.lsb(squares), squares & (kb.NONE - squares)
        cost = LOST if here & free else 1.0
        captured = hanging & kb.king_attacks(tables, square)
        if captured:
            captured &= kb.NONE - captured
            left = without(after, captured)
            cost = 1.0 + PIECE_COST + mean_cost(current, left, captured) if can_mate(left) else LOST
        elif here & going:
            cost = 1.0 + float(delayed[(place >> 7) * 64 + transformed(square, place & 127)]) / SCALE
        costs[square] = min(cost, LOST)
        squares &= squares - kb.ONE


class TryCosts(NamedTuple):
    """Tries of a placement: their number, the squares that refuse each, its costs [64], and the best costs [64]."""

    listed: int
    refused: kb.Words
    costs: kb.Reals
    best: kb.Reals


@kb.kernel
def mixture(tries: TryCosts, i: int, squares: kb.Word, adverse: float) -> float:
    """Return the cost of a try on these squares, mean and worst mixed, if a refusal showed us the king."""
    total, worst, rest = 0.0, 0.0, squares
    while rest:
        square = kb.lsb(rest)
        cost = tries.best[square] if tries.refused[i] & rest & (kb.NONE - rest) else tries.costs[64 * i + square]
        total, worst = total + cost, max(worst, cost)
        rest &= rest - kb.ONE
    return (1.0 - adverse) * total / float(kb.popcount(squares)) + adverse * worst


@kb.kernel
def set_cost(tries: TryCosts, squares: kb.Word, adverse: float) -> float:
    """Return the cost of a set with us to move."""
    least, size = LOST, float(kb.popcount(squares))
    for i in range(tries.listed):
        refused = squares & tries.refused[i]
        if refused == squares:
            continue
        cost = mixture(tries, i, squares, adverse)
        if refused and cost < least:
            again = LOST
            for j in range(tries.listed):
                if refused & ~tries.refused[j]:
                    again = min(again, mixture(tries, j, refused, adverse))
            total, worst, rest = again * float(kb.popcount(refused)), again, squares & ~refused
            while rest:
                one = tries.costs[64 * i + kb.lsb(rest)]
                total, worst = total + one, max(worst, one)
                rest &= rest - kb.ONE
            cost = (1.0 - adverse) * total / size + adverse * worst
        least = min(least, cost)
    return least


@kb.kernel
def lost_in(tables: kb.Words, place: int, before: kb.Words, moves: kb.Moves) -> kb.Word:
    """Return the squares of a king in view that is lost with us to move, given those lost one move later."""
    ours = placed(place)
    possible, lost = ~attacks_of(tables, ours).all & ~all_pieces(ours), before[place]
    for i in range(list_tries(tables, ours, moves)):
        if lost == possible:
            break
        after = after_try(ours, moves[i])
        free, row = ~attacks_of(tables, after).all, placement(after)
        escaping = steps_from(free & ~restored(before[row >> 7], row & 127))
        stalemated = free & ~steps_from(free)
        lost |= possible & ~escaping & ~stalemated & ~refusing(tables, ours, moves[i])
    return lost


@kb.entry
def _fill_in_view(
    tables: kb.WordArray, begin: int, end: int, lost: kb.WordArray, current: kb.ShortArray, moves: kb.MoveArray
) -> None:
    before, after = kb.pointer(lost), kb.advance(kb.pointer(lost), END)
    for depth in range(1, LONGEST + 1):
        for place in range(begin, end):
            if not is_possible(place, placed(place)):
                continue
            after[place] = lost_in(kb.pointer(tables), place, before, kb.pointer(moves))
            new = after[place] & ~before[place]
            while new:
                current[64 * place + kb.lsb(new)] = int(SCALE * depth)
                new &= new - kb.ONE
        for place in range(begin, end):
            before[place] = after[place]


def fill_in_view(begin: int, end: int, current: kb.ShortArray) -> None:
    """Write the moves to mate a king in view, in units, for the endings of some placements.

    They must include the endings after promotions.
    """
    _fill_in_view(kb.TABLES, begin, end, np.zeros(2 * END, np.uint64), current, np.zeros(kb.MAX_MOVES, np.int32))


@kb.entry
def _begin(tables: kb.WordArray, begin: int, end: int, delayed: kb.ShortArray, current: kb.ShortArray) -> None:
    """Write the initial costs of a king seen one move late; `current` is that of a king in view, or 1 for two rooks."""
    for place in range(begin, end):
        ours = placed(place)
        if not is_possible(place, ours):
            continue
        possible = ~attacks_of(kb.pointer(tables), ours).all & ~all_pieces(ours)
        for square in range(64):
            if place >= PAIRS and kb.bit(square) & possible:
                current[64 * place + square] = int(SCALE)
        for square in range(64):
            following = steps_from(kb.bit(square)) & possible
            if following:
                delayed[64 * place + square] = int(SCALE * mean_cost(kb.pointer(current), ours, following))


@kb.entry
def _sweep(
    tables: kb.WordArray,
    begin: int,
    end: int,
    delayed: kb.ShortArray,
    current: kb.ShortArray,
    scratch: tuple[kb.MoveArray, kb.WordArray, kb.RealArray],
    adverse: float,
) -> float:
    """Run one round of value iteration; return the largest change."""
    moves, refused, costs = kb.pointer(scratch[0]), kb.pointer(scratch[1]), kb.pointer(scratch[2])
    change = 0.0
    for place in range(begin, end):
        ours = placed(place)
        own = all_pieces(ours)
        if not is_possible(place, ours):
            continue
        possible = ~attacks_of(kb.pointer(tables), ours).all & ~own
        listed = list_tries(kb.pointer(tables), ours, moves)
        tries = TryCosts(listed, refused, costs, kb.advance(costs, 64 * kb.MAX_MOVES))
        for square in range(64):
            tries.best[square] = LOST
        for i in range(listed):
            refused[i] = refusing(kb.pointer(tables), ours, moves[i])
            rest, row = possible & ~refused[i], kb.advance(tries.costs, 64 * i)
            cost_try(kb.pointer(tables), kb.pointer(delayed), kb.pointer(current), ours, moves[i], rest, row)
            while rest:
                square = kb.lsb(rest)
                tries.best[square] = min(tries.best[square], row[square])
                rest &= rest - kb.ONE
        for square in range(64):
            if kb.bit(square) & possible:
                current[64 * place + square] = int(SCALE * tries.best[square])
            following = steps_from(kb.bit(square)) & possible
            if following and kb.bit(square) & ~own:
                cost = set_cost(tries, following, adverse)
                change = max(change, abs(cost - float(delayed[64 * place + square]) / SCALE))
                delayed[64 * place + square] = int(SCALE * cost)
    return change


@kb.entry
def _placement(ours: kb.WordArray) -> int:
    return placement(pieces_at(kb.pointer(ours), 0))


class DelayedTables(NamedTuple):
    """The tables, each uint16[64 * END] in units of a move."""

    delayed: kb.ShortArray
    current: kb.ShortArray


@cache
def _tables() -> DelayedTables:
    """Return the tables. They take 32 MB, and most games end without them."""
    return DelayedTables(no_mates(), no_mates())


def no_mates() -> kb.ShortArray:
    """Return a table in which everything is LOST."""
    return np.full(64 * END, SCALE * LOST, np.uint16)


ENDINGS = tuple(pairwise((QUEENS, ROOKS, PAWNS, BISHOPS, KNIGHTS, PAIRS, END)))  # first placement, and that of the next


def delayed_tables_for(ours: kb.WordArray) -> DelayedTables:
    """Return the tables, filled in for our pieces and for queen, rook and pawn."""
    place = int(_placement(ours)) >> 7
    for begin, end in ENDINGS:
        if begin < BISHOPS or begin <= place < end:
            _ensure(begin, end)
    return _tables()


def build() -> None:
    """Fill in all tables. This takes some 20 seconds once; then they are cached with the kernels."""
    for begin, end in ENDINGS:
        _ensure(begin, end)


@cache
def _ensure(begin: int, end: int) -> None:
    tables, part = _tables(), slice(64 * begin, 64 * end)
    tables.delayed[part], tables.current[part] = kb.load_or_build(f"late-{begin}", lambda: _build(begin, end))


def _build(begin: int, end: int) -> kb.ShortArray:
    """Return both tables of an ending, [2, 64 * (end - begin)]."""
    (delayed, current), part, in_view = _tables(), slice(64 * begin, 64 * end), no_mates()
    fill_in_view(*((QUEENS, BISHOPS) if begin < BISHOPS else (begin, min(end, PAIRS))), in_view)
    current[part] = in_view[part]
    scratch = np.zeros(kb.MAX_MOVES, np.int32), np.zeros(kb.MAX_MOVES, np.uint64), np.zeros(64 * kb.MAX_MOVES + 64)
    _begin(kb.TABLES, begin, end, delayed, current)
    for _ in range(MAX_SWEEPS):
        adverse = ADVERSE[1 if begin == BISHOPS else 2 if begin == KNIGHTS else 0]
        if _sweep(kb.TABLES, begin, end, delayed, current, scratch, adverse) < CONVERGED:
            break
    return np.stack((delayed[part], current[part]))
