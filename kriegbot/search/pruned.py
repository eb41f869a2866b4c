"""Alpha-beta for the paranoid rule: the best tries of `recursion.py` under Eq. 3, without looking at most of the tree.

Under Eq. 3 of Parker, Nau and Subrahmanian (AAAI 2006) the opponent chooses the history as well as its moves: minimax
over information sets, where we choose a try for a whole set and the worst that may follow counts. So alpha-beta works
(Knuth and Moore 1975), with a set of histories in place of a position:

    PU_d(I) = max_m min( PU_{d-1}(histories of I that refuse m),
                         min over what is heard of m and of a reply: PU_{d-2}(histories that sound so) )

Each minimum is cut off once it is no higher than the maximum found before; what is likely to be worst comes first: of
the histories, the one that cut off the previous try; of what may be heard, that with the worst position; of the
replies, captures. Unlike the walk, which takes histories one by one and may be stopped after any, this needs the whole
sample before it begins.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from evaluators.protocol import Evaluator
from kriegbot import kernels as kb
from kriegbot.belief.filter import MASK_WORDS
from kriegbot.search.information_set import InformationSet
from kriegbot.search.recursion import utility
from kriegbot.search.settings import Method

INFINITE = float("inf")
OPEN, REPLIES, SCRATCH, LEVEL = kb.MAX_MOVES, 2 * kb.MAX_MOVES, 3 * kb.MAX_MOVES, 4 * kb.MAX_MOVES
"""Lists of each level of the recursion: the tries of the set, the numbers of those still open, and room to work in."""
TRIES, OPENED, WANTED, SIZES = 0, 1, 2, 3
LEAVES, FULL, MISFIT, COUNTERS = 0, 1, 2, 3
"""Counters: positions evaluated; 1 once there was no room for a set; once a history had no legal move, or one that was
not among the tries."""
ROOM_A_BOARD, GROWTH = 64, 4
"""Initial room on the stack for each history, and the factor by which it grows when that is not enough."""
HALF = 0.5
"""Values are whole centipawns: anything not above the best less this is below the best."""


class Pruned(NamedTuple):
    """What stays the same throughout a search; the sets of histories that are looked into lie on a stack.

    Of a history on the stack, which has `room` of them: rows [room, 8]; masks [room, MASK_WORDS], bit k set if try k of
    its set is legal; stays [room], E of the position with no move made; said [room], what was heard on the way there.
    Of each level: moves [levels, LEVEL]; sizes [levels, SIZES], how many tries the set has, how many are open, and how
    many of these, the first, to look into; worsts [levels], the worst end of the game that a try leads to. counters
    [COUNTERS]; stop [1], set from outside to end it.
    """

    tables: kb.Words
    terms: kb.Terms
    side: int
    evaluator: Evaluator
    rows: kb.Words
    masks: kb.Words
    stays: kb.Reals
    said: kb.Ints
    room: int
    moves: kb.Moves
    sizes: kb.Ints
    worsts: kb.Reals
    counters: kb.Ints
    stop: kb.Ints


@kb.kernel
def leaf(search: Pruned, position: kb.Position, we_moved: bool, scratch: kb.Moves) -> float:
    """U if the last move ended the game, E otherwise."""
    search.counters[LEAVES] += 1
    checkers, pinned = kb.check_info(search.tables, position)
    end = kb.game_end(search.tables, position, checkers, pinned, search.terms, scratch)
    if end != 0:
        return utility(end, we_moved)
    return float(search.evaluator(search.tables, position, search.side))


@kb.kernel
def worst_reply(search: Pruned, position: kb.Position, floor: float, replies: kb.Moves, scratch: kb.Moves) -> float:
    """Minimum of the leaves behind the opponent's moves, captures first; cut off once it is at most `floor`."""
    checkers, pinned = kb.check_info(search.tables, position)
    end = kb.game_end(search.tables, position, checkers, pinned, search.terms, scratch)
    if end != 0:
        return utility(end, True)
    count = kb.legal_moves(search.tables, position, replies)
    ours, _ = kb.men_of(position, search.side)
    worst = INFINITE
    for takes in range(1, -1, -1):
        for i in range(count):
            if (kb.bit(replies[i] >> 6 & 63) & ours != kb.NONE) != (takes != 0):
                continue
            after, _ = kb.make_move(search.tables, position, replies[i])
            worst = min(worst, leaf(search, after, False, scratch))
            if worst <= floor:
                return worst
    return worst


@kb.kernel
def swap(search: Pruned, one: int, other: int) -> None:
    """Exchange two histories of the stack."""
    position = kb.load(search.rows, one)
    kb.store(search.rows, one, kb.load(search.rows, other))
    kb.store(search.rows, other, position)
    for i in range(MASK_WORDS):
        a, b = MASK_WORDS * one + i, MASK_WORDS * other + i
        search.masks[a], search.masks[b] = search.masks[b], search.masks[a]
    search.stays[one], search.stays[other] = search.stays[other], search.stays[one]
    search.said[one], search.said[other] = search.said[other], search.said[one]


@kb.kernel
def list_legal(search: Pruned, begin: int, end: int, level: int) -> None:
    """Mark which tries of a set are legal in each of its histories."""
    tries = kb.advance(search.moves, LEVEL * level)
    moves = kb.advance(tries, REPLIES)
    for i in range(begin, end):
        count = kb.legal_moves(search.tables, kb.load(search.rows, i), moves)
        mask = kb.advance(search.masks, MASK_WORDS * i)
        for j in range(MASK_WORDS):
            mask[j] = kb.NONE
        legal = 0  # legal moves are in the same order as the tries, of which they are a part
        k = 0
        while legal < count and k < search.sizes[SIZES * level + TRIES]:
            if tries[k] == moves[legal]:
                mask[k >> 6] |= kb.bit(k & 63)
                legal += 1
            k += 1
        if legal < count or count == 0:
            search.counters[MISFIT] = 1


@kb.kernel
def list_replies(search: Pruned, begin: int, end: int, top: int, level: int, k: int) -> int:
    """Put what may follow a set's try, and a reply to it, on the stack; return the stack's new top.

    What ends the game is not put there but into the level's value: the worst of it.
    """
    lists = kb.advance(search.moves, LEVEL * level)
    replies, scratch = kb.advance(lists, REPLIES), kb.advance(lists, SCRATCH)
    search.worsts[level] = INFINITE
    for i in range(begin, end):
        if not search.masks[MASK_WORDS * i + (k >> 6)] & kb.bit(k & 63):
            continue
        before = kb.load(search.rows, i)
        after, captured = kb.make_move(search.tables, before, lists[k])
        said = kb.announcement(search.tables, before, after, captured, search.terms, scratch)
        if kb.end_said(said) != 0:
            search.worsts[level] = min(search.worsts[level], utility(kb.end_said(said), True))
            continue
        count = kb.legal_moves(search.tables, after, replies)
        if top + count > search.room:
            search.counters[FULL] = 1
            return top
        for j in range(count):
            again, captured = kb.make_move(search.tables, after, replies[j])
            heard = kb.announcement(search.tables, after, again, captured, search.terms, scratch)
            if kb.end_said(heard) != 0:
                search.worsts[level] = min(search.worsts[level], utility(kb.end_said(heard), False))
                continue
            kb.store(search.rows, top, again)
            search.said[top] = kb.number(kb.pair_of(said, heard))
            search.stays[top] = float(search.evaluator(search.tables, again, search.side))
            top += 1
    return top


@kb.kernel
def gather_worst(search: Pruned, begin: int, end: int) -> int:
    """Move the histories that sound like the worst of all to the front; return where they end."""
    worst = begin
    for i in range(begin + 1, end):
        if search.stays[i] < search.stays[worst]:
            worst = i
    said, gathered = search.said[worst], begin
    for i in range(begin, end):
        if search.said[i] == said:
            swap(search, i, gathered)
            gathered += 1
    return gathered


@kb.kernel
def open_set(search: Pruned, begin: int, end: int, level: int) -> None:
    """List the tries, all open, of a set of histories that sound the same, and where each is legal."""
    tries = kb.advance(search.moves, LEVEL * level)
    opened = kb.advance(tries, OPEN)
    position = kb.load(search.rows, begin)
    count = kb.open_tries(search.tables, position, kb.pawns_to_try(search.tables, position, search.terms), tries)
    for size in (TRIES, OPENED, WANTED):
        search.sizes[SIZES * level + size] = count
    for k in range(count):
        opened[k] = k
    list_legal(search, begin, end, level)


@kb.kernel
def after_refusal(search: Pruned, begin: int, end: int, top: int, level: int, k: int) -> int:
    """Put the histories that refuse a try on the stack, a set of the next level; return the stack's new top."""
    tries = kb.advance(search.moves, LEVEL * level)
    deeper = kb.advance(tries, LEVEL)
    opened, left = kb.advance(tries, OPEN), kb.advance(deeper, OPEN)
    for i in range(begin, end):
        if search.masks[MASK_WORDS * i + (k >> 6)] & kb.bit(k & 63):
            continue
        if top == search.room:
            search.counters[FULL] = 1
            return top
        kb.store(search.rows, top, kb.load(search.rows, i))
        for j in range(MASK_WORDS):
            search.masks[MASK_WORDS * top + j] = search.masks[MASK_WORDS * i + j]
        search.stays[top] = search.stays[i]
        top += 1
    sizes, below = kb.advance(search.sizes, SIZES * level), kb.advance(search.sizes, SIZES * (level + 1))
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
    """PU of a set: histories `begin` to `end` of the stack, in use up to `top`, and the tries open at `level`.

    Exact between alpha and beta, a bound beyond them; meaningless once room has run out.
    """
    lists = kb.advance(search.moves, LEVEL * level)
    opened, replies, scratch = kb.advance(lists, OPEN), kb.advance(lists, REPLIES), kb.advance(lists, SCRATCH)
    best = -INFINITE
    for n in range(search.sizes[SIZES * level + WANTED]):
        k, floor = opened[n], max(alpha, best)
        worst, refused = INFINITE, 0
        for i in range(begin, end):
            value = search.stays[i]
            if not search.masks[MASK_WORDS * i + (k >> 6)] & kb.bit(k & 63):
                refused += 1
                if depth > 1:
                    continue
            elif depth > 2:
                continue
            else:
                after, _ = kb.make_move(search.tables, kb.load(search.rows, i), lists[k])
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
            worst = search.worsts[level]
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
        if search.counters[FULL] != 0 or search.stop[0] != 0:
            return best
        best = max(best, worst)
        if best >= beta:
            break
    return best


@kb.entry
def value_tries(
    tables: kb.WordArray,
    method: tuple[int, kb.Terms, Evaluator],
    stack: tuple[kb.Rows, kb.WordArray, kb.RealArray, kb.IntArray],
    levels: tuple[kb.MoveArray, kb.IntArray, kb.RealArray],
    histories: tuple[kb.RealArray, kb.MoveArray],
    found: tuple[kb.RealArray, kb.RealArray],
    counters: kb.IntArray,
    stop: kb.IntArray,
) -> None:
    """Value the tries of a set: the best exactly, the others from above.

    Each depth looks into the tries in the order that the depth before has found, the best first.

    Args:
      tables: the tables.
      method: depth, terms, evaluator.
      stack: rows, masks, stays and said of `Pruned`; the histories of the set are the first of the rows.
      levels: moves, sizes and worsts of `Pruned`.
      histories: weights of the histories, tries of the set.
      found: legal [M] and values [M], written; legal is the weight of the histories in which each try is.
      counters: of `Pruned`.
      stop: set from outside to end it.
    """
    depth, terms, evaluator = method
    weights, tries = histories
    legal, values = found
    count = len(weights)
    rows, masks, stays, said = stack
    moves, sizes, worsts = levels
    side = kb.side_to_move(kb.load(kb.pointer(rows), 0))
    search = Pruned(
        kb.pointer(tables),
        terms,
        side,
        evaluator,
        kb.pointer(rows),
        kb.pointer(masks),
        kb.pointer(stays),
        kb.pointer(said),
        len(rows),
        kb.pointer(moves),
        kb.pointer(sizes),
        kb.pointer(worsts),
        kb.pointer(counters),
        kb.pointer(stop),
    )
    order = np.arange(len(tries))
    opened = kb.advance(search.moves, OPEN)
    for k in range(len(tries)):
        search.moves[k], opened[k] = tries[k], k
    search.sizes[TRIES], search.sizes[OPENED], search.sizes[WANTED] = len(tries), len(tries), 1
    list_legal(search, 0, count, 0)
    if search.counters[MISFIT] != 0:
        return
    for i in range(count):
        for k in range(len(tries)):
            if search.masks[MASK_WORDS * i + (k >> 6)] & kb.bit(k & 63):
                legal[k] += weights[i]
        search.stays[i] = float(search.evaluator(search.tables, kb.load(search.rows, i), side))
    for plies in range(1, depth + 1):
        best = -INFINITE
        for n in range(len(tries)):
            k = order[n]
            for i in range(len(tries)):
                if opened[i] == k:
                    opened[0], opened[i] = opened[i], opened[0]
            value = set_value(search, 0, count, count, 0, plies, best - HALF, INFINITE)
            if search.counters[FULL] != 0 or search.stop[0] != 0:
                return
            values[k] = value
            best = max(best, value)
        order = np.argsort(-values, kind="mergesort")


class Found(NamedTuple):
    """The result of alpha-beta: values [M], the probability [M] that each try is legal, the positions evaluated.

    It is meaningless unless `is_done`.
    """

    values: npt.NDArray[np.float64]
    legal: npt.NDArray[np.float64]
    leaves: int
    is_done: bool


def paranoid_values(histories: InformationSet, method: Method, stop: npt.NDArray[np.int64]) -> Found:
    """Value every try open in an information set under the paranoid rule, as `search.search_tries` does.

    Args:
      histories: the set.
      method: neither its backup rule nor its opponent model is asked, and refusals cost a ply.
      stop: [1] set from outside to end it.

    Raises:
      ValueError: positions that are not of one set.
    """
    rows, weights, tries = histories.rows, histories.weights, histories.tries
    count, room, leaves = len(rows), len(rows) * ROOM_A_BOARD, 0
    sizes, worsts = np.zeros(SIZES * (method.depth + 1), np.int64), np.empty(method.depth + 1)
    levels = np.empty(LEVEL * (method.depth + 1), np.int32), sizes, worsts
    parts = method.depth, histories.terms, method.evaluator
    while True:
        boards, masks = np.empty((room, 8), np.uint64), np.empty(room * MASK_WORDS, np.uint64)
        stack = boards, masks, np.empty(room), np.empty(room, np.int64)
        boards[:count] = rows
        counters, values, legal = np.zeros(COUNTERS, np.int64), np.empty(len(tries)), np.zeros(len(tries))
        value_tries(kb.TABLES, parts, stack, levels, (weights, tries), (legal, values), counters, stop)
        if counters[MISFIT]:
            raise ValueError("positions that are over, or that differ in our own men: not one information set")
        leaves += int(counters[LEAVES])
        if not counters[FULL]:
            return Found(values, legal / weights.sum(), leaves, not stop[0])
        room *= GROWTH
