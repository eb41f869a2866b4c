"""Prove mates against a king that we do not see: retrograde analysis over sets of its squares.

W_n of a placement has the sets of squares from which we mate within n moves of ours, whatever the king does. The idea
is that of Ciancarini and Favini ("Playing the perfect Kriegspiel endgame", Theoretical Computer Science 411, 2010). A
part of such a set is another one, so the maximal sets suffice. A try wins a set if the squares that refuse it are in a
set of W_n that was proved before, and if for each announcement the squares that the king can step to are in a set of
W_n-1.

Sets are composed, not grown. The largest sets that a try wins consist of the squares that it mates, for each kind of
check those whose steps stay within one set of W_n-1, and refusing squares within one set of W_n. All combinations are
tried if they are few. Else each new part is joined to the largest others, and to random ones.

The referee is Berkeley's. The loss of a piece is a failure, unless there are proofs for the rest.
"""

import time
from collections.abc import Iterator

import numpy as np
from placing import (
    CANDIDATES,
    CHECKS,
    MAXIMAL,
    NOWHERE,
    PARTS,
    SEED,
    SETS,
    SIZE,
    Proving,
    empty,
    list_all_tries,
    list_places,
)

from kriegbot import kernels as kb
from kriegbot.endgames.king_sets import steps_from
from kriegbot.endgames.placements import END, ENDINGS, restored_set

RANDOM = 2  # random combinations for each new part
FEW = 8 + 8 * RANDOM  # combinations that are all tried
PASSES = 4  # of a level: sets that it proves serve its refusals


@kb.kernel
def insert(sets: kb.Words, tags: kb.Ints, count: int, most: int, squares: kb.Word, tag: int) -> int:
    """Insert a set into a list of at most so many, none of which contains another, the largest first.

    Return the new count, or NOWHERE if a set of the list contains it. A full list loses its last set.
    """
    kept = 0
    for k in range(count):
        if squares & ~sets[k] == kb.NONE:
            return NOWHERE
    for k in range(count):
        if sets[k] & ~squares:
            sets[kept], tags[kept] = sets[k], tags[k]
            kept += 1
    kept = min(kept, most - 1)
    k, size = kept, kb.popcount(squares)
    while k > 0 and kb.popcount(sets[k - 1]) < size:
        sets[k], tags[k] = sets[k - 1], tags[k - 1]
        k -= 1
    sets[k], tags[k] = squares, tag
    return kept + 1


@kb.entry
def publish(places: int, level: int, proving: Proving) -> None:
    """Let the sets that a level proved serve the next."""
    p = kb.pointers(proving)
    for i in range(places):
        p.covered_before[i] = p.covered[i]
        at = p.first[i] if p.known[i] == NOWHERE else p.following[p.known[i]] - 1
        while at != NOWHERE:
            p.covered[i] |= p.sets[at]
            maximal, bounds = kb.advance(p.maximal, MAXIMAL * i), kb.advance(p.maximal_bounds, MAXIMAL * i)
            count = insert(maximal, bounds, p.maximal_count[i], MAXIMAL, p.sets[at], int(p.bounds[at]))
            if count != NOWHERE:
                p.renewed[i], p.maximal_count[i] = level, count
            p.known[i] = at
            at = p.following[at] - 1


@kb.kernel
def add_part(p: Proving, group: int, squares: kb.Word, is_new: bool) -> None:
    """Add a choice for a part of a set, unless another contains it."""
    parts, tags = kb.advance(p.parts, PARTS * group), kb.advance(p.part_is_new, PARTS * group)
    count = insert(parts, tags, p.part_count[group], PARTS, squares, 1 if is_new else 0)
    if count != NOWHERE:
        p.part_count[group] = count


@kb.kernel
def parts_after_check(p: Proving, q: int, alike: kb.Word, level: int, group: int, is_new: bool, first: bool) -> None:
    """List the choices for the squares with one kind of check: those whose steps stay within one set of the target."""
    p.part_count[group] = 0
    row = MAXIMAL * q
    for k in range(row, row + p.maximal_count[q]):
        part = alike & ~steps_from(p.possible[q] & ~p.maximal[k])
        if part == kb.NONE:
            continue
        fresh = is_new or (first and p.maximal_bounds[k] == level - 1)
        if part == alike:
            p.part_count[group] = 0
            for other in range(row, row + p.maximal_count[q]):
                is_old = p.maximal_bounds[other] < level - 1
                if is_old and alike & steps_from(p.possible[q] & ~p.maximal[other]) == kb.NONE:
                    fresh = is_new
            add_part(p, group, part, fresh)
            return
        add_part(p, group, part, fresh)
    nowhere = alike & ~steps_from(p.possible[q])  # the king can only capture
    if nowhere and p.part_count[group] == 0:
        add_part(p, group, nowhere, is_new)


@kb.kernel
def parts_refused(p: Proving, i: int, t: int, level: int, group: int, first: bool) -> None:
    """List the choices for the squares that refuse a try: those within one set that was proved before."""
    p.part_count[group] = 0
    refused = p.refused[t]
    for k in range(MAXIMAL * i, MAXIMAL * i + p.maximal_count[i]):
        part = p.maximal[k] & refused
        if part:
            add_part(p, group, part, first and p.maximal_bounds[k] == level - 1)
    at = p.first[i] if p.known[i] == NOWHERE else p.following[p.known[i]] - 1
    while at != NOWHERE:
        part = p.sets[at] & refused
        if part:
            add_part(p, group, part, at > p.last_look[t])
        at = p.following[at] - 1
    p.last_look[t] = p.last[i]


@kb.inlined
def capture_is_new(p: Proving, q: int) -> bool:
    """Return True if the last level has proved the rest after a capture."""
    is_new = False
    for k in range(2 * q, 2 * q + 2):
        if p.rest[k] != NOWHERE:
            square = p.rest_square[k]
            is_new |= bool(square & p.covered[p.rest[k]] & ~p.covered_before[p.rest[k]])
    return is_new


@kb.inlined
def losing(p: Proving, q: int) -> kb.Word:
    """Return the squares of a king that draws in a placement: stalemated, or capturing with too little left."""
    lost: kb.Word = p.stalemated[q]
    for k in range(2 * q, 2 * q + 2):
        if p.rest[k] == NOWHERE or p.rest_square[k] & p.covered[p.rest[k]] == kb.NONE:
            lost |= p.captures[k]
    return lost


@kb.kernel
def emit(p: Proving, t: int, base: kb.Word, groups: int, refusals: int) -> None:
    """Note the union of the chosen parts as a candidate."""
    squares, refused, count = base, kb.NONE, p.buckets[129]
    for g in range(groups):
        part = p.parts[PARTS * g + p.chosen[g]]
        if g == refusals:
            refused = part
        else:
            squares |= part
    if squares and count < CANDIDATES:
        squares = restored_set(squares, p.symmetry[t]) | refused
        p.candidates[count], p.candidate_tries[count] = squares, t
        size = kb.popcount(squares)
        p.candidate_next[count] = p.buckets[size]
        p.buckets[size] = count
        p.buckets[129] = count + 1


@kb.kernel
def combine(p: Proving, t: int, base: kb.Word, groups: int, refusals: int) -> None:
    """Note candidates for the sets that a try wins, by choosing one part of each group."""
    total = 1
    for g in range(groups):
        p.chosen[g] = 0
        total = min(total * p.part_count[g], FEW + 1)
    if total <= FEW:
        more = True
        while more:
            emit(p, t, base, groups, refusals)
            g = 0
            while g < groups and p.chosen[g] == p.part_count[g] - 1:
                p.chosen[g] = 0
                g += 1
            more = g < groups
            if more:
                p.chosen[g] += 1
        return
    for g in range(groups):
        for k in range(p.part_count[g]):
            if p.part_is_new[PARTS * g + k] == 0:
                continue
            for draw in range(RANDOM + 1):
                for other in range(groups):
                    if draw == 0 or p.part_count[other] == 1:
                        p.chosen[other] = 0
                    else:
                        p.counters[SEED] += 1
                        p.chosen[other] = kb.number(
                            (kb.mix64(kb.word(p.counters[SEED])) >> kb.word(33)) % kb.word(p.part_count[other])
                        )
                p.chosen[g] = k
                emit(p, t, base, groups, refusals)


@kb.kernel
def propose(p: Proving, i: int, t: int, level: int, first: bool) -> None:
    """Note candidates for the sets that a try wins within a number of moves, if something new serves it."""
    q = p.target[t]
    captured = level > 1 and capture_is_new(p, q)
    fresh = first and (level == 1 or captured or p.renewed[q] == level - 1)
    again = p.refused[t] != kb.NONE and p.last[i] > p.last_look[t]
    if not fresh and not again:
        return
    alive, groups, any_new = p.accepted[t] & ~losing(p, q), 0, level == 1
    base = alive & p.mated[q]
    if level > 1:
        for k in range(CHECKS * q, CHECKS * q + p.kinds[q]):
            if alive & p.checks[k]:
                parts_after_check(p, q, alive & p.checks[k], level, groups, captured, first)
                groups += 1 if p.part_count[groups] else 0
    refusals = NOWHERE
    if p.refused[t]:
        parts_refused(p, i, t, level, groups, first)
        if p.part_count[groups]:
            refusals = groups
            groups += 1
    for g in range(groups):
        for k in range(PARTS * g, PARTS * g + p.part_count[g]):
            any_new |= p.part_is_new[k] > 0
    if any_new:
        combine(p, t, base, groups, refusals)


@kb.kernel
def is_proved(p: Proving, i: int, squares: kb.Word, since: int) -> bool:
    """Return True if a maximal set of a placement, or one proved in this level, contains the squares."""
    for k in range(MAXIMAL * i, MAXIMAL * i + p.maximal_count[i]):
        if squares & ~p.maximal[k] == kb.NONE:
            return True
    at = since
    while at != NOWHERE:
        if squares & ~p.sets[at] == kb.NONE:
            return True
        at = p.following[at] - 1
    return False


@kb.kernel
def accept(p: Proving, i: int, level: int) -> int:
    """Add the largest candidates as proved sets; return their number."""
    added, least = 0, 0
    if p.maximal_count[i] == MAXIMAL:
        least = kb.popcount(p.maximal[MAXIMAL * i + MAXIMAL - 1])
    since = p.first[i] if p.known[i] == NOWHERE else p.following[p.known[i]] - 1
    for size in range(64, least, -1):
        at = p.buckets[size]
        while at != NOWHERE and added < MAXIMAL and p.closed[i] == 0:
            squares = p.candidates[at]
            if not is_proved(p, i, squares, since):
                new = p.counters[SIZE]
                p.counters[SIZE] += 1
                p.sets[new], p.bounds[new], p.following[new] = squares, level, 0
                p.tries[new] = p.candidate_tries[at] - p.begin[i]
                if p.last[i] == NOWHERE:
                    p.first[i] = new
                else:
                    p.following[p.last[i]] = new + 1
                p.last[i] = new
                since = new if since == NOWHERE else since
                p.closed[i] = 1 if squares == p.possible[i] else 0
                added += 1
            at = p.candidate_next[at]
    return added


@kb.entry
def prove(begin: int, end: int, level: int, proving: Proving) -> int:
    """Prove sets of placements begin to end - 1 that mate within `level` moves; return their number."""
    p, total = kb.pointers(proving), 0
    for number in range(PASSES):
        added = 0
        for i in range(begin, end):
            if p.closed[i]:
                continue
            for size in range(129):
                p.buckets[size] = NOWHERE
            p.buckets[129] = 0
            for t in range(p.begin[i], p.begin[i + 1]):
                propose(p, i, t, level, number == 0)
            if p.buckets[129]:
                added += accept(p, i, level)
        total += added
        if added == 0 or p.counters[SIZE] > SETS - 1_000_000:
            break
    return total


@kb.kernel
def first_superset(p: Proving, i: int, squares: kb.Word) -> int:
    """Return the first proved set of a placement that contains the squares, or NOWHERE."""
    at = int(p.first[i])
    while at != NOWHERE and squares & ~p.sets[at]:
        at = int(p.following[at]) - 1
    return at


@kb.entry
def find(i: int, squares: kb.Word, proving: Proving) -> int:
    """Return the first proved set of a placement that contains the squares, or NOWHERE."""
    return first_superset(kb.pointers(proving), i, squares)


class Work:
    """The proofs of some endings, and the seconds that each took."""

    def __init__(self, endings: list[str]) -> None:
        self.arrays, self.places, self.tries = empty(), 0, 0
        self.parts: dict[str, range] = {}
        self.seconds = dict.fromkeys(endings, 0.0)
        ends = sorted([*ENDINGS.values(), END])
        for name in endings:
            begin, first = ENDINGS[name], self.places
            self.places = list_places(kb.TABLES, begin, ends[ends.index(begin) + 1], first, self.arrays)
            self.parts[name] = range(first, self.places)
        self.tries = list_all_tries(kb.TABLES, self.places, np.zeros(kb.MAX_MOVES, np.int32), self.arrays)

    def prove(self) -> Iterator[int]:
        """Prove all that can be proved; yield each level."""
        level, added = 0, 1
        while added:
            level, added = level + 1, 0
            for name, part in self.parts.items():
                begun = time.process_time()
                added += prove(part.start, part.stop, level, self.arrays)
                self.seconds[name] += time.process_time() - begun
            publish(self.places, level, self.arrays)
            yield level

    def bound(self, i: int, squares: int) -> int:
        """Return the proved bound of a set; 0 if there is none, or if it is empty."""
        at = find(i, squares, self.arrays) if squares else NOWHERE
        return 0 if at == NOWHERE else int(self.arrays.bounds[at])

    def everywhere(self, i: int) -> int:
        """Return the squares of a king of which nothing is known."""
        return int(self.arrays.possible[i])

    def beside_nothing(self, i: int) -> int:
        """Return the squares of a king that stands beside no piece that nothing protects."""
        beside = int(self.arrays.captures[2 * i] | self.arrays.captures[2 * i + 1])
        return self.everywhere(i) & ~beside
