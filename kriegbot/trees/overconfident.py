"""Overconfident and paranoid values of an explicit tree.

Parker, Nau and Subrahmanian, "Overconfidence or Paranoia? Search in Imperfect-Information Games" (AAAI 2006). The
overconfident player assumes that the others move uniformly at random (Eq. 2); V of IMP-minimax is then the paper's EU,
since dividing probabilities by that of their information set changes no choice. The paranoid player takes the worst of
everything: every sum becomes a minimum (Eq. 3), whether over histories, the others' moves or chance.
"""

from __future__ import annotations

from kriegbot.trees.histories import at_random, check_player, check_strategy
from kriegbot.trees.imp_minimax import add_weighted, backed_up
from kriegbot.trees.strategy import Solution
from kriegbot.trees.tree import Number, Strategy, Tree


def overconfident(tree: Tree, player: int = 0, fixed: Strategy | None = None) -> Solution:
    """EU of a tree for a player, with the choice of each of its information sets.

    Args:
      tree: of any number of players.
      player: whose payoff counts.
      fixed: choices that are already made, of any player.

    Raises:
      TreeError: there is no such player, or `fixed` does not fit the tree.
    """
    fixed = fixed or {}
    check_player(tree, player)
    check_strategy(tree, fixed)
    return backed_up(tree, player, at_random(player, fixed), 0, add_weighted)


def paranoid(tree: Tree, player: int = 0, fixed: Strategy | None = None) -> Solution:
    """PU of a tree for a player, with the choice of each of its information sets; arguments as of `overconfident`.

    Raises:
      TreeError: there is no such player, or `fixed` does not fit the tree.
    """
    fixed = fixed or {}
    check_player(tree, player)
    check_strategy(tree, fixed)
    return backed_up(tree, player, at_random(player, fixed), float("inf"), worst)


def worst(so_far: Number, weight: Number, value: Number) -> Number:  # noqa: ARG001 - a fold's signature
    """The least value, however unlikely."""
    return min(so_far, value)
