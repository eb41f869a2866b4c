"""One history folded into the tree: the recursion of Parker, Nau and Subrahmanian (AAAI 2006), Eq. 2 and 3.

    EU_d(I) = E(I)                                               d = 0
            = U                                                  the game is over
            = sum_h P(h|I) sum_I' P(I'|h) EU_{d-1}(I')           the opponent to move, uniformly at random
            = max_m sum_I' P(I'|I, m) EU_{d-1}(I')               our move m, refused or heard

The sums become minima in Eq. 3; `backup` does either. The maxima are taken later, by `tree.back_up`, once all histories
of a set are in: a maximum inside one history would be strategy fusion, a different choice on each board that looks
the same to us.

Two things are not in the equations. What a try is worth at depth 1 or 2 below a history does not depend on what was
refused before, so it is computed once and shared by all sets that the history reaches by refusals. And a history is
a board with a weight, the number of sampled histories that led to it.
"""

from typing import Any, NamedTuple

from numba import types

from evaluators.protocol import EVALUATOR_TYPE
from kriegbot.kernels.attacks import checkers_and_pins
from kriegbot.kernels.hearing import CHECKMATE, TERMS, Terms, announcement, end_said, game_end, pawn_captures_left
from kriegbot.kernels.jit import (
    INT,
    INT_ARRAY,
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
from kriegbot.kernels.moves import MOST_MOVES, legal_moves, make_move, open_tries
from kriegbot.kernels.position import POSITION, Position, load, side_to_move
from kriegbot.kernels.silence import SILENCE, Silence, is_silent, silence_of
from kriegbot.search.backup import BACKUP_TYPE
from kriegbot.search.tree import (
    COUNT,
    FIRST,
    LEAVES,
    MISFIT,
    NODE_FIELDS,
    STOPPED,
    TREE,
    TREE_ARRAYS,
    Tree,
    add_node,
    after_refusal,
    after_reply,
    tree_of,
)

WIN = 10_000.0
"""U of a won game in centipawns; a lost one is worth -WIN, a draw 0. More than the material of any usual position, so
that a sure mate is played, yet finite, so that a faint hope of mate is weighed against men."""

LISTS = 3
"""Lists of moves that each level of the walk needs: our moves, the replies, room to work in."""
STAY = 2 * MOST_MOVES
OUTCOMES_ROOM = STAY + 1
"""Values that each level needs: of our moves at depth 1, at depth 2, and, at STAY, of the position as it stands."""


class Walk(NamedTuple):
    """What stays the same throughout a search."""

    tables: Any
    tree: Tree
    terms: Terms
    side: int
    evaluator: Any
    backup: Any
    moves: Any
    outcomes: Any


WALK = types.NamedTuple((WORDS, TREE, TERMS, INT, EVALUATOR_TYPE, BACKUP_TYPE, MOVES, REALS), Walk)


@kernel(REAL(INT, types.boolean))
def utility(end: int, we_moved: bool) -> float:
    """U for us of a game that the last move ended."""
    if end != CHECKMATE:
        return 0.0
    return WIN if we_moved else -WIN


@kernel(REAL(WALK, SILENCE, POSITION, INT, types.boolean, MOVES))
def leaf(walk: Walk, silence: Silence, position: Position, move: int, we_move: bool, scratch: list[int]) -> float:
    """Value of a legal move from `position`: U if it ends the game, E of what follows otherwise."""
    after, _ = make_move(walk.tables, position, move)
    if not is_silent(silence, position, move):
        checkers, pinned = checkers_and_pins(walk.tables, after)
        end = game_end(walk.tables, after, checkers, pinned, walk.terms, scratch)
        if end != 0:
            return utility(end, we_move)
    return float(walk.evaluator(walk.tables, after, walk.side))


@kernel(REAL(WALK, POSITION, MOVES))
def reply_value(walk: Walk, position: Position, moves: list[int]) -> float:
    """Value at depth 1 of a position where the opponent is to move: the backup of the leaves behind all its moves."""
    scratch = advance(moves, MOST_MOVES)
    checkers, pinned = checkers_and_pins(walk.tables, position)
    end = game_end(walk.tables, position, checkers, pinned, walk.terms, scratch)
    if end != 0:
        return utility(end, True)
    count = legal_moves(walk.tables, position, moves)
    silence = silence_of(walk.tables, position, walk.terms)
    value = walk.tree.start
    for i in range(count):
        value = walk.backup(value, 1.0 / count, leaf(walk, silence, position, moves[i], False, scratch))
    walk.tree.counters[LEAVES] += count
    return value


@kernel(INT(WALK, POSITION, INT, INT))
def list_outcomes(walk: Walk, position: Position, depth: int, level: int) -> int:
    """List our legal moves, what each is worth at depth 1 and (if `depth` > 1) 2, and what standing still is worth.

    They go to the lists of this level; returns how many moves there are.
    """
    moves = advance(walk.moves, LISTS * MOST_MOVES * level)
    replies = advance(moves, MOST_MOVES)
    outcomes = advance(walk.outcomes, OUTCOMES_ROOM * level)
    count = legal_moves(walk.tables, position, moves)
    silence = silence_of(walk.tables, position, walk.terms)
    for i in range(count):
        outcomes[i] = leaf(walk, silence, position, moves[i], True, replies)
        if depth > 1:
            after, _ = make_move(walk.tables, position, moves[i])
            outcomes[MOST_MOVES + i] = reply_value(walk, after, replies)
    outcomes[STAY] = float(walk.evaluator(walk.tables, position, walk.side))
    walk.tree.counters[LEAVES] += count + 1
    if count == 0:
        walk.tree.counters[MISFIT] = 1
    return count


@kernel(INT())
def unlisted() -> int:
    """-1, as int64: numba would type a literal in a recursive call by its value."""
    return -1


@kernel(types.void(WALK, POSITION, INT, INT, REAL, INT, INT))
def fold(walk: Walk, position: Position, node: int, depth: int, weight: float, level: int, count: int) -> None:
    """Fold a history of `weight` into the set `node`, where we are to move and `depth` >= 1 plies are left.

    `count`: how many legal moves this level's lists hold already, with their outcomes, if only refusals came between;
    else `unlisted()`.
    """
    tree, tables = walk.tree, walk.tables
    moves = advance(walk.moves, LISTS * MOST_MOVES * level)
    replies = advance(moves, MOST_MOVES)
    scratch = advance(replies, MOST_MOVES)
    outcomes = advance(walk.outcomes, OUTCOMES_ROOM * level)
    if count < 0:
        count = list_outcomes(walk, position, depth, level)
    first = tree.nodes[NODE_FIELDS * node + FIRST]
    legal = 0  # the legal moves stand in the same order as the tries that they are among
    for slot in range(first, first + tree.nodes[NODE_FIELDS * node + COUNT]):
        if legal == count or tree.tries[slot] != moves[legal]:  # refused in this history
            if depth == 1:
                tree.values[slot] = walk.backup(tree.values[slot], weight, outcomes[STAY])
                continue
            child = after_refusal(tree, node, slot)
            if child < 0:
                tree.counters[STOPPED] = 1
                return
            fold(walk, position, child, depth - 1, weight, level, count)
            if tree.counters[STOPPED] != 0:
                return
            continue
        if node == 0:
            tree.legal[slot] += weight
        legal += 1
        if depth <= 2:
            outcome = outcomes[MOST_MOVES * (depth - 1) + legal - 1]
            tree.values[slot] = walk.backup(tree.values[slot], weight, outcome)
            continue
        after, captured = make_move(tables, position, moves[legal - 1])
        said = announcement(tables, position, after, captured, walk.terms, scratch)
        if end_said(said) != 0:
            tree.values[slot] = walk.backup(tree.values[slot], weight, utility(end_said(said), True))
            continue
        answers = legal_moves(tables, after, replies)
        for i in range(answers):
            again, captured = make_move(tables, after, replies[i])
            heard = announcement(tables, after, again, captured, walk.terms, scratch)
            if end_said(heard) != 0:
                outcome = utility(end_said(heard), False)
                tree.values[slot] = walk.backup(tree.values[slot], weight / answers, outcome)
                tree.counters[LEAVES] += 1
                continue
            child = after_reply(tables, tree, slot, said, heard, again, pawn_captures_left(heard))
            if child < 0 or tree.stop[0] != 0:
                tree.counters[STOPPED] = 1
                return
            fold(walk, again, child, depth - 2, weight / answers, level + 1, unlisted())
            if tree.counters[STOPPED] != 0:
                return
    if legal < count:
        tree.counters[MISFIT] = 1


@entry(types.void(TREE_ARRAYS, REAL, MOVE_ARRAY))
def plant(arrays: tuple[Any, ...], start: float, tries: Any) -> None:
    """Make the root of an empty tree, with these tries."""
    tree = tree_of(arrays, start)
    for i in range(len(tries)):
        tree.tries[i] = tries[i]
    add_node(tree, -1, len(tries))


@entry(
    INT(
        WORD_ARRAY,
        TREE_ARRAYS,
        REAL,
        ROW_ARRAY,
        REAL_ARRAY,
        INT,
        INT,
        INT,
        TERMS,
        EVALUATOR_TYPE,
        BACKUP_TYPE,
        MOVE_ARRAY,
        REAL_ARRAY,
        INT_ARRAY,
        INT_ARRAY,
    )
)
def fold_all(
    tables: Any,
    arrays: tuple[Any, ...],
    start: float,
    rows: Any,
    weights: Any,
    begin: int,
    end: int,
    depth: int,
    terms: Terms,
    evaluator: Any,
    backup: Any,
    moves: Any,
    outcomes: Any,
    listed: Any,
    places: Any,
) -> int:
    """Fold histories `begin` to `end` of a batch into the root; return how many are in when it ended or was stopped.

    Where a walk was cut off within a history, the counter STOPPED is 1 and the tree is of no further use.

    `moves`, `outcomes`, `listed` and `places` are those of `lists.Lists`.
    """
    tree = tree_of(arrays, start)
    histories = pointer(rows)
    side = 0
    if end > begin:
        side = side_to_move(load(histories, begin))
    levels = depth // 2 + 1
    for i in range(begin, end):
        if tree.stop[0] != 0:
            return i - begin
        place = places[i] if len(places) > 0 else 0
        own_moves = advance(pointer(moves), LISTS * MOST_MOVES * levels * place)
        own_outcomes = advance(pointer(outcomes), OUTCOMES_ROOM * levels * place)
        walk = Walk(pointer(tables), tree, terms, side, evaluator, backup, own_moves, own_outcomes)
        position = load(histories, i)
        if len(places) == 0 or listed[place] < 0:
            listed[place] = list_outcomes(walk, position, depth, 0)
        fold(walk, position, 0, depth, weights[i], 0, listed[place])
        if tree.counters[STOPPED] != 0:
            return i - begin
    return end - begin


@entry(INT(WORD_ARRAY, WORD_ARRAY, types.boolean, MOVE_ARRAY))
def list_tries(tables: Any, row: Any, pawns_may_capture: bool, moves: Any) -> int:
    """Write the tries open to the side to move, in the order that search relies on; return how many there are."""
    return open_tries(pointer(tables), load(pointer(row), 0), pawns_may_capture, pointer(moves))
