"""Nodes a second of the exact algorithms on explicit trees, which should not depend on tree size.

    python benchmarks/trees.py --depths 6 7 8 9 10 11

Trees are IMP-model(2, 2, d) with random payoffs, and for expectiminimax the same with every node told apart. Times
are processor times, the least of as many repeats as fit into two seconds. Garbage collection is off: its passes over a
growing heap are not the algorithms'.
"""

import argparse
import gc
import time
from collections.abc import Callable
from functools import partial

from kriegbot.trees.generators import imp_model, uniform_payoff
from kriegbot.trees.imp_minimax import imp_minimax
from kriegbot.trees.perfect import expectiminimax
from kriegbot.trees.tree import Decision, Tree

ENOUGH = 2.0
"""Seconds."""


def seconds(work: Callable[[], object]) -> float:
    """The least time of some repeats."""
    times: list[float] = []
    while sum(times) < ENOUGH:
        begun = time.process_time()
        work()
        times.append(time.process_time() - begun)
    return min(times)


def all_told(tree: Tree) -> Tree:
    """The same tree for a player who always knows where it is."""
    for number, node in enumerate(tree.nodes()):
        if isinstance(node, Decision):
            node.information_set = str(number)
    return Tree(tree.root)


def main() -> None:
    """Measure and report."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--depths", type=int, nargs="+", default=[6, 7, 8, 9, 10, 11])
    options = parser.parse_args()
    gc.disable()
    for depth in options.depths:
        tree = imp_model(2, 2, depth, uniform_payoff(1))
        count = sum(1 for _ in tree.nodes())
        rates = {"check": count / seconds(partial(Tree, tree.root))}
        rates["IMP-minimax"] = count / seconds(partial(imp_minimax, tree))
        tree = all_told(tree)
        rates["expectiminimax"] = count / seconds(partial(expectiminimax, tree))
        shown = ", ".join(f"{name} {rate / 1000:.0f}" for name, rate in rates.items())
        print(f"{count:>8} nodes, thousand nodes a second: {shown}", flush=True)
        del tree
        gc.collect()


if __name__ == "__main__":
    main()
