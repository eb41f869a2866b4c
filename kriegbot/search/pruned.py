"""Alpha-beta for the paranoid rule: the best tries of `recursion` under Eq. 3, without most of the tree.

Under Eq. 3 of Parker, Nau and Subrahmanian (AAAI 2006) the opponent chooses the history as well as its moves. This is
minimax over information sets, so alpha-beta works (Knuth and Moore 1975), with a set of histories for a position:

    PU_d(I) = max_m min( PU_{d-1}(histories of I that refuse m),
                         min over announcements of m and of a reply: PU_{d-2}(histories with these announcements) )

A minimum is cut off once it is no higher than the best maximum. The likely worst comes first: the history that cut off
the previous try, the announcements of the worst position, captures among the replies. The search needs the whole sample
before it begins.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from evaluators.protocol import Evaluator
from kriegbot import kernels as kb
from kriegbot.search.information_set import InformationSet
from kriegbot.search.recursion import utility
from kriegbot.search.settings import Method

INFINITE = float("inf")
MASK_WORDS = kb.MAX_MOVES // 64
"""Words of a bit mask over a list of moves."""
OPEN, REPLIES, SCRATCH, LEVEL = kb.MAX_MOVES, 2 * kb.MAX_MOVES, 3 * kb.MAX_MOVES, 4 * kb.MAX_MOVES
"""Lists of each level: the tries of the set, the numbers of those still open, the replies, and scratch space."""
TRIES, OPENED, WANTED, SIZES = 0, 1, 2, 3
LEAVES, FULL, MISFIT, COUNTERS = 0, 1, 2, 3
"""Counters: positions evaluated; then flags: 1 once a set had no room, once a history had no legal move or one that was
not among the tries."""
ROOM_A_BOARD, GROWTH = 64, 4
"""First size of the stack for each history, and the factor by which it grows."""
HALF = 0.5
"""Values are whole centipawns, so a value not above the best less this is below the best."""


class PrunedWorkspace(NamedTuple):
    """Memory of a search, with the sets of histories on a stack of `size` places.

    Of each history: rows [size, 8]; masks [size, MASK_WORDS], bit k set if try k of its set is legal; stays [size], E
    of the position with no move made; pairs [size], the announcements that led there. Of each level: moves
    [levels, LEVEL]; sizes [levels, SIZES], the numbers of tries of the set, of open ones, and of those to search, the
    first; worsts [levels], the worst end of the game after a try. counters [COUNTERS]; stop [1], set from outside.
    """

    rows: kb.Rows
    masks: kb.WordArray
    stays: kb.RealArray
    pairs: kb.IntArray
    size: int
    moves: kb.MoveArray
    sizes: kb.IntArray
    worsts: kb.RealArray
    counters: kb.IntArray
    stop: kb.IntArray

    @classmethod
    def of(cls, rows: kb.Rows, size: int, depth: int, stop: kb.IntArray) -> "PrunedWorkspace":
        """Return memory for a search to a depth, with the histories of its root on the stack."""
        boards = np.empty((size, 8), np.uint64)
        boards[: len(rows)] = rows
        return cls(
            rows=boards,
            masks=np.empty(size * MASK_WORDS, np.uint64),
            stays=np.empty(size),
            pairs=np.empty(size, np.int64),
            size=size,
            moves=np.empty(LEVEL * (depth + 1), np.int32),
            sizes=np.zeros(SIZES * (depth + 1), np.int64),
            worsts=np.empty(depth + 1),
            counters=np.zeros(COUNTERS, np.int64),
            stop=stop,
        )


class Pruned(NamedTuple):
    """Constants of a search."""

    tables: kb.Words
    rules: kb.KernelRules
    side: int
    evaluator: Evaluator
    work: PrunedWorkspace


@kb.kernel
def leaf(search: Pruned, position: kb.Position, we_moved: bool, scratch: kb.Moves) -> float:
    """Return U if the last move ended the game, E otherwise."""
    search.work.counters[LEAVES] += 1
    checkers, pinned = kb.check_info(search.tables, position)
    end = kb.game_end(search.tables, position, checkers, pinned, search.rules, scratch)
    if end != 0:
        return utility(end, we_moved)
    return float(search.evaluator(search.tables, position, search.side))


@kb.kernel
def worst_reply(search: Pruned, position: kb.Position, floor: float, replies: kb.Moves, scratch: kb.Moves) -> float:
    """Return the minimum of the leaves behind the opponent's moves; cut it off once it is at most `floor`."""
    checkers, pinned = kb.check_info(search.tables, position)
    end = kb.game_end(search.tables, position, checkers, pinned, search.rules, scratch)
    if end != 0:
        return utility(end, True)
    count = kb.legal_moves(search.tables, position, replies)
    ours, _ = kb.pieces_of(position, search.side)
    worst = INFINITE
    for captures in range(1, -1, -1):
        for i in range(count):
            if (kb.bit(replies[i] >> 6 & 63) & ours != kb.NONE) != (captures != 0):
                continue
            after, _ = kb.make_move(search.tables, position, replies[i])
            worst = min(worst, leaf(search, after, False, scratch))
            if worst <= floor:
                return worst
    return worst


@kb.kernel
def swap(search: Pruned, one: int, other: int) -> None:
    """Exchange two histories of the stack."""
    position = kb.load(search.work.rows, one)
    kb.store(search.work.rows, one, kb.load(search.work.rows, other))
    kb.store(search.work.rows, other, position)
    for i in range(MASK_WORDS):
        a, b = MASK_WORDS * one + i, MASK_WORDS * other + i
        search.work.masks[a], search.work.masks[b] = search.work.masks[b], search.work.masks[a]
    search.work.stays[one], search.work.stays[other] = search.work.stays[other], search.work.stays[one]
    search.work.pairs[one], search.work.pairs[other] = search.work.pairs[other], search.work.pairs[one]


@kb.kernel
def list_legal(search: Pruned, begin: int, end: int, level: int) -> None:
    """Mark the tries of a set that are legal in each of its histories."""
    tries = kb.advance(search.work.moves, LEVEL * level)
    moves = kb.advance(tries, REPLIES)
    for i in range(begin, end):
        count = kb.legal_moves(search.tables, kb.load(search.work.rows, i), moves)
        mask = kb.advance(search.work.masks, MASK_WORDS * i)
        for j in range(MASK_WORDS):
            mask[j] = kb.NONE
        legal = 0  # legal moves are in the same order as the tries, of which they are a part
        k = 0
        while legal < count and k < search.work.sizes[SIZES * level + TRIES]:
            if tries[k] == moves[legal]:
                mask[k >> 6] |= kb.bit(k & 63)
                legal += 1
            k += 1
        if legal < count or count == 0:
            search.work.counters[MISFIT] = 1


@kb.kernel
def list_replies(search: Pruned, begin: int, end: int, top: int, level: int, k: int) -> int:
    """Push the positions after a try of a set and a reply; return the new top of the stack.

    Ends of the game go into the level's worst instead.
    """
    lists = kb.advance(search.work.moves, LEVEL * level)
    replies, scratch = kb.advance(lists, REPLIES), kb.advance(lists, SCRATCH)
    search.work.worsts[level] = INFINITE
    for i in range(begin, end):
        if not search.work.masks[MASK_WORDS * i + (k >> 6)] & kb.bit(k & 63):
            continue
        before = kb.load(search.work.rows, i)
        after, captured = kb.make_move(search.tables, before, lists[k])
        ours = kb.announcement(search.tables, before, after, captured, search.rules, scratch)
        if kb.announced_end(ours) != 0:
            search.work.worsts[level] = min(search.work.worsts[level], utility(kb.announced_end(ours), True))
            continue
        count = kb.legal_moves(search.tables, after, replies)
        if top + count > search.work.size:
            search.work.counters[FULL] = 1
            return top
        for j in range(count):
            again, captured = kb.make_move(search.tables, after, replies[j])
            theirs = kb.announcement(search.tables, after, again, captured, search.rules, scratch)
            if kb.announced_end(theirs) != 0:
                search.work.worsts[level] = min(search.work.worsts[level], utility(kb.announced_end(theirs), False))
                continue
            kb.store(search.work.rows, top, again)
            search.work.pairs[top] = kb.number(kb.pair_of(ours, theirs))
            search.work.stays[top] = float(search.evaluator(search.tables, again, search.side))
            top += 1
    return top


@kb.kernel
def gather_worst(search: Pruned, begin: int, end: int) -> int:
    """Move the histories with the announcements of the worst to the front; return their end."""
    worst = begin
    for i in range(begin + 1, end):
        if search.work.stays[i] < search.work.stays[worst]:
            worst = i
    pair, gathered = search.work.pairs[worst], begin
    for i in range(begin, end):
        if search.work.pairs[i] == pair:
            swap(search, i, gathered)
            gathered += 1
    return gathered


@kb.kernel
def open_set(search: Pruned, begin: int, end: int, level: int) -> None:
    """List the tries of a set of histories with the same announcements, all open, and mark where each is legal."""
    tries = kb.advance(search.work.moves, LEVEL * level)
    opened = kb.advance(tries, OPEN)
    position = kb.load(search.work.rows, begin)
    count = kb.open_tries(search.tables, position, kb.pawns_to_try(search.tables, position, search.rules), tries)
    for size in (TRIES, OPENED, WANTED):
        search.work.sizes[SIZES * level + size] = count
    for k in range(count):
        opened[k] = k
    list_legal(search, begin, end, level)


@kb.kernel
def after_refusal(search: Pruned, begin: int, end: int, top: int, level: int, k: int) -> int:
    """Push the histories that refuse a try, a set of the next level; return the new top of the stack."""
    tries = kb.advance(search.work.moves, LEVEL * level)
    deeper = kb.advance(tries, LEVEL)
    opened, left = kb.advance(tries, OPEN), kb.advance(deeper, OPEN)
    for i in range(begin, end):
        if search.work.masks[MASK_WORDS * i + (k >> 6)] & kb.bit(k & 63):
            continue
        if top == search.work.size:
            search.work.counters[FULL] = 1
            return top
        kb.store(search.work.rows, top, kb.load(search.work.rows, i))
        for j in range(MASK_WORDS):
            search.work.masks[MASK_WORDS * top + j] = search.work.masks[MASK_WORDS * i + j]
        search.work.stays[top] = search.work.stays[i]
        top += 1
    sizes, below = kb.advance(search.work.sizes, SIZES * level), kb.advance(search.work.sizes, SIZES * (level + 1))
    for i in range(sizes[TRIES]):
        deeper[i] = tries[i]
    count = 0
    for i in range(sizes[OPENED]):
        if opened[i] != k:
            left[count] = opened[i]
            count += 1
    below[TRIES], below[OPENED], below[WANTED] = sizes[TRIES], count, count
    return top


@kb.kernel
def set_value(
    search: Pruned, begin: int, end: int, top: int, level: int, depth: int, alpha: float, beta: float
) -> float:
    """Return PU of the histories `begin` to `end` of the stack, in use up to `top`, with the tries open at `level`.

    The value is exact between alpha and beta, a bound beyond them, and meaningless once the stack is full.
    """
    lists = kb.advance(search.work.moves, LEVEL * level)
    opened, replies, scratch = kb.advance(lists, OPEN), kb.advance(lists, REPLIES), kb.advance(lists, SCRATCH)
    best = -INFINITE
    for n in range(search.work.sizes[SIZES * level + WANTED]):
        k, floor = opened[n], max(alpha, best)
        worst, refused = INFINITE, 0
        for i in range(begin, end):
            value = search.work.stays[i]
            if not search.work.masks[MASK_WORDS * i + (k >> 6)] & kb.bit(k & 63):
                refused += 1
                if depth > 1:
                    continue
            elif depth > 2:
                continue
            else:
                after, _ = kb.make_move(search.tables, kb.load(search.work.rows, i), lists[k])
                if depth == 1:
                    value = leaf(search, after, True, scratch)
                else:
                    value = worst_reply(search, after, floor, replies, scratch)
            worst = min(worst, value)
            if worst <= floor:
                swap(search, begin, i)
                break
        if depth > 2 and worst > floor:
            filled = list_replies(search, begin, end, top, level, k)
            worst = search.work.worsts[level]
            first = top
            while first < filled and worst > floor:
                last = gather_worst(search, first, filled)
                open_set(search, first, last, level + 1)
                worst = min(
                    worst, set_value(search, first, last, filled, level + 1, depth - 2, floor, min(beta, worst))
                )
                first = last
        if depth > 1 and refused > 0 and worst > floor:
            filled = after_refusal(search, begin, end, top, level, k)
            value = set_value(search, top, filled, filled, level + 1, depth - 1, floor, min(beta, worst))
            worst = min(worst, value)
        if search.work.counters[FULL] != 0 or search.work.stop[0] != 0:
            return best
        best = max(best, worst)
        if best >= beta:
            break
    return best


@kb.entry
def value_tries(
    tables: kb.WordArray,
    method: tuple[int, kb.KernelRules, Evaluator],
    work: PrunedWorkspace,
    weights: kb.RealArray,
    tries: kb.MoveArray,
    legal: kb.RealArray,
    values: kb.RealArray,
) -> None:
    """Write the values [M] of the tries of a set, exact for the best and from above for others.

    Each depth searches the tries in the order of the depth before. The histories, of `weights` [N], are the first rows
    of `work`. `legal` [M] gets the weight of the histories in which each try is legal.
    """
    depth, rules, evaluator = method
    workspace, count = kb.pointers(work), len(weights)
    side = kb.side_to_move(kb.load(workspace.rows, 0))
    search = Pruned(kb.pointer(tables), rules, side, evaluator, workspace)
    order = np.arange(len(tries))
    opened = kb.advance(search.work.moves, OPEN)
    for k in range(len(tries)):
        search.work.moves[k], opened[k] = tries[k], k
    search.work.sizes[TRIES], search.work.sizes[OPENED], search.work.sizes[WANTED] = len(tries), len(tries), 1
    list_legal(search, 0, count, 0)
    if search.work.counters[MISFIT] != 0:
        return
    for i in range(count):
        for k in range(len(tries)):
            if search.work.masks[MASK_WORDS * i + (k >> 6)] & kb.bit(k & 63):
                legal[k] += weights[i]
        search.work.stays[i] = float(search.evaluator(search.tables, kb.load(search.work.rows, i), side))
    for plies in range(1, depth + 1):
        best = -INFINITE
        for n in range(len(tries)):
            k = order[n]
            for i in range(len(tries)):
                if opened[i] == k:
                    opened[0], opened[i] = opened[i], opened[0]
            value = set_value(search, 0, count, count, 0, plies, best - HALF, INFINITE)
            if search.work.counters[FULL] != 0 or search.work.stop[0] != 0:
                return
            values[k] = value
            best = max(best, value)
        order = np.argsort(-values, kind="mergesort")


class PrunedValues(NamedTuple):
    """Values [M], probabilities [M] of being legal, and positions evaluated; meaningless unless `is_done`."""

    values: npt.NDArray[np.float64]
    legal: npt.NDArray[np.float64]
    leaves: int
    is_done: bool


def paranoid_values(histories: InformationSet, method: Method, stop: npt.NDArray[np.int64]) -> PrunedValues:
    """Value every try open in an information set under the paranoid rule, where refusals cost a ply.

    Raises:
      ValueError: positions that are not of one set.
    """
    weights, tries, size, leaves = histories.weights, histories.tries, len(histories.rows) * ROOM_A_BOARD, 0
    parts = method.depth, histories.rules, method.evaluator
    while True:
        work = PrunedWorkspace.of(histories.rows, size, method.depth, stop)
        values, legal = np.empty(len(tries)), np.zeros(len(tries))
        value_tries(kb.TABLES, parts, work, weights, tries, legal, values)
        if work.counters[MISFIT]:
            raise ValueError("positions that are over, or that differ in our own pieces: not one information set")
        leaves += int(work.counters[LEAVES])
        if not work.counters[FULL]:
            return PrunedValues(values, legal / weights.sum(), leaves, not stop[0])
        size *= GROWTH
