"""Alpha-beta for the paranoid rule: the best tries of `recursion` under Eq. 3, without most of the tree.

Under Eq. 3 of Parker, Nau and Subrahmanian (AAAI 2006) the opponent chooses the history as well as its moves. This is
minimax over information sets, so alpha-beta works (Knuth and Moore 1975), with a set of histories for a position:

    PU_d(I) = max_m min( PU_{d-1}(histories of I that refuse m),
                         min over announcements of m and of a reply: PU_{d-2}(histories with these announcements) )

A minimum is cut off once it is no higher than the best maximum. The likely worst comes first: the history that cut off
the previous try, the announcements of the worst position, captures among the replies. It needs the whole sample first.
"""

from typing import NamedTuple

import numpy as np

from evaluators.protocol import Evaluator, evaluate
from kriegbot import kernels as kb
from kriegbot.search.information_set import InformationSet
from kriegbot.search.recursion import utility
from kriegbot.search.settings import Method

INFINITE = float("inf")
HISTORY, STAY, PAIR = 10, 8, 9
"""Number of words of a history. After its position: E of it with no move made, a hash of the announcements before."""
REPLIES, SCRATCH, LEVEL = kb.MAX_MOVES, 2 * kb.MAX_MOVES, 3 * kb.MAX_MOVES
"""Lists of each level: the open tries of the set, the replies, and scratch space."""
LEAVES, FULL, MISFIT, COUNTERS = 0, 1, 2, 3
"""Counters: positions evaluated; then flags: 1 once a set had no room, once a history had no legal move or one that was
not among the tries."""
STACK_PER_HISTORY, GROWTH = 64, 4  # first size of the stack for each history, and the factor by which it grows
HALF = 0.5  # values are whole centipawns, so a search above `best - HALF` still finds the tries that equal the best


class PrunedWorkspace(NamedTuple):
    """Memory of a search."""

    stack: kb.WordArray  # [size * HISTORY] sets of histories
    size: int
    moves: kb.MoveArray  # [levels * LEVEL]
    open_tries: kb.IntArray  # [levels] the number of open tries
    counters: kb.IntArray  # [COUNTERS]
    stop: kb.IntArray  # [1] the flag of `stop_after`


class Pruned(NamedTuple):
    """Constants of a search."""

    tables: kb.Words
    rules: kb.KernelRules
    side: int
    evaluator: Evaluator
    work: PrunedWorkspace


@kb.inlined
def history(search: Pruned, i: int) -> kb.Words:
    """Return a pointer to a history of the stack."""
    return kb.advance(search.work.stack, HISTORY * i)


@kb.kernel
def leaf(search: Pruned, position: kb.Position, we_moved: bool, scratch: kb.Moves) -> float:
    """Return U if the last move ended the game, E otherwise."""
    search.work.counters[LEAVES] += 1
    checkers, pinned = kb.check_info(search.tables, position)
    end = kb.game_end(search.tables, position, checkers, pinned, search.rules, scratch)
    if end != 0:
        return utility(end, we_moved)
    return float(evaluate(search.evaluator, search.tables, position, search.side, search.work.stop))


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
def push(search: Pruned, top: int, position: kb.Position, pair: kb.Word) -> None:
    """Write a history to the top of the stack."""
    target = history(search, top)
    kb.store(target, 0, position)
    stay = evaluate(search.evaluator, search.tables, position, search.side, search.work.stop)
    target[STAY], target[PAIR] = kb.word(stay), pair


@kb.kernel
def swap(search: Pruned, one: int, other: int) -> None:
    """Exchange two histories of the stack."""
    a, b = history(search, one), history(search, other)
    for i in range(HISTORY):
        a[i], b[i] = b[i], a[i]


@kb.kernel
def list_replies(search: Pruned, begin: int, end: int, top: int, level: int, move: int) -> tuple[int, float]:
    """Push the positions after a try and a reply; return the new top, and the worst value of games that ended."""
    replies = kb.advance(search.work.moves, LEVEL * level + REPLIES)
    scratch, worst = kb.advance(replies, kb.MAX_MOVES), INFINITE
    for i in range(begin, end):
        before = kb.load(history(search, i), 0)
        if not kb.is_legal_try(search.tables, before, move):
            continue
        after, captured = kb.make_move(search.tables, before, move)
        ours = kb.announcement(search.tables, before, after, captured, search.rules, scratch)
        if kb.announced_end(ours) != 0:
            worst = min(worst, utility(kb.announced_end(ours), True))
            continue
        count = kb.legal_moves(search.tables, after, replies)
        if top + count > search.work.size:
            search.work.counters[FULL] = 1
            return top, worst
        for j in range(count):
            again, captured = kb.make_move(search.tables, after, replies[j])
            theirs = kb.announcement(search.tables, after, again, captured, search.rules, scratch)
            if kb.announced_end(theirs) != 0:
                worst = min(worst, utility(kb.announced_end(theirs), False))
            else:
                push(search, top, again, kb.mix64(kb.word(ours)) ^ kb.word(theirs))
                top += 1
    return top, worst


@kb.kernel
def gather_worst(search: Pruned, begin: int, end: int) -> int:
    """Move the histories with the announcements of the worst to the front; return their end."""
    worst = begin
    for i in range(begin + 1, end):
        if kb.number(history(search, i)[STAY]) < kb.number(history(search, worst)[STAY]):
            worst = i
    pair, gathered = history(search, worst)[PAIR], begin
    for i in range(begin, end):
        if history(search, i)[PAIR] == pair:
            swap(search, i, gathered)
            gathered += 1
    return gathered


@kb.kernel
def list_tries(search: Pruned, begin: int, level: int) -> None:
    """List the tries of a set of histories with the same announcements, of which one stands at `begin`."""
    position = kb.load(history(search, begin), 0)
    capturing = kb.pawns_to_try(search.tables, position, search.rules)
    tries = kb.advance(search.work.moves, LEVEL * level)
    search.work.open_tries[level] = kb.open_tries(search.tables, position, capturing, tries)


@kb.kernel
def after_refusal(search: Pruned, begin: int, end: int, top: int, level: int, n: int) -> int:
    """Push the histories that refuse try number `n`, a set of the next level; return the new top of the stack."""
    tries = kb.advance(search.work.moves, LEVEL * level)
    left, count = kb.advance(tries, LEVEL), 0
    for i in range(begin, end):
        refusing = history(search, i)
        if kb.is_legal_try(search.tables, kb.load(refusing, 0), tries[n]):
            continue
        if top == search.work.size:
            search.work.counters[FULL] = 1
            return top
        target = history(search, top)
        for j in range(HISTORY):
            target[j] = refusing[j]
        top += 1
    for i in range(search.work.open_tries[level]):
        if i != n:
            left[count] = tries[i]
            count += 1
    search.work.open_tries[level + 1] = count
    return top


@kb.kernel
def set_value(
    search: Pruned, begin: int, end: int, top: int, level: int, depth: int, wanted: int, alpha: float, beta: float
) -> float:
    """Return PU of the histories `begin` to `end` of the stack, in use up to `top`, by the first tries of their level.

    `wanted` is the number of these tries. The value is exact between alpha and beta, a bound beyond them, and
    meaningless once the stack is full or `stop` is set.
    """
    tries, below = kb.advance(search.work.moves, LEVEL * level), level + 1
    replies, scratch = kb.advance(tries, REPLIES), kb.advance(tries, SCRATCH)
    best = -INFINITE
    for n in range(wanted):
        floor, worst, refused = max(alpha, best), INFINITE, 0
        for i in range(begin, end):
            position, value = kb.load(history(search, i), 0), 0.0
            if not kb.is_legal_try(search.tables, position, tries[n]):
                refused += 1
                if depth > 1:
                    continue
                value = float(kb.number(history(search, i)[STAY]))
            elif depth > 2:
                continue
            else:
                after, _ = kb.make_move(search.tables, position, tries[n])
                if depth == 1:
                    value = leaf(search, after, True, scratch)
                else:
                    value = worst_reply(search, after, floor, replies, scratch)
            worst = min(worst, value)
            if worst <= floor:
                swap(search, begin, i)
                break
        if depth > 2 and worst > floor:
            filled, worst = list_replies(search, begin, end, top, level, tries[n])
            first = top
            while first < filled and worst > floor:
                last = gather_worst(search, first, filled)
                list_tries(search, first, below)
                count, bound = search.work.open_tries[below], min(beta, worst)
                worst = min(worst, set_value(search, first, last, filled, below, depth - 2, count, floor, bound))
                first = last
        if depth > 1 and refused > 0 and worst > floor:
            filled = after_refusal(search, begin, end, top, level, n)
            count, bound = search.work.open_tries[below], min(beta, worst)
            worst = min(worst, set_value(search, top, filled, filled, below, depth - 1, count, floor, bound))
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
    arrays: PrunedWorkspace,
    rows: kb.Rows,
    weights: kb.RealArray,
    tries: kb.MoveArray,
    legal: kb.RealArray,
    values: kb.RealArray,
) -> None:
    """Write the values [M] of the tries of a set, exact for the best and from above for others.

    Each depth searches the tries in the order of the depth before. The set's histories are rows [N, 8] of `weights`
    [N]. `legal` [M] gets the weight of the histories in which each try is legal.
    """
    depth, rules, evaluator = method
    work, count = kb.pointers(arrays), len(rows)
    side = kb.side_to_move(kb.load(kb.pointer(rows), 0))
    search = Pruned(kb.pointer(tables), rules, side, evaluator, work)
    listed = kb.advance(work.moves, REPLIES)
    for i in range(count):
        position = kb.load(kb.pointer(rows), i)
        moves, found = kb.legal_moves(search.tables, position, listed), 0
        for k in range(len(tries)):  # legal moves are in the same order as the tries, of which they are a part
            if found < moves and tries[k] == listed[found]:
                legal[k] += weights[i]
                found += 1
        if found < moves or moves == 0:
            work.counters[MISFIT] = 1
            return
        push(search, i, position, kb.NONE)
    for k in range(len(tries)):
        work.moves[k] = tries[k]
    work.open_tries[0] = len(tries)
    order = np.arange(len(tries))
    for plies in range(1, depth + 1):
        best = -INFINITE
        for n in range(len(tries)):
            k = order[n]
            for i in range(len(tries)):
                if work.moves[i] == tries[k]:
                    work.moves[0], work.moves[i] = work.moves[i], work.moves[0]
            value = set_value(search, 0, count, count, 0, plies, 1, best - HALF, INFINITE)
            if work.counters[FULL] != 0 or work.stop[0] != 0:
                return
            values[k] = value
            best = max(best, value)
        order = np.argsort(-values, kind="mergesort")


def paranoid_values(
    histories: InformationSet, method: Method, stop: kb.IntArray
) -> tuple[kb.RealArray, kb.RealArray, int]:
    """Value every try open in an information set under the paranoid rule, where refusals cost a ply.

    Return the values [M], the probabilities [M] of being legal, and the number of positions evaluated. The values are
    meaningless once the flag of `search.stop_after` is set. Raise ValueError for boards that `search_tries` refuses.
    """
    rows, weights, tries, depth = histories.rows, histories.weights, histories.tries, method.depth
    size, leaves = len(rows) * STACK_PER_HISTORY, 0
    while True:
        work = PrunedWorkspace(
            stack=np.empty(size * HISTORY, np.uint64),
            size=size,
            moves=np.empty(LEVEL * (depth + 1), np.int32),
            open_tries=np.zeros(depth + 1, np.int64),
            counters=np.zeros(COUNTERS, np.int64),
            stop=stop,
        )
        values, legal = np.empty(len(tries)), np.zeros(len(tries))
        value_tries(kb.TABLES, (depth, histories.rules, method.evaluator), work, rows, weights, tries, legal, values)
        if work.counters[MISFIT]:
            raise ValueError("positions that are over, or that differ in our own pieces: not one information set")
        leaves += int(work.counters[LEAVES])
        if not work.counters[FULL]:
            return values, legal / weights.sum(), leaves
        size *= GROWTH
