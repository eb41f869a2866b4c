"""The search against the plain recursion, on information sets that are enumerated completely."""

import math
import threading
import time
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import chess
import numpy as np
import pytest

from evaluators import WIN, load_evaluator
from kriegbot.belief.belief import Belief
from kriegbot.kernels import RealArray as Reals
from kriegbot.kernels import Rows, decode_move, from_board, kernel_rules, tries_of, with_type_ids
from kriegbot.models import load_opponent
from kriegbot.models.built_in import uniform
from kriegbot.search import search as search_module
from kriegbot.search.backup import Backup, load_backup
from kriegbot.search.information_set import InformationSet
from kriegbot.search.search import TryValues, search_tries
from kriegbot.search.settings import Method
from referee import BERKELEY, NO_LIMITS, Referee, View
from tests import plain_opponents, plain_search
from tests.effort import IS_THOROUGH, many, some
from tests.odd_parts import BEST, KINDS, odd, plain_best, plain_mixed, plain_odd, two_kinds
from tests.plain_cases import CASES, Case, features
from tests.plain_evaluators import ks

OVERCONFIDENT, PARANOID = load_backup("overconfident"), load_backup("paranoid")

KS = load_evaluator("ks")
PLAIN = {"overconfident": plain_search.overconfident, "paranoid": plain_search.paranoid}
ROUNDING = 1e-7


def arrays(case: Case) -> tuple[Rows, Reals]:
    """Return a case's positions as the search takes them."""
    rows = np.array([from_board(board, case.view.ply) for board, _ in case.positions])
    return rows, np.array([weight for _, weight in case.positions])


def searched(view: View, rows: Rows, weights: Reals, depth: int, backup: Backup, **how: Any) -> TryValues:
    """Search the information set of a view, every try to its end."""
    return search_tries(InformationSet.of(view, rows, weights), Method(depth, backup, KS, **how), may_prune=False)


def value_of_tries(found: TryValues) -> dict[chess.Move, float]:
    """Value of every try."""
    return {decode_move(int(move)): value for move, value in zip(found.tries, found.values.tolist(), strict=True)}


def work(case: Case) -> int:
    """Return the rough effort of a plain search of a case."""
    return len(case.positions) * len(case.view.tries()) ** 2


def named(cases: Sequence[Case]) -> pytest.MarkDecorator:
    """Run a test for each of these cases."""
    return pytest.mark.parametrize("case", cases, ids=lambda case: case.name.replace(" ", "-"))


def holds_the_plain_recursion(case: Case, depth: int) -> None:
    for backup in (OVERCONFIDENT, PARANOID):
        found = searched(case.view, *arrays(case), depth, backup)
        plain = plain_search.try_values(case.positions, case.knowledge, depth, PLAIN[backup.name], ks)
        assert value_of_tries(found) == pytest.approx(plain, abs=ROUNDING), backup.name
        best = max(plain.values())
        near_best = {move for move, value in plain.items() if value > best - ROUNDING}
        assert {decode_move(move) for move in found.best()} <= near_best


@pytest.mark.parametrize("depth", [1, pytest.param(2, marks=pytest.mark.slow)])
@named(CASES)
def test_values_and_best_tries_equal_the_plain_recursion(case: Case, depth: int) -> None:
    holds_the_plain_recursion(case, depth)


@pytest.mark.slow
@named(sorted(CASES, key=work)[: many(len(CASES), 22)])  # all are held against trees in test_trees_kriegspiel
def test_values_and_best_tries_equal_the_plain_recursion_at_depth_three(case: Case) -> None:
    holds_the_plain_recursion(case, 3)


MODELS = {
    "uniform": (load_opponent("uniform"), plain_opponents.equally_likely),
    "recapturing": (load_opponent("recapturing"), plain_opponents.recapturing),
    "odd": (odd, plain_odd),
}
ODD_RULES = {
    "mixed": (load_backup("mixed"), plain_mixed),
    "best": (BEST, plain_best),
    "overconfident": (OVERCONFIDENT, plain_search.overconfident),
    "paranoid": (PARANOID, plain_search.paranoid),
}


def midgame(particles: int = 2_000) -> tuple[View, Belief]:
    """White's view and belief a few moves into a game."""
    referee = Referee(BERKELEY, NO_LIMITS)
    for uci in ("e2e4", "d7d5", "g1f3", "d5e4", "f3e5", "g8f6", "d2d4", "e4d3"):
        referee.try_move(chess.Move.from_uci(uci))
    view = referee.view(chess.WHITE)
    return view, Belief(view, particles, seed=1)


SMALLEST = {
    "legal in some": "a king's step refused",
    "capture": "a rook lost at home, and castling with it",
    "wild16": "wild16: a pawn fell, by which knight",
    "check": "castling refused",
}
"""By what there is to see, the case that is least work."""
SMALL = [case for name in SMALLEST.values() for case in CASES if case.name == name]
FASTEST = SMALL if IS_THOROUGH else SMALL[:-1]
"""For searches that go deeper than they are told, as they do where refusals are free."""


@pytest.mark.slow
def test_a_small_case_is_the_smallest_that_shows_what_it_is_there_for() -> None:
    shown = [(case, features(case)) for case in sorted(CASES, key=work)]
    assert {what: next(case.name for case, seen in shown if what in seen) for what in SMALLEST} == SMALLEST


@pytest.mark.slow
@pytest.mark.parametrize(("rule", "model"), [("mixed", "uniform"), ("mixed", "odd"), ("best", "uniform")])
@named(CASES)
def test_other_backup_rules_equal_the_plain_recursion_too(case: Case, rule: str, model: str) -> None:
    backup, plain_backup = ODD_RULES[rule]
    opponent, replies = MODELS[model]
    for depth in (1, 2, 3) if case in SMALL else (1, 2):
        found = search_tries(InformationSet.of(case.view, *arrays(case)), Method(depth, backup, KS, opponent))
        plain = plain_search.PlainSearch(plain_backup, ks, replies).try_values(case.positions, case.knowledge, depth)
        assert value_of_tries(found) == pytest.approx(plain, abs=ROUNDING)


def test_a_third_rule_is_not_searched_as_the_paranoid_one_where_that_prunes() -> None:
    differ = 0
    for case in CASES:
        histories = InformationSet.of(case.view, *arrays(case))
        best, worst = (search_tries(histories, Method(2, rule, KS)) for rule in (BEST, PARANOID))
        assert not best.is_pruned
        assert worst.is_pruned
        differ += best.values.max() != worst.values.max()
    assert differ > len(CASES) / 2


@pytest.mark.slow
@pytest.mark.parametrize("free", [0, 1])
@named(CASES)
def test_exchanges_and_bounded_values_at_the_leaves_equal_the_plain_recursion_too(case: Case, free: int) -> None:
    for depth in (1, 2, 3) if case in (FASTEST if free else SMALL) else (1, 2):
        added: dict[str, Any] = {
            "exchange": 0.7,
            "free_refusals": free,
            "value_scale": 400.0,
        }
        found = searched(case.view, *arrays(case), depth, OVERCONFIDENT, **added)
        plain = plain_search.PlainSearch(plain_search.overconfident, ks, **added)
        expected = plain.try_values(case.positions, case.knowledge, depth)
        assert value_of_tries(found) == pytest.approx(expected, abs=ROUNDING)


def test_a_scale_squeezes_each_value_and_keeps_their_order() -> None:
    board = chess.Board("7k/8/6K1/8/8/8/8/5Q2 w - - 0 1")
    view, rows = Referee(BERKELEY, start=board.fen()).view(chess.WHITE), from_board(board).reshape(1, 8)
    plain, squeezed = (
        value_of_tries(searched(view, rows, np.ones(1), 1, OVERCONFIDENT, value_scale=scale)) for scale in (0.0, 1000.0)
    )
    legal = {move: value for move, value in plain.items() if board.is_legal(move)}
    assert {0.0, float(WIN)} < set(legal.values())  # a stalemate, a mate, and moves after which the game goes on
    for move, value in legal.items():
        assert squeezed[move] == pytest.approx(value / math.hypot(1.0, value / 1000.0))


def test_exchanges_matter() -> None:
    differ = 0
    for case in CASES:
        without, played_out = (searched(case.view, *arrays(case), 2, OVERCONFIDENT, exchange=share) for share in (0, 1))
        differ += int((np.abs(without.values - played_out.values) > ROUNDING).sum())
    assert differ > 20


@pytest.mark.slow
@pytest.mark.parametrize("model", ["recapturing", "odd"])
@named(CASES)
def test_other_opponent_models_equal_the_plain_recursion_too(case: Case, model: str) -> None:
    opponent, replies = MODELS[model]
    for depth in (2, 3) if case in SMALL else (2,):
        found = searched(case.view, *arrays(case), depth, OVERCONFIDENT, opponent=opponent)
        plain = plain_search.PlainSearch(plain_search.overconfident, ks, replies)
        expected = plain.try_values(case.positions, case.knowledge, depth)
        assert value_of_tries(found) == pytest.approx(expected, abs=ROUNDING)


def test_each_board_is_answered_by_the_kind_of_opponent_that_it_assumes() -> None:
    case = SMALL[1]
    rows, weights = arrays(case)
    both = np.concatenate([with_type_ids(row, 2) for row in rows])
    found = searched(case.view, both, np.outer(weights, KINDS).ravel(), 2, OVERCONFIDENT, opponent=two_kinds)
    one, other = (searched(case.view, rows, weights, 2, OVERCONFIDENT, opponent=each) for each in (uniform, odd))
    assert found.values == pytest.approx(KINDS[0] * one.values + KINDS[1] * other.values)
    assert np.abs(one.values - other.values).max() > 0.1


def test_the_models_value_tries_differently() -> None:
    values = {}
    for name, (opponent, _) in MODELS.items():
        found = [searched(case.view, *arrays(case), 2, OVERCONFIDENT, opponent=opponent) for case in CASES]
        values[name] = np.concatenate([one.values for one in found])
    for one, other in combinations(MODELS, 2):
        assert (np.abs(values[one] - values[other]) > ROUNDING).sum() > 10


@pytest.mark.slow
@pytest.mark.parametrize("free", [1, 2])
@pytest.mark.parametrize("rule", ["overconfident", "paranoid", "mixed"])
@named(SMALL)
def test_free_refusals_equal_the_plain_recursion(case: Case, rule: str, free: int) -> None:
    backup, plain_backup = ODD_RULES[rule]
    for depth in (1, 2):
        found = searched(case.view, *arrays(case), depth, backup, free_refusals=free)
        plain = plain_search.PlainSearch(plain_backup, ks, free_refusals=free).try_values(
            case.positions, case.knowledge, depth
        )
        assert value_of_tries(found) == pytest.approx(plain, abs=ROUNDING)


@pytest.mark.slow
@named(some(sorted(SMALL, key=work), 1))
def test_depth_four_equals_the_plain_recursion_too(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_module, "DEEP_TREE", 64)  # so that the tree has to grow as well
    for backup in (OVERCONFIDENT, PARANOID):
        found = searched(case.view, *arrays(case), 4, backup)
        plain = plain_search.try_values(case.positions, case.knowledge, 4, PLAIN[backup.name], ks)
        assert value_of_tries(found) == pytest.approx(plain, abs=ROUNDING)


def test_scaling_the_weights_changes_nothing() -> None:
    view, belief = midgame()
    rows, weights = belief.shuffled(3)
    for depth in (1, 2):
        one = searched(view, rows, weights, depth, OVERCONFIDENT)
        other = searched(view, rows, weights * 1000, depth, OVERCONFIDENT)
        assert one.values == pytest.approx(other.values)
        assert one.legal == pytest.approx(other.legal)


def test_a_board_of_weight_two_counts_as_the_board_twice() -> None:
    view, belief = midgame()
    rows = belief.particles.rows[:50]
    twice = searched(view, np.concatenate([rows, rows[:10]]), np.ones(60), 3, OVERCONFIDENT)
    weights = np.ones(50)
    weights[:10] = 2
    assert searched(view, rows, weights, 3, OVERCONFIDENT).values == pytest.approx(twice.values)


def test_the_probability_that_a_try_is_legal_is_the_weight_of_the_boards_where_it_is() -> None:
    view, belief = midgame()
    rows, weights = belief.shuffled(3)
    found = searched(view, rows, weights, 1, OVERCONFIDENT)
    by_move = dict(zip((decode_move(int(move)) for move in found.tries), found.legal, strict=True))
    assert by_move[chess.Move.from_uci("c1d2")] == pytest.approx(1.0)
    assert 0.0 < by_move[chess.Move.from_uci("e5f7")] <= 1.0
    assert by_move[chess.Move.from_uci("b2c3")] < 0.5
    assert set(by_move) == set(view.tries())


def test_a_search_out_of_time_answers_from_what_it_has() -> None:
    view, belief = midgame()
    rows, weights = (np.concatenate([array] * 300) for array in belief.shuffled(3))  # minutes of work
    histories, method = InformationSet.of(view, rows, weights), Method(3, OVERCONFIDENT, KS)
    found = search_tries(histories, method, seconds=0.3)
    assert found.depth == 3
    assert 0 < found.boards < len(rows)
    whole = search_tries(histories.first(found.boards), method)
    assert found.values == pytest.approx(whole.values)


def test_a_search_without_time_for_one_board_answers_from_depth_one() -> None:
    view, belief = midgame()
    histories = InformationSet.of(view, *belief.shuffled(3))
    found = search_tries(histories, Method(6, PARANOID, KS), seconds=0.05)
    assert (found.depth, len(found.values)) == (1, len(histories.tries))
    assert np.isfinite(found.values).all()


def test_a_stopped_search_leaves_no_thread_behind() -> None:
    view, belief = midgame()
    before = threading.active_count()
    search_tries(InformationSet.of(view, *belief.shuffled(3)), Method(1, PARANOID, KS), seconds=60)
    until = time.monotonic() + 30
    while threading.active_count() > before and time.monotonic() < until:
        time.sleep(0.01)
    assert threading.active_count() == before


def test_positions_of_different_sets_are_refused() -> None:
    rows = np.array([from_board(chess.Board()), from_board(chess.Board(chess.STARTING_FEN.replace("RNB", "RBN")))])
    histories = InformationSet(rows, np.ones(2), tries_of(rows[0]), kernel_rules(BERKELEY, NO_LIMITS))
    with pytest.raises(ValueError, match="not one information set"):
        search_tries(histories, Method(1, PARANOID, KS))


@pytest.mark.parametrize("depth", [0, -1])
def test_a_depth_below_one_is_refused(depth: int) -> None:
    view, belief = midgame()
    with pytest.raises(ValueError, match="at least 1"):
        searched(view, belief.particles.rows, belief.particles.weights, depth, PARANOID)


def test_a_tree_that_outgrows_its_room_gives_the_same_values(monkeypatch: pytest.MonkeyPatch) -> None:
    view, belief = midgame()
    rows, weights = belief.particles.rows[:20], np.ones(20)
    values = searched(view, rows, weights, 3, OVERCONFIDENT).values
    monkeypatch.setattr(search_module, "DEEP_TREE", 8)
    assert np.array_equal(searched(view, rows, weights, 3, OVERCONFIDENT).values, values)


@pytest.mark.parametrize("depth", [3, 4, 5])
def test_a_tree_that_outgrows_all_room_answers_from_the_boards_that_fit(
    depth: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    view, belief = midgame()
    rows, weights = belief.particles.rows[:20], np.ones(20)
    monkeypatch.setattr(search_module, "MOST_NODES", 512)
    monkeypatch.setattr(search_module, "DEEP_TREE", 8)
    monkeypatch.setattr(search_module, "CHUNK_BOARDS", 1)
    found = searched(view, rows, weights, depth, OVERCONFIDENT)
    assert found.depth == (1 if depth > 3 else 3)
    assert found.boards in ([20] if depth > 3 else range(1, 20))
    monkeypatch.undo()
    whole = searched(view, rows[: found.boards], weights[: found.boards], found.depth, OVERCONFIDENT)
    assert found.values == pytest.approx(whole.values)


def test_a_position_in_which_the_game_is_over_is_refused() -> None:
    rows = from_board(chess.Board("7k/5K2/6Q1/8/8/8/8/8 b - - 0 1")).reshape(1, 8)  # stalemate
    histories = InformationSet(rows, np.ones(1), tries_of(rows[0]), kernel_rules(BERKELEY, NO_LIMITS))
    with pytest.raises(ValueError, match="positions that are over"):
        search_tries(histories, Method(2, PARANOID, KS))
