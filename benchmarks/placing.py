"""Placements, their tries, and what the king can do in each: the arrays of `proving` and `choosing`."""

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
    refusing,
    steps_from,
    with_same_checks,
    without,
)
from kriegbot.endgames.placements import BISHOPS, END, NO_PLACEMENT, placed, placement, transformed_set

CHECKS = 10  # most kinds of check, none included, in a placement
MAXIMAL = 200  # sets of a placement that others are composed of, the largest
PARTS = 5 * MAXIMAL  # choices for a part of a set
CANDIDATES = 1 << 18
PLACES, TRIES, SETS, NEEDS = 58_000, 1_400_000, 40_000_000, 30_000_000
NOWHERE = -1
SIZE, SEED, PENDING, MISSED = range(4)  # counters


class Proving(NamedTuple):
    """Placements, their tries and proved sets.

    A placement has a number below PLACES, and a try below TRIES. The sets of a placement are a list in order of their
    proof, from `first` by `following` (plus 1; 0 ends it) to `last`. Those up to `known` serve to prove others. Their
    maximal ones are rows of MAXIMAL.

    captures: squares from which the king takes one of two pieces. `rest` is the placement then, `rest_square` the
    king's square in it, `covered` the squares of its known sets, and `covered_before` those one level ago.
    """

    numbers: kb.IntArray  # [END]
    places: kb.IntArray
    possible: kb.WordArray
    mated: kb.WordArray
    stalemated: kb.WordArray
    checks: kb.WordArray  # CHECKS each
    kinds: kb.IntArray  # of checks, number
    captures: kb.WordArray  # 2 each
    rest: kb.IntArray
    rest_square: kb.WordArray
    covered: kb.WordArray
    covered_before: kb.WordArray
    begin: kb.IntArray  # first try of each placement, and an end
    target: kb.IntArray
    symmetry: kb.IntArray
    code: kb.IntArray
    refused: kb.WordArray
    accepted: kb.WordArray  # in the target
    last_look: kb.IntArray
    sets: kb.WordArray
    following: kb.MoveArray
    bounds: kb.ShortArray
    tries: kb.ShortArray
    first: kb.IntArray
    last: kb.IntArray
    known: kb.IntArray
    renewed: kb.IntArray  # level of the last change of the maximal sets
    closed: kb.IntArray
    maximal: kb.WordArray
    maximal_bounds: kb.IntArray
    maximal_count: kb.IntArray
    parts: kb.WordArray
    part_is_new: kb.IntArray
    part_count: kb.IntArray
    chosen: kb.IntArray
    candidates: kb.WordArray
    candidate_tries: kb.IntArray
    candidate_next: kb.IntArray
    buckets: kb.IntArray
    counters: kb.IntArray
    used: kb.MoveArray
    need_set: kb.WordArray
    need_bound: kb.ShortArray
    need_before: kb.MoveArray
    need_first: kb.MoveArray
    need_next: kb.MoveArray
    needs: kb.IntArray


def empty() -> Proving:
    """Return arrays for all endings, 1.7 GB if all are used."""
    words, ints, p, t = np.uint64, np.int64, PLACES, TRIES
    shapes = {
        "numbers": END, "checks": CHECKS * p, "captures": 2 * p, "rest": 2 * p, "rest_square": 2 * p,
        "begin": p + 1, "target": t, "symmetry": t, "code": t, "refused": t, "accepted": t, "last_look": t,
        "sets": SETS, "following": SETS, "bounds": SETS, "tries": SETS, "used": SETS,
        "maximal": MAXIMAL * p, "maximal_bounds": MAXIMAL * p,
        "parts": (CHECKS + 2) * PARTS, "part_is_new": (CHECKS + 2) * PARTS,
        "part_count": CHECKS + 2, "chosen": CHECKS + 2, "candidates": CANDIDATES, "candidate_tries": CANDIDATES,
        "candidate_next": CANDIDATES, "buckets": 130, "counters": 8,
    }  # fmt: skip
    shapes |= {name: NEEDS for name in Proving._fields if name.startswith("need_")}
    types = {kb.WordArray: words, kb.IntArray: ints, kb.MoveArray: np.int32, kb.ShortArray: np.uint16}
    made = {name: np.zeros(shapes.get(name, p), types[kind]) for name, kind in Proving.__annotations__.items()}
    for name in ("numbers", "first", "last", "known", "rest", "needs", "last_look"):
        made[name].fill(NOWHERE)
    return Proving(**made)


@kb.kernel
def is_possible(place: int) -> bool:
    """Return True if a placement can occur and has the number that `placement` returns."""
    ours = placed(place)
    is_ending = kb.popcount(all_pieces(ours)) == (3 if place >= BISHOPS else 2)
    return is_ending and ours.pawns & kb.LAST_RANKS == kb.NONE and placement(ours) >> 8 == place


@kb.kernel
def encode_try(ours: Pieces, move: int) -> int:
    """Return a try in a byte: its target, plus 64 for the first of our pieces, 128 for the second, 0 for our king."""
    origin, others = kb.bit(move & 63), all_pieces(ours) ^ ours.king
    piece = 0 if origin & ours.king else 64 if origin == others & (kb.NONE - others) else 128
    return piece | move >> 6 & 63


@kb.kernel
def describe(tables: kb.Words, p: Proving, i: int) -> None:
    """Write what the king can do in a placement."""
    ours = placed(p.places[i])
    attacks, own = attacks_of(tables, ours), all_pieces(ours)
    possible, others = ~attacks.all & ~own, own & ~ours.king
    capturing, k = kb.NONE, 0
    standing = ~own & ~kb.king_attacks(tables, kb.lsb(ours.king))
    while others:
        square = others & (kb.NONE - others)
        if square & ~attacks.all:
            left = without(ours, square)
            p.captures[2 * i + k] = kb.king_attacks(tables, kb.lsb(square)) & standing
            capturing |= p.captures[2 * i + k]
            where = placement(left) if can_mate(left) else NO_PLACEMENT
            if where != NO_PLACEMENT:
                p.rest[2 * i + k] = p.numbers[where >> 8]
                p.rest_square[2 * i + k] = transformed_set(square, where & 127)
        k += 1
        others ^= square
    stuck = standing & ~steps_from(possible) & ~capturing
    p.possible[i], p.mated[i], p.stalemated[i] = possible, stuck & attacks.all, stuck & ~attacks.all
    going = standing & ~stuck
    while going:
        alike = with_same_checks(going, going & (kb.NONE - going), attacks)
        p.checks[CHECKS * i + p.kinds[i]] = alike
        p.kinds[i] += 1
        going ^= alike


@kb.entry
def list_places(tables: kb.WordArray, begin: int, end: int, begun: int, proving: Proving) -> int:
    """Write the placements of an ending, numbered from `begun`; return the next number."""
    p = kb.pointers(proving)
    for place in range(begin, end):
        if is_possible(place):
            p.numbers[place], p.places[begun] = begun, place
            begun += 1
    for i in range(begun):
        if begin <= p.places[i] < end:
            describe(kb.pointer(tables), p, i)
    return begun


@kb.entry
def list_all_tries(tables: kb.WordArray, places: int, moves: kb.MoveArray, proving: Proving) -> int:
    """List the tries of all placements; return their number."""
    p, listed, count = kb.pointers(proving), kb.pointer(moves), 0
    for i in range(places):
        p.begin[i] = count
        place = p.places[i]
        ours = placed(place)
        for k in range(list_tries(kb.pointer(tables), ours, listed)):
            move = listed[k]
            after = placement(after_try(ours, move))
            refused = refusing(kb.pointer(tables), ours, move) & p.possible[i]
            if after == NO_PLACEMENT or move >> 12 == kb.ROOK or refused == p.possible[i]:
                continue
            p.target[count], p.symmetry[count] = p.numbers[after >> 8], after & 127
            p.code[count], p.refused[count] = encode_try(ours, move), refused
            p.accepted[count] = transformed_set(p.possible[i] & ~refused, after & 127)
            count += 1
    p.begin[places] = count
    return count
