"""The Kriegspiel search against explicit trees: same values, same moves, on information sets enumerated completely."""

from __future__ import annotations

import chess
import numpy as np
import pytest

from evaluators import load_evaluator
from kriegbot.kernels import decode_move, from_board
from kriegbot.models import load_opponent
from kriegbot.models.protocol import Opponent
from kriegbot.search.backup import load_backup
from kriegbot.search.information_set import InformationSet
from kriegbot.search.search import search_tries
from kriegbot.search.settings import Method
from kriegbot.trees.imp_minimax import overconfident, paranoid
from kriegbot.trees.tree import Chance, Leaf, Tree, TreeError
from tests import plain_opponents, plain_search
from tests.effort import IS_THOROUGH, some
from tests.kriegspiel_tree import ROOT, kriegspiel_tree
from tests.odd_parts import odd, plain_odd
from tests.plain_cases import CASES, Case, mirrored
from tests.plain_evaluators import ks, material
from tests.plain_opponents import Replies

RULES = [(load_backup("overconfident"), overconfident), (load_backup("paranoid"), paranoid)]
MIRRORED = [mirrored(case) for case in CASES if len(case.positions) <= 3]
ALL = [*CASES, *MIRRORED]
ROUNDING = 1e-7
SMALL = sorted(CASES, key=lambda case: len(case.positions) * len(case.view.tries()) ** 2)[:12]
KS = load_evaluator("ks")
NOW = (0, ROOT)


def searched(case: Case, method: Method) -> tuple[dict[str, float], list[str]]:
    """Return what the Kriegspiel search finds every try worth, and its best tries."""
    rows = np.array([from_board(board, case.view.ply) for board, _ in case.positions])
    weights = np.array([weight for _, weight in case.positions])
    found = search_tries(InformationSet.of(case.view, rows, weights), method, may_prune=False)
    names = [decode_move(int(move)).uci() for move in found.tries]
    best = [decode_move(move).uci() for move in found.best()]
    return dict(zip(names, found.values.tolist(), strict=True)), best


def actions(tree: Tree) -> tuple[str, ...]:
    """Return tries open at the root."""
    return tree.information_sets[NOW][0].actions


def test_there_are_at_least_fifty_information_sets() -> None:
    assert len({case.name for case in ALL}) == len(ALL) >= 50


@pytest.mark.slow
@pytest.mark.parametrize("case", ALL, ids=lambda case: case.name.replace(" ", "-"))
def test_search_and_trees_agree_on_every_try_at_depths_1_to_3(case: Case) -> None:
    for depth in (1, 2, 3) if case in CASES[::6] or IS_THOROUGH else (1, 2):
        tree = kriegspiel_tree(case.positions, case.view, depth, ks)
        assert tree.has_perfect_recall(0)
        for backup, solve in RULES:
            values, best = searched(case, Method(depth, backup, KS))
            explicit = {uci: solve(tree, fixed={NOW: j}).value for j, uci in enumerate(actions(tree))}
            assert values == pytest.approx(explicit, abs=ROUNDING)
            solution = solve(tree)
            assert solution.value == pytest.approx(max(values.values()), abs=ROUNDING)
            assert values[actions(tree)[solution.strategy[NOW]]] == pytest.approx(solution.value, abs=ROUNDING)
            assert all(explicit[uci] == pytest.approx(solution.value, abs=ROUNDING) for uci in best)


@pytest.mark.slow
@pytest.mark.parametrize("free", some((1, 0), 1))
@pytest.mark.parametrize(
    ("opponent", "replies"),
    [(load_opponent("recapturing"), plain_opponents.recapturing), (odd, plain_odd)],
    ids=["recapturing", "odd"],
)
def test_under_opponent_models_the_tree_has_the_values_of_both_searches(
    opponent: Opponent, replies: Replies, free: int
) -> None:
    backup, depth, differing = load_backup("overconfident"), 3 - free, 0
    for case in SMALL:
        tree = kriegspiel_tree(case.positions, case.view, depth, ks, replies, free)
        values = {uci: overconfident(tree, fixed={NOW: j}).value for j, uci in enumerate(actions(tree))}
        plain = plain_search.PlainSearch(plain_search.overconfident, ks, replies, free)
        expected = {str(move): value for move, value in plain.try_values(case.positions, case.knowledge, depth).items()}
        assert values == pytest.approx(expected, abs=ROUNDING)
        assert searched(case, Method(depth, backup, KS, opponent, free))[0] == pytest.approx(values, abs=ROUNDING)
        differing += searched(case, Method(depth, backup, KS, free_refusals=free))[0] != pytest.approx(
            values, abs=ROUNDING
        )
    assert differing


def case_named(name: str) -> Case:
    (case,) = (case for case in CASES if case.name == name)
    return case


@pytest.mark.slow
def test_information_sets_are_told_apart_by_what_was_tried_and_heard() -> None:
    case = case_named("castling refused")
    tree = kriegspiel_tree(case.positions, case.view, 3, ks)
    ours = {label for player, label in tree.information_sets if player == 0}
    assert len(tree.information_sets[NOW]) == len(case.positions) == 2
    assert "e1g1" not in actions(tree)  # refused before
    assert f"{ROOT} e1e2 - -" in ours
    assert all(label.split()[1].removesuffix("?") in actions(tree) for label in ours - {ROOT})
    assert all(len(nodes) == 1 for (player, _), nodes in tree.information_sets.items() if player == 1)


def test_a_refused_try_leaves_the_position_and_is_not_open_again() -> None:
    case = case_named("castling through an unseen knight")
    tree = kriegspiel_tree(case.positions, case.view, 2, ks)
    after = tree.information_sets[0, f"{ROOT} e1g1?"]
    assert 0 < len(after) < len(case.positions)
    assert set(after[0].actions) == set(actions(tree)) - {"e1g1"}


def test_the_root_is_a_move_of_chance_over_the_positions() -> None:
    case = case_named("mate in half of the histories")
    tree = kriegspiel_tree([(board, 3 * weight) for board, weight in case.positions], case.view, 1, material)
    assert isinstance(tree.root, Chance)
    assert tree.root.probabilities == (0.5, 0.5)
    assert tree.players == ("white", "black")
    leaves = [node.payoffs for node in tree.nodes() if isinstance(node, Leaf)]
    assert max(leaves) == (10_000, -10_000)
    assert all(ours == -theirs for ours, theirs in leaves)
    mate = actions(tree).index("a1a8")
    assert overconfident(tree, fixed={NOW: mate}).value == (10_000 + 500) / 2
    assert paranoid(tree, fixed={NOW: mate}).value == 500


def test_what_is_no_information_set_to_search_is_refused() -> None:
    case = case_named("mate in half of the histories")
    board = case.positions[0][0]
    with pytest.raises(ValueError, match="a depth of at least 1, and positions of the side to move"):
        kriegspiel_tree(case.positions, case.view, 0, ks)
    with pytest.raises(ValueError, match="a depth of at least 1, and positions of the side to move"):
        kriegspiel_tree([(board, 0.0)], case.view, 1, ks)
    turned = board.copy()
    turned.turn = not turned.turn
    with pytest.raises(ValueError, match="a depth of at least 1, and positions of the side to move"):
        kriegspiel_tree([(turned, 1.0)], case.view, 1, ks)
    other = chess.Board("7k/8/6K1/8/8/8/8/1R6 w - - 0 1")
    with pytest.raises(TreeError, match="actions"):
        kriegspiel_tree([(board, 0.5), (other, 0.5)], case.view, 1, ks)
