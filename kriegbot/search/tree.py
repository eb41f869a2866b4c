"""The tree of information sets in which we are to move: what the search keeps between one history and the next.

Only our own information sets are stored, since only there is a choice made. Each holds its open tries and, for each,
the totals that the backup rule keeps of what was folded in so far. The opponent's sets need no node: what happens at
them, an average or a minimum over histories and replies, is folded straight into the try that led there. An information
set is identified by the try that leads to it and by what was heard since: of our move and of the reply, or that the try
was refused.
"""

from typing import NamedTuple

import numpy as np

from kriegbot import kernels as kb
from kriegbot.search.backup import Backup, Fold, Settle

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
    """One tree, with room for some information sets; memory is touched only as it is used. A slot is a try of a node.

    nodes [N, 3] and weights [N], that of the histories of each; tries [S] and totals [S, width] of the slots; keys [H]
    and homes [H], a hash table from (slot, heard) to node; counters [6]; stop [1], set from outside to end the walk;
    legal [M], the weight of the histories in which each try at the root was legal; start [width], the backup rule's
    initial totals. Capacities: room for nodes, for slots, and the hash table's size less 1.
    """

    nodes: kb.IntArray
    weights: kb.RealArray
    tries: kb.MoveArray
    totals: kb.RealArray
    keys: kb.WordArray
    homes: kb.IntArray
    counters: kb.IntArray
    stop: kb.IntArray
    legal: kb.RealArray
    start: kb.RealArray
    width: int
    room_for_nodes: int
    room_for_slots: int
    last_key: int

    @classmethod
    def empty(cls, nodes: int, stop: kb.IntArray, start: tuple[float, ...]) -> "Tree":
        """A tree without a node, for up to so many; `start` is that of the backup rule.

        Raises:
          ValueError: there is no tree of that size.
        """
        if not 0 < nodes <= MOST_NODES:
            raise ValueError(f"a tree of {nodes} information sets: it takes 1 to {MOST_NODES}")
        slots, width = nodes * TRIES_ROOM + kb.MAX_MOVES, len(start)
        table = 1 << (2 * nodes - 1).bit_length()
        return cls(
            nodes=np.empty(nodes * NODE_FIELDS, np.int64),
            weights=np.empty(nodes),
            tries=np.empty(slots, np.int32),
            totals=np.empty(slots * width),
            keys=np.zeros(table, np.uint64),
            homes=np.empty(table, np.int64),
            counters=np.zeros(COUNTERS, np.int64),
            stop=stop,
            legal=np.zeros(kb.MAX_MOVES),
            start=np.array(start),
            width=width,
            room_for_nodes=nodes,
            room_for_slots=slots,
            last_key=table - 1,
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
    place = kb.mixed(key) & kb.word(tree.last_key)
    while tree.keys[place] != NOTHING and tree.keys[place] != key:
        place = (place + ONE_WORD) & kb.word(tree.last_key)
    return kb.number(place)


@kb.kernel
def has_room(tree: Tree) -> bool:
    """Whether one more node fits; if not, say so in the counters."""
    slots = tree.counters[USED_SLOTS] + kb.MAX_MOVES
    if tree.counters[USED_NODES] < tree.room_for_nodes and slots <= tree.room_for_slots:
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
    tables: kb.Words, tree: Tree, slot: int, said: int, heard: int, position: kb.Position, terms: kb.KernelRules
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


def back_up(tree: Tree, backup: Backup, tries: int) -> kb.RealArray:
    """Settle every node, from the leaves up; the tree is unchanged, so that more histories can be folded in.

    Returns:
      The settled value [tries] of each try at the root.
    """
    room = np.empty(tree.width * (int(tree.counters[USED_SLOTS]) + 2) + 1)
    values = np.empty(tries)
    _back_up(tree, (np.array(backup.parameters, np.float64), backup.fold, backup.settle), room, values)
    return values


@kb.entry
def _back_up(
    arrays: Tree, rule: tuple[kb.RealArray, Fold, Settle], room: kb.RealArray, root_values: kb.RealArray
) -> None:
    """Settle every node: the totals of its best try are folded into its parent's try.

    Args:
      arrays: the tree.
      rule: parameters, fold and settle of the backup rule.
      room: to work in: [width * (slots in use + 2) + 1].
      root_values: [M] written: the settled value of each try at the root.
    """
    tree = kb.pointers(arrays)
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
