"""Memory of a search: the tree of information sets in which we are to move, and lists of moves by history.

A node holds the open tries of a set and, for each, the totals of the backup rule so far. Sets of the opponent need no
node: their averages or minima go straight into the try that led there. The try that leads to a set and the
announcements since identify it.
"""

from typing import Any, NamedTuple

import numpy as np

from kriegbot import kernels as kb
from kriegbot.parts import BadPart
from kriegbot.search.backup import Backup, Fold, Settle

REFUSED = (1 << 18) - 1
"""Code of a refusal in place of an announcement. No announcement before the end of the game has all bits set."""
FIRST, COUNT, PARENT = 0, 1, 2
"""Fields of a node: its first slot, the number of its tries, the slot that leads to it (-1 at the root)."""
NODE_FIELDS = 3
USED_NODES, USED_SLOTS, LEAVES, FULL, STOPPED, MISFIT = 0, 1, 2, 3, 4, 5
"""Counters: nodes and slots in use, leaves evaluated; then flags: 1 once a node found no room, once a walk stopped
within a history, once a history had no legal move or one that was not among the tries."""
COUNTERS = 6
SLOTS_PER_NODE = 64  # slots reserved per node on average; a side rarely has more tries
MOST_NODES = 1 << 19  # information sets of the largest tree: 440 MB for a rule with one total, 700 MB with two
LISTS = 3  # lists of moves at each stage of a walk (our moves made so far): our moves, the replies, scratch space
NO_MOVE, OUTCOMES = 2 * kb.MAX_MOVES, 2 * kb.MAX_MOVES + 1
"""Totals at each stage: [of our moves at depth 1 | at depth 2 | NO_MOVE: of the position with no move made, or, if
refusals cost nothing, of a random move]."""


class SearchTree(NamedTuple):
    """Tree of information sets. A slot is a try of a node. Arrays of two dimensions are stored flat, row after row."""

    nodes: kb.IntArray  # [N, 3]
    weights: kb.RealArray  # [N] of their histories
    tries: kb.MoveArray  # [S] of the slots
    totals: kb.RealArray  # [S, width] of the slots
    keys: kb.WordArray  # [H], with `node_of_key` a hash table from (slot, announcements) to node
    node_of_key: kb.IntArray  # [H]
    counters: kb.IntArray  # [6]
    stop: kb.IntArray  # [1] the flag of `stop_after`
    legal: kb.RealArray  # [MAX_MOVES] the weight of histories in which each try at the root was legal
    start: kb.RealArray  # [width] the rule's first totals
    width: int
    most_nodes: int
    most_slots: int
    last_key: int  # the hash table's size less 1

    @classmethod
    def with_root(cls, tries: kb.MoveArray, nodes: int, stop: kb.IntArray, start: tuple[float, ...]) -> "SearchTree":
        """Return a tree of one node, with room for `nodes`; `start` is that of the backup rule."""
        slots, width = nodes * SLOTS_PER_NODE + kb.MAX_MOVES, len(start)
        table = 1 << (2 * nodes - 1).bit_length()
        tree = cls(
            nodes=np.empty(nodes * NODE_FIELDS, np.int64),
            weights=np.empty(nodes),
            tries=np.empty(slots, np.int32),
            totals=np.empty(slots * width),
            keys=np.zeros(table, np.uint64),
            node_of_key=np.empty(table, np.int64),
            counters=np.zeros(COUNTERS, np.int64),
            stop=stop,
            legal=np.zeros(kb.MAX_MOVES),
            start=np.array(start),
            width=width,
            most_nodes=nodes,
            most_slots=slots,
            last_key=table - 1,
        )
        tree.nodes[:NODE_FIELDS], tree.weights[0] = (0, len(tries), -1), 0.0
        tree.tries[: len(tries)], tree.totals[: width * len(tries)] = tries, np.tile(tree.start, len(tries))
        tree.counters[USED_NODES], tree.counters[USED_SLOTS] = 1, len(tries)
        return tree


class Lists(NamedTuple):
    """Moves of N histories and their values one and two plies deep, in C >= N places.

    They do not depend on refusals, so a search after a refusal reuses them. At depth 2 they are nearly all of the work.
    """

    moves: kb.MoveArray  # [C, LISTS * MAX_MOVES * stages]
    outcomes: kb.RealArray  # [C, width * OUTCOMES * stages]
    listed: kb.IntArray  # [C] the number of legal moves, -1 before they are listed
    places: kb.IntArray  # [N] of the histories
    scratch: kb.RealArray  # [1 + (1 + width) * MAX_MOVES * stages]
    is_kept: bool  # False if place 0 serves all histories in turn

    @classmethod
    def empty(cls, places: int, depth: int, width: int) -> "Lists":
        """Return empty places for a search to a depth by a rule that keeps `width` totals."""
        stages = depth // 2 + 1
        moves = np.empty(places * LISTS * kb.MAX_MOVES * stages, np.int32)
        outcomes = np.empty(places * width * OUTCOMES * stages)
        scratch = np.empty(1 + (1 + width) * kb.MAX_MOVES * stages)
        return cls(moves, outcomes, np.full(places, -1), np.empty(0, np.int64), scratch, is_kept=False)

    def keep_histories(self, kept: kb.IntArray, more: int) -> "Lists":
        """Return the lists of some histories, by number, with empty places for more; other histories lose theirs."""
        lists, every = self, len(self.listed)
        if len(kept) + more > every:
            size = max(len(kept) + more, 2 * every)

            def grown(old: Any) -> Any:
                new = np.empty(len(old) // every * size, old.dtype)
                if len(kept):
                    new[: len(old)] = old
                return new

            lists = self._replace(moves=grown(self.moves), outcomes=grown(self.outcomes), listed=grown(self.listed))
        free = np.setdiff1d(np.arange(len(lists.listed)), self.places[kept])[:more]
        lists.listed[free] = -1
        return lists._replace(places=np.concatenate([self.places[kept], free]), is_kept=True)


@kb.kernel
def add_node(tree: SearchTree, parent: int, count: int) -> int:
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
def bucket_of(tree: SearchTree, slot: int, ours: int, theirs: int) -> int:
    """Return the bucket, in the hash table, of the set behind a slot after the announcements of our move and the reply.

    Its `node_of_key` is -1 until the set has a node. Return -1 and set the flag FULL if there is no room for it. The
    key is a hash of 63 bits: two sets collide once in some sixty million searches of the largest tree.
    """
    key = kb.mix64(kb.mix64(kb.mix64(kb.word(slot)) ^ kb.word(ours)) ^ kb.word(theirs)) | kb.ONE
    bucket = (key >> kb.ONE) & kb.word(tree.last_key)
    while tree.keys[bucket] != kb.NONE and tree.keys[bucket] != key:
        bucket = (bucket + kb.ONE) & kb.word(tree.last_key)
    if tree.keys[bucket] == kb.NONE:
        if tree.counters[USED_NODES] == tree.most_nodes or tree.counters[USED_SLOTS] + kb.MAX_MOVES > tree.most_slots:
            tree.counters[FULL] = 1
            return -1
        tree.keys[bucket], tree.node_of_key[bucket] = key, -1
    return kb.number(bucket)


@kb.kernel
def after_refusal(tree: SearchTree, node: int, slot: int) -> int:
    """Return the child of a node without the refused try at `slot`; -1 without room."""
    bucket = bucket_of(tree, slot, REFUSED, REFUSED)
    if bucket < 0:
        return -1
    if tree.node_of_key[bucket] < 0:
        first, tries = tree.nodes[NODE_FIELDS * node + FIRST], tree.nodes[NODE_FIELDS * node + COUNT]
        count = 0
        for other in range(first, first + tries):
            if other != slot:
                tree.tries[tree.counters[USED_SLOTS] + count] = tree.tries[other]
                count += 1
        tree.node_of_key[bucket] = add_node(tree, slot, count)
    return tree.node_of_key[bucket]


@kb.kernel
def after_reply(
    tables: kb.Words, tree: SearchTree, slot: int, ours: int, theirs: int, position: kb.Position, rules: kb.KernelRules
) -> int:
    """Return the child behind the try at `slot` after both announcements, we to move; -1 without room."""
    bucket = bucket_of(tree, slot, ours, theirs)
    if bucket < 0:
        return -1
    if tree.node_of_key[bucket] < 0:
        behind = kb.advance(tree.tries, tree.counters[USED_SLOTS])
        count = kb.open_tries(tables, position, kb.pawns_to_try(tables, position, rules), behind)
        tree.node_of_key[bucket] = add_node(tree, slot, count)
    return tree.node_of_key[bucket]


def back_up(tree: SearchTree, backup: Backup, tries: int, part: slice = slice(None)) -> kb.RealArray:
    """Return what `Settle` gives each try at the root, from the leaves up; leave the tree as it is.

    `tries` is their number; only a `part` of them counts. Raise BadPart if a value is not finite.
    """
    scratch = np.empty(tree.width * (int(tree.counters[USED_SLOTS]) + 2) + 1)
    values = np.empty(tries)
    _back_up(tree, (np.array(backup.parameters, np.float64), backup.fold, backup.settle), scratch, values)
    values = values[part]
    if not np.isfinite(values).all():
        raise BadPart(f"backup rule {backup.name} gives {values.sum():g}, or the opponent model an illegal weight")
    return values


@kb.entry
def _back_up(
    arrays: SearchTree, rule: tuple[kb.RealArray, Fold, Settle], scratch: kb.RealArray, root_values: kb.RealArray
) -> None:
    """Fold what each node's best try passes up into its parent's try; write the values [M] of the tries at the root.

    `rule` has the backup rule's parameters, fold and settle; `scratch` is memory [width * (slots in use + 2) + 1].
    """
    tree = kb.pointers(arrays)
    numbers, fold, settle = rule
    parameters, width = kb.pointer(numbers), tree.width
    totals, work = kb.pointer(scratch), kb.advance(kb.pointer(scratch), width * tree.counters[USED_SLOTS])
    passed_up, of_best, unit_weight = work, kb.advance(work, width), kb.advance(work, 2 * width)
    unit_weight[0] = 1.0  # totals carry the weights of their histories already
    for i in range(width * tree.counters[USED_SLOTS]):
        totals[i] = tree.totals[i]
    is_broken = False
    # Children come after their parents, so one pass from the last node to the first suffices.
    for node in range(tree.counters[USED_NODES] - 1, 0, -1):
        first, tries = tree.nodes[NODE_FIELDS * node + FIRST], tree.nodes[NODE_FIELDS * node + COUNT]
        best = -np.inf
        for slot in range(first, first + tries):
            value = settle(kb.advance(totals, width * slot), tree.weights[node], parameters, passed_up)
            if np.isnan(value):  # a maximum would pass over it
                is_broken = True
            if slot == first or value > best:
                best = value
                for i in range(width):
                    of_best[i] = passed_up[i]
        fold(kb.advance(totals, width * tree.nodes[NODE_FIELDS * node + PARENT]), unit_weight, of_best, 1)
    for i in range(len(root_values)):
        value = settle(kb.advance(totals, width * i), tree.weights[0], parameters, passed_up)
        root_values[i] = np.nan if is_broken else value
