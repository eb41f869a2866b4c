"""IMP-minimax: the best strategy of a game of imperfect information in linear time, given perfect recall; and its kin.

Blair, Mutchler and Liu, "Games with Imperfect Information" (AAAI Fall Symposium 1993). X is a set of histories:

    V(X) = max_j V(extend(j-th child of X))                             X one PI-set
         = sum_{leaves x} p(x) h(x) + sum_{PI-sets x} V(x)              otherwise, X partitioned

With one player and perfect recall V is the value of the best strategy. Without perfect recall V may be too high: one
information set may then be met in several PI-sets, with a different choice in each. With two players V is a
heuristic: each PI-set of the other player takes the minimum, though that player may not know what we did.

Parker, Nau and Subrahmanian, "Overconfidence or Paranoia? Search in Imperfect-Information Games" (AAAI 2006): the
overconfident player assumes that the others move uniformly at random (Eq. 2); V is then the paper's EU, since dividing
probabilities by that of their information set changes no choice. The paranoid player takes the worst of everything:
every sum becomes a minimum (Eq. 3), whether over histories, the others' moves or chance.

Against a known strategy a game has one player, so IMP-minimax finds the best response to it. Blair, Mutchler and Liu
let the players answer each other in turn until a pair of strategies repeats. A pair that repeats at once is an
equilibrium; but the answers may also cycle, as they must where no pair of pure strategies is an equilibrium.

Departs from the paper in one thing: instead of a recursion there is a list of PI-sets, made from the root down and
valued from its end back up, so that a tree may be as deep as memory allows.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from kriegbot.trees.strategy import (
    Follow,
    History,
    PISet,
    Solution,
    as_chosen,
    at_random,
    brute_force,
    check_player,
    check_strategy,
    expand,
    partition,
    payoffs,
)
from kriegbot.trees.tree import Number, SetKey, Strategy, Tree, TreeError
from referee.text import quoted

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
    return backed_up(tree, player, fixed, as_chosen(fixed or {}), 0, add_weighted)


def backed_up(tree: Tree, player: int, fixed: Strategy | None, follow: Follow, start: Number, fold: Fold) -> Solution:
    """The value of a tree with `fold` in place of the sum, which begins with `start`."""
    check_player(tree, player)
    check_strategy(tree, fixed or {})
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


def overconfident(tree: Tree, player: int = 0, fixed: Strategy | None = None) -> Solution:
    """EU of a tree for a player, with the choice of each of its information sets.

    Args:
      tree: of any number of players.
      player: whose payoff counts.
      fixed: choices that are already made, of any player.

    Raises:
      TreeError: there is no such player, or `fixed` does not fit the tree.
    """
    return backed_up(tree, player, fixed, at_random(player, fixed or {}), 0, add_weighted)


def paranoid(tree: Tree, player: int = 0, fixed: Strategy | None = None) -> Solution:
    """PU of a tree for a player, with the choice of each of its information sets; arguments as of `overconfident`.

    Raises:
      TreeError: there is no such player, or `fixed` does not fit the tree.
    """
    return backed_up(tree, player, fixed, at_random(player, fixed or {}), float("inf"), worst)


def worst(so_far: Number, weight: Number, value: Number) -> Number:  # noqa: ARG001 - a fold's signature
    """The least value, however unlikely."""
    return min(so_far, value)


ROUNDING = 1e-9  # a response must be better by more than this times the payoffs' size to count as better


@dataclass(frozen=True, slots=True)
class Answers:
    """What answering each other in turn has led to.

    Attributes:
      strategy: what all players play in the end, in every information set.
      payoffs: of each player for that.
      is_equilibrium: whether no player has a better answer; if not, the answers cycle.
      rounds: how many such strategies there were, the last one included.
    """

    strategy: Strategy
    payoffs: tuple[Number, ...]
    is_equilibrium: bool
    rounds: int


def best_response(tree: Tree, strategy: Strategy, player: int) -> Solution:
    """The best that a player can do against the others' choices in `strategy`.

    Found by IMP-minimax, or by brute force if the player has no perfect recall.

    Raises:
      TreeError: the others' choices are not all in `strategy`, or there are too many strategies for brute force.
    """
    others = {key: choice for key, choice in strategy.items() if key[0] != player}
    for other, label in tree.information_sets:
        if other != player and (other, label) not in others:
            raise TreeError(f"no alternative is chosen in information set {quoted(label)} of {tree.players[other]}")
    return imp_minimax(tree, player, others) if tree.has_perfect_recall(player) else brute_force(tree, player, others)


def is_equilibrium(tree: Tree, strategy: Strategy) -> bool:
    """Whether no player has a better answer to what the others play.

    Raises:
      TreeError: as `best_response`, or the strategy leaves open a choice that is needed.
    """
    return all(_better(tree, strategy, player) is None for player in range(len(tree.players)))


def alternating_best_responses(tree: Tree, start: Strategy) -> Answers:
    """Let the players answer each other in turn, until none has a better answer or the answers cycle.

    Args:
      tree: of two players or more.
      start: what all players play at first, in every information set.

    Raises:
      TreeError: as `is_equilibrium`.
    """
    strategy = dict(start)
    seen: set[tuple[int, frozenset[tuple[SetKey, int]]]] = set()
    content, player = 0, 0  # how many players in a row had no better answer
    while content < len(tree.players):
        better = _better(tree, strategy, player)
        content = content + 1 if better is None else 0
        if better is not None:
            answered = (player, frozenset(strategy.items()))
            if answered in seen:
                return Answers(strategy, payoffs(tree, strategy), False, len(seen) + 1)
            seen.add(answered)
            strategy.update(better)
        player = (player + 1) % len(tree.players)
    return Answers(strategy, payoffs(tree, strategy), True, len(seen) + 1)


def _better(tree: Tree, strategy: Strategy, player: int) -> Strategy | None:
    """A player's best response if it is better than what it plays."""
    response = best_response(tree, strategy, player)
    now = payoffs(tree, strategy)[player]
    return response.strategy if response.value > now + ROUNDING * max(1.0, abs(float(now))) else None
