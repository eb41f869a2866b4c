"""IMP-minimax: the best strategy of a game of imperfect information in linear time, given perfect recall.

Blair, Mutchler and Liu, "Games with Imperfect Information" (AAAI Fall Symposium 1993). X is a set of histories:

    V(X) = max_j V(extend(j-th child of X))                             X one PI-set
         = sum_{leaves x} p(x) h(x) + sum_{PI-sets x} V(x)              otherwise, X partitioned

With one player and perfect recall V is the value of the best strategy. Without perfect recall V may be too high: one
information set may then be met in several PI-sets, with a different choice in each. With two players V is a
heuristic: each PI-set of the other player takes the minimum, though that player may not know what we did.

Departs from the paper in one thing: instead of a recursion there is a list of PI-sets, made from the root down and
valued from its end back up, so that a tree may be as deep as memory allows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from kriegbot.trees.histories import (
    Follow,
    History,
    PISet,
    as_chosen,
    check_player,
    check_strategy,
    expand,
    partition,
)
from kriegbot.trees.strategy import Solution
from kriegbot.trees.tree import Number, SetKey, Strategy, Tree

Fold: TypeAlias = Callable[[Number, Number, Number], Number]
"""(value so far, weight, value) -> value so far: how leaves and PI-sets of a partition become one value."""


@dataclass(eq=False, slots=True)
class Total:
    """V of a set of histories that is partitioned, so far."""

    value: Number


def add_weighted(so_far: Number, weight: Number, value: Number) -> Number:
    """V of a partition: the sum of p(x) h(x) over leaves and, with weight 1, of V(x) over PI-sets."""
    return so_far + weight * value


def imp_minimax(tree: Tree, player: int = 0, fixed: Strategy | None = None) -> Solution:
    """V of a tree, and the strategies that give it.

    Args:
      tree: of any number of players.
      player: whose payoff is maximised; every other player minimises it.
      fixed: choices that are already made, of any player, such as another's known strategy.

    Returns:
      V and the choice of every information set that was met, of all players; the first of several best ones. A set that
      is met in more than one PI-set, which takes imperfect recall, keeps the choice made where it was met first.

    Raises:
      TreeError: there is no such player, or `fixed` does not fit the tree.
    """
    fixed = fixed or {}
    check_player(tree, player)
    check_strategy(tree, fixed)
    return backed_up(tree, player, as_chosen(fixed), 0, add_weighted)


def backed_up(tree: Tree, player: int, follow: Follow, start: Number, fold: Fold) -> Solution:
    """The value of a tree with `fold` in place of the sum, which begins with `start`."""
    root = Total(start)
    found: list[tuple[PISet, list[Total], Total]] = []  # the totals of its alternatives, and the one that it is part of
    leaves = 0

    def extend(histories: list[History], total: Total) -> None:
        nonlocal leaves
        for part in partition(expand(histories, follow)):
            if isinstance(part, list):
                found.append((part, [Total(start) for _ in part[0][0].children], total))
            else:
                leaf, p = part
                total.value = fold(total.value, p, leaf.payoffs[player])
                leaves += 1

    extend([(tree.root, 1)], root)
    for x, alternatives, _ in found:  # and those that are found meanwhile
        for j, total in enumerate(alternatives):
            extend([(node.children[j], p) for node, p in x], total)
    strategy: dict[SetKey, int] = {}
    for x, alternatives, whole in reversed(found):
        key = x[0][0].key
        values = [total.value for total in alternatives]
        best = max(values) if key[0] == player else min(values)
        strategy[key] = values.index(best)
        whole.value = fold(whole.value, 1, best)
    return Solution(root.value, dict(reversed(strategy.items())), leaves)
