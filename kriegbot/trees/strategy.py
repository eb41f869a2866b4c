"""Strategies of explicit game trees: what they are worth, how many there are, and the best by trying all.

H of Blair, Mutchler and Liu, "Games with Imperfect Information" (AAAI Fall Symposium 1993). Trying all strategies needs
no perfect recall, so cleverer algorithms are tested against it; by their Theorem 1 the problem is NP-hard without
perfect recall, so nothing much faster is known.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from kriegbot.trees.histories import as_chosen, check_player, check_strategy, expand
from kriegbot.trees.tree import Chance, Leaf, Number, SetKey, Strategy, Tree, TreeError, action_name
from referee.text import quoted

MOST_STRATEGIES = 1_000_000
"""The most that brute force tries."""


@dataclass(frozen=True, slots=True)
class Solution:
    """What an algorithm has found for a player.

    Attributes:
      value: what the game is worth to the player, by this algorithm.
      strategy: the alternative chosen in each information set that it visited.
      leaves: how many leaves it examined, counting repeats.
    """

    value: Number
    strategy: Strategy
    leaves: int


def reached(tree: Tree, strategy: Strategy) -> Iterator[tuple[Leaf, Number]]:
    """Leaves that are reached when all play as `strategy` says, and their probabilities.

    Raises:
      TreeError: the strategy does not fit the tree, or chooses nothing in an information set that is reached.
    """
    check_strategy(tree, strategy)
    for node, p in expand([(tree.root, 1)], as_chosen(strategy)):
        if not isinstance(node, Leaf):
            raise TreeError(
                f"node {tree.path(node)}: no alternative is chosen in its set {quoted(node.information_set)}"
            )
        yield node, p


def payoffs(tree: Tree, strategy: Strategy) -> tuple[Number, ...]:
    """H: what each player wins on average when all play as `strategy` says.

    Raises:
      TreeError: as `reached`.
    """
    totals: list[Number] = [0] * len(tree.players)
    for leaf, p in reached(tree, strategy):
        totals = [total + p * payoff for total, payoff in zip(totals, leaf.payoffs, strict=True)]
    return tuple(totals)


def play(tree: Tree, strategy: Strategy) -> tuple[tuple[str, ...], tuple[Number, ...]]:
    """The actions and final payoffs when all play as `strategy` says, in a game without chance.

    Raises:
      TreeError: there is a move of chance, or the strategy chooses nothing where it is needed.
    """
    check_strategy(tree, strategy)
    node, actions = tree.root, []
    while not isinstance(node, Leaf):
        if isinstance(node, Chance) or node.key not in strategy:
            whose = "of chance" if isinstance(node, Chance) else "for which no alternative is chosen"
            raise TreeError(f"node {tree.path(node)} is a move {whose}")
        choice = strategy[node.key]
        actions.append(action_name(node, choice))
        node = node.children[choice]
    return tuple(actions), node.payoffs


def count_strategies(tree: Tree, player: int = 0, fixed: Strategy | None = None) -> int:
    """How many pure strategies a player has: the product of the numbers of alternatives over its information sets.

    Sets in `fixed` are left out.

    Raises:
      TreeError: there is no such player.
    """
    return math.prod(count for _, count in _open_sets(tree, player, fixed))


def strategies(tree: Tree, player: int = 0, fixed: Strategy | None = None) -> Iterator[dict[SetKey, int]]:
    """All pure strategies of a player, the last information set changing fastest; sets in `fixed` are left out."""
    sets = _open_sets(tree, player, fixed)
    for choices in product(*(range(count) for _, count in sets)):
        yield {key: choice for (key, _), choice in zip(sets, choices, strict=True)}


def _open_sets(tree: Tree, player: int, fixed: Strategy | None) -> list[tuple[SetKey, int]]:
    """Information sets of a player that are not in `fixed`, and how many alternatives each has."""
    check_player(tree, player)
    sets = [(key, len(nodes[0].children)) for key, nodes in tree.information_sets.items()]
    return [(key, count) for key, count in sets if key[0] == player and key not in (fixed or {})]


def brute_force(tree: Tree, player: int = 0, fixed: Strategy | None = None) -> Solution:
    """The best of all strategies of a player, the first if there are several; with or without perfect recall.

    Args:
      tree: a small one.
      player: whose payoff is maximised.
      fixed: what the other players play, and any choices of the player that are already made.

    Raises:
      TreeError: there are more than MOST_STRATEGIES, or `fixed` leaves open what another player does.
    """
    fixed = fixed or {}
    count = count_strategies(tree, player, fixed)
    if count > MOST_STRATEGIES:
        raise TreeError(f"brute force takes at most {MOST_STRATEGIES:,} strategies, and there are {_size(count)}")
    leaves = 0

    def worth(strategy: Strategy) -> Number:
        nonlocal leaves
        total: Number = 0
        for leaf, p in reached(tree, {**fixed, **strategy}):
            total += p * leaf.payoffs[player]
            leaves += 1
        return total

    tried = ((worth(strategy), strategy) for strategy in strategies(tree, player, fixed))
    value, strategy = max(tried, key=lambda pair: pair[0])
    return Solution(value, strategy, leaves)


def _size(count: int) -> str:
    """A number that may have thousands of digits, for people."""
    exponent = int(math.log10(count))  # of an int of any size
    return f"{count:,}" if exponent < 12 else f"some 10^{exponent}"
