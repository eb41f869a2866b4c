"""Choose the proved sets that the file has: what its starts need, and all that their proofs need."""

import lzma

import chess
import numpy as np
from placing import CHECKS, MAXIMAL, MISSED, NOWHERE, PENDING, SETS, SIZE, Proving
from proving import Work, first_superset, losing

from kriegbot import kernels as kb
from kriegbot.endgames.king_sets import steps_from
from kriegbot.endgames.placements import END, transformed_set
from kriegbot.endgames.proofs import Proofs

MOST = 255
ONE_PIECE = len("KQK")


@kb.kernel
def need(p: Proving, i: int, squares: kb.Word, bound: int, before: int) -> None:
    """Note that a set is needed: one that contains the squares, with at most this bound, proved before another."""
    at = first_superset(p, i, squares)
    if at == NOWHERE or p.bounds[at] > bound or at >= before:
        p.counters[MISSED] += 1
        return
    k = p.needs[i]
    while k != NOWHERE:
        is_within = squares & ~p.need_set[k] == kb.NONE and p.need_first[k] == p.bounds[at]
        if is_within and p.need_bound[k] <= bound and p.need_before[k] <= before:
            return
        k = p.need_next[k]
    k = p.counters[PENDING]
    p.counters[PENDING] += 1
    p.need_set[k], p.need_bound[k], p.need_before[k], p.need_first[k] = squares, bound, before, p.bounds[at]
    p.need_next[k] = p.needs[i]
    p.needs[i] = k


@kb.entry
def need_set(i: int, squares: kb.Word, bound: int, proving: Proving) -> None:
    """Note that a set is needed with at most a bound."""
    need(kb.pointers(proving), i, squares, bound, SETS)


@kb.kernel
def serves(p: Proving, at: int, k: int) -> bool:
    """Return True if a set is as a need says."""
    is_early = at < p.need_before[k] and p.bounds[at] <= p.need_bound[k]
    return bool(is_early and p.need_set[k] & ~p.sets[at] == kb.NONE)


@kb.kernel
def drop_served(p: Proving, i: int, chosen: int) -> None:
    """Drop the needs of a placement that a chosen set serves."""
    k, before = p.needs[i], NOWHERE
    while k != NOWHERE:
        if serves(p, chosen, k):
            if before == NOWHERE:
                p.needs[i] = p.need_next[k]
            else:
                p.need_next[before] = p.need_next[k]
        else:
            before = k
        k = p.need_next[k]


@kb.kernel
def expand(p: Proving, i: int, at: int) -> None:
    """Note the sets that the proof of one needs."""
    t, bound = p.begin[i] + p.tries[at], p.bounds[at]
    q, refused = p.target[t], p.sets[at] & p.refused[t]
    if refused:
        need(p, i, refused, bound, at)
    alive = transformed_set(p.sets[at] & ~refused, p.symmetry[t]) & ~p.mated[q]
    if p.sets[at] == refused or alive & losing(p, q):
        p.counters[MISSED] += 1
    for k in range(CHECKS * q, CHECKS * q + p.kinds[q]):
        following = steps_from(alive & p.checks[k]) & p.possible[q]
        if following:
            need(p, q, following, bound - 1, SETS)
    for k in range(2 * q, 2 * q + 2):
        if alive & p.captures[k]:
            need(p, p.rest[k], p.rest_square[k], bound - 1, SETS)


@kb.entry
def choose(places: int, level: int, proving: Proving) -> None:
    """Choose sets with a bound for the needs that no set with a smaller bound can serve."""
    p = kb.pointers(proving)
    for i in range(places):
        while True:
            must, k = NOWHERE, p.needs[i]
            while k != NOWHERE:
                is_larger = must == NOWHERE or kb.popcount(p.need_set[k]) > kb.popcount(p.need_set[must])
                if p.need_first[k] >= level and is_larger:
                    must = k
                k = p.need_next[k]
            if must == NOWHERE:
                break
            best, most, at = NOWHERE, 0, p.first[i]
            is_served = False
            while at != NOWHERE:
                if serves(p, at, must):
                    if p.used[at]:
                        drop_served(p, i, at)
                        is_served = True
                        break
                    if p.bounds[at] == level:
                        count, k = 0, p.needs[i]
                        while k != NOWHERE:
                            count += 1 if serves(p, at, k) else 0
                            k = p.need_next[k]
                        if count > most:
                            best, most = at, count
                at = p.following[at] - 1
            if is_served:
                continue
            p.used[best] = 1
            drop_served(p, i, best)
            expand(p, i, best)


@kb.entry
def collect(places: int, chosen: kb.Rows, proving: Proving) -> None:
    """Write the placement, squares, try and bound of each chosen set, in order of the proof."""
    p, row = kb.pointers(proving), 0
    for i in range(places):
        at = p.first[i]
        while at != NOWHERE:
            if p.used[at]:
                chosen[row, 0], chosen[row, 1] = kb.word(p.places[i]), p.sets[at]
                chosen[row, 2] = kb.word(p.code[p.begin[i] + p.tries[at]])
                chosen[row, 3] = kb.word(int(p.bounds[at]))
                row += 1
            at = p.following[at] - 1


def select(work: Work) -> Proofs:
    """Choose the sets that the starts need, and all that their proofs need.

    Starts are the king on any square, or on any that is not beside an unprotected piece, and on each single square.
    Where the first is not proved also the largest set that is. With one piece also all maximal sets; and its single
    squares keep their bounds, which larger sets may exceed.
    """
    p = work.arrays
    for name, part in work.parts.items():
        for i in part:
            wide = [squares for squares in (work.everywhere(i), work.beside_nothing(i)) if work.bound(i, squares)]
            largest = None if len(name) == ONE_PIECE else 1
            wide[1:] = [int(squares) for squares in p.maximal[MAXIMAL * i :][: p.maximal_count[i]][:largest]]
            for squares in wide:
                need_set(i, squares, MOST, p)
            for square in chess.scan_forward(work.everywhere(i)):
                if bound := work.bound(i, chess.BB_SQUARES[square]):
                    need_set(i, chess.BB_SQUARES[square], bound if len(name) == ONE_PIECE else MOST, p)
    for level in range(int(p.bounds[: p.counters[SIZE]].max()), 0, -1):
        choose(work.places, level, p)
    if p.counters[MISSED]:
        raise AssertionError(f"{p.counters[MISSED]} sets that a proof needs are missing")
    chosen = np.zeros((int(p.used.sum()), 4), np.uint64)
    collect(work.places, chosen, p)
    chosen = chosen[np.argsort(chosen[:, 0], kind="stable")]
    starts = np.searchsorted(chosen[:, 0], np.arange(END + 1, dtype=np.uint64)).astype(np.int64)
    tries, bounds = (np.ascontiguousarray(chosen[:, k].astype(np.uint16)) for k in (2, 3))
    return Proofs(starts, np.ascontiguousarray(chosen[:, 1]), tries, bounds)


def packed(proofs: Proofs) -> bytes:
    """Return the content of the file. Raises ValueError unless the numbers of sets fit."""
    counts = np.diff(proofs.starts)
    if counts.max() >= 1 << 16 or len(counts) != END:
        raise ValueError(f"{len(counts)} placements with up to {counts.max()} sets: the file has {END}, of 65,535")
    arrays = (counts.astype("<u2"), proofs.sets.astype("<u8"), proofs.tries.astype("u1"), proofs.bounds.astype("u1"))
    return lzma.compress(b"".join(array.tobytes() for array in arrays), preset=9 | lzma.PRESET_EXTREME)
