"""How soon a king is mated who is seen one move late: the yardstick of the estimates.

Suppose that at each of our turns we were told where the king stood before his last step. He is then on one of at most
eight squares, and the cost of every such set, for every placing of our men, fits into a table. It is found by value
iteration (Bellman 1957) from the moves to mate in full view, which can only be fewer. Unlike `full_view`, it knows
that mates need squares covered that he might be on, that men near him hang, and that a refused try tells something.

Two costs for each placing and square, in moves: `late`, if he stepped from that square, unseen; `now`, if he stands
there and we know it this once. A step costs a mixture of the mean over his squares and the worst of them, as he may
know where our men are. A refusal is followed once more exactly; after a second one the king is taken to be known.

The tables are for a king and queen, rook, pawn, two bishops, bishop and knight, or two rooks; the board is turned and
mirrored until our king is among ten squares (32 where there is a pawn).
"""

from functools import cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from kriegbot import kernels as kb
from kriegbot.endgames.king_sets import (
    Men,
    after_try,
    attacks_of,
    can_mate,
    every,
    list_tries,
    men_at,
    refusing,
    steps_from,
    without,
)
from kriegbot.endgames.visible_king import HOPELESS, SOURCES, moves_in_view, soonest

QUEENS, ROOKS, PAWNS, BISHOPS, KNIGHTS, PAIRS, END = 0, 640, 1280, 3328, 44288, 85248, 126208
"""Where the placings of each ending begin: our king's square among ten (32) comes first, then those of the others."""
ELSEWHERE = -1  # the placing of any other men
LOST = 100.0  # what it costs, in moves, when there is no mate
TAKEN = 15.0  # what it costs to lose a man where the rest can still mate
SCALE = 512.0  # parts of a move in which costs are kept, in 16 bits
ADVERSE = 1.0, 0.5, 0.9
"""Weight of the worst of his squares; the same for two bishops; for bishop and knight, who cannot force mate."""
SWEEPS, SETTLED = 40, 0.1  # most rounds of value iteration, and the largest change after which there are no more


@kb.inlined
def viewed(square: int, view: int) -> int:
    """A square of the board turned: the lowest six bits of the view mirror it, the next one swaps files and ranks."""
    square ^= view & 63
    return (square >> 3 | (square & 7) << 3) if view & 64 else square


@kb.kernel
def placing(men: Men) -> int:
    """Which rows hold our men, times 128, plus the view in which they do; of many men, the strongest are looked up."""
    king = kb.lsb(men.king)
    view = 7 if king & 4 else 0
    if men.pawns and men.orthogonals == kb.NONE:
        king ^= view
        return (PAWNS + 64 * ((king >> 3) * 4 + (king & 3)) + (kb.lsb(men.pawns) ^ view)) << 7 | view
    view |= 56 if king & 32 else 0
    king ^= view
    view |= 64 if king >> 3 > king & 7 else 0
    rank, file = min(king >> 3, king & 7), max(king >> 3, king & 7)
    king = file * (file + 1) // 2 + rank
    queens, first, second, begin = men.diagonals & men.orthogonals, 0, 0, ELSEWHERE
    if queens:
        return (QUEENS + 64 * king + viewed(kb.lsb(queens), view)) << 7 | view
    if men.orthogonals:
        first, others = kb.lsb(men.orthogonals), men.orthogonals & (men.orthogonals - kb.ONE)
        if others == kb.NONE:
            return (ROOKS + 64 * king + viewed(first, view)) << 7 | view
        second, begin = kb.lsb(others), PAIRS
    else:
        dark, light = men.diagonals & kb.DARK_SQUARES, men.diagonals & ~kb.DARK_SQUARES
        if dark and light:
            first, second, begin = kb.lsb(dark), kb.lsb(light), BISHOPS
        elif men.diagonals and men.knights:
            first, second, begin = kb.lsb(men.diagonals), kb.lsb(men.knights), KNIGHTS
    if begin == ELSEWHERE:
        return ELSEWHERE
    first, second = viewed(first, view), viewed(second, view)
    if begin != KNIGHTS and first > second:
        first, second = second, first
    return (begin + 4096 * king + 64 * first + second) << 7 | view


@kb.kernel
def men_placed(place: int) -> Men:
    """The inverse of `placing`; where there is no such placing, men that `placing` puts elsewhere, or too few."""
    last = kb.bit(place & 63)
    if PAWNS <= place < BISHOPS:
        king = (place - PAWNS) >> 6
        return Men(last, kb.NONE, kb.NONE, kb.NONE, kb.bit(king >> 2 << 3 | king & 3))
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
        return Men(kb.NONE, kb.NONE, last if place < ROOKS else kb.NONE, last, where)
    first = kb.bit((place - BISHOPS) >> 6 & 63)
    if place >= PAIRS:
        return Men(kb.NONE, kb.NONE, kb.NONE, first | last, where)
    return Men(
        kb.NONE, last if place >= KNIGHTS else kb.NONE, first if place >= KNIGHTS else first | last, kb.NONE, where
    )


@kb.kernel
def mean_cost(costs: kb.Shorts, men: Men, squares: kb.Word) -> float:
    """The mean of a table over squares; LOST for men it does not have."""
    place, total, rest = placing(men), 0, squares
    if place == ELSEWHERE:
        return LOST
    while rest:
        total += costs[(place >> 7) * 64 + viewed(kb.lsb(rest), place & 127)]
        rest &= rest - kb.ONE
    return float(total) / (SCALE * float(kb.popcount(squares)))


@kb.kernel
def cost_try(
    tables: kb.Words, late: kb.Shorts, now: kb.Shorts, men: Men, move: int, squares: kb.Word, costs: kb.Reals
) -> None:
    """Write what a try costs that is accepted, for each of the squares."""
    after = after_try(men, move)
    free, place = ~attacks_of(tables, after).all, placing(after)
    going, hanging = steps_from(free), every(after) & free & ~after.king
    while squares:
        square, here = kb.lsb(squares), squares & (kb.NONE - squares)
        cost = LOST if here & free else 1.0
        taken = hanging & kb.king_attacks(tables, square)
        if taken:
            taken &= kb.NONE - taken
            left = without(after, taken)
            cost = 1.0 + TAKEN + mean_cost(now, left, taken) if can_mate(left) else LOST
        elif here & going:
            cost = 1.0 + float(late[(place >> 7) * 64 + viewed(square, place & 127)]) / SCALE
        costs[square] = min(cost, LOST)
        squares &= squares - kb.ONE


class Tries(NamedTuple):
    """Tries of a placing: how many; the squares that refuse each; costs of each, 64 a row; and of the best."""

    listed: int
    refused: kb.Words
    costs: kb.Reals
    best: kb.Reals


@kb.kernel
def mixture(tries: Tries, i: int, squares: kb.Word, adverse: float) -> float:
    """What a try costs on these squares, mean and worst mixed, if a refusal would show us the king."""
    total, worst, rest = 0.0, 0.0, squares
    while rest:
        square = kb.lsb(rest)
        cost = tries.best[square] if tries.refused[i] & rest & (kb.NONE - rest) else tries.costs[64 * i + square]
        total, worst = total + cost, max(worst, cost)
        rest &= rest - kb.ONE
    return (1.0 - adverse) * total / float(kb.popcount(squares)) + adverse * worst


@kb.kernel
def cheapest(tries: Tries, squares: kb.Word, adverse: float, follows: bool) -> float:
    """What a set costs with us to move; `follows` says whether a refusal is followed exactly."""
    least, size = LOST, float(kb.popcount(squares))
    for i in range(tries.listed):
        refused = squares & tries.refused[i]
        if refused == squares:
            continue
        cost = mixture(tries, i, squares, adverse)
        if follows and refused and cost < least:
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


@kb.entry
def _begin(
    tables: kb.WordArray, rows: kb.WordArray, begin: int, end: int, late: kb.ShortArray, now: kb.ShortArray
) -> None:
    """Fill in what is known from full view; 1 for two rooks, which it does not have."""
    for place in range(begin, end):
        men = men_placed(place)
        possible = ~attacks_of(kb.pointer(tables), men).all & ~every(men)
        for square in range(64):
            if kb.bit(square) & possible:
                seen = moves_in_view(kb.pointer(rows), men, kb.bit(square)) if place < PAIRS else 1.0
                now[64 * place + square] = int(SCALE * (seen if seen < HOPELESS else LOST))
        for square in range(64):
            following = steps_from(kb.bit(square)) & possible
            if following and placing(men) >> 7 == place:
                late[64 * place + square] = int(SCALE * mean_cost(kb.pointer(now), men, following))


class Room(NamedTuple):
    """Room to work in: for a list of moves, the squares that refuse each, and their costs on each square."""

    moves: kb.MoveArray
    refused: kb.WordArray
    costs: kb.RealArray


@kb.entry
def _sweep(
    tables: kb.WordArray, begin: int, end: int, late: kb.ShortArray, now: kb.ShortArray, room: Room, adverse: float
) -> float:
    """A round of value iteration; returns the largest change."""
    moves, refused, costs = kb.pointers(room)
    change = 0.0
    for place in range(begin, end):
        men = men_placed(place)
        own = every(men)
        is_full = kb.popcount(own) == (3 if place >= BISHOPS else 2)
        if not is_full or men.pawns & kb.LAST_RANKS or placing(men) >> 7 != place:
            continue
        possible = ~attacks_of(kb.pointer(tables), men).all & ~own
        listed = list_tries(kb.pointer(tables), men, moves)
        tries = Tries(listed, refused, costs, kb.advance(costs, 64 * kb.MAX_MOVES))
        for square in range(64):
            tries.best[square] = LOST
        for i in range(listed):
            refused[i] = refusing(kb.pointer(tables), men, moves[i])
            rest, row = possible & ~refused[i], kb.advance(tries.costs, 64 * i)
            cost_try(kb.pointer(tables), kb.pointer(late), kb.pointer(now), men, moves[i], rest, row)
            while rest:
                square = kb.lsb(rest)
                tries.best[square] = min(tries.best[square], row[square])
                rest &= rest - kb.ONE
        for square in range(64):
            if kb.bit(square) & possible:
                now[64 * place + square] = int(SCALE * tries.best[square])
            following = steps_from(kb.bit(square)) & possible
            if following and kb.bit(square) & ~own:
                cost = cheapest(tries, following, adverse, True)
                change = max(change, abs(cost - float(late[64 * place + square]) / SCALE))
                late[64 * place + square] = int(SCALE * cost)
    return change


@kb.entry
def _placing(men: kb.WordArray) -> int:
    return placing(men_at(kb.pointer(men), 0))


class Late(NamedTuple):
    """The tables, each uint16[64 * END], and where those endings begin that are filled in; all else is LOST."""

    late: kb.ShortArray
    now: kb.ShortArray
    filled: set[int]


@cache
def _tables() -> Late:
    """Made once they are needed: they take 32 MB, and most games end without."""
    return Late(np.full(64 * END, SCALE * LOST, np.uint16), np.full(64 * END, SCALE * LOST, np.uint16), set())


ENDINGS = tuple(pairwise((QUEENS, ROOKS, PAWNS, BISHOPS, KNIGHTS, PAIRS, END)))  # where each ending begins and ends


def delayed_tables_for(men: kb.WordArray) -> Late:
    """The tables, with the ending of our men and those of queen, rook and pawn filled in."""
    place = int(_placing(men)) >> 7
    for begin, end in ENDINGS:
        if begin < BISHOPS or begin <= place < end:
            _have(begin, end)
    return _tables()


def build() -> None:
    """Fill in all tables, which takes some 20 seconds, once: then they are kept beside the kernels."""
    for begin, end in ENDINGS:
        _have(begin, end)


def _have(begin: int, end: int) -> None:
    tables = _tables()
    if begin not in tables.filled:
        part = slice(64 * begin, 64 * end)
        made_by = _begin, _sweep, ADVERSE, SWEEPS, SETTLED, *SOURCES
        tables.late[part], tables.now[part] = kb.load_or_build(f"late-{begin}", lambda: _filled(begin, end), *made_by)
        tables.filled.add(begin)


def _filled(begin: int, end: int) -> kb.ShortArray:
    """Both tables of an ending, [2, 64 * (end - begin)]."""
    rows, tables = soonest(with_minors=BISHOPS <= begin < PAIRS), _tables()
    costs = np.zeros(64 * kb.MAX_MOVES + 64)
    room = Room(np.zeros(kb.MAX_MOVES, np.int32), np.zeros(kb.MAX_MOVES, np.uint64), costs)
    _begin(kb.TABLES, rows, begin, end, tables.late, tables.now)
    for _ in range(SWEEPS):
        adverse = ADVERSE[1 if begin == BISHOPS else 2 if begin == KNIGHTS else 0]
        if _sweep(kb.TABLES, begin, end, tables.late, tables.now, room, adverse) < SETTLED:
            break
    return np.stack((tables.late[64 * begin : 64 * end], tables.now[64 * begin : 64 * end]))
