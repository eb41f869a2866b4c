"""Alpha-beta for the paranoid rule: the best tries of `walk.py` under Eq. 3, without looking at most of the tree.

Under Eq. 3 of Parker, Nau and Subrahmanian (AAAI 2006) the opponent chooses the history as well as its moves: minimax
over information sets, where we choose a try for a whole set and the worst of what may follow is counted. So alpha-beta
holds (Knuth and Moore 1975), with a set of histories in the place of a position:

    PU_d(I) = max_m min( PU_{d-1}(histories of I that refuse m),
                         min over what is heard of m and of a reply: PU_{d-2}(histories that sound so) )

Each minimum is cut off once it is no more than the maximum found before; what is likely to be worst comes first: of the
histories, the one that cut off the try before; of what may be heard, that with the worst position in it; of the
replies, captures. Unlike the walk, which takes histories one by one and may be stopped after any, this needs the whole
sample before it begins.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import types

from evaluators.protocol import EVALUATOR_TYPE
from kriegbot.belief.filter import MASK_WORDS
from kriegbot.kernels.attacks import checkers_and_pins
from kriegbot.kernels.hearing import TERMS, Terms, announcement, end_said, game_end, pawn_captures_left
from kriegbot.kernels.jit import (
    INT,
    INT_ARRAY,
    INTS,
    MOVE_ARRAY,
    MOVES,
    REAL,
    REAL_ARRAY,
    REALS,
    ROW_ARRAY,
    WORD_ARRAY,
    WORDS,
    advance,
    entry,
    kernel,
    pointer,
)
from kriegbot.kernels.magics import Words
from kriegbot.kernels.moves import MOST_MOVES, legal_moves, make_move, open_tries
from kriegbot.kernels.position import NONE, POSITION, Position, bit, load, men_of, side_to_move, store
from kriegbot.kernels.tables import TABLES
from kriegbot.search.walk import utility

Reals = npt.NDArray[np.float64]
Moves = npt.NDArray[np.int32]
Ints = npt.NDArray[np.int64]

INFINITE = float("inf")
OPEN, REPLIES, SCRATCH, LEVEL = MOST_MOVES, 2 * MOST_MOVES, 3 * MOST_MOVES, 4 * MOST_MOVES
"""Lists of each level of the recursion: the tries of the set, the numbers of those still open, and room to work in."""
TRIES, OPENED, WANTED, SIZES = 0, 1, 2, 3
LEAVES, FULL, MISFIT, COUNTERS = 0, 1, 2, 3
"""Counters: positions evaluated; 1 once there was no room for a set; once a history had no legal move, or one that was
not among the tries."""
HEARD_BITS = 18
"""As many bits as an announcement has that lets the game go on."""
ROOM_A_BOARD, GROWTH = 64, 4
"""Room on the stack for each history to begin with, and how much more there is when that was not enough."""
HALF = 0.5
"""Values are whole centipawns: what is not above the best less this is below the best."""


class Pruned(NamedTuple):
    """What stays the same throughout a search; the sets of histories that are looked into lie on a stack.

    Of a history on the stack, which has `room` of them: rows [room, 8]; masks [room, MASK_WORDS], bit k set if try k of
    its set is legal; stays [room], E of the position as it stands; said [room], what was heard on the way there. Of
    each level: moves [levels, LEVEL]; sizes [levels, SIZES], how many tries the set has, how many are
    open, and how many of these, the first, to look into; worsts
    [levels], the worst end of the game that a try leads to. counters [COUNTERS]; stop [1], set from outside to end it.
    """

    tables: Any
    terms: Terms
    side: int
    evaluator: Any
    rows: Any
    masks: Any
    stays: Any
    said: Any
    room: int
    moves: Any
    sizes: Any
    worsts: Any
    counters: Any
    stop: Any


PRUNED = types.NamedTuple(
    (WORDS, TERMS, INT, EVALUATOR_TYPE, WORDS, WORDS, REALS, INTS, INT, MOVES, INTS, REALS, INTS, INTS), Pruned
)


@kernel(REAL(PRUNED, POSITION, types.boolean, MOVES))
def leaf(search: Pruned, position: Position, we_moved: bool, scratch: list[int]) -> float:
    """U if the last move ended the game, E otherwise."""
    search.counters[LEAVES] += 1
    checkers, pinned = checkers_and_pins(search.tables, position)
    end = game_end(search.tables, position, checkers, pinned, search.terms, scratch)
    if end != 0:
        return utility(end, we_moved)
    return float(search.evaluator(search.tables, position, search.side))


@kernel(REAL(PRUNED, POSITION, REAL, MOVES, MOVES))
def worst_reply(search: Pruned, position: Position, floor: float, replies: list[int], scratch: list[int]) -> float:
    """Minimum of the leaves behind the opponent's moves, captures first; cut off once it is no more than `floor`."""
    checkers, pinned = checkers_and_pins(search.tables, position)
    end = game_end(search.tables, position, checkers, pinned, search.terms, scratch)
    if end != 0:
        return utility(end, True)
    count = legal_moves(search.tables, position, replies)
    ours, _ = men_of(position, search.side)
    worst = INFINITE
    for takes in range(1, -1, -1):
        for i in range(count):
            if (bit(replies[i] >> 6 & 63) & ours != NONE) != (takes != 0):
                continue
            after, _ = make_move(search.tables, position, replies[i])
            worst = min(worst, leaf(search, after, False, scratch))
            if worst <= floor:
                return worst
    return worst


@kernel(types.void(PRUNED, INT, INT))
def swap(search: Pruned, one: int, other: int) -> None:
    """Exchange two histories of the stack."""
    position = load(search.rows, one)
    store(search.rows, one, load(search.rows, other))
    store(search.rows, other, position)
    for i in range(MASK_WORDS):
        a, b = MASK_WORDS * one + i, MASK_WORDS * other + i
        search.masks[a], search.masks[b] = search.masks[b], search.masks[a]
    search.stays[one], search.stays[other] = search.stays[other], search.stays[one]
    search.said[one], search.said[other] = search.said[other], search.said[one]


@kernel(types.void(PRUNED, INT, INT, INT))
def list_legal(search: Pruned, begin: int, end: int, level: int) -> None:
    """Mark which tries of a set are legal in each of its histories."""
    tries = advance(search.moves, LEVEL * level)
    moves = advance(tries, REPLIES)
    for i in range(begin, end):
        count = legal_moves(search.tables, load(search.rows, i), moves)
        mask = advance(search.masks, MASK_WORDS * i)
        for j in range(MASK_WORDS):
            mask[j] = NONE
        legal = 0  # the legal moves stand in the same order as the tries that they are among
        k = 0
        while legal < count and k < search.sizes[SIZES * level + TRIES]:
            if tries[k] == moves[legal]:
                mask[k >> 6] |= bit(k & 63)
                legal += 1
            k += 1
        if legal < count or count == 0:
            search.counters[MISFIT] = 1


@kernel(INT(PRUNED, INT, INT, INT, INT, INT))
def list_replies(search: Pruned, begin: int, end: int, top: int, level: int, k: int) -> int:
    """Put what may follow a set's try, and a reply to it, on the stack; return the stack's new top.

    What ends the game is not put there but into the level's value: the worst of it.
    """
    lists = advance(search.moves, LEVEL * level)
    replies, scratch = advance(lists, REPLIES), advance(lists, SCRATCH)
    search.worsts[level] = INFINITE
    for i in range(begin, end):
        if not search.masks[MASK_WORDS * i + (k >> 6)] & bit(k & 63):
            continue
        before = load(search.rows, i)
        after, captured = make_move(search.tables, before, lists[k])
        said = announcement(search.tables, before, after, captured, search.terms, scratch)
        if end_said(said) != 0:
            search.worsts[level] = min(search.worsts[level], utility(end_said(said), True))
            continue
        count = legal_moves(search.tables, after, replies)
        if top + count > search.room:
            search.counters[FULL] = 1
            return top
        for j in range(count):
            again, captured = make_move(search.tables, after, replies[j])
            heard = announcement(search.tables, after, again, captured, search.terms, scratch)
            if end_said(heard) != 0:
                search.worsts[level] = min(search.worsts[level], utility(end_said(heard), False))
                continue
            store(search.rows, top, again)
            search.said[top] = said << HEARD_BITS | heard
            search.stays[top] = float(search.evaluator(search.tables, again, search.side))
            top += 1
    return top


@kernel(INT(PRUNED, INT, INT))
def gather_worst(search: Pruned, begin: int, end: int) -> int:
    """Bring the histories that sound like the worst one of all to the front; return where they end."""
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


@kernel(types.void(PRUNED, INT, INT, INT))
def open_set(search: Pruned, begin: int, end: int, level: int) -> None:
    """List the tries of a set of histories that sound alike, all of them open, and where each is legal."""
    tries = advance(search.moves, LEVEL * level)
    opened = advance(tries, OPEN)
    pawns_may_capture = pawn_captures_left(search.said[begin] & (1 << HEARD_BITS) - 1)
    count = open_tries(search.tables, load(search.rows, begin), pawns_may_capture, tries)
    for size in (TRIES, OPENED, WANTED):
        search.sizes[SIZES * level + size] = count
    for k in range(count):
        opened[k] = k
    list_legal(search, begin, end, level)


@kernel(INT(PRUNED, INT, INT, INT, INT, INT))
def after_refusal(search: Pruned, begin: int, end: int, top: int, level: int, k: int) -> int:
    """Put the histories that refuse a try on the stack, a set of the next level; return the stack's new top."""
    tries = advance(search.moves, LEVEL * level)
    deeper = advance(tries, LEVEL)
    opened, left = advance(tries, OPEN), advance(deeper, OPEN)
    for i in range(begin, end):
        if search.masks[MASK_WORDS * i + (k >> 6)] & bit(k & 63):
            continue
        if top == search.room:
            search.counters[FULL] = 1
            return top
        store(search.rows, top, load(search.rows, i))
        for j in range(MASK_WORDS):
            search.masks[MASK_WORDS * top + j] = search.masks[MASK_WORDS * i + j]
        search.stays[top] = search.stays[i]
        top += 1
    sizes, below = advance(search.sizes, SIZES * level), advance(search.sizes, SIZES * (level + 1))
    for i in range(sizes[TRIES]):
        deeper[i] = tries[i]
    count = 0
    for i in range(sizes[OPENED]):
        if opened[i] != k:
            left[count] = opened[i]
            count += 1
    below[TRIES], below[OPENED], below[WANTED] = sizes[TRIES], count, count
    return top


@kernel(REAL(PRUNED, INT, INT, INT, INT, INT, REAL, REAL))
def set_value(
    search: Pruned, begin: int, end: int, top: int, level: int, depth: int, alpha: float, beta: float
) -> float:
    """PU of a set: histories `begin` to `end` of the stack, in use up to `top`, and the tries open at `level`.

    Exact between alpha and beta, a bound beyond them; of no meaning once there was no room.
    """
    lists = advance(search.moves, LEVEL * level)
    opened, replies, scratch = advance(lists, OPEN), advance(lists, REPLIES), advance(lists, SCRATCH)
    best = -INFINITE
    for n in range(search.sizes[SIZES * level + WANTED]):
        k, floor = opened[n], max(alpha, best)
        worst, refused = INFINITE, 0
        for i in range(begin, end):
            value = search.stays[i]
            if not search.masks[MASK_WORDS * i + (k >> 6)] & bit(k & 63):
                refused += 1
                if depth > 1:
                    continue
            elif depth > 2:
                continue
            else:
                after, _ = make_move(search.tables, load(search.rows, i), lists[k])
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


@entry(
    types.void(
        WORD_ARRAY,
        TERMS,
        EVALUATOR_TYPE,
        INT,
        INT,
        MOVE_ARRAY,
        types.Tuple((ROW_ARRAY, WORD_ARRAY, REAL_ARRAY, INT_ARRAY)),
        types.Tuple((MOVE_ARRAY, INT_ARRAY, REAL_ARRAY)),
        INT_ARRAY,
        INT_ARRAY,
        REAL_ARRAY,
        REAL_ARRAY,
        REAL_ARRAY,
    )
)
def value_tries(
    tables: Any,
    terms: Terms,
    evaluator: Any,
    count: int,
    depth: int,
    tries: Any,
    stack: tuple[Any, ...],
    levels: tuple[Any, ...],
    counters: Any,
    stop: Any,
    weights: Any,
    legal: Any,
    values: Any,
) -> None:
    """Value the tries of the set of the first `count` histories of a stack: the best exactly, the others from above.

    `legal` becomes the weight of the histories in which each try is legal.

    Each depth looks into the tries in the order that the depth before has found, the best first.
    """
    rows, masks, stays, said = stack
    moves, sizes, worsts = levels
    side = side_to_move(load(pointer(rows), 0))
    search = Pruned(
        pointer(tables),
        terms,
        side,
        evaluator,
        pointer(rows),
        pointer(masks),
        pointer(stays),
        pointer(said),
        len(rows),
        pointer(moves),
        pointer(sizes),
        pointer(worsts),
        pointer(counters),
        pointer(stop),
    )
    order = np.arange(len(tries))
    opened = advance(search.moves, OPEN)
    for k in range(len(tries)):
        search.moves[k], opened[k] = tries[k], k
    search.sizes[TRIES], search.sizes[OPENED], search.sizes[WANTED] = len(tries), len(tries), 1
    list_legal(search, 0, count, 0)
    if search.counters[MISFIT] != 0:
        return
    for i in range(count):
        for k in range(len(tries)):
            if search.masks[MASK_WORDS * i + (k >> 6)] & bit(k & 63):
                legal[k] += weights[i]
        search.stays[i] = float(search.evaluator(search.tables, load(search.rows, i), side))
    for plies in range(1, depth + 1):
        best = -INFINITE
        for n in range(len(tries)):
            k = order[n]
            for i in range(len(tries)):
                if opened[i] == k:
                    opened[0], opened[i] = opened[i], opened[0]
            found = set_value(search, 0, count, count, 0, plies, best - HALF, INFINITE)
            if search.counters[FULL] != 0 or search.stop[0] != 0:
                return
            values[k] = found
            best = max(best, found)
        order = np.argsort(-values, kind="mergesort")


class Found(NamedTuple):
    """What alpha-beta has found: values [M], the probability [M] that each try is legal, the positions evaluated.

    Nothing holds unless it `is_done`.
    """

    values: Reals
    legal: Reals
    leaves: int
    is_done: bool


def paranoid_values(
    rows: Words, weights: Reals, tries: Moves, depth: int, evaluator: Any, terms: Terms, stop: Ints
) -> Found:
    """Value every try open in an information set under the paranoid rule, as `search.search` does, but for `stop` [1].

    Raises:
      ValueError: positions that are not of one set.
    """
    count, room, leaves = len(rows), len(rows) * ROOM_A_BOARD, 0
    sizes, worsts = np.zeros(SIZES * (depth + 1), np.int64), np.empty(depth + 1)
    levels = np.empty(LEVEL * (depth + 1), np.int32), sizes, worsts
    while True:
        boards, masks = np.empty((room, 8), np.uint64), np.empty(room * MASK_WORDS, np.uint64)
        stack = boards, masks, np.empty(room), np.empty(room, np.int64)
        boards[:count] = rows
        counters, values, legal = np.zeros(COUNTERS, np.int64), np.empty(len(tries)), np.zeros(len(tries))
        value_tries(
            TABLES, terms, evaluator, count, depth, tries, stack, levels, counters, stop, weights, legal, values
        )
        if counters[MISFIT]:
            raise ValueError("positions that are over, or that differ in our own men: not one information set")
        leaves += int(counters[LEAVES])
        if not counters[FULL]:
            return Found(values, legal / weights.sum(), leaves, not stop[0])
        room *= GROWTH
