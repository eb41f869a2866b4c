"""Histories, strategies and brute force: the vocabulary of IMP-minimax.

Blair, Mutchler and Liu, "Games with Imperfect Information" (AAAI Fall Symposium 1993): a history is a node and p(x),
the product of the probabilities on the way to it. `expand` replaces nodes without an open choice by their children,
`partition` splits the rest into leaves and PI-sets, `payoffs` is their H. The paper expands nodes of chance only; here
other players' nodes expand as well, by a known strategy or at random.

Brute force needs no perfect recall, so it tests the other algorithms. Without perfect recall the problem is NP-hard
(their Theorem 1).
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from typing import TypeAlias

from kriegbot.trees.tree import Chance, Decision, Leaf, Node, Number, SetKey, Strategy, Tree, TreeError
from referee.text import quoted

History: TypeAlias = tuple[Node, Number]  # a node and the product of the probabilities on the way to it
Reached: TypeAlias = tuple[Leaf | Decision, Number]  # a history that ends at a leaf or an open choice
PISet: TypeAlias = list[tuple[Decision, Number]]
"""Nodes of one information set that play reaches together, and p of each."""
Moves: TypeAlias = Iterable[tuple[Node, Number]]
"""Children of a node and their probabilities."""
TreePolicy: TypeAlias = Callable[[Decision], Moves | None]
"""Expansion of a decision; None for an open choice."""


def expand(histories: Sequence[History], policy: TreePolicy) -> Iterator[Reached]:
    """Replace chance nodes, and decisions that `policy` expands, by their children until none is left."""
    stack = list(reversed(histories))
    while stack:
        node, p = stack.pop()
        if isinstance(node, Leaf):
            yield node, p
            continue
        moves = moves_of(node, policy)
        if moves is not None:
            stack.extend(reversed([(child, p * q) for child, q in moves]))
        elif isinstance(node, Decision):
            yield node, p


def moves_of(node: Chance | Decision, policy: TreePolicy) -> Moves | None:
    """Return the children of a node with their probabilities; None for an open choice."""
    return zip(node.children, node.probabilities, strict=True) if isinstance(node, Chance) else policy(node)


def partition(histories: Iterable[Reached]) -> list[tuple[Leaf, Number] | PISet]:
    """Split histories into leaves and PI-sets with all nodes of an information set, in order of appearance."""
    parts: list[tuple[Leaf, Number] | PISet] = []
    sets: dict[SetKey, PISet] = {}
    for node, p in histories:
        if isinstance(node, Leaf):
            parts.append((node, p))
        elif node.key in sets:
            sets[node.key].append((node, p))
        else:
            sets[node.key] = [(node, p)]
            parts.append(sets[node.key])
    return parts


def as_chosen(strategy: Strategy) -> TreePolicy:
    """Follow a strategy in the information sets that it covers."""

    def policy(node: Decision) -> Moves | None:
        choice = strategy.get(node.key)
        return None if choice is None else [(node.children[choice], 1)]

    return policy


def at_random(player: int, strategy: Strategy) -> TreePolicy:
    """Follow a strategy in the sets that it covers; elsewhere all but `player` move uniformly at random."""
    chosen = as_chosen(strategy)

    def policy(node: Decision) -> Moves | None:
        if node.key in strategy or node.player == player:
            return chosen(node)
        return [(child, Fraction(1, len(node.children))) for child in node.children]

    return policy


def check_strategy(tree: Tree, strategy: Strategy) -> None:
    """Raise TreeError for the first information set or alternative that the tree lacks."""
    for key, choice in strategy.items():
        player, label = key
        if key not in tree.information_sets:
            raise TreeError(
                f"the strategy names information set {quoted(label)} of player {player}, which the tree lacks"
            )
        count = len(tree.information_sets[key][0].children)
        if not 0 <= choice < count:
            raise TreeError(f"alternative {choice} of information set {quoted(label)}: alternatives are 0..{count - 1}")


MOST_STRATEGIES = 1_000_000  # the most that brute force tries


@dataclass(frozen=True, slots=True)
class Solution:
    """Result of an algorithm for a player.

    The strategy holds a choice for each information set that the algorithm visited. `leaves` counts the leaves
    examined, with repeats. Searches with perfect information list the nodes `examined` in the order of their visits.
    """

    value: Number
    strategy: Strategy
    leaves: int
    examined: Sequence[Node] = field(default=(), repr=False)


def reached(tree: Tree, strategy: Strategy) -> Iterator[tuple[Leaf, Number]]:
    """Yield the leaves that a strategy of all players reaches, and their probabilities; raise TreeError at a gap."""
    check_strategy(tree, strategy)
    for node, p in expand([(tree.root, 1)], as_chosen(strategy)):
        if not isinstance(node, Leaf):
            raise TreeError(
                f"node {tree.path(node)}: no alternative is chosen in its set {quoted(node.information_set)}"
            )
        yield node, p


def payoffs(tree: Tree, strategy: Strategy) -> tuple[Number, ...]:
    """Return H, the mean payoff of each player under a strategy of all players; raise TreeError if it has a gap."""
    totals: list[Number] = [0] * len(tree.players)
    for leaf, p in reached(tree, strategy):
        totals = [total + p * payoff for total, payoff in zip(totals, leaf.payoffs, strict=True)]
    return tuple(totals)


def count_strategies(tree: Tree, player: int = 0, fixed: Strategy | None = None) -> int:
    """Count the pure strategies of a player: the product of the alternatives of its sets that are not in `fixed`."""
    return math.prod(count for _, count in _open_sets(tree, player, fixed))


def strategies(tree: Tree, player: int = 0, fixed: Strategy | None = None) -> Iterator[dict[SetKey, int]]:
    """Yield all pure strategies of a player without the sets in `fixed`; the last information set changes fastest."""
    sets = _open_sets(tree, player, fixed)
    for choices in product(*(range(count) for _, count in sets)):
        yield {key: choice for (key, _), choice in zip(sets, choices, strict=True)}


def _open_sets(tree: Tree, player: int, fixed: Strategy | None) -> list[tuple[SetKey, int]]:
    """Return the information sets of a player that are not in `fixed`, with their numbers of alternatives."""
    tree.check_player(player)
    sets = [(key, len(nodes[0].children)) for key, nodes in tree.information_sets.items()]
    return [(key, count) for key, count in sets if key[0] == player and key not in (fixed or {})]


def brute_force(tree: Tree, player: int = 0, fixed: Strategy | None = None) -> Solution:
    """Return the best of all strategies of a player, with or without perfect recall; the first of several.

    `fixed` holds the choices of the other players, and any of the player that are already made.

    Raises:
      TreeError: there are more than MOST_STRATEGIES, or `fixed` lacks a choice of another player.

    >>> from kriegbot.trees import Chance, Decision, Leaf, Tree
    >>> guess = lambda *payoffs: Decision(0, "guess", tuple(Leaf((payoff,)) for payoff in payoffs))
    >>> brute_force(Tree(Chance((guess(4, 0), guess(0, 8)), (0.5, 0.5))))
    Solution(value=4.0, strategy={(0, 'guess'): 1}, leaves=4)
    """
    fixed = fixed or {}
    count = count_strategies(tree, player, fixed)
    if count > MOST_STRATEGIES:
        raise TreeError(f"brute force takes at most {MOST_STRATEGIES:,} strategies, and there are more")
    leaves = 0

    def value_of(strategy: Strategy) -> Number:
        nonlocal leaves
        total: Number = 0
        for leaf, p in reached(tree, {**fixed, **strategy}):
            total += p * leaf.payoffs[player]
            leaves += 1
        return total

    candidates = ((value_of(strategy), strategy) for strategy in strategies(tree, player, fixed))
    value, strategy = max(candidates, key=lambda pair: pair[0])
    return Solution(value, strategy, leaves)
