"""The search against the plain recursion, on information sets that are enumerated completely."""

import threading
import time

import chess
import numpy as np
import pytest

from evaluators import load_evaluator
from kriegbot.belief.belief import Belief
from kriegbot.belief.heard import terms_of
from kriegbot.kernels.magics import Words
from kriegbot.kernels.position import decode_move, encode_move, from_board
from kriegbot.search import search as search_module
from kriegbot.search.backup import OVERCONFIDENT, PARANOID, Backup
from kriegbot.search.search import Reals, TryValues, search, tries_of
from referee import BERKELEY, NO_LIMITS, Referee, View
from tests import plain_search
from tests.plain_cases import CASES, Case, features
from tests.plain_evaluators import ks

KS = load_evaluator("ks")
PLAIN = {"overconfident": plain_search.Backup.OVERCONFIDENT, "paranoid": plain_search.Backup.PARANOID}
ROUNDING = 1e-7


def arrays(case: Case) -> tuple[Words, Reals]:
    """A case's positions as the search takes them."""
    rows = np.array([from_board(board, case.view.ply) for board, _ in case.positions])
    return rows, np.array([weight for _, weight in case.positions])


def searched(view: View, rows: Words, weights: Reals, depth: int, backup: Backup) -> TryValues:
    """Search the information set of a view, every try to its end."""
    tries = tries_of(rows[0], view.pawn_tries != 0, [encode_move(move) for move in view.refused])
    return search(rows, weights, tries, depth, backup, KS, terms_of(view.rules, view.limits), may_prune=False)


@pytest.mark.parametrize("backup", [OVERCONFIDENT, PARANOID], ids=lambda backup: backup.name)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name.replace(" ", "-"))
def test_values_and_best_tries_equal_the_plain_recursion(case: Case, backup: Backup) -> None:
    rows, weights = arrays(case)
    for depth in (1, 2, 3):
        found = searched(case.view, rows, weights, depth, backup)
        values = {decode_move(int(t)): v for t, v in zip(found.tries, found.values, strict=True)}
        plain = plain_search.try_values(case.positions, case.context, depth, PLAIN[backup.name], ks)
        assert values == pytest.approx(plain, abs=ROUNDING)
        best = max(plain.values())
        near_best = {move for move, value in plain.items() if value > best - ROUNDING}
        assert {decode_move(move) for move in found.best()} <= near_best


def midgame(particles: int = 2_000) -> tuple[View, Belief]:
    """White's view and belief a few moves into a game."""
    referee = Referee(BERKELEY, NO_LIMITS)
    for uci in ("e2e4", "d7d5", "g1f3", "d5e4", "f3e5", "g8f6", "d2d4", "e4d3"):
        referee.try_move(chess.Move.from_uci(uci))
    view = referee.view(chess.WHITE)
    return view, Belief(view, particles, seed=1)


def work(case: Case) -> int:
    """How much a plain search of a case has to do, roughly."""
    return len(case.positions) * len(case.view.tries()) ** 2


def smallest(what: str) -> Case:
    """The case that is least work of those in which there is such a thing to see."""
    return min((case for case in CASES if what in features(case)), key=work)


SMALL = [smallest(what) for what in ("legal in some", "capture", "wild16", "check")]


@pytest.mark.parametrize("case", SMALL, ids=lambda case: case.name.replace(" ", "-"))
def test_depth_four_equals_the_plain_recursion_too(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_module, "DEEP_ROOM", 64)  # so that the tree has to grow as well
    for backup in (OVERCONFIDENT, PARANOID):
        found = searched(case.view, *arrays(case), 4, backup)
        values = {decode_move(int(t)): v for t, v in zip(found.tries, found.values, strict=True)}
        plain = plain_search.try_values(case.positions, case.context, 4, PLAIN[backup.name], ks)
        assert values == pytest.approx(plain, abs=ROUNDING)


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
    tries, terms = tries_of(rows[0], True), terms_of(view.rules, view.limits)
    found = search(rows, weights, tries, 3, OVERCONFIDENT, KS, terms, seconds=1.0)
    assert found.depth == 3
    assert 0 < found.boards < len(rows)
    whole = search(rows[: found.boards], weights[: found.boards], tries, 3, OVERCONFIDENT, KS, terms)
    assert found.values == pytest.approx(whole.values)


def test_a_search_without_time_for_one_board_answers_from_depth_one() -> None:
    view, belief = midgame()
    rows, weights = belief.shuffled(3)
    tries, terms = tries_of(rows[0], True), terms_of(view.rules, view.limits)
    found = search(rows, weights, tries, 6, PARANOID, KS, terms, seconds=0.05)
    assert (found.depth, len(found.values)) == (1, len(tries))
    assert np.isfinite(found.values).all()


def test_a_stopped_search_leaves_no_thread_behind() -> None:
    view, belief = midgame()
    rows, weights = belief.shuffled(3)
    before = threading.active_count()
    search(rows, weights, tries_of(rows[0], True), 1, PARANOID, KS, terms_of(view.rules, view.limits), seconds=60)
    until = time.monotonic() + 5
    while threading.active_count() > before and time.monotonic() < until:
        time.sleep(0.01)
    assert threading.active_count() == before


def test_positions_of_different_sets_are_refused() -> None:
    rows = np.array([from_board(chess.Board()), from_board(chess.Board(chess.STARTING_FEN.replace("RNB", "RBN")))])
    tries = tries_of(rows[0], True)
    with pytest.raises(ValueError, match="not one information set"):
        search(rows, np.ones(2), tries, 1, PARANOID, KS, terms_of(BERKELEY, NO_LIMITS))


@pytest.mark.parametrize("depth", [0, -1])
def test_a_depth_below_one_is_refused(depth: int) -> None:
    view, belief = midgame()
    with pytest.raises(ValueError, match="at least 1"):
        searched(view, belief.particles.rows, belief.particles.weights, depth, PARANOID)


def test_a_tree_that_outgrows_its_room_gives_the_same_values(monkeypatch: pytest.MonkeyPatch) -> None:
    view, belief = midgame()
    rows, weights = belief.particles.rows[:20], np.ones(20)
    values = searched(view, rows, weights, 3, OVERCONFIDENT).values
    monkeypatch.setattr(search_module, "DEEP_ROOM", 8)
    assert np.array_equal(searched(view, rows, weights, 3, OVERCONFIDENT).values, values)


@pytest.mark.parametrize("depth", [3, 4, 5])
def test_a_tree_that_outgrows_all_room_answers_from_the_boards_that_fit(
    depth: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    view, belief = midgame()
    rows, weights = belief.particles.rows[:20], np.ones(20)
    monkeypatch.setattr(search_module, "MOST_NODES", 512)
    monkeypatch.setattr(search_module, "DEEP_ROOM", 8)
    monkeypatch.setattr(search_module, "CHUNK_BOARDS", 1)
    found = searched(view, rows, weights, depth, OVERCONFIDENT)
    assert (found.depth, found.boards) == (1, 20) if depth > 3 else (3, found.boards)
    assert 0 < found.boards < 20 or found.depth == 1
    monkeypatch.undo()
    whole = searched(view, rows[: found.boards], weights[: found.boards], found.depth, OVERCONFIDENT)
    assert found.values == pytest.approx(whole.values)


def test_a_position_in_which_the_game_is_over_is_refused() -> None:
    rows = from_board(chess.Board("7k/5K2/6Q1/8/8/8/8/8 b - - 0 1")).reshape(1, 8)  # stalemate
    with pytest.raises(ValueError, match="positions that are over"):
        search(rows, np.ones(1), tries_of(rows[0], True), 2, PARANOID, KS, terms_of(BERKELEY, NO_LIMITS))
