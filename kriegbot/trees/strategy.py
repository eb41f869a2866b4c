"""Policies, brute force, and searches of games of perfect information.

Blair, Mutchler and Liu, "Games with Imperfect Information" (AAAI Fall Symposium 1993): a history is a node and p(x),
the product of the probabilities on the way to it. `partition` replaces nodes without an open choice by their children,
and splits the rest into leaves and PI-sets; `payoffs` is their H. The paper expands nodes of chance only; here other
players' nodes expand as well, by a policy.

With perfect information, as in Poole and Mackworth, "Artificial Intelligence" (2010), section 10.3, and in the lectures
on games of Stanford CS221:

    V(x) = payoff(x)                        x a leaf
         = Eval(x)                          at depth 0, where the depth is limited
         = sum_children p(child) V(child)   x of chance, or of a player whose policy is given
         = max_children V(child)            x of the player for whom the tree is searched
         = min_children V(child)            x of another player

Minimax (without chance), expectimax and expectiminimax differ in the players whose policy is known. Depth counts edges.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import product
from math import inf
from typing import TypeAlias

from kriegbot.trees.tree import Chance, Decision, Leaf, Node, Number, SetKey, Strategy, Tree, TreeError
from referee.text import quoted

History: TypeAlias = tuple[Node, Number]  # a node and the product of the probabilities on the way to it
PISet: TypeAlias = list[tuple[Decision, Number]]
"""Nodes of one information set that play reaches together, and p of each."""
Moves: TypeAlias = Iterable[tuple[Node, Number]]
"""Children of a node and their probabilities."""
TreePolicy: TypeAlias = Callable[[Decision], Moves | None]
"""Expansion of a decision; None for an open choice."""


def partition(histories: Sequence[History], policy: TreePolicy) -> list[tuple[Leaf, Number] | PISet]:
    """Expand chance nodes, and decisions by `policy`; return leaves and PI-sets in order of appearance."""
    parts: list[tuple[Leaf, Number] | PISet] = []
    sets: dict[SetKey, PISet] = {}
    stack = list(reversed(histories))
    while stack:
        node, p = stack.pop()
        if isinstance(node, Leaf):
            parts.append((node, p))
        elif (moves := moves_of(node, policy)) is not None:
            stack.extend(reversed([(child, p * q) for child, q in moves]))
        elif isinstance(node, Decision):
            if node.key not in sets:
                parts.append(sets.setdefault(node.key, []))
            sets[node.key].append((node, p))
    return parts


def moves_of(node: Chance | Decision, policy: TreePolicy) -> Moves | None:
    """Return the children of a node with their probabilities; None for an open choice."""
    return zip(node.children, node.probabilities, strict=True) if isinstance(node, Chance) else policy(node)


def as_chosen(strategy: Strategy, player: int | None = None) -> TreePolicy:
    """Follow a strategy in the sets that it covers. If a player is given, all others move at random elsewhere."""

    def policy(node: Decision) -> Moves | None:
        if node.key in strategy:
            return [(node.children[strategy[node.key]], 1)]
        if player in (None, node.player):
            return None
        return [(child, Fraction(1, len(node.children))) for child in node.children]

    return policy


def check_strategy(tree: Tree, strategy: Strategy) -> None:
    """Raise TreeError for the first information set or alternative that the tree lacks."""
    for key, choice in strategy.items():
        player, label = key
        if key not in tree.information_sets:
            where = f"information set {quoted(label)} of player {player}"
            raise TreeError(f"the strategy names {where}, which the tree lacks")
        count = len(tree.information_sets[key][0].children)
        if not 0 <= choice < count:
            raise TreeError(f"alternative {choice} of information set {quoted(label)}: alternatives are 0..{count - 1}")


MOST_STRATEGIES = 1_000_000  # the most that brute force tries


@dataclass(frozen=True, slots=True)
class Solution:
    """Result of an algorithm for a player.

    The strategy holds the choices that the algorithm made. `leaves` counts the leaves examined, with repeats. Searches
    with perfect information list the nodes `examined`, parents first.
    """

    value: Number
    strategy: Strategy
    leaves: int
    examined: Sequence[Node] = field(default=(), repr=False)


def reached(tree: Tree, strategy: Strategy) -> Iterator[tuple[Leaf, Number]]:
    """Yield the leaves that a strategy of all players reaches, and their probabilities; raise TreeError at a gap."""
    check_strategy(tree, strategy)
    for part in partition([(tree.root, 1)], as_chosen(strategy)):
        if isinstance(part, list):
            node, _ = part[0]
            why = f"no alternative is chosen in its set {quoted(node.information_set)}"
            raise TreeError(f"node {tree.path(node)}: {why}")
        yield part


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

    `fixed` holds the choices of the other players, and any of the player that are already made. Raise TreeError if
    there are more than MOST_STRATEGIES, or `fixed` lacks another player's choice that play reaches.
    """
    fixed = fixed or {}
    if count_strategies(tree, player, fixed) > MOST_STRATEGIES:
        raise TreeError(f"brute force takes at most {MOST_STRATEGIES:,} strategies, and there are more")
    leaves, best = 0, Solution(-inf, {}, 0)
    for strategy in strategies(tree, player, fixed):
        ends = list(reached(tree, {**fixed, **strategy}))
        value: Number = sum(p * leaf.payoffs[player] for leaf, p in ends)
        leaves += len(ends)
        best = Solution(value, strategy, 0) if value > best.value else best
    return replace(best, leaves=leaves)


Evaluate: TypeAlias = Callable[[Node], Number]  # from a node to an estimate of its value
NOBODY = as_chosen({})  # the policy that leaves every choice open


def policy_value(tree: Tree, policy: TreePolicy, player: int = 0) -> Number:
    """Return the value of a game in which all follow a policy; raise TreeError for a node where it chooses nothing."""
    for nodes in tree.information_sets.values():
        if policy(nodes[0]) is None:
            raise TreeError(f"node {tree.path(nodes[0])}: the policy chooses no alternative")
    return search(tree, player, policy).value


def minimax(tree: Tree, player: int = 0, depth: int | None = None, evaluate: Evaluate = lambda _: 0) -> Solution:
    """Return the value that a player can be sure of, and the choices; raise TreeError at chance, and as `search`."""
    for node in tree.nodes():
        if isinstance(node, Chance):
            raise TreeError(f"node {tree.path(node)} is of chance: minimax takes none, expectiminimax does")
    return search(tree, player, depth=depth, evaluate=evaluate)


def expectimax(tree: Tree, player: int = 0, depth: int | None = None, evaluate: Evaluate = lambda _: 0) -> Solution:
    """Return the best against players that choose at random; for other policies call `search`."""
    return search(tree, player, as_chosen({}, player), depth, evaluate)


def expectiminimax(tree: Tree, player: int = 0, depth: int | None = None, evaluate: Evaluate = lambda _: 0) -> Solution:
    """Return the value that a player can be sure of on average over chance; also called chance-minimax."""
    return search(tree, player, depth=depth, evaluate=evaluate)


def search(
    tree: Tree, player: int = 0, policy: TreePolicy = NOBODY, depth: int | None = None, evaluate: Evaluate = lambda _: 0
) -> Solution:
    """Return V of a tree, as defined at the head of this file, and the strategies that give it.

    `player` maximises its payoff; every other player without a policy minimises it. `evaluate` estimates V at `depth`.
    The strategy holds the first best choice at every node examined that `policy` leaves open. Raise TreeError if there
    is no such player or depth, or a player without a policy cannot tell two nodes apart.
    """
    _check(tree, player, depth, policy)
    nodes = list(tree.with_depth(depth))
    values: list[Number] = []
    strategy: dict[SetKey, int] = {}
    for distance, node in reversed(nodes):  # children before parents: the last values are the children's
        if isinstance(node, Leaf):
            values.append(node.payoffs[player])
            continue
        if distance == depth:
            values.append(evaluate(node))
            continue
        options = [values.pop() for _ in node.children]
        moves = moves_of(node, policy)
        if moves is not None:
            of_child = dict(zip(node.children, options, strict=True))
            values.append(sum(p * of_child[child] for child, p in moves))
        elif isinstance(node, Decision):
            best = max(options) if node.player == player else min(options)
            strategy[node.key] = options.index(best)
            values.append(best)
    examined = [node for _, node in nodes]
    return Solution(values.pop(), strategy, _leaves(examined), examined)


def alphabeta(
    tree: Tree,
    player: int = 0,
    depth: int | None = None,
    evaluate: Evaluate = lambda _: 0,
    order: Evaluate | None = None,
) -> Solution:
    """Return the value of `expectiminimax`, usually from fewer nodes: nodes that cannot change it are skipped.

    `order` values alternatives: the player's highest and the others' lowest come first. Below a node of chance pruning
    starts afresh. The choices at the nodes examined make both sides sure of V. Raise TreeError as `search`, or if the
    tree is too deep to recurse into.
    """
    _check(tree, player, depth, NOBODY)
    examined: list[Node] = []
    strategy: dict[SetKey, int] = {}

    def value(node: Node, left: int | None, alpha: Number, beta: Number) -> Number:
        examined.append(node)
        if isinstance(node, Leaf):
            return node.payoffs[player]
        if left == 0:
            return evaluate(node)
        left = None if left is None else left - 1
        if isinstance(node, Chance):
            moves = zip(node.probabilities, node.children, strict=True)
            return sum(p * value(child, left, -inf, inf) for p, child in moves)
        is_max = node.player == player
        best: Number = -inf if is_max else inf
        ordered = list(enumerate(node.children))
        if order is not None:
            ordered.sort(key=lambda pair: order(pair[1]), reverse=is_max)
        for index, child in ordered:
            new = value(child, left, alpha, beta)
            if node.key not in strategy or (new > best if is_max else new < best):
                best, strategy[node.key] = new, index
            alpha, beta = (max(alpha, best), beta) if is_max else (alpha, min(beta, best))
            if alpha >= beta:
                break
        return best

    try:
        root_value = value(tree.root, depth, -inf, inf)
    except RecursionError:
        raise TreeError("the tree is too deep for alpha-beta: it takes some hundreds of moves in a row") from None
    return Solution(root_value, strategy, _leaves(examined), examined)


def _leaves(examined: Sequence[Node]) -> int:
    return sum(isinstance(node, Leaf) for node in examined)


def _check(tree: Tree, player: int, depth: int | None, policy: TreePolicy) -> None:
    """Raise TreeError for an argument out of range, or a player that chooses without knowing its node."""
    tree.check_player(player)
    if depth is not None and depth < 0:
        raise TreeError(f"illegal depth {depth}: it takes 0 or more")
    for (chooser, label), nodes in tree.information_sets.items():
        if len(nodes) > 1 and policy(nodes[0]) is None:
            raise TreeError(
                f"nodes {tree.path(nodes[0])} and {tree.path(nodes[1])} are in one information set {quoted(label)} of "
                f"{tree.players[chooser]}: this takes perfect information"
            )
