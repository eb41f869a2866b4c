"""Families of trees: IMP-model and how much of it is pruned, formulas as games, random trees."""

from __future__ import annotations

import csv
import random
import xml.etree.ElementTree as ET
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise, product
from pathlib import Path

import pytest

from kriegbot.trees.imp_minimax import imp_alphabeta, imp_minimax
from kriegbot.trees.strategy import Solution, brute_force, payoffs
from kriegbot.trees.tree import Chance, Decision, Leaf, Strategy, Tree
from tests.game_trees import (
    Clause,
    formula_game,
    imp_model,
    random_tree,
    uniform_payoff,
)
from tournaments.leaves_examined import DEEPEST_LEAVES, HIGHEST, SEVERAL_B, SEVERAL_K, Share, measured, save, searched

FIGURE = Path(__file__).parents[1] / "docs" / "figure6.csv"


@pytest.mark.parametrize(("k", "b", "d"), [(1, 2, 4), (2, 1, 3), (2, 2, 5), (2, 3, 4), (3, 2, 4), (4, 3, 3)])
def test_imp_model_is_as_the_paper_describes_it(k: int, b: int, d: int) -> None:
    tree = imp_model(k, b, d, lambda leaf: leaf)
    assert isinstance(tree.root, Chance)
    assert len(tree.root.children) == k ** (d - 1)
    assert len({child.key for child in tree.root.children if isinstance(child, Decision)}) == 1
    assert tree.has_perfect_recall(0)
    sizes = sorted(len(nodes) for nodes in tree.information_sets.values())
    assert sizes == sorted(k ** (d - j) for j in range(1, d) for _ in range((k * b) ** (j - 1)))
    leaves = [node.payoffs[0] for node in tree.nodes() if isinstance(node, Leaf)]
    assert sorted(leaves) == list(range((k * b) ** (d - 1)))
    for nodes in tree.information_sets.values():
        for j in range(b):
            below = [node.children[j] for node in nodes]
            parts = {child.information_set if isinstance(child, Decision) else id(child) for child in below}
            assert len(parts) == k


def test_random_payoffs_are_spread_evenly_over_0_to_10() -> None:
    payoff = uniform_payoff(3)
    counts = [0] * (HIGHEST + 1)
    for leaf in range(11_000):
        counts[payoff(leaf)] += 1
    assert all(900 < count < 1_100 for count in counts)


@pytest.mark.parametrize(("k", "b", "d"), [(1, 3, 4), (2, 1, 4), (2, 2, 5), (2, 4, 4), (3, 2, 4), (5, 2, 3), (2, 9, 2)])
def test_the_fast_search_of_imp_model_is_imp_alphabeta(k: int, b: int, d: int) -> None:
    for seed in range(10):
        plain = imp_alphabeta(imp_model(k, b, d, uniform_payoff(seed)), HIGHEST)
        assert searched(k, b, d, seed) == (plain.value * k ** (d - 1), plain.leaves)


def test_a_measured_share_is_the_mean_over_trees_of_their_own() -> None:
    share = measured(2, 2, 4, 400, seed=5)
    assert (share.leaves, share.trials) == (64, 400)
    assert share == measured(2, 2, 4, 400, seed=5)
    assert share != measured(2, 2, 4, 400, seed=6)
    assert 0 < share.half_width < 0.02
    assert measured(2, 1, 3, 2).share == 1.0  # no choice, so nothing is pruned
    assert measured(2, 1, 3, 2).half_width == 0.0


def test_a_measurement_that_never_ends_is_refused() -> None:
    for k, b, d in ((10, 10, 6), (1, 1, 40)):
        with pytest.raises(ValueError, match=r"\(kb\)\^\(d-1\) and 2\^\(d-1\) may be 1,000,000,000 at most"):
            measured(k, b, d, 2)


def figure() -> list[Share]:
    """Return the points of the table in the documentation."""
    with FIGURE.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))[1:]
    return [Share(*map(int, row[:5]), *map(float, row[5:])) for row in rows]


def test_figure_6_has_every_point_with_its_interval_below_one_percent() -> None:
    points = figure()
    models = {(k, 2) for k in SEVERAL_K} | {(2, b) for b in SEVERAL_B}
    assert {(p.k, p.b) for p in points} == models
    for k, b in models:
        depths = [p.depth for p in points if (p.k, p.b) == (k, b)]
        assert depths == list(range(2, len(depths) + 2))
        assert (k * b) ** len(depths) <= DEEPEST_LEAVES < (k * b) ** (len(depths) + 1)
    assert all(2 * p.half_width < 0.01 for p in points)


def test_figure_6_falls_with_depth_and_with_b_and_rises_with_k() -> None:
    """As far as the intervals tell two points apart."""
    at = {(p.k, p.b, p.depth): p for p in figure()}
    for (k, b, d), deeper in at.items():
        if d > 2:
            point = at[k, b, d - 1]
            assert deeper.share < point.share + point.half_width + deeper.half_width
            assert point.share > deeper.share or d > 4
    for several, smaller_first in (([(2, b) for b in SEVERAL_B], False), ([(k, 2) for k in SEVERAL_K], True)):
        for depth in range(2, 8):
            shares = [at[k, b, depth].share for k, b in several]
            assert all((one < other) == smaller_first for one, other in pairwise(shares))


def test_figure_6_ends_below_a_tenth_for_b_10_and_above_nine_tenths_for_k_10() -> None:
    deepest = {(p.k, p.b): p for p in figure()}
    assert deepest[2, 10].share < 0.10
    assert 0.93 < deepest[10, 2].share < 0.94
    (first,) = (p for p in figure() if (p.k, p.b, p.depth) == (10, 2, 2))
    assert 0.95 < first.share < 0.965


@pytest.mark.slow
def test_the_points_of_figure_6_can_be_measured_again() -> None:
    small = [point for point in figure() if point.leaves * point.trials < 2_000_000]
    assert small
    for point in small:
        again = measured(point.k, point.b, point.depth, point.trials)
        rounded = replace(again, share=round(again.share, 6), half_width=round(again.half_width, 6))
        assert rounded == point


@pytest.mark.slow
def test_the_same_points_give_the_same_files(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    folders = [tmp_path / "one", tmp_path / "two"]
    for folder in folders:
        folder.mkdir()
        save(figure(), folder)
    for name in ("figure6.csv", "figure6.svg"):
        one, two = (folder.joinpath(name).read_bytes() for folder in folders)
        assert one == two
    assert (folders[0] / "figure6.csv").read_bytes() == FIGURE.read_bytes()
    drawn = {text for element in ET.parse(folders[0] / "figure6.svg").iter() for text in element.itertext()}
    assert {"k = 10", "b = 10", "depth d", "% of leaves examined"} <= drawn


def random_formula(draw: random.Random) -> list[Clause]:
    variables = draw.randint(3, 5)
    clauses = []
    for _ in range(draw.randint(3 * variables, 8 * variables)):
        a, b, c = (variable * draw.choice((1, -1)) for variable in draw.sample(range(1, variables + 1), 3))
        clauses.append((a, b, c))
    return clauses


def best_assignment(tree: Tree) -> Solution:
    """Return the best strategy of a formula's game: for each assignment of the variables, the best picks of literals.

    With the variables fixed the rest has perfect recall, so IMP-minimax finds the best picks.
    """
    variables = [key for key in tree.information_sets if key[1].startswith("x")]
    found = []
    for values in product((0, 1), repeat=len(variables)):
        assignment: Strategy = dict(zip(variables, values, strict=True))
        picks = imp_minimax(tree, fixed=assignment)
        found.append(Solution(picks.value, {**assignment, **picks.strategy}, picks.leaves))
    return max(found, key=lambda solution: solution.value)


@pytest.mark.slow
def test_a_formula_is_satisfiable_if_and_only_if_some_strategy_of_its_game_is_worth_one() -> None:
    solvers = pytest.importorskip("pysat.solvers")
    draw = random.Random(1)
    satisfiable = 0
    for _ in range(200):
        clauses = random_formula(draw)
        with solvers.Solver(name="cadical153", bootstrap_with=clauses) as solver:
            expected = solver.solve()
        tree = formula_game(clauses)
        best = best_assignment(tree)
        assert (best.value >= 1) == expected
        assert payoffs(tree, best.strategy) == (best.value,)
        satisfiable += expected
    assert 50 < satisfiable < 150


@pytest.mark.parametrize(
    ("clauses", "worth"),
    [
        ([(1, 1, 1), (-1, -1, -1)], Fraction(1, 2)),
        ([(1, 2, 2), (-1, 2, 2), (-2, -2, -2)], Fraction(2, 3)),
        ([(1, 2, 3), (-1, -2, -3), (1, -2, 3)], 1),
        ([(1, 1, 2), (1, 1, -2), (-1, -1, 2), (-1, -1, -2)], Fraction(3, 4)),
    ],
)
def test_the_game_of_a_formula_is_worth_the_share_of_clauses_that_can_be_satisfied(
    clauses: list[Clause], worth: Fraction
) -> None:
    tree = formula_game(clauses)
    assert brute_force(tree).value == best_assignment(tree).value == worth
    assert imp_minimax(tree).value == 1  # as it forgets that it forgets
    assert not tree.has_perfect_recall(0)


@pytest.mark.parametrize("clauses", [[], [(1, 0, 2)], [(1, 2)]])
def test_what_is_no_formula_is_refused(clauses: list[Clause]) -> None:
    with pytest.raises(ValueError, match="one clause or more, of three literals each"):
        formula_game(clauses)


@pytest.mark.slow
@pytest.mark.parametrize("players", [1, 2, 3])
def test_random_trees_have_perfect_recall_if_asked_for(players: int) -> None:
    forgetful = 0
    for seed in range(200):
        tree = random_tree(seed, players)
        assert all(tree.has_perfect_recall(player) for player in range(players))
        assert players != 2 or all(sum(leaf.payoffs) == 0 for leaf in tree.nodes() if isinstance(leaf, Leaf))
        other = random_tree(seed, players, depth=5, perfect_recall=False)
        forgetful += not all(other.has_perfect_recall(player) for player in range(players))
    assert forgetful > 50


def test_a_random_tree_is_a_function_of_its_seed() -> None:
    def shape(tree: Tree) -> list[object]:
        return [node.payoffs if isinstance(node, Leaf) else len(node.children) for node in tree.nodes()]

    assert shape(random_tree(7)) == shape(random_tree(7))
    assert shape(random_tree(7)) != shape(random_tree(8))
