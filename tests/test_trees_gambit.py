"""An outside judge: Gambit reads the .efg files, and agrees on values and equilibria of 100 random games.

Skipped where Gambit is not installed (extra `gambit`): pip compiles it for some ten minutes.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from fractions import Fraction
from itertools import count, islice, product
from math import prod
from typing import Any

import pytest

from kriegbot.trees.formats import read_efg, write_efg
from kriegbot.trees.imp_minimax import alternating_best_responses, imp_minimax, is_equilibrium
from kriegbot.trees.strategy import alphabeta, brute_force, count_strategies, expectiminimax, payoffs, strategies
from kriegbot.trees.tree import Decision, Leaf, Strategy, Tree
from tests.game_trees import random_tree

pygambit = pytest.importorskip("pygambit", reason="Gambit is compiled for minutes: pip install -e '.[gambit]'")
pytestmark = pytest.mark.slow

MOST_PROFILES = 50
"""Strategies of all players that are compared of one game."""


def seeds(games: int, players: int) -> list[int]:
    """Seeds of random trees that are no trifles, and that Gambit is done with in a moment."""
    found = (seed for seed in count() if 15 <= _size(seed, players) <= 40 and _strategies(seed, players) <= 400)
    return list(islice(found, games))


def _size(seed: int, players: int) -> int:
    return sum(1 for _ in random_tree(seed, players).nodes())


def _strategies(seed: int, players: int) -> int:
    return prod(count_strategies(random_tree(seed, players), player) for player in range(players))


def gambits(tree: Tree) -> Any:
    """Return the game as Gambit reads it."""
    return pygambit.read_efg(io.StringIO(write_efg(tree)))


def as_profile(tree: Tree, game: Any, strategy: Strategy) -> Any:
    """Return a strategy of all players as Gambit has it."""
    profile = game.mixed_behavior_profile(rational=True)
    for player, name in enumerate(tree.players):
        for infoset in game.players[name].infosets:
            for index, action in enumerate(infoset.actions):
                profile[action] = int(strategy[player, infoset.label] == index)
    return profile


def as_strategy(tree: Tree, profile: Any) -> Strategy:
    """Return a pure profile of Gambit; where it says nothing, a set being out of reach, the first alternative."""
    return {
        (player, infoset.label): max(
            range(len(infoset.actions)), key=lambda index: (profile[list(infoset.actions)[index]] or 0, -index)
        )
        for player, name in enumerate(tree.players)
        for infoset in profile.game.players[name].infosets
    }


def worth(tree: Tree, profile: Any) -> tuple[Fraction, ...]:
    """Return what a profile of Gambit is worth to each player."""
    return tuple(Fraction(str(profile.payoff(profile.game.players[name]))) for name in tree.players)


def profiles(tree: Tree) -> Iterator[Strategy]:
    """All strategies of all players together."""
    for chosen in product(*(strategies(tree, player) for player in range(len(tree.players)))):
        yield {key: choice for part in chosen for key, choice in part.items()}


def all_told(tree: Tree) -> Tree:
    """Return the same game for players who always know where they are."""
    for number, node in enumerate(tree.nodes()):
        if isinstance(node, Decision):
            node.information_set = str(number)
    return Tree(tree.root, tree.players)


@pytest.mark.parametrize("seed", seeds(40, players=2))
def test_gambit_agrees_on_payoffs_and_equilibria_of_two_players(seed: int) -> None:
    tree = random_tree(seed, 2)
    game = gambits(tree)
    assert len(game.nodes) == sum(1 for _ in tree.nodes())
    for strategy in islice(profiles(tree), MOST_PROFILES):
        profile = as_profile(tree, game, strategy)
        assert worth(tree, profile) == payoffs(tree, strategy)
        assert is_equilibrium(tree, strategy) == (profile.max_regret() == 0)
    answers = alternating_best_responses(tree, dict.fromkeys(tree.information_sets, 0))
    assert answers.is_equilibrium == (as_profile(tree, game, answers.strategy).max_regret() == 0)
    found = pygambit.nash.enumpure_solve(game).equilibria
    assert any(is_equilibrium(tree, strategy) for strategy in profiles(tree)) == bool(found)
    for equilibrium in found:
        profile = equilibrium.as_behavior()
        assert payoffs(tree, as_strategy(tree, profile)) == worth(tree, profile)


@pytest.mark.parametrize("seed", seeds(30, players=1))
def test_gambit_agrees_on_the_value_of_a_game_of_one_player(seed: int) -> None:
    tree = random_tree(seed, 1)
    (best, *_) = pygambit.nash.enumpure_solve(gambits(tree)).equilibria
    assert imp_minimax(tree).value == brute_force(tree).value == worth(tree, best.as_behavior())[0]


@pytest.mark.parametrize("seed", seeds(70, players=2)[40:])
def test_gambit_agrees_on_the_value_of_a_game_of_perfect_information(seed: int) -> None:
    tree = all_told(random_tree(seed, 2))
    game = gambits(tree)
    value = worth(tree, pygambit.nash.lp_solve(game).equilibria[0])[0]
    found = expectiminimax(tree)
    assert found.value == alphabeta(tree).value == value
    assert as_profile(tree, game, found.strategy).max_regret() == 0


@pytest.mark.parametrize("seed", range(100))
def test_what_gambit_writes_is_the_same_game(seed: int) -> None:
    tree = random_tree(seed, 1 + seed % 3, 4, perfect_recall=False)
    again = read_efg(gambits(tree).to_efg())
    assert {key: len(nodes) for key, nodes in again.information_sets.items()} == {
        key: len(nodes) for key, nodes in tree.information_sets.items()
    }
    for node, same in zip(tree.nodes(), again.nodes(), strict=True):
        assert type(node) is type(same)
        assert not isinstance(node, Leaf) or node.payoffs == getattr(same, "payoffs", None)
