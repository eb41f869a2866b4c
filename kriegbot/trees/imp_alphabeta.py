"""IMP-alpha-beta: IMP-minimax for one player, without the leaves that cannot matter.

Van Lent and Mutchler, "A Pruning Algorithm for Imperfect Information Games" (AAAI Fall Symposium 1993):

    Max-Set(x, P):    best = P
                      for each alternative A:
                          temp = Mixed-Set(expand(move(A, x)), best)
                          if temp > best: if temp == U prob(x) return temp        immediate pruning
                                          best = temp
                      return best
    Mixed-Set(X, P):  sum = 0, left = prob(X)
                      for each x of partition(X):
                          left -= prob(x)
                          sum += prob(x) payoff(x), or Max-Set(x, P - sum - U left)
                          if sum + U left <= P return P                           information-set pruning
                      return sum

U bounds the payoffs from above. Both return max(V, P). Without perfect recall the result is still the V of IMP-minimax.

Beyond the paper, which leaves this open, U may differ from node to node: a bound of the payoffs below each. Then
U prob(x) and U left stand for the sums of p U over the nodes of x, or over those that are left.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from kriegbot.trees.strategy import History, PISet, Solution, as_chosen, check_player, expand, partition
from kriegbot.trees.tree import Decision, Leaf, Number, SetKey, Tree, TreeError
from referee.text import quoted

Bound: TypeAlias = Callable[[Leaf | Decision], Number]  # a node -> an upper bound of the payoffs at and below it
NOTHING = float("-inf")  # P of a set that is to be valued exactly


def imp_alphabeta(
    tree: Tree, upper: Number | Bound, player: int = 0, *, immediate: bool = True, information_set: bool = True
) -> Solution:
    """V of a tree in which one player has all the choices, examining as few leaves as the pruning allows.

    Args:
      tree: with choices of `player` alone.
      upper: an upper bound of the player's payoffs; or a bound for each node.
      player: whose payoff is maximised.
      immediate: whether to stop at an alternative that has the highest value possible.
      information_set: whether to stop at an alternative that can no longer beat the best so far.

    Returns:
      V, the choice of every information set that the choices lead to, and how many leaves were examined.

    Raises:
      TreeError: another player has a choice, a leaf that was examined has a payoff above `upper`, or the tree is too
        deep to recurse in.
    """
    check_player(tree, player)
    for other, label in tree.information_sets:
        if other != player:
            who = tree.players[other]
            raise TreeError(f"IMP-alpha-beta is for one player, and {who} has a choice in {quoted(label)}")
    bound = upper if callable(upper) else lambda _: upper
    search = _Search(tree, player, bound, immediate, information_set)
    try:
        value = search.mixed_set([(tree.root, 1)], NOTHING)
    except RecursionError:
        raise TreeError("the tree is too deep for IMP-alpha-beta, which recurses; IMP-minimax does not") from None
    return Solution(value, search.strategy, search.leaves)


@dataclass
class _Search:
    """The recursion, what it has chosen, and how many leaves it has examined."""

    tree: Tree
    player: int
    upper: Bound
    immediate: bool
    information_set: bool
    strategy: dict[SetKey, int] = field(default_factory=dict)
    leaves: int = 0

    def max_set(self, x: PISet, prune: Number) -> Number:
        """Max-Set: max(V, P) of a PI-set."""
        best = prune
        for j in range(len(x[0][0].children)):
            value = self.mixed_set([(node.children[j], p) for node, p in x], best)
            if value > best:
                best = value
                self.strategy[x[0][0].key] = j
                if self.immediate and value >= self.bound(x):
                    break
        return best

    def mixed_set(self, histories: Sequence[History], prune: Number) -> Number:
        """Mixed-Set: max(V, P) of any set of histories."""
        total: Number = 0
        parts = partition(expand(histories, as_chosen({})))
        bounds = [self.bound(x if isinstance(x, list) else [x]) for x in parts]
        left = sum(bounds)
        for x, bound in zip(parts, bounds, strict=True):
            left -= bound
            if isinstance(x, list):
                prune_below = prune - total - left if self.information_set else NOTHING
                total += self.max_set(x, prune_below)
            else:
                leaf, p = x
                total += p * self.payoff(leaf)
            if self.information_set and total + left <= prune:
                return prune
        return total

    def payoff(self, leaf: Leaf) -> Number:
        """The payoff of a leaf that is examined."""
        self.leaves += 1
        payoff = leaf.payoffs[self.player]
        if payoff > self.upper(leaf):
            raise TreeError(f"node {self.tree.path(leaf)}: payoff {payoff} is above the bound {self.upper(leaf)}")
        return payoff

    def bound(self, histories: Sequence[tuple[Leaf | Decision, Number]]) -> Number:
        """U prob of a set of histories."""
        return sum(p * self.upper(node) for node, p in histories)
