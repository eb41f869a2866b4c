"""IMP-minimax and IMP-alpha-beta against brute force and the theorems of their papers; answers and equilibria."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import pairwise, permutations, product

import pytest

from kriegbot.trees.imp_minimax import (
    alternating_best_responses,
    best_response,
    imp_alphabeta,
    imp_minimax,
    is_equilibrium,
    overconfident,
    paranoid,
)
from kriegbot.trees.strategy import (
    History,
    as_chosen,
    brute_force,
    count_strategies,
    partition,
    payoffs,
    strategies,
)
from kriegbot.trees.tree import Chance, Decision, Leaf, Node, Number, SetKey, Strategy, Tree, TreeError
from tests.effort import many
from tests.game_trees import (
    MAX_AND_MIN,
    bins_game,
    g1,
    g2,
    has_perfect_information,
    imp_model,
    matching_pennies,
    play,
    random_tree,
    uniform_payoff,
)
from tournaments.leaves_examined import HIGHEST

HALF = (Fraction(1, 2), Fraction(1, 2))
MODELS = [(1, 2, 4), (1, 3, 3), (2, 1, 4), (2, 2, 2), (2, 2, 5), (2, 3, 4), (3, 2, 4), (3, 3, 3), (4, 2, 3), (2, 5, 3)]
TREES = many(10_000, 1_500)
every_model = pytest.mark.parametrize(("k", "b", "d"), MODELS)


def rebuilt(tree: Tree, node_of: Callable[[Node, tuple[Node, ...]], Node]) -> Tree:
    """Return a tree with every inner node made anew, of its old self and its new children."""

    def new(node: Node) -> Node:
        if isinstance(node, Leaf):
            return Leaf(node.payoffs)
        return node_of(node, tuple(new(child) for child in node.children))

    return Tree(new(tree.root), tree.players)


def small_trees(count: int, most: int = 64, *, perfect_recall: bool = True) -> Iterator[Tree]:
    """So many random one-player trees, of at most `most` strategies."""
    seed = 0
    while count:
        tree = random_tree(seed, depth=3 + seed % 2, perfect_recall=perfect_recall)
        seed += 1
        if count_strategies(tree) <= most and (perfect_recall or not tree.has_perfect_recall(0)):
            count -= 1
            yield tree


@pytest.mark.slow
def test_imp_alphabeta_imp_minimax_and_brute_force_agree_on_trees_with_perfect_recall() -> None:
    pruned = with_sets = 0
    for tree in small_trees(TREES):
        best = brute_force(tree).value
        full, quick = imp_minimax(tree), imp_alphabeta(tree, HIGHEST)
        assert full.value == quick.value == best
        assert payoffs(tree, full.strategy) == payoffs(tree, quick.strategy) == (best,)
        assert quick.leaves <= full.leaves
        pruned += quick.leaves < full.leaves
        with_sets += not has_perfect_information(tree)
    assert min(pruned, with_sets) > 0.3 * TREES


@pytest.mark.slow
def test_either_pruning_may_be_switched_off() -> None:
    for tree in small_trees(many(500, 150), most=10**9):
        value = imp_minimax(tree).value
        both = imp_alphabeta(tree, HIGHEST).leaves
        for immediate, information_set in ((True, False), (False, True), (False, False)):
            found = imp_alphabeta(tree, HIGHEST, immediate=immediate, information_set=information_set)
            assert found.value == value
            assert found.leaves >= both
        assert found.leaves == imp_minimax(tree).leaves


def test_without_perfect_recall_imp_minimax_may_promise_too_much() -> None:
    too_high = 0
    for tree in small_trees(300, perfect_recall=False):
        found, best = imp_minimax(tree), brute_force(tree)
        assert found.value >= best.value == payoffs(tree, best.strategy)[0]
        assert imp_alphabeta(tree, HIGHEST).value == found.value
        too_high += found.value > best.value
    assert too_high > 50


def absent_minded() -> Tree:
    """Two nodes where opposite choices win, joined in one set although the player came to them by different sets."""
    left, right = (Decision(0, "x", (Leaf((win,)), Leaf((1 - win,))), ("l", "r"), name=f"n{win}") for win in (0, 1))
    asides = (Decision(0, "y", (left,), ("on",)), Decision(0, "z", (right,), ("on",)))
    return Tree(Chance(asides, HALF))


def test_a_forgetful_player_cannot_have_what_imp_minimax_says() -> None:
    tree = absent_minded()
    assert "n0" in (tree.why_not_perfect_recall(0) or "")
    assert imp_minimax(tree).value == 1
    assert brute_force(tree).value == Fraction(1, 2)


@every_model
def test_theorem_3_imp_minimax_examines_every_leaf_once(k: int, b: int, d: int) -> None:
    tree = imp_model(k, b, d, uniform_payoff(1))
    leaves = sum(isinstance(node, Leaf) for node in tree.nodes())
    assert imp_minimax(tree).leaves == leaves == (k * b) ** (d - 1)


@every_model
def test_theorem_4_all_leaves_may_have_to_be_examined(k: int, b: int, d: int) -> None:
    """Payoffs that grow from each alternative to the next, the first choice before all others: nothing is pruned."""

    def growing(leaf: int) -> int:
        value = 0
        for place in reversed(range(d - 1)):
            value = value * b + leaf // (k * b) ** place % (k * b) // k
        return value

    tree = imp_model(k, b, d, growing)
    assert imp_alphabeta(tree, b ** (d - 1)).leaves == (k * b) ** (d - 1)


@every_model
def test_theorem_4_of_the_best_payoffs_one_strategy_is_examined(k: int, b: int, d: int) -> None:
    tree = imp_model(k, b, d, lambda _: HIGHEST)
    assert imp_alphabeta(tree, HIGHEST).leaves == k ** (d - 1)


@every_model
def test_theorem_4_least_leaves_without_immediate_pruning(k: int, b: int, d: int) -> None:
    least = (b ** (d - 1) * (b - 1) - k ** (d - 1) * (k - 1)) // (b - k) if k != b else b ** (d - 2) * (b * d - d + 1)
    tree = imp_model(k, b, d, lambda _: HIGHEST)
    assert imp_alphabeta(tree, HIGHEST, immediate=False).leaves == least


@every_model
def test_theorem_4_random_payoffs_stay_within_the_bounds(k: int, b: int, d: int) -> None:
    for seed in range(5):
        tree = imp_model(k, b, d, uniform_payoff(seed))
        assert k ** (d - 1) <= imp_alphabeta(tree, HIGHEST).leaves <= (k * b) ** (d - 1)


def values_of_alternatives(tree: Tree) -> dict[SetKey, list[Number]]:
    """V of each alternative of each set, by the recursion as the paper writes it."""
    values: dict[SetKey, list[Number]] = {}

    def V(histories: list[History]) -> Number:  # noqa: N802 - the paper's name
        total: Number = 0
        for part in partition(histories, as_chosen({})):
            if isinstance(part, list):
                first, _ = part[0]
                alternatives = range(len(first.children))
                values[first.key] = [V([(node.children[j], p) for node, p in part]) for j in alternatives]
                total += max(values[first.key])
            else:
                leaf, p = part
                total += p * leaf.payoffs[0]
        return total

    assert V([(tree.root, 1)]) == imp_minimax(tree).value
    return values


def reordered(tree: Tree, orders: dict[SetKey, tuple[int, ...]]) -> Tree:
    """Return the tree with the alternatives of each set in another order."""

    def node_of(node: Node, children: tuple[Node, ...]) -> Node:
        if isinstance(node, Decision):
            return Decision(node.player, node.information_set, tuple(children[j] for j in orders[node.key]))
        assert isinstance(node, Chance)
        return Chance(children, node.probabilities)

    return rebuilt(tree, node_of)


@pytest.mark.parametrize(("k", "b", "d", "trees"), [(2, 2, 3, 30), (3, 2, 3, 3), (2, 4, 2, 10), (1, 2, 4, 10)])
@pytest.mark.parametrize("immediate", [True, False])
def test_theorem_5_best_first_examines_least_of_all_orders(k: int, b: int, d: int, trees: int, immediate: bool) -> None:
    """Of alternatives worth the same, one may be cheaper first: the best of the best-first orders is meant."""
    for seed in range(many(trees, trees // 3)):
        tree = imp_model(k, b, d, uniform_payoff(seed))
        values = values_of_alternatives(tree)
        least: dict[bool, int] = {}
        for order in product(*(permutations(range(b)) for _ in values)):
            orders = dict(zip(values, order, strict=True))
            best_first = all(values[x][i] >= values[x][j] for x in values for i, j in pairwise(orders[x]))
            leaves = imp_alphabeta(reordered(tree, orders), HIGHEST, immediate=immediate).leaves
            least[best_first] = min(leaves, least.get(best_first, leaves))
        assert least[True] == min(least.values())


def two_sets(stop: int, sets: dict[str, tuple[tuple[int, int], tuple[int, int]]]) -> Tree:
    """Stop for a sure payoff, or go on into one of the sets, of two nodes each; payoffs of each alternative."""
    nodes = tuple(
        Decision(
            0,
            "x",
            (Leaf((stop,)), Decision(0, label, tuple(Leaf((payoffs[i],)) for payoffs in alternatives))),
            ("stop", "go on"),
        )
        for label, alternatives in sets.items()
        for i in (0, 1)
    )
    return Tree(Chance(nodes, (Fraction(1, 4),) * 4))


@pytest.mark.parametrize(
    ("stop", "low", "high", "low_first", "high_first"),
    [
        (8, ((1, 10), (1, 5)), ((8, 8), (8, 5)), 6, 10),
        (6, ((0, 8), (3, 0)), ((7, 4), (0, 4)), 11, 9),
    ],
)
def test_theorem_6_neither_the_worst_set_nor_the_best_set_is_always_to_be_searched_first(
    stop: int,
    low: tuple[tuple[int, int], tuple[int, int]],
    high: tuple[tuple[int, int], tuple[int, int]],
    low_first: int,
    high_first: int,
) -> None:
    """Alternatives stand best first, so that only the order of the sets is left to choose."""
    assert max(map(sum, low)) < max(map(sum, high))
    assert imp_alphabeta(two_sets(stop, {"low": low, "high": high}), HIGHEST).leaves == low_first
    assert imp_alphabeta(two_sets(stop, {"high": high, "low": low}), HIGHEST).leaves == high_first


def test_a_fixed_choice_is_followed() -> None:
    tree = g1()
    assert imp_minimax(tree, fixed={(0, "A"): 0}).value == Fraction(1, 2)
    assert imp_minimax(tree, fixed={(0, "A"): 1, (0, "C"): 0}).value == Fraction(-99, 2)
    assert brute_force(tree, fixed={(0, "A"): 0}).value == Fraction(1, 2)
    assert [*strategies(tree, fixed=dict.fromkeys(tree.information_sets, 0))] == [{}]


def test_the_best_response_is_the_best_of_all_strategies() -> None:
    compared = 0
    for seed in range(300):
        tree = random_tree(seed, players=2, depth=4)
        start = dict.fromkeys(tree.information_sets, 0)
        for player in (0, 1):
            if count_strategies(tree, player) > 200:
                continue
            others = {key: choice for key, choice in start.items() if key[0] != player}
            response = best_response(tree, start, player)
            assert response.value == brute_force(tree, player, others).value
            assert payoffs(tree, {**start, **response.strategy})[player] == response.value
            compared += 1
    assert compared > 500


@pytest.mark.slow
def test_answers_that_end_are_an_equilibrium_and_answers_in_a_circle_are_none() -> None:
    circles = 0
    for seed in range(300):
        tree = random_tree(seed, players=2, depth=4, perfect_recall=seed % 2 == 0)
        if max(count_strategies(tree, player) for player in (0, 1)) > 200:
            continue
        answers = alternating_best_responses(tree, dict.fromkeys(tree.information_sets, 0))
        unbeaten = all(
            payoffs(tree, {**answers.strategy, **other})[player] <= answers.payoffs[player]
            for player in (0, 1)
            for other in strategies(tree, player)
        )
        assert answers.is_equilibrium == unbeaten == is_equilibrium(tree, answers.strategy)
        circles += not answers.is_equilibrium
    assert circles > 5


def test_a_pair_that_repeats_need_not_be_an_equilibrium() -> None:
    """In matching pennies no pair is one: the four pairs follow each other in a circle."""
    tree = matching_pennies()
    start = dict.fromkeys(tree.information_sets, 0)
    answers = alternating_best_responses(tree, start)
    assert (answers.is_equilibrium, answers.rounds, answers.strategy) == (False, 5, start)
    pairs = [{(0, "first"): i, (1, "unseen"): j} for i in (0, 1) for j in (0, 1)]
    assert not any(is_equilibrium(tree, pair) for pair in pairs)


def test_with_perfect_information_answers_end_at_the_value_of_minimax() -> None:
    answers = alternating_best_responses(bins_game(), dict.fromkeys(bins_game().information_sets, 0))
    assert (answers.is_equilibrium, answers.payoffs) == (True, (1, -1))


def against_chance(tree: Tree) -> Tree:
    """Return the tree with player 1 replaced by a uniform move of chance."""

    def node_of(node: Node, children: tuple[Node, ...]) -> Node:
        if isinstance(node, Decision) and node.player == 0:
            return Decision(0, node.information_set, children)
        if isinstance(node, Decision):
            return Chance(children, (Fraction(1, len(children)),) * len(children))
        assert isinstance(node, Chance)
        return Chance(children, node.probabilities)

    return rebuilt(tree, node_of)


def two_player_trees() -> list[Tree]:
    """Random trees in which player 0 has no more strategies than can all be looked at."""
    trees = [random_tree(seed, players=2, depth=4) for seed in range(300)]
    small = [tree for tree in trees if count_strategies(tree, 0) <= 200]
    assert len(small) > 250
    return small


def test_the_overconfident_value_is_the_best_against_a_random_opponent() -> None:
    for tree in two_player_trees():
        found = overconfident(tree)
        assert found.value == brute_force(against_chance(tree)).value
        assert payoffs(against_chance(tree), found.strategy)[0] == found.value


def test_the_paranoid_value_is_the_most_that_is_sure_whatever_happens() -> None:
    for tree in two_player_trees():
        found = paranoid(tree)
        assert found.value <= overconfident(tree).value
        assert found.value == max(worst_of(tree, strategy) for strategy in strategies(tree, 0))
        assert found.value == worst_of(tree, found.strategy)


def worst_of(tree: Tree, strategy: Strategy) -> Number:
    """Return the least payoff that player 0 may get with a strategy."""

    def worst(node: Node) -> Number:
        if isinstance(node, Leaf):
            return node.payoffs[0]
        if isinstance(node, Decision) and node.key in strategy:
            return worst(node.children[strategy[node.key]])
        return min(worst(child) for child in node.children)

    return worst(tree.root)


def chain(length: int) -> Tree:
    """Stop for nothing at each of many nodes, or win 1 at the end."""
    node: Node = Leaf((1,))
    for i in range(length):
        node = Decision(0, str(i), (Leaf((0,)), node), ("stop", "go on"))
    return Tree(node)


def test_trees_may_be_deep() -> None:
    tree = chain(5_000)
    found = imp_minimax(tree)
    assert (found.value, found.leaves) == (1, 5_001)
    assert payoffs(tree, found.strategy) == (1,)
    assert play(tree, found.strategy) == (("go on",) * 5_000, (1,))
    with pytest.raises(TreeError, match="too deep for IMP-alpha-beta"):
        imp_alphabeta(tree, 1)


def test_what_is_refused_is_refused_in_words() -> None:
    with pytest.raises(TreeError, match=r"no player 1: players are 0\.\.0"):
        imp_minimax(g2(), player=1)
    with pytest.raises(TreeError, match="information set 'E' of player 0, which the tree lacks"):
        overconfident(g2(), fixed={(0, "E"): 0})
    with pytest.raises(TreeError, match=r"alternative 2 of information set 'A': alternatives are 0\.\.1"):
        paranoid(g2(), fixed={(0, "A"): 2})
    with pytest.raises(TreeError, match="node A: no alternative is chosen in its set 'A'"):
        payoffs(g2(), {})
    with pytest.raises(TreeError, match="at most 1,000,000 strategies, and there are more"):
        brute_force(chain(100))
    with pytest.raises(TreeError, match="is for one player, and Min has a choice in 'A'"):
        imp_alphabeta(bins_game(), 50)
    with pytest.raises(TreeError, match="quit: payoff 0 is above the bound -1"):
        imp_alphabeta(g2(), -1)
    with pytest.raises(TreeError, match="no alternative is chosen in information set 'unseen' of Min"):
        best_response(matching_pennies(), {(0, "first"): 0}, 0)


def test_floats_do_as_well_as_fractions() -> None:
    tree = Tree(Chance((Leaf((0.1, -0.1)), Leaf((0.2, -0.2))), (0.5, 0.5)), MAX_AND_MIN)
    assert imp_minimax(tree).value == pytest.approx(0.15)
    assert is_equilibrium(tree, {})
