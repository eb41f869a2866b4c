"""IMP-minimax, IMP-alpha-beta, overconfident and paranoid search, and best responses.

Blair, Mutchler and Liu, "Games with Imperfect Information" (AAAI Fall Symposium 1993): IMP-minimax finds the best
strategy of a one-player game in linear time, given perfect recall. X is a set of histories:

    V(X) = max_j V(extend(j-th child of X))                             X one PI-set
         = sum_{leaves x} p(x) h(x) + sum_{PI-sets x} V(x)              otherwise, X partitioned

With one player and perfect recall V is the value of the best strategy. Without perfect recall V may be too high: an
information set may occur in several PI-sets, with a different choice in each. With two players V is a heuristic: each
PI-set of the other player takes the minimum, though that player may not know our choices.

Parker, Nau and Subrahmanian, "Overconfidence or Paranoia? Search in Imperfect-Information Games" (AAAI 2006): the
overconfident player assumes that the others move uniformly at random (Eq. 2). V is then the paper's EU, since dividing
probabilities by that of their information set changes no choice. The paranoid player takes the worst of everything:
every sum becomes a minimum (Eq. 3), whether over histories, the others' moves or chance.

Against a known strategy a game has one player, so IMP-minimax finds the best response to it, given perfect recall.

Van Lent and Mutchler, "A Pruning Algorithm for Imperfect Information Games" (AAAI Fall Symposium 1993): IMP-alpha-beta
is IMP-minimax for one player without the leaves that cannot matter. U bounds the payoffs from above.

    immediate pruning: an alternative worth U prob(x), the most there can be, ends the choice at x;
    information-set pruning: a partition of which even the rest at U cannot bring more than P is worth at most P.

P is the best value so far. `max_set` and `mixed_set` are the paper's and return max(V, P) (`mixed_set` with
information-set pruning only), with the V of IMP-minimax also without perfect recall.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from kriegbot.trees.strategy import (
    History,
    PISet,
    Solution,
    TreePolicy,
    as_chosen,
    brute_force,
    check_strategy,
    partition,
    payoffs,
)
from kriegbot.trees.tree import Number, SetKey, Strategy, Tree, TreeError
from referee.text import quoted

UNBOUNDED = float("-inf")  # P of a set that is to be valued exactly
ROUNDING = 1e-9  # a better response gains more than this times the payoff, or times 1 if that is more


def imp_minimax(tree: Tree, player: int = 0, fixed: Strategy | None = None) -> Solution:
    """Return V of a tree, and the strategies that give it.

    `player` maximises its payoff, all others minimise it. `fixed` holds choices already made, of any player. Of several
    best choices it takes the first. Without perfect recall an information set may occur in several PI-sets and keeps
    the choice of the first. Raise TreeError if there is no such player, or `fixed` does not fit the tree.
    """
    return _backed_up(tree, player, fixed or {}, as_chosen(fixed or {}))


def _backed_up(tree: Tree, player: int, fixed: Strategy, policy: TreePolicy, is_paranoid: bool = False) -> Solution:
    """Return V under a policy of the players without a choice; if `is_paranoid`, with minima in place of sums."""
    tree.check_player(player)
    check_strategy(tree, fixed)
    start: Number = float("inf") if is_paranoid else 0
    totals = [start]  # V so far of the root's set of histories, then of the alternatives of each PI-set
    met: list[tuple[PISet, int, int]] = []  # PI-set, index of its first alternative, index of the total it belongs to
    leaves = 0

    def fold(total: int, weight: Number, value: Number) -> None:
        totals[total] = min(totals[total], value) if is_paranoid else totals[total] + weight * value

    def extend(histories: list[History], total: int) -> None:
        nonlocal leaves
        for part in partition(histories, policy):
            if isinstance(part, list):
                met.append((part, len(totals), total))
                totals.extend(start for _ in part[0][0].children)
            else:
                leaf, p = part
                fold(total, p, leaf.payoffs[player])
                leaves += 1

    extend([(tree.root, 1)], 0)
    for x, first, _ in met:  # grows meanwhile
        for j in range(len(x[0][0].children)):
            extend([(node.children[j], p) for node, p in x], first + j)
    strategy: dict[SetKey, int] = {}
    for x, first, total in reversed(met):
        key = x[0][0].key
        values = totals[first : first + len(x[0][0].children)]
        best = max(values) if key[0] == player else min(values)
        strategy[key] = values.index(best)
        fold(total, 1, best)
    return Solution(totals[0], dict(reversed(strategy.items())), leaves)


def overconfident(tree: Tree, player: int = 0, fixed: Strategy | None = None) -> Solution:
    """Return EU of a tree for a player, and its choices; arguments and errors as of `imp_minimax`.

    >>> from kriegbot.trees import Decision, Leaf, Tree
    >>> opponent = Decision(1, "O", (Leaf((0, 0)), Leaf((6, 0))))
    >>> tree = Tree(Decision(0, "A", (Leaf((2, 0)), opponent)), ("Max", "Min"))
    >>> overconfident(tree).value, paranoid(tree).value
    (Fraction(3, 1), 2)
    """
    return _backed_up(tree, player, fixed or {}, as_chosen(fixed or {}, player))


def paranoid(tree: Tree, player: int = 0, fixed: Strategy | None = None) -> Solution:
    """Return PU of a tree for a player, and its choices; arguments and errors as of `imp_minimax`."""
    return _backed_up(tree, player, fixed or {}, as_chosen(fixed or {}, player), is_paranoid=True)


@dataclass(frozen=True, slots=True)
class BestResponses:
    """The last strategy of all players, the `rounds`-th from the start on. Unless `is_equilibrium`, they cycle."""

    strategy: Strategy
    payoffs: tuple[Number, ...]
    is_equilibrium: bool
    rounds: int


def best_response(tree: Tree, strategy: Strategy, player: int) -> Solution:
    """Return a player's best strategy against the others' choices in `strategy`; without perfect recall by brute force.

    Raise TreeError if `strategy` lacks a choice of another player, or there are too many strategies for brute force.
    """
    others = {key: choice for key, choice in strategy.items() if key[0] != player}
    for other, label in tree.information_sets:
        if other != player and (other, label) not in others:
            raise TreeError(f"no alternative is chosen in information set {quoted(label)} of {tree.players[other]}")
    return imp_minimax(tree, player, others) if tree.has_perfect_recall(player) else brute_force(tree, player, others)


def is_equilibrium(tree: Tree, strategy: Strategy) -> bool:
    """Return True if no player has a better response to the others; raise TreeError as `best_response`."""
    return all(_better(tree, strategy, player) is None for player in range(len(tree.players)))


def alternating_best_responses(tree: Tree, start: Strategy) -> BestResponses:
    """Let the players respond to each other in turn, until none has a better response or the responses cycle.

    `start` has a choice in every information set. Raise TreeError as `best_response`.
    """
    strategy = dict(start)
    seen: set[tuple[int, frozenset[tuple[SetKey, int]]]] = set()
    content, player = 0, 0  # `content` counts players in a row without a better response
    while content < len(tree.players):
        better = _better(tree, strategy, player)
        content = content + 1 if better is None else 0
        if better is not None:
            state = (player, frozenset(strategy.items()))
            if state in seen:
                return BestResponses(strategy, payoffs(tree, strategy), False, len(seen) + 1)
            seen.add(state)
            strategy.update(better)
        player = (player + 1) % len(tree.players)
    return BestResponses(strategy, payoffs(tree, strategy), True, len(seen) + 1)


def _better(tree: Tree, strategy: Strategy, player: int) -> Strategy | None:
    """Return a player's best response if it is better than its present strategy."""
    response = best_response(tree, strategy, player)
    now = payoffs(tree, strategy)[player]
    return response.strategy if response.value > now + ROUNDING * max(1.0, abs(float(now))) else None


def imp_alphabeta(
    tree: Tree, upper: Number, player: int = 0, *, immediate: bool = True, information_set: bool = True
) -> Solution:
    """Return V of a tree in which one player has all the choices, from as few leaves as the pruning allows.

    `upper` bounds the player's payoffs. `immediate` and `information_set` switch the two kinds of pruning. The strategy
    has choices for the information sets that it leads to. Raise TreeError if another player has a choice, an examined
    leaf a payoff above `upper`, or the tree is too deep to recurse in.

    >>> from kriegbot.trees import Decision, Leaf, Tree
    >>> imp_alphabeta(Tree(Decision(0, "A", (Leaf((10,)), Leaf((3,))))), upper=10)
    Solution(value=10, strategy={(0, 'A'): 0}, leaves=1)
    """
    tree.check_player(player)
    for other, label in tree.information_sets:
        if other != player:
            name = tree.players[other]
            raise TreeError(f"IMP-alpha-beta is for one player, and {name} has a choice in {quoted(label)}")
    strategy: dict[SetKey, int] = {}
    leaves = 0

    def max_set(x: PISet, prune: Number) -> Number:
        best = prune
        for j in range(len(x[0][0].children)):
            value = mixed_set([(node.children[j], p) for node, p in x], best)
            if value > best:
                best, strategy[x[0][0].key] = value, j
                if immediate and value >= sum(p for _, p in x) * upper:
                    break
        return best

    def mixed_set(histories: Sequence[History], prune: Number) -> Number:
        nonlocal leaves
        total: Number = 0
        parts = partition(histories, as_chosen({}))
        weights = [sum(p for _, p in x) if isinstance(x, list) else x[1] for x in parts]
        left: Number = sum(weights)
        for x, weight in zip(parts, weights, strict=True):
            left -= weight
            if isinstance(x, list):
                total += max_set(x, prune - total - left * upper if information_set else UNBOUNDED)
            else:
                leaf = x[0]
                leaves += 1
                if leaf.payoffs[player] > upper:
                    raise TreeError(f"node {tree.path(leaf)}: payoff {leaf.payoffs[player]} is above the bound {upper}")
                total += weight * leaf.payoffs[player]
            if information_set and total + left * upper <= prune:
                return prune
        return total

    try:
        value = mixed_set([(tree.root, 1)], UNBOUNDED)
    except RecursionError:
        raise TreeError("the tree is too deep for IMP-alpha-beta, which recurses; IMP-minimax does not") from None
    return Solution(value, strategy, leaves)
