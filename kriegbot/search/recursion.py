"""The walk of one history through the tree: the recursion of Parker, Nau and Subrahmanian (AAAI 2006), Eq. 2 and 3.

docs/method.md has the equations. The sums of Eq. 2 become minima in Eq. 3; the backup rule does either, or something in
between. The maxima are taken later, by `tree.back_up`, once all histories of a set are in: a maximum inside one history
would be strategy fusion, a different choice on each board that looks the same to us.

Three shortcuts are not in the equations. Equal boards of one draw are searched as one, with their joint weight. With
one or two plies left we make no choice after an accepted try, so its announcements change nothing: its value depends on
the history alone, and all sets that the history reaches through refusals share it. And a history that survives a
refusal keeps its lists of moves and values (`tree.Lists`). In the paper each refused try costs
a ply. With `Settings.free_refusals` = n the first n in a row cost none, and one more counts as a random legal move.

A quiet move (`kernels.is_quiet`) gives no check and ends nothing, so its leaf needs no test for an end. `ours` and
`theirs` are the encoded announcements of our last move and of the opponent's.
"""

from math import sqrt
from typing import NamedTuple, TypeAlias

import numpy as np

from evaluators import WIN
from evaluators.protocol import Evaluator, evaluate
from kriegbot import kernels as kb
from kriegbot.models.protocol import Announced, Opponent
from kriegbot.search.backup import Fold
from kriegbot.search.tree import (
    COUNT,
    FIRST,
    LEAVES,
    LISTS,
    MISFIT,
    NO_MOVE,
    NODE_FIELDS,
    OUTCOMES,
    STOPPED,
    Lists,
    SearchTree,
    after_refusal,
    after_reply,
)


class Walk(NamedTuple):
    """Constants of a walk with one history."""

    tables: kb.Words
    tree: SearchTree
    side: int
    moves: kb.Moves  # the history's lists of each stage
    outcomes: kb.Reals  # likewise
    reply_values: kb.Reals  # [MAX_MOVES, width] of each stage
    reply_weights: kb.Reals  # [MAX_MOVES] of each stage
    one_weight: kb.Reals  # [1] of a single value
    part: int  # as for `walk_batch`
    parts: int
    depth: int
    free_refusals: int
    exchange: float
    value_scale: float
    rules: kb.KernelRules
    evaluator: Evaluator
    fold: Fold
    opponent: Opponent
    is_uniform: bool


@kb.kernel
def utility(end: int, we_moved: bool) -> float:
    """Return U for us of a game that the last move ended."""
    if not kb.is_won(end):
        return 0.0
    return WIN if we_moved else -WIN


@kb.inlined
def put(walk: Walk, totals: kb.Reals, value: float) -> None:
    """Set all `totals` to one sure value, bounded as `Settings.value_scale` says."""
    if walk.value_scale != 0.0:
        value /= sqrt(1.0 + (value / walk.value_scale) ** 2)  # operations that give the same bits on any machine
    for i in range(walk.tree.width):
        totals[i] = value


@kb.inlined
def outcomes_of(walk: Walk, stage: int) -> kb.Reals:
    """Return a pointer to the outcomes of a stage."""
    return kb.advance(walk.outcomes, walk.tree.width * OUTCOMES * stage)


@kb.inlined
def fold_one(walk: Walk, totals: kb.Reals, weight: float, values: kb.Reals) -> None:
    """Fold one row, values or the totals behind a move, into `totals`; see `search.backup` for which totals may."""
    walk.one_weight[0] = weight
    walk.fold(totals, walk.one_weight, values, 1)


@kb.inlined
def fold_end(walk: Walk, totals: kb.Reals, weight: float, end: int, we_moved: bool, scratch: kb.Reals) -> None:
    """Fold the value of a game that the last move ended into `totals`."""
    put(walk, scratch, utility(end, we_moved))
    fold_one(walk, totals, weight, scratch)


@kb.inlined
def leaf(walk: Walk, quiet: kb.QuietInfo, position: kb.Position, move: int, we_move: bool, scratch: kb.Moves) -> float:
    """Return the value of a legal move: U if it ends the game, else E after it, with the exchange where it captured."""
    after, captured = kb.make_move(walk.tables, position, move)
    if not kb.is_quiet(quiet, position, move):
        checkers, pinned = kb.check_info(walk.tables, after)
        end = kb.game_end(walk.tables, after, checkers, pinned, walk.rules, scratch)
        if end != 0:
            return utility(end, we_move)
    value = float(evaluate(walk.evaluator, walk.tables, after, walk.side, walk.tree.stop))
    if captured >= 0 and walk.exchange != 0.0:  # both sides know the square
        gained = walk.exchange * kb.exchange(walk.tables, after, captured)
        value += -gained if we_move else gained
    return value


@kb.inlined
def weigh_replies(
    walk: Walk, position: kb.Position, announced: Announced, moves: kb.Moves, count: int, weights: kb.Reals
) -> float:
    """Write the opponent model's weight of each of its moves; return the sum."""
    if walk.is_uniform or not walk.opponent(walk.tables, position, announced, moves, count, weights):
        for i in range(count):
            weights[i] = 1.0
        return float(count)
    total = 0.0
    for i in range(count):
        total += weights[i] if weights[i] >= 0.0 else np.nan  # which the values at the root show
    return total


@kb.inlined
def value_reply(walk: Walk, position: kb.Position, index: int, theirs: int, stage: int, moves: kb.Moves) -> None:
    """Write the totals at depth 2 of our move number `index` of this stage, from the leaves behind the replies to it.

    `position` is before the move, `theirs` the announcement of the opponent's last move, `moves` space for two lists.
    """
    width, scratch = walk.tree.width, kb.advance(moves, kb.MAX_MOVES)
    totals = kb.advance(outcomes_of(walk, stage), width * (kb.MAX_MOVES + index))
    values = kb.advance(walk.reply_values, width * kb.MAX_MOVES * stage)
    weights = kb.advance(walk.reply_weights, kb.MAX_MOVES * stage)
    played = kb.advance(walk.moves, LISTS * kb.MAX_MOVES * stage)[index]
    after, captured = kb.make_move(walk.tables, position, played)
    ours = 0
    if walk.is_uniform:  # a uniform model reads no announcement, and finding only the end is quicker
        checkers, pinned = kb.check_info(walk.tables, after)
        end = kb.game_end(walk.tables, after, checkers, pinned, walk.rules, scratch)
    else:
        ours = kb.announcement(walk.tables, position, after, captured, walk.rules, scratch)
        end = kb.announced_end(ours)
    if end != 0:
        put(walk, totals, utility(end, True))
        return
    count = kb.legal_moves(walk.tables, after, moves)
    quiet = kb.quiet_info(walk.tables, after, walk.rules)
    total = weigh_replies(walk, after, Announced(ours, theirs), moves, count, weights)
    for i in range(count):
        weights[i] /= total
        put(walk, kb.advance(values, width * i), leaf(walk, quiet, after, moves[i], False, scratch))
    for i in range(width):
        totals[i] = walk.tree.start[i]
    walk.fold(totals, weights, values, count)
    walk.tree.counters[LEAVES] += count


@kb.inlined
def list_outcomes(walk: Walk, position: kb.Position, depth: int, stage: int, theirs: int) -> int:
    """List our legal moves, the value of each at depth 1 and (if `depth` > 1) 2, and the value at NO_MOVE.

    Write to the lists of this stage; return the number of moves.
    """
    moves = kb.advance(walk.moves, LISTS * kb.MAX_MOVES * stage)
    replies = kb.advance(moves, kb.MAX_MOVES)
    outcomes, width = outcomes_of(walk, stage), walk.tree.width
    count = kb.legal_moves(walk.tables, position, moves)
    quiet = kb.quiet_info(walk.tables, position, walk.rules)
    for i in range(count):
        put(walk, kb.advance(outcomes, width * i), leaf(walk, quiet, position, moves[i], True, replies))
        if depth > 1:
            value_reply(walk, position, i, theirs, stage, replies)
    stay = kb.advance(outcomes, width * NO_MOVE)
    if walk.free_refusals > 0:
        weights = kb.advance(walk.reply_weights, kb.MAX_MOVES * stage)
        for i in range(count):
            weights[i] = 1.0 / count
        for i in range(width):
            stay[i] = walk.tree.start[i]
        walk.fold(stay, weights, kb.advance(outcomes, width * kb.MAX_MOVES * (min(depth, 2) - 1)), count)
        walk.tree.counters[LEAVES] += count
    else:
        put(walk, stay, float(evaluate(walk.evaluator, walk.tables, position, walk.side, walk.tree.stop)))
        walk.tree.counters[LEAVES] += count + 1
    if count == 0:
        walk.tree.counters[MISFIT] = 1
    return count


@kb.kernel
def unlisted() -> int:
    """Return -1 as int64: numba would type a literal in a recursive call by its value."""
    return -1


@kb.kernel
def walk_history(
    walk: Walk,
    position: kb.Position,
    node: int,
    depth: int,
    free_left: int,
    weight: float,
    stage: int,
    count: int,
    theirs: int,
) -> None:
    """Walk with a history of `weight` from the set `node`, where we are to move and `depth` >= 1 plies are left.

    `node` is -1 if there was no room for it, which stops the walk. `free_left` refusals in a row still cost no ply, and
    `stage` moves of ours came before. `count` legal moves, with their outcomes, stand in this stage's lists already if
    only refusals came between; else it is `unlisted()`.
    """
    tree, tables, width = walk.tree, walk.tables, walk.tree.width
    if node < 0 or (stage > 0 and tree.stop[0] != 0):
        tree.counters[STOPPED] = 1
        return
    moves = kb.advance(walk.moves, LISTS * kb.MAX_MOVES * stage)
    replies, scratch = kb.advance(moves, kb.MAX_MOVES), kb.advance(moves, 2 * kb.MAX_MOVES)
    outcomes = outcomes_of(walk, stage)
    values = kb.advance(walk.reply_values, width * kb.MAX_MOVES * stage)
    weights = kb.advance(walk.reply_weights, kb.MAX_MOVES * stage)
    if count < 0:
        count = list_outcomes(walk, position, depth, stage, theirs)
    tree.weights[node] += weight
    first = tree.nodes[NODE_FIELDS * node + FIRST]
    next_legal = 0  # legal moves stand in the order of the tries
    for slot in range(first, first + tree.nodes[NODE_FIELDS * node + COUNT]):
        totals = kb.advance(tree.totals, width * slot)
        if node == 0 and slot % walk.parts != walk.part:
            if next_legal < count and tree.tries[slot] == moves[next_legal]:
                next_legal += 1
            continue
        if next_legal == count or tree.tries[slot] != moves[next_legal]:  # refused in this history
            if free_left == 0 and (depth == 1 or walk.free_refusals > 0):
                fold_one(walk, totals, weight, kb.advance(outcomes, width * NO_MOVE))
                continue
            child, cost = after_refusal(tree, node, slot), 0 if free_left > 0 else 1
            walk_history(walk, position, child, depth - cost, max(free_left - 1, 0), weight, stage, count, theirs)
            if tree.counters[STOPPED] != 0:
                return
            continue
        if node == 0:
            tree.legal[slot] += weight
        next_legal += 1
        if depth <= 2:
            fold_one(walk, totals, weight, kb.advance(outcomes, width * (kb.MAX_MOVES * (depth - 1) + next_legal - 1)))
            continue
        after, captured = kb.make_move(tables, position, moves[next_legal - 1])
        ours = kb.announcement(tables, position, after, captured, walk.rules, scratch)
        if kb.announced_end(ours) != 0:
            fold_end(walk, totals, weight, kb.announced_end(ours), True, values)
            continue
        reply_count = kb.legal_moves(tables, after, replies)
        total = weigh_replies(walk, after, Announced(ours, theirs), replies, reply_count, weights)
        for i in range(reply_count):
            reply_weight = weight * weights[i] / total
            again, captured = kb.make_move(tables, after, replies[i])
            answer = kb.announcement(tables, after, again, captured, walk.rules, scratch)
            if kb.announced_end(answer) != 0:
                fold_end(walk, totals, reply_weight, kb.announced_end(answer), False, values)
                tree.counters[LEAVES] += 1
                continue
            child = after_reply(tables, tree, slot, ours, answer, again, walk.rules)
            free = walk.free_refusals
            walk_history(walk, again, child, depth - 2, free, reply_weight, stage + 1, unlisted(), answer)
            if tree.counters[STOPPED] != 0:
                return
    if next_legal < count:
        tree.counters[MISFIT] = 1


WalkArguments: TypeAlias = tuple[int, int, float, float, kb.KernelRules, Evaluator, Fold, Opponent, bool]
"""The last members of `Walk`: numba takes kernels only within tuples without names."""


@kb.entry
def walk_batch(
    tables: kb.WordArray,
    arrays: SearchTree,
    arguments: WalkArguments,
    rows: kb.Rows,
    weights: kb.RealArray,
    theirs: int,
    move_lists: Lists,
    part: int,
    parts: int,
) -> int:
    """Walk from the root with histories [N, 8] of `weights` [N]; return the number done at the end or when stopped.

    `theirs` is the opponent's last announcement. Of the tries at the root only those count whose number modulo `parts`
    is `part`; with 0 parts the walk ends once the moves are listed. If it stopped within a history, STOPPED is 1 and
    the tree unusable.
    """
    tree, lists = kb.pointers(arrays), kb.pointers(move_lists)
    stages = arguments[0] // 2 + 1
    one_weight, reply_weights = lists.scratch, kb.advance(lists.scratch, 1)
    reply_values = kb.advance(reply_weights, kb.MAX_MOVES * stages)
    for i in range(len(rows)):
        if tree.stop[0] != 0:
            return i
        place = lists.places[i] if lists.is_kept else 0
        position = kb.load(kb.pointer(rows), i)
        walk = Walk(
            kb.pointer(tables),
            tree,
            kb.side_to_move(position),
            kb.advance(lists.moves, LISTS * kb.MAX_MOVES * stages * place),
            kb.advance(lists.outcomes, tree.width * OUTCOMES * stages * place),
            reply_values,
            reply_weights,
            one_weight,
            part,
            parts,
            *arguments,
        )
        if not lists.is_kept or lists.listed[place] < 0:
            lists.listed[place] = list_outcomes(walk, position, walk.depth, 0, theirs)
        if parts > 0:
            walk_history(walk, position, 0, walk.depth, walk.free_refusals, weights[i], 0, lists.listed[place], theirs)
        if tree.counters[STOPPED] != 0:
            return i
    return len(rows)
