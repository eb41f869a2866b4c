"""Games of perfect information: values of the lecture, order of visits of alpha-beta, what holds of any tree."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product

import pytest

from kriegbot.trees.imp_minimax import imp_minimax
from kriegbot.trees.strategy import (
    Solution,
    alphabeta,
    as_chosen,
    brute_force,
    expectimax,
    expectiminimax,
    minimax,
    payoffs,
    policy_value,
    search,
)
from kriegbot.trees.tree import Chance, Decision, Leaf, Node, Number, SetKey, Strategy, Tree, TreeError
from tests.effort import many
from tests.game_trees import bins_game, bins_game_with_a_coin, g2, has_perfect_information, random_tree

PLAYERS = ("Max", "Min")


def of_player(strategy: Strategy, player: int) -> dict[SetKey, int]:
    """Return what a strategy says for one player."""
    return {key: choice for key, choice in strategy.items() if key[0] == player}


def zero_sum(shape: object, player: int = 0, names: Iterator[int] | None = None) -> Node:
    """Return a tree of players in turn from nested tuples of payoffs."""
    names = iter(range(10**6)) if names is None else names
    if not isinstance(shape, tuple):
        assert isinstance(shape, int)
        return Leaf((shape, -shape))
    return Decision(player, str(next(names)), tuple(zero_sum(part, 1 - player, names) for part in shape))


def random_perfect(seed: int, has_chance: bool = True) -> Tree:
    """Return a random tree of perfect information, players in any order."""
    draw = random.Random(seed)
    names = iter(range(10**6))

    def node(depth: int) -> Node:
        if depth == 0 or draw.random() < 0.1:
            payoff = draw.randint(-5, 5)
            return Leaf((payoff, -payoff))
        children = tuple(node(depth - 1) for _ in range(draw.randint(1, 3)))
        if has_chance and draw.random() < 0.25:
            return Chance(children, (Fraction(1, len(children)),) * len(children))
        return Decision(draw.randrange(2), str(next(names)), children)

    return Tree(node(5), PLAYERS)


def recursive_value(node: Node) -> Number:
    """Expectiminimax as it is written on a blackboard."""
    if isinstance(node, Leaf):
        return node.payoffs[0]
    values = [recursive_value(child) for child in node.children]
    if isinstance(node, Chance):
        return sum(p * value for p, value in zip(node.probabilities, values, strict=True))
    return max(values) if node.player == 0 else min(values)


def visited(found: Solution) -> list[Number]:
    return [node.payoffs[0] for node in found.examined if isinstance(node, Leaf)]


def test_the_four_values_of_the_first_game_of_the_lecture() -> None:
    game = bins_game()
    careful, hopeful = minimax(game), expectimax(game)
    picks = {of_player(found.strategy, 0)[0, "pick"] for found in (careful, hopeful)}
    assert (careful.value, hopeful.value, picks) == (1, 5, {1, 2})
    assert search(game, policy=as_chosen(of_player(careful.strategy, 0), 0)).value == 2
    assert search(game, policy=as_chosen(of_player(hopeful.strategy, 0))).value == -5


def test_the_inequalities_of_the_lecture() -> None:
    for seed in range(100):
        game = random_perfect(seed)
        best = expectiminimax(game)
        mine, theirs = of_player(best.strategy, 0), of_player(best.strategy, 1)
        at_seven = expectimax(game)
        any_mine = {key: 0 for key in game.information_sets if key[0] == 0}
        any_theirs = {key: 0 for key in game.information_sets if key[0] == 1}
        assert best.value == payoffs(game, {**mine, **theirs})[0]
        assert best.value >= payoffs(game, {**any_mine, **theirs})[0]
        assert best.value <= payoffs(game, {**mine, **any_theirs})[0]
        assert search(game, policy=as_chosen(mine, 0)).value <= at_seven.value


def test_the_second_game_of_the_lecture() -> None:
    """A coin takes the bin to the left: the least of A, B, C is -50, 1, -5, so the picks are worth -55/2, -49/2, -2."""
    game = bins_game_with_a_coin()
    found = expectiminimax(game)
    assert (found.value, found.strategy[0, "pick"]) == (-2, 2)
    worth = [search(game, policy=as_chosen({(0, "pick"): pick})).value for pick in range(3)]
    assert worth == [Fraction(-55, 2), Fraction(-49, 2), -2]
    assert expectimax(game).value == Fraction(7, 2)  # C: 2 or 5 on the average
    with pytest.raises(TreeError, match="node root/A is of chance"):
        minimax(game)


UNSEEN = 888
"""Payoffs that alpha-beta never sees."""
POOLE_MACKWORTH = (
    (((7, 9), (6, UNSEEN)), ((11, 12), (UNSEEN, UNSEEN))),
    (((5, UNSEEN), (4, UNSEEN)), ((UNSEEN, UNSEEN), (UNSEEN, UNSEEN))),
)
"""The example of alpha-beta of Poole and Mackworth, section 10.3, Max to move."""


def test_alpha_beta_visits_the_example_of_poole_and_mackworth_in_order() -> None:
    game = Tree(zero_sum(POOLE_MACKWORTH), PLAYERS)
    found = alphabeta(game)
    assert found.value == minimax(game).value == 7
    assert visited(found) == [7, 9, 6, 11, 12, 5, 4]
    assert (found.leaves, len(found.examined)) == (7, 18)
    assert len(minimax(game).examined) == 31


def test_alpha_beta_leaves_10_out_when_it_has_seen_2_and_the_order_matters() -> None:
    game = Tree(zero_sum(((3, 5), (2, 10))), PLAYERS)
    assert visited(alphabeta(game)) == [3, 5, 2]
    worse = Tree(zero_sum(((2, 10), (3, 5))), PLAYERS)
    assert visited(alphabeta(worse)) == [2, 10, 3, 5]

    def deeper(node: Node) -> Number:
        return recursive_value(node)

    assert visited(alphabeta(worse, order=deeper)) == [3, 5, 2]


@pytest.mark.parametrize("seed", range(100))
def test_alpha_beta_finds_the_value_and_enough_to_be_sure_of_it(seed: int) -> None:
    game = random_perfect(seed)
    found, whole = alphabeta(game), expectiminimax(game)
    assert found.value == whole.value == recursive_value(game.root) == imp_minimax(game).value
    assert len(found.examined) <= len(whole.examined) == sum(1 for _ in game.nodes())
    assert search(game, policy=as_chosen(of_player(found.strategy, 0))).value == whole.value
    other = of_player(found.strategy, 1)
    assert search(game, policy=as_chosen(other)).value == whole.value
    ordered = alphabeta(game, order=recursive_value)
    assert ordered.value == whole.value


def test_best_first_alpha_beta_examines_the_least_of_a_uniform_tree() -> None:
    """Knuth and Moore 1975: b^ceil(d/2) + b^floor(d/2) - 1 leaves."""
    draw = random.Random(1)
    for b, d in product((2, 3), (1, 2, 3, 4, 5)):

        def shape(depth: int, b: int = b) -> object:
            return tuple(shape(depth - 1) for _ in range(b)) if depth else draw.randint(0, 10**6)

        game = Tree(zero_sum(shape(d)), PLAYERS)
        assert alphabeta(game, order=recursive_value).leaves == b ** ((d + 1) // 2) + b ** (d // 2) - 1
        assert expectiminimax(game).leaves == b**d


@pytest.mark.parametrize("solve", [expectiminimax, alphabeta])
def test_a_limited_depth_takes_the_evaluation_there_and_payoffs_above(solve: Callable[..., Solution]) -> None:
    game = Tree(zero_sum((7, (1, 2), ((3, 9), (4, 8)))), PLAYERS)

    def children(node: Node) -> Number:
        assert not isinstance(node, Leaf)
        return 10 * len(node.children)

    assert solve(game, depth=0, evaluate=children).value == 30
    assert solve(game, depth=1, evaluate=children).value == 20
    assert solve(game, depth=2, evaluate=children).value == 20
    assert solve(game, depth=3, evaluate=children).value == 8 == solve(game).value
    assert len(solve(game, depth=1, evaluate=children).examined) == 4
    with pytest.raises(TreeError, match="illegal depth -1: it takes 0 or more"):
        solve(game, depth=-1)


def test_policies_are_evaluated_with_and_without_perfect_information() -> None:
    game = bins_game()
    mine, theirs = {(0, "pick"): 0}, {(1, "A"): 0, (1, "B"): 0, (1, "C"): 1}
    assert policy_value(game, as_chosen({**mine, **theirs})) == -50
    assert policy_value(game, as_chosen({(0, "pick"): 2, **theirs})) == 15
    assert policy_value(game, as_chosen({(0, "pick"): 2, **theirs}), player=1) == -15

    def mixed(node: Decision) -> list[tuple[Node, Number]]:
        share = Fraction(1, len(node.children))
        return [(child, share) for child in node.children]

    assert policy_value(game, mixed) == Fraction(0 + 2 + 5, 3)
    assert policy_value(g2(), mixed) == Fraction(-99, 4)
    with pytest.raises(TreeError, match="node root: the policy chooses no alternative"):
        policy_value(game, as_chosen(theirs))


def test_a_player_who_does_not_know_where_it_is_is_refused() -> None:
    for algorithm in (expectiminimax, expectimax, minimax, alphabeta):
        with pytest.raises(TreeError, match=r"nodes C and D are in one information set|is of chance"):
            algorithm(g2())


@pytest.mark.slow
def test_one_player_with_perfect_information_does_as_well_as_by_brute_force() -> None:
    seen = 0
    for seed in range(many(200, 30)):
        tree = random_tree(seed, 1, 4)
        if has_perfect_information(tree):
            seen += 1
            assert expectiminimax(tree).value == brute_force(tree).value
    assert seen > many(20, 2)


def test_a_deep_tree_is_solved_or_refused_but_never_overflows() -> None:
    node: Node = Leaf((1, -1))
    for depth in range(5000):
        node = Decision(depth % 2, str(depth), (node,))
    tree = Tree(node, PLAYERS)
    assert minimax(tree).value == 1
    with pytest.raises(TreeError, match="too deep for alpha-beta"):
        alphabeta(tree)
