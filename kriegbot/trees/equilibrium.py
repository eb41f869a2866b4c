"""Best responses, and pairs of strategies that are best responses to each other.

Blair, Mutchler and Liu, "Games with Imperfect Information" (AAAI Fall Symposium 1993): against a known strategy a game
has one player, so IMP-minimax finds the best response to it in linear time if that player has perfect recall. They let
the players answer each other in turn until a pair of strategies repeats. A pair that repeats at once is an equilibrium;
but the answers may also cycle, as they must where no pair of pure strategies is an equilibrium.
"""

from __future__ import annotations

from dataclasses import dataclass

from kriegbot.trees.imp_minimax import imp_minimax
from kriegbot.trees.strategy import Solution, brute_force, payoffs
from kriegbot.trees.tree import Number, SetKey, Strategy, Tree, TreeError
from referee.text import quoted

ROUNDING = 1e-9
"""A response must be better by more than this times the payoffs' size to count as better."""


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
