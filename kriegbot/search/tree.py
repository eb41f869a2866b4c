"""The tree of information sets in which we are to move: what the search keeps between one history and the next.

Only our own information sets are stored, since only there is a choice made. Each holds its open tries and, for each,
the value folded in so far. The opponent's sets need no node: what is done at them, an average or a minimum over
histories and replies, folds straight into the try that led there. An information set is found by the try that leads to
it and by what was heard since: of our move and of the reply, or that the try was refused.

The arrays are one tree's; `Tree` is the bundle of their pointers that kernels pass around.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import types

from kriegbot.kernels.jit import (
    INT,
    INT_ARRAY,
    INTS,
    MOVE_ARRAY,
    MOVES,
    REAL,
    REAL_ARRAY,
    REALS,
    WORD,
    WORD_ARRAY,
    WORDS,
    advance,
    entry,
    kernel,
    number,
    pointer,
    word,
    words,
)
from kriegbot.kernels.moves import MOST_MOVES, open_tries
from kriegbot.kernels.position import POSITION, Position
from kriegbot.kernels.random import mixed
from kriegbot.search.backup import BACKUP_TYPE

REFUSED = (1 << 18) - 1
"""In the place of an announcement: the try was illegal. No announcement that lets the game go on has all bits set."""
FIRST, COUNT, PARENT = 0, 1, 2
"""Fields of a node: its first slot, how many tries it has, the slot that leads to it (-1 at the root)."""
NODE_FIELDS = 3
USED_NODES, USED_SLOTS, LEAVES, FULL, STOPPED, MISFIT = 0, 1, 2, 3, 4, 5
"""Counters: nodes and slots in use, leaves evaluated; 1 once there was no room for a node; once a walk stopped within a
history; once a history had no legal move, or one that was not among the tries."""
COUNTERS = 6
TRIES_ROOM = 64
"""Slots reserved per node on the average; a side rarely has more tries."""
MOST_NODES = 1 << 19
"""Information sets of the largest tree, some 400 MB; its slots have numbers below 2^28, as `key_of` needs."""
NOTHING, ONE_WORD, SHIFT_18, SHIFT_36 = words(0, 1, 18, 36)


class Tree(NamedTuple):
    """Pointers into the arrays of one tree. A slot is one try of one node.

    nodes [N, 3]; tries [S] and values [S] of the slots; keys [H] and homes [H], a hash table from (slot, heard) to
    node; counters [6]; room [3], the capacity in nodes, in slots, and the hash table's size less 1; stop [1], set from
    outside to end the walk; legal [M], the weight of the histories in which each try at the root was legal; start, the
    backup rule's value of nothing.
    """

    nodes: Any
    tries: Any
    values: Any
    keys: Any
    homes: Any
    counters: Any
    room: Any
    stop: Any
    legal: Any
    start: float


TREE = types.NamedTuple((INTS, MOVES, REALS, WORDS, INTS, INTS, INTS, INTS, REALS, REAL), Tree)


class TreeArrays:
    """The arrays behind a `Tree`, for up to `nodes` information sets; memory is touched only as it is used."""

    def __init__(self, nodes: int, stop: npt.NDArray[np.int64]) -> None:
        if not 0 < nodes <= MOST_NODES:
            raise ValueError(f"a tree of {nodes} information sets: it takes 1 to {MOST_NODES}")
        slots = nodes * TRIES_ROOM + MOST_MOVES
        table = 1 << (2 * nodes - 1).bit_length()
        self.nodes = np.empty(nodes * NODE_FIELDS, np.int64)
        self.tries = np.empty(slots, np.int32)
        self.values = np.empty(slots)
        self.keys = np.zeros(table, np.uint64)
        self.homes = np.empty(table, np.int64)
        self.counters = np.zeros(COUNTERS, np.int64)
        self.room = np.array([nodes, slots, table - 1], np.int64)
        self.stop = stop
        self.legal = np.zeros(MOST_MOVES)

    def arrays(self) -> tuple[Any, ...]:
        """All arrays, in the order of `Tree`."""
        return (
            self.nodes,
            self.tries,
            self.values,
            self.keys,
            self.homes,
            self.counters,
            self.room,
            self.stop,
            self.legal,
        )


TREE_ARRAYS = types.Tuple(
    (INT_ARRAY, MOVE_ARRAY, REAL_ARRAY, WORD_ARRAY, INT_ARRAY, INT_ARRAY, INT_ARRAY, INT_ARRAY, REAL_ARRAY)
)


@kernel(TREE(TREE_ARRAYS, REAL))
def tree_of(arrays: tuple[Any, ...], start: float) -> Tree:
    """Bundle the pointers to a tree's arrays."""
    nodes, tries, values, keys, homes, counters, room, stop, legal = arrays
    return Tree(
        pointer(nodes),
        pointer(tries),
        pointer(values),
        pointer(keys),
        pointer(homes),
        pointer(counters),
        pointer(room),
        pointer(stop),
        pointer(legal),
        start,
    )


@kernel(INT(TREE, INT, INT))
def add_node(tree: Tree, parent: int, count: int) -> int:
    """Open a node for the `count` tries that were written behind the slots in use."""
    node, first = tree.counters[USED_NODES], tree.counters[USED_SLOTS]
    tree.counters[USED_NODES] = node + 1
    tree.counters[USED_SLOTS] = first + count
    tree.nodes[NODE_FIELDS * node + FIRST] = first
    tree.nodes[NODE_FIELDS * node + COUNT] = count
    tree.nodes[NODE_FIELDS * node + PARENT] = parent
    for slot in range(first, first + count):
        tree.values[slot] = tree.start
    return node


@kernel(WORD(INT, INT, INT))
def key_of(slot: int, said: int, heard: int) -> int:
    """Name of the set behind a slot, after hearing `said` of our move and `heard` of the reply; never 0."""
    return (word(slot) << SHIFT_36 | word(said) << SHIFT_18 | word(heard)) + ONE_WORD


@kernel(INT(TREE, WORD))
def find(tree: Tree, key: int) -> int:
    """Place in the hash table where a set is, or will be: its key there is 0 until it has a node."""
    place = mixed(key) & word(tree.room[2])
    while tree.keys[place] != NOTHING and tree.keys[place] != key:
        place = (place + ONE_WORD) & word(tree.room[2])
    return number(place)


@kernel(types.boolean(TREE))
def has_room(tree: Tree) -> bool:
    """Whether one more node fits; if not, say so in the counters."""
    if tree.counters[USED_NODES] < tree.room[0] and tree.counters[USED_SLOTS] + MOST_MOVES <= tree.room[1]:
        return True
    tree.counters[FULL] = 1
    return False


@kernel(INT(TREE, INT, INT))
def after_refusal(tree: Tree, node: int, slot: int) -> int:
    """Child of a node after its try at `slot` was refused: the same tries but that one. -1 if there is no room."""
    key = key_of(slot, REFUSED, REFUSED)
    place = find(tree, key)
    if tree.keys[place] == NOTHING:
        if not has_room(tree):
            return -1
        tree.keys[place] = key
        first, tries = tree.nodes[NODE_FIELDS * node + FIRST], tree.nodes[NODE_FIELDS * node + COUNT]
        count = 0
        for other in range(first, first + tries):
            if other != slot:
                tree.tries[tree.counters[USED_SLOTS] + count] = tree.tries[other]
                count += 1
        tree.homes[place] = add_node(tree, slot, count)
    return tree.homes[place]


@kernel(INT(WORDS, TREE, INT, INT, INT, POSITION, types.boolean))
def after_reply(
    tables: Any, tree: Tree, slot: int, said: int, heard: int, position: Position, pawns_may_capture: bool
) -> int:
    """Child behind the try at `slot` after both announcements, in `position`, we to move. -1 if there is no room."""
    key = key_of(slot, said, heard)
    place = find(tree, key)
    if tree.keys[place] == NOTHING:
        if not has_room(tree):
            return -1
        tree.keys[place] = key
        behind = advance(tree.tries, tree.counters[USED_SLOTS])
        tree.homes[place] = add_node(tree, slot, open_tries(tables, position, pawns_may_capture, behind))
    return tree.homes[place]


@entry(types.void(TREE_ARRAYS, REAL, MOVE_ARRAY, BACKUP_TYPE, REAL_ARRAY))
def back_up(arrays: tuple[Any, ...], start: float, root_tries: Any, backup: Any, root_values: Any) -> None:
    """Value of every try at the root, from the leaves up: the maximum over tries at every node, folded into its parent.

    The tree is left as it is, so that more histories can be folded in. Children stand behind their parents, so one
    pass from the last node to the first does it.
    """
    tree = tree_of(arrays, start)
    values = tree.values
    total = np.empty(tree.counters[USED_SLOTS])
    for slot in range(len(total)):
        total[slot] = values[slot]
    for node in range(tree.counters[USED_NODES] - 1, 0, -1):
        first, tries = tree.nodes[NODE_FIELDS * node + FIRST], tree.nodes[NODE_FIELDS * node + COUNT]
        best = total[first]
        for slot in range(first + 1, first + tries):
            best = max(best, total[slot])
        parent = tree.nodes[NODE_FIELDS * node + PARENT]
        total[parent] = backup(total[parent], 1.0, best)
    for i in range(len(root_tries)):
        root_values[i] = total[i]
