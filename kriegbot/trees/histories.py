"""Sets of histories: the vocabulary in which IMP-minimax and its kin are written.

Blair, Mutchler and Liu, "Games with Imperfect Information" (AAAI Fall Symposium 1993): `expand` replaces nodes at which
no choice is to be made by their children, `partition` splits what is left into leaves and PI-sets. A history is a node
and p(x), the product of the probabilities on the way to it. The paper expands chance nodes only; here other players'
nodes may be expanded as well, by a strategy that they are known to play, or at random.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from typing import TypeAlias

from kriegbot.trees.tree import Chance, Decision, Leaf, Node, Number, SetKey, Strategy, Tree, TreeError
from referee.text import quoted

History: TypeAlias = tuple[Node, Number]
"""A node and the product of the probabilities on the way to it."""
Reached: TypeAlias = tuple[Leaf | Decision, Number]
"""A history that ends at a leaf or where a choice is to be made."""
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
        moves = zip(node.children, node.probabilities, strict=True) if isinstance(node, Chance) else follow(node)
        if moves is not None:
            stack.extend(reversed([(child, p * q) for child, q in moves]))
        elif isinstance(node, Decision):
            yield node, p


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
    """Refuse a player that is not in the tree.

    Raises:
      TreeError: there is no such player.
    """
    if not 0 <= player < len(tree.players):
        raise TreeError(f"there is no player {player}: players are 0..{len(tree.players) - 1}")


def check_strategy(tree: Tree, strategy: Strategy) -> None:
    """Refuse a strategy with a set that is not in the tree, or an alternative that is not in the set.

    Raises:
      TreeError: names the first such set.
    """
    for key, choice in strategy.items():
        player, label = key
        if key not in tree.information_sets:
            raise TreeError(
                f"the strategy names information set {quoted(label)} of player {player}, which the tree lacks"
            )
        count = len(tree.information_sets[key][0].children)
        if not 0 <= choice < count:
            raise TreeError(f"alternative {choice} of information set {quoted(label)}: alternatives are 0..{count - 1}")
