"""The worked values of the founding papers and of the lecture."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest

from kriegbot.trees.imp_minimax import imp_alphabeta, imp_minimax, overconfident, paranoid
from kriegbot.trees.strategy import brute_force, count_strategies, payoffs
from kriegbot.trees.tree import Strategy, Tree
from tests.game_trees import (
    bins_game,
    bins_game_with_a_coin,
    doubling_tree,
    g1,
    g2,
    g2_with_perfect_recall,
    halving_game,
    matching_pennies,
    play,
    pruning_example,
)


def test_g1_is_worth_one() -> None:
    tree = g1()
    found = imp_minimax(tree)
    assert found.value == brute_force(tree).value == 1
    assert payoffs(tree, found.strategy) == (1,)
    assert tree.has_perfect_recall(0)


def test_g2_is_worth_one_half_but_imp_minimax_says_one_and_its_strategy_loses() -> None:
    tree = g2()
    assert not tree.has_perfect_recall(0)
    found = imp_minimax(tree)
    assert found.value == imp_alphabeta(tree, 1).value == 1
    assert payoffs(tree, found.strategy) == (Fraction(-99, 2),)
    best = brute_force(tree)
    assert best.value == Fraction(1, 2)
    assert payoffs(tree, best.strategy) == (Fraction(1, 2),)


def test_g2_with_perfect_recall_is_worth_nothing() -> None:
    tree = g2_with_perfect_recall()
    assert tree.has_perfect_recall(0)
    found = imp_minimax(tree)
    assert found.value == brute_force(tree).value == 0
    assert found.strategy[0, "A or B"] == 0


SIZES = {
    2: (4, "2.0E+0"),
    3: (15, "3.2E+1"),
    4: (61, "2.1E+6"),
    5: (249, "3.9E+25"),
    6: (1009, "4.5E+102"),
    7: (4065, "8.1E+410"),
    8: (16321, "8.4E+1643"),
}


@pytest.mark.slow
@pytest.mark.parametrize("depth", SIZES)
def test_nodes_and_strategies_grow_as_in_the_size_table(depth: int) -> None:
    tree = doubling_tree(depth)
    count = count_strategies(tree)
    assert (sum(1 for _ in tree.nodes()), f"{Decimal(count):.1E}") == SIZES[depth]
    assert depth != 4 or count == 2_097_152
    assert tree.has_perfect_recall(0)


def test_example_1_is_pruned_after_three_leaves() -> None:
    tree = pruning_example()
    found = imp_alphabeta(tree, 10)
    assert (found.value, found.strategy[0, "x"], found.leaves) == (8, 0, 3)
    assert imp_minimax(tree).leaves == 4
    assert imp_alphabeta(tree, 15).leaves == 4  # the right might still be worth (2 + 15) / 2


def test_the_four_values_of_the_lectures_first_game() -> None:
    tree = bins_game()
    minimax, expectimax = imp_minimax(tree), overconfident(tree)
    assert (minimax.value, expectimax.value) == (1, 5)
    pick = (0, "pick")
    bins = tree.information_sets[pick][0].actions
    assert (bins[minimax.strategy[pick]], bins[expectimax.strategy[pick]]) == ("B", "C")
    assert overconfident(tree, fixed={pick: minimax.strategy[pick]}).value == 2
    assert imp_minimax(tree, fixed={pick: expectimax.strategy[pick]}).value == -5


def test_the_lectures_second_game_is_worth_minus_two() -> None:
    tree = bins_game_with_a_coin()
    found = imp_minimax(tree)
    assert (found.value, found.strategy[0, "pick"]) == (-2, 2)
    assert overconfident(tree).value == Fraction(7, 2)  # C: 5 or, from B, 2
    assert paranoid(tree).value == -5  # C at worst


def best_of(tree: Tree, player: int) -> Strategy:
    """Return what the minimax policy plays for a player."""
    return {key: choice for key, choice in imp_minimax(tree, player).strategy.items() if key[0] == player}


def first_wins(number: int) -> bool:
    """Return True if the mover wins the halving game: with 0 it has won, else it must leave a number that loses."""
    return number == 0 or not first_wins(number - 1) or not first_wins(number // 2)


def test_the_winners_of_the_halving_game_by_both_policies() -> None:
    """Against minimax the expectimax policy, made for a random opponent, wins from the same numbers up to 20."""
    winners: dict[str, list[int]] = {"minimax": [], "expectimax": []}
    for number in range(21):
        tree = halving_game(number)
        assert imp_minimax(tree).value == (1 if first_wins(number) else -1)
        policies = {"minimax": best_of(tree, 0), "expectimax": overconfident(tree, 0).strategy}
        for name, policy in policies.items():
            _, (won, lost) = play(tree, {**policy, **best_of(tree, 1)})
            assert won == -lost
            winners[name] += [number] * (won == 1)
    assert winners["minimax"] == [0, 2, 3, 5, 7, 8, 9, 11, 12, 13, 15, 17, 19, 20]
    assert winners["minimax"] == winners["expectimax"] == [number for number in range(21) if first_wins(number)]


def test_the_minimax_policy_wins_as_second_player_wherever_the_first_cannot() -> None:
    for number in range(21):
        tree = halving_game(number)
        for policy in (best_of(tree, 0), overconfident(tree, 0).strategy, dict.fromkeys(tree.information_sets, 1)):
            _, (won, _) = play(tree, {**policy, **best_of(tree, 1)})
            assert won == -1 or first_wins(number)


def test_matching_pennies_is_lost_if_the_other_side_answers_well() -> None:
    assert imp_minimax(matching_pennies()).value == -1
    assert overconfident(matching_pennies()).value == 0
