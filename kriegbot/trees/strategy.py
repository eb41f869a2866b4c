"""Histories and strategies: the vocabulary in which IMP-minimax and its kin are written, and brute force.

Blair, Mutchler and Liu, "Games with Imperfect Information" (AAAI Fall Symposium 1993): `expand` replaces nodes at which
no choice is to be made by their children, `partition` splits what is left into leaves and PI-sets; `payoffs` is their
H. A history is a node and p(x), the product of the probabilities on the way to it. The paper expands chance nodes only;
here other players' nodes may be expanded as well, by a strategy that they are known to play, or at random.

Trying all strategies needs no perfect recall, so cleverer algorithms are tested against it; by their Theorem 1 the
problem is NP-hard without perfect recall, so nothing much faster is known.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import TypeAlias

from kriegbot.trees.tree import Chance, Decision, Leaf, Node, Number, SetKey, Strategy, Tree, TreeError
from referee.text import quoted

History: TypeAlias = tuple[Node, Number]  # a node and the product of the probabilities on the way to it
Reached: TypeAlias = tuple[Leaf | Decision, Number]  # a history that ends at a leaf or where a choice is to be made
PISet: TypeAlias = list[tuple[Decision, Number]]
"""Nodes of one information set that are reached together, and p of each."""
Moves: TypeAlias = Iterable[tuple[Node, Number]]
"""Children of a node and their probabilities."""
Follow: TypeAlias = Callable[[Decision], Moves | None]
"""How a decision is expanded; None where it is a choice to be made."""


def expand(histories: Sequence[History], follow: Follow) -> Iterator[Reached]:
    """Replace chance nodes, and decisions that `follow` expands, by their children until none is left."""
    stack = list(reversed(histories))
    while stack:
        node, p = stack.pop()
        if isinstance(node, Leaf):
            yield node, p
            continue
        moves = moves_of(node, follow)
        if moves is not None:
            stack.extend(reversed([(child, p * q) for child, q in moves]))
        elif isinstance(node, Decision):
            yield node, p


def moves_of(node: Chance | Decision, follow: Follow) -> Moves | None:
    """Children of a node with their probabilities; None where there is a choice to be made."""
    return zip(node.children, node.probabilities, strict=True) if isinstance(node, Chance) else follow(node)


def partition(histories: Iterable[Reached]) -> list[tuple[Leaf, Number] | PISet]:
    """Split into leaves and maximal PI-sets, which hold all nodes of an information set; in order of appearance."""
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


def as_chosen(strategy: Strategy) -> Follow:
    """Move as a strategy says, in the information sets that it covers."""

    def follow(node: Decision) -> Moves | None:
        choice = strategy.get(node.key)
        return None if choice is None else [(node.children[choice], 1)]

    return follow


def at_random(player: int, strategy: Strategy) -> Follow:
    """Move every player but one uniformly at random, and all as a strategy says in the sets that it covers."""
    chosen = as_chosen(strategy)

    def follow(node: Decision) -> Moves | None:
        if node.key in strategy or node.player == player:
            return chosen(node)
        return [(child, Fraction(1, len(node.children))) for child in node.children]

    return follow


def check_player(tree: Tree, player: int) -> None:
    """Raises TreeError unless there is such a player."""
    if not 0 <= player < len(tree.players):
        raise TreeError(f"there is no player {player}: players are 0..{len(tree.players) - 1}")


def check_strategy(tree: Tree, strategy: Strategy) -> None:
    """Raises TreeError, with the first set that is not in the tree, or whose alternative is not in the set."""
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
    """Leaves reached when all play as `strategy` says, with their probabilities; raises TreeError if it is silent."""
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


def count_strategies(tree: Tree, player: int = 0, fixed: Strategy | None = None) -> int:
    """How many pure strategies a player has: the product of the alternatives over its sets that are not in `fixed`."""
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
