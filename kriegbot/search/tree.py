"""The tree of information sets in which we are to move: what the search keeps between one history and the next.

Only our own information sets are stored, since only there is a choice made. Each holds its open tries and, for each,
the totals that the backup rule keeps of what was folded in so far. The opponent's sets need no node: what happens at
them, an average or a minimum over histories and replies, is folded straight into the try that led there. An information
set is identified by the try that leads to it and by what was heard since: of our move and of the reply, or that the try
was refused.

`TreeArrays` holds the arrays of one tree; `Tree` is the bundle of their pointers that kernels pass around.
"""

from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from kriegbot import kernels as kb
from kriegbot.search.backup import Fold, Settle

REFUSED = (1 << 18) - 1
"""Stands for an announcement: the try was illegal. No announcement before the end of the game has all bits set."""
FIRST, COUNT, PARENT = 0, 1, 2
"""Fields of a node: its first slot, how many tries it has, the slot that leads to it (-1 at the root)."""
NODE_FIELDS = 3
USED_NODES, USED_SLOTS, LEAVES, FULL, STOPPED, MISFIT = 0, 1, 2, 3, 4, 5
"""Counters: nodes and slots in use, leaves evaluated; 1 once there was no room for a node; once a walk stopped within a
history; once a history had no legal move, or one that was not among the tries."""
COUNTERS = 6
TRIES_ROOM = 64
"""Slots reserved per node on average; a side rarely has more tries."""
MOST_NODES = 1 << 19
"""Information sets of the largest tree, some 400 MB; its slots have numbers below 2^28, as `key_of` needs."""
NOTHING, ONE_WORD = kb.words(0, 1)


class Tree(NamedTuple):
    """Pointers into the arrays of one tree. A slot is one try of one node.

    nodes [N, 3] and weights [N], that of the histories of each; tries [S] and totals [S, width] of the slots; keys [H]
    and homes [H], a hash table from (slot, heard) to node; counters [6]; room [3], the capacity in nodes, in slots, and
    the hash table's size less 1; stop [1], set from outside to end the walk; legal [M], the weight of the histories in
    which each try at the root was legal; start [width], the backup rule's initial totals.
    """

    nodes: kb.Ints
    weights: kb.Reals
    tries: kb.Moves
    totals: kb.Reals
    keys: kb.Words
    homes: kb.Ints
    counters: kb.Ints
    room: kb.Ints
    stop: kb.Ints
    legal: kb.Reals
    start: kb.Reals
    width: int


Arrays: TypeAlias = tuple[
    kb.IntArray,
    kb.RealArray,
    kb.MoveArray,
    kb.RealArray,
    kb.WordArray,
    kb.IntArray,
    kb.IntArray,
    kb.IntArray,
    kb.IntArray,
    kb.RealArray,
    kb.RealArray,
]
"""`TreeArrays.arrays`: the fields of `Tree` except the last."""


class TreeArrays:
    """The arrays behind a `Tree`, for up to `nodes` information sets; memory is touched only when used."""

    def __init__(self, nodes: int, stop: npt.NDArray[np.int64], start: npt.NDArray[np.float64]) -> None:
        if not 0 < nodes <= MOST_NODES:
            raise ValueError(f"a tree of {nodes} information sets: it takes 1 to {MOST_NODES}")
        slots = nodes * TRIES_ROOM + kb.MAX_MOVES
        table = 1 << (2 * nodes - 1).bit_length()
        self.nodes = np.empty(nodes * NODE_FIELDS, np.int64)
        self.weights = np.empty(nodes)
        self.tries = np.empty(slots, np.int32)
        self.totals = np.empty(slots * len(start))
        self.keys = np.zeros(table, np.uint64)
        self.homes = np.empty(table, np.int64)
        self.counters = np.zeros(COUNTERS, np.int64)
        self.room = np.array([nodes, slots, table - 1], np.int64)
        self.stop = stop
        self.legal = np.zeros(kb.MAX_MOVES)
        self.start = start

    def room_to_settle(self) -> kb.RealArray:
        """Room float64[width * (slots in use + 2) + 1] for `back_up`."""
        return np.empty(len(self.start) * (int(self.counters[USED_SLOTS]) + 2) + 1)

    def arrays(self) -> Arrays:
        """All arrays, in the order of `Tree`."""
        return (
            self.nodes,
            self.weights,
            self.tries,
            self.totals,
            self.keys,
            self.homes,
            self.counters,
            self.room,
            self.stop,
            self.legal,
            self.start,
        )


@kb.kernel
def tree_of(arrays: Arrays) -> Tree:
    """Bundle the pointers to a tree's arrays."""
    nodes, weights, tries, totals, keys, homes, counters, room, stop, legal, start = arrays
    return Tree(
        kb.pointer(nodes),
        kb.pointer(weights),
        kb.pointer(tries),
        kb.pointer(totals),
        kb.pointer(keys),
        kb.pointer(homes),
        kb.pointer(counters),
        kb.pointer(room),
        kb.pointer(stop),
        kb.pointer(legal),
        kb.pointer(start),
        len(start),
    )


@kb.kernel
def add_node(tree: Tree, parent: int, count: int) -> int:
    """Open a node for the `count` tries written after the slots in use."""
    node, first = tree.counters[USED_NODES], tree.counters[USED_SLOTS]
    tree.counters[USED_NODES] = node + 1
    tree.counters[USED_SLOTS] = first + count
    tree.nodes[NODE_FIELDS * node + FIRST] = first
    tree.nodes[NODE_FIELDS * node + COUNT] = count
    tree.nodes[NODE_FIELDS * node + PARENT] = parent
    tree.weights[node] = 0.0
    width = tree.width
    for slot in range(first, first + count):
        for i in range(width):
            tree.totals[width * slot + i] = tree.start[i]
    return node


@kb.kernel
def key_of(slot: int, said: int, heard: int) -> kb.Word:
    """Key of the set behind a slot, after hearing `said` of our move and `heard` of the reply; never 0."""
    pair = kb.pair_of(said, heard)
    if pair >> kb.PAIR_BITS == NOTHING:
        return (kb.word(slot) << kb.PAIR_BITS | pair) + ONE_WORD
    return kb.mixed(pair ^ kb.word(slot)) | ONE_WORD


@kb.kernel
def find(tree: Tree, key: kb.Word) -> int:
    """Place in the hash table where a set is, or will be: its key there is 0 until it has a node."""
    place = kb.mixed(key) & kb.word(tree.room[2])
    while tree.keys[place] != NOTHING and tree.keys[place] != key:
        place = (place + ONE_WORD) & kb.word(tree.room[2])
    return kb.number(place)


@kb.kernel
def has_room(tree: Tree) -> bool:
    """Whether one more node fits; if not, say so in the counters."""
    if tree.counters[USED_NODES] < tree.room[0] and tree.counters[USED_SLOTS] + kb.MAX_MOVES <= tree.room[1]:
        return True
    tree.counters[FULL] = 1
    return False


@kb.kernel
def after_refusal(tree: Tree, node: int, slot: int) -> int:
    """Child of a node after its try at `slot` was refused: the same tries except that one. -1 if there is no room."""
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


@kb.kernel
def after_reply(
    tables: kb.Words, tree: Tree, slot: int, said: int, heard: int, position: kb.Position, terms: kb.Terms
) -> int:
    """Child behind the try at `slot` after both announcements, in `position`, we to move. -1 if there is no room."""
    key = key_of(slot, said, heard)
    place = find(tree, key)
    if tree.keys[place] == NOTHING:
        if not has_room(tree):
            return -1
        tree.keys[place] = key
        behind = kb.advance(tree.tries, tree.counters[USED_SLOTS])
        count = kb.open_tries(tables, position, kb.pawns_to_try(tables, position, terms), behind)
        tree.homes[place] = add_node(tree, slot, count)
    return tree.homes[place]


Rule: TypeAlias = tuple[kb.RealArray, Fold, Settle]
"""`Backup.arrays`."""


@kb.entry
def back_up(arrays: Arrays, rule: Rule, room: kb.RealArray, root_values: kb.RealArray) -> None:
    """Settle every node, from the leaves up: the totals of its best try are folded into its parent's try.

    Args:
      arrays: the tree; unchanged, so that more histories can be folded in.
      rule: the backup rule.
      room: `TreeArrays.room_to_settle`.
      root_values: [M] written: the settled value of each try at the root.
    """
    tree = tree_of(arrays)
    given, fold, settle = rule
    parameters, width = kb.pointer(given), tree.width
    totals, work = kb.pointer(room), kb.advance(kb.pointer(room), width * tree.counters[USED_SLOTS])
    settled, best_settled, certain = work, kb.advance(work, width), kb.advance(work, 2 * width)
    certain[0] = 1.0
    for i in range(width * tree.counters[USED_SLOTS]):
        totals[i] = tree.totals[i]
    # Children come after their parents, so one pass from the last node to the first suffices.
    for node in range(tree.counters[USED_NODES] - 1, 0, -1):
        first, tries = tree.nodes[NODE_FIELDS * node + FIRST], tree.nodes[NODE_FIELDS * node + COUNT]
        best = -np.inf
        for slot in range(first, first + tries):
            value = settle(kb.advance(totals, width * slot), tree.weights[node], parameters, settled)
            if slot == first or value > best:
                best = value
                for i in range(width):
                    best_settled[i] = settled[i]
        fold(kb.advance(totals, width * tree.nodes[NODE_FIELDS * node + PARENT]), certain, best_settled, 1)
    for i in range(len(root_values)):
        root_values[i] = settle(kb.advance(totals, width * i), tree.weights[0], parameters, settled)
