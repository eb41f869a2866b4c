"""Searches of games of perfect information: policy evaluation, expectimax, minimax, expectiminimax, alpha-beta.

As in Poole and Mackworth, "Artificial Intelligence", section 10.3, and in the lectures on games of Stanford CS221:

    V(x) = payoff(x)                        x a leaf
         = Eval(x)                          at depth 0, where the depth is limited
         = sum_children p(child) V(child)   x of chance, or of a player whose policy is given
         = max_children V(child)            x of the player for whom the tree is searched
         = min_children V(child)            x of another player

These searches differ only in the players whose policy is known. A policy gives the probability of each alternative:
`as_chosen` plays a strategy, `at_random` chooses uniformly. Depth counts edges of the tree, chance included.
"""

from collections.abc import Callable, Sequence
from math import inf
from typing import TypeAlias

from kriegbot.trees.strategy import Solution, TreePolicy, as_chosen, at_random, moves_of
from kriegbot.trees.tree import Chance, Decision, Leaf, Node, Number, SetKey, Tree, TreeError
from referee.text import quoted

Evaluate: TypeAlias = Callable[[Node], Number]  # from a node to an estimate of its value


def unknown(_node: Node) -> Number:
    """Return 0, the default evaluation."""
    return 0


NOBODY = as_chosen({})  # the policy that leaves every choice open


def policy_value(tree: Tree, policy: TreePolicy, player: int = 0) -> Number:
    """Return the value of a game in which all follow a policy, with or without perfect information.

    Raises:
      TreeError: names the first node for which the policy chooses nothing.
    """
    for nodes in tree.information_sets.values():
        if policy(nodes[0]) is None:
            raise TreeError(f"node {tree.path(nodes[0])}: the policy chooses no alternative")
    return search(tree, player, policy).value


def minimax(tree: Tree, player: int = 0, depth: int | None = None, evaluate: Evaluate = unknown) -> Solution:
    """Return the value that a player can be sure of, and the choices; raise TreeError at a node of chance.

    >>> from kriegbot.trees import Decision, Leaf, Tree
    >>> low, high = (Decision(1, name, (Leaf((value, 0)), Leaf((9, 0)))) for name, value in (("B", 1), ("C", 5)))
    >>> minimax(Tree(Decision(0, "A", (low, high)), ("Max", "Min"))).value
    5
    """
    for node in tree.nodes():
        if isinstance(node, Chance):
            raise TreeError(f"node {tree.path(node)} is of chance: minimax takes none, expectiminimax does")
    return search(tree, player, depth=depth, evaluate=evaluate)


def expectimax(tree: Tree, player: int = 0, depth: int | None = None, evaluate: Evaluate = unknown) -> Solution:
    """Return the best against players that choose at random; for other policies call `search`."""
    return search(tree, player, at_random(player, {}), depth, evaluate)


def expectiminimax(tree: Tree, player: int = 0, depth: int | None = None, evaluate: Evaluate = unknown) -> Solution:
    """Return the value that a player can be sure of on average over chance; also called chance-minimax."""
    return search(tree, player, depth=depth, evaluate=evaluate)


def search(
    tree: Tree,
    player: int = 0,
    policy: TreePolicy = NOBODY,
    depth: int | None = None,
    evaluate: Evaluate = unknown,
) -> Solution:
    """Return V of a tree, as defined at the head of this file, and the strategies that give it.

    `player` maximises its payoff; every other player without a policy minimises it. Without a depth it searches to the
    leaves; `evaluate` estimates V at the limit. The strategy holds the first best choice at every node examined that
    `policy` leaves open.

    Raises:
      TreeError: there is no such player, or a player without a policy cannot tell two nodes apart.
    """
    _check(tree, player, depth, policy)
    nodes = _preorder(tree, depth)
    values: list[Number] = []
    strategy: dict[SetKey, int] = {}
    for node, left in reversed(nodes):  # children before parents: the last values are the children's
        if isinstance(node, Leaf):
            values.append(node.payoffs[player])
            continue
        if left == 0:
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
    examined = [node for node, _ in nodes]
    return Solution(values.pop(), strategy, _leaves(examined), examined)


def alphabeta(
    tree: Tree,
    player: int = 0,
    depth: int | None = None,
    evaluate: Evaluate = unknown,
    order: Evaluate | None = None,
) -> Solution:
    """Return the value of `expectiminimax`, usually from fewer nodes: nodes that cannot change it are skipped.

    Arguments are as for `search`. `order` values alternatives: the player's highest and the others' lowest come first.
    Below a node of chance pruning starts afresh. The choices at the nodes examined make both sides sure of V.

    Raises:
      TreeError: as `search`, or the tree is too deep to recurse into.
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
        indices: Sequence[int] = range(len(node.children))
        if order is not None:
            indices = sorted(indices, key=[order(child) for child in node.children].__getitem__, reverse=is_max)
        for index in indices:
            new = value(node.children[index], left, alpha, beta)
            if node.key not in strategy or (new > best if is_max else new < best):
                best, strategy[node.key] = new, index
            if is_max:
                alpha = max(alpha, best)
            else:
                beta = min(beta, best)
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


def _preorder(tree: Tree, depth: int | None) -> list[tuple[Node, int]]:
    """Return nodes in preorder with the depth left at each; a negative depth is no limit."""
    nodes: list[tuple[Node, int]] = []
    stack: list[tuple[Node, int]] = [(tree.root, -1 if depth is None else depth)]
    while stack:
        node, left = stack.pop()
        nodes.append((node, left))
        if not isinstance(node, Leaf) and left != 0:
            stack.extend((child, left - 1) for child in reversed(node.children))
    return nodes


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
