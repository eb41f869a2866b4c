"""The tree of a small search, node by node, as stored by `PYTHONPATH=. python tests/test_search_tree.py`.

A line is a node: its number, the node and the try that lead there, the weight of its histories, and each open try with
its total, which is a sum over these histories. The last line has what the best of them make of the first tries.
"""

from collections.abc import Iterator
from pathlib import Path

import chess
import numpy as np

from kriegbot import InformationSet, Method, Settings, decode_move, from_board
from kriegbot.search import search
from kriegbot.search.tree import COUNT, FIRST, NODE_FIELDS, PARENT, USED_NODES, Lists, SearchTree
from referee import Referee

STORED = Path(__file__).parent / "golden" / "search_tree.txt"
BOARDS = ("8/8/3k4/8/4P3/8/8/4K3 w - - 0 1", "8/8/4k3/8/4P3/8/8/4K3 w - - 0 1")
"""In doubt is whether e5 gives check. Nobody can capture yet, so the tries on d5 and f5 are refused."""


def lines() -> Iterator[str]:
    """Yield the nodes of a search three plies deep."""
    rows = np.stack([from_board(chess.Board(board)) for board in BOARDS])
    histories = InformationSet.of(Referee(start=BOARDS[0]).view(chess.WHITE), rows, np.array([2.0, 1.0]))
    method = Method.of(Settings(depth=3, evaluator="ks"))
    tree = SearchTree.with_root(histories.tries, 1000, np.zeros(1, np.int64), method.backup.start)
    found = search._walk([tree], histories, method, Lists.empty(1, method.depth, tree.width), None)
    node_of_slot: dict[int, int] = {}
    for node in range(int(tree.counters[USED_NODES])):
        first, count, parent = (int(tree.nodes[NODE_FIELDS * node + field]) for field in (FIRST, COUNT, PARENT))
        node_of_slot |= dict.fromkeys(range(first, first + count), node)
        start = "root" if parent < 0 else f"{node_of_slot[parent]} {decode_move(int(tree.tries[parent])).uci()}"
        tries = (f"{decode_move(int(tree.tries[i])).uci()} {tree.totals[i]:.3f}" for i in range(first, first + count))
        yield f"{node} from {start}, weight {tree.weights[node]:.4f}: {', '.join(tries)}"
    values = zip(histories.tries, found.values, found.legal, strict=True)
    tries = (f"{decode_move(int(move)).uci()} {value:.3f} ({legal:.0%} legal)" for move, value, legal in values)
    yield f"backed up: {', '.join(tries)}"


def test_a_search_grows_the_stored_tree() -> None:
    assert list(lines()) == STORED.read_text("utf-8").splitlines()


if __name__ == "__main__":
    STORED.write_text("".join(f"{line}\n" for line in lines()), "utf-8")
