"""The second opinion: what tries are worth if both sides saw the board."""

import math
from collections import Counter
from dataclasses import replace
from itertools import product
from random import Random
from typing import Any

import chess
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kriegbot.kernels import IntArray, MoveArray, Rows, encode_move, from_board, with_type_ids
from kriegbot.players.kriegbot import FLAGSHIP
from kriegbot.search import perfect_information
from kriegbot.search.information_set import InformationSet
from kriegbot.search.perfect_information import (
    BOARDS,
    DEPTH,
    BoardValues,
    blended,
    open_values,
    value_boards,
    values_of_tries,
)
from kriegbot.search.sampled import SampledSearch
from kriegbot.search.settings import Method
from referee import WILD16, Referee

METHOD = Method.of(FLAGSHIP)
RANKS = ["".join(men) for men in product("pn", repeat=8)]
"""Ranks of pawns and knights, each another one."""


def histories(*fens: str) -> InformationSet:
    """Return a set of boards with equal weights."""
    view = Referee(WILD16, start=fens[0]).view(chess.Board(fens[0]).turn)
    rows = np.stack([from_board(chess.Board(fen)) for fen in fens])
    return InformationSet.of(view, rows, np.ones(len(fens)))


def worth(move: str, fen: str) -> float:
    """Return the value of a move on one board."""
    known = histories(fen)
    values = open_values(known, METHOD, None, 1, BoardValues(known, METHOD))
    assert values is not None
    return float(values[known.tries.tolist().index(encode_move(chess.Move.from_uci(move)))])


def test_a_mate_by_the_reply_is_seen() -> None:
    assert worth("h1g1", "6k1/8/8/8/8/1r6/r7/7K w - - 0 1") < -0.95 * METHOD.value_scale


def test_a_try_that_is_illegal_is_worth_what_follows_it() -> None:
    in_check = "4k3/8/8/8/8/8/4q3/R3K3 w Q - 0 1"
    assert worth("e1c1", in_check) == pytest.approx(worth("e1e2", in_check))
    assert worth("e1e2", in_check) > 0


def test_when_time_is_over_only_boards_count_that_were_valued_before() -> None:
    known = histories(chess.STARTING_FEN)
    valued = BoardValues(known, METHOD)
    assert open_values(known, METHOD, 0.0, 1, valued) is None
    values = open_values(known, METHOD, None, 1, valued)
    assert values is not None
    assert open_values(known, METHOD, 0.0, 1, valued) == pytest.approx(values)


def test_half_a_value_is_that_of_the_search_and_half_that_of_the_opinion() -> None:
    view = Referee(WILD16).view(chess.WHITE)
    values = []
    for share in (0.0, 1.0, 0.5):
        search = SampledSearch(replace(FLAGSHIP, samples=BOARDS, particles=500, perfect_info_weight=share), 3)
        search.update(view)
        values.append(search.policy(view, None).values)
    assert values[2] == pytest.approx((values[0] + values[1]) / 2)
    assert not np.allclose(values[0], values[1])


@pytest.mark.parametrize(("done", "depth"), [(BOARDS - 1, DEPTH - 1), (BOARDS, DEPTH)])
def test_by_time_depth_3_answers_if_it_gets_through_as_many_boards(
    monkeypatch: pytest.MonkeyPatch, done: int, depth: int
) -> None:
    valued: Counter[int] = Counter()

    def value(rows: Rows, tries: MoveArray, depth: int, *others: Any) -> tuple[IntArray, int]:
        boards = min(len(rows), done - valued[DEPTH]) if depth == DEPTH else len(rows)
        others[-1][0] = boards < len(rows)
        valued[depth] += boards
        return np.full((boards, len(tries)), 100 * depth), 0

    monkeypatch.setattr(perfect_information, "value_boards", value)
    known = histories(*(f"rnbqkbnr/{pawns}/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1" for pawns in RANKS))
    values = open_values(known, METHOD, 10.0, 1, BoardValues(known, METHOD))
    assert values is not None
    assert values.max() == pytest.approx(100.0 * depth / math.hypot(1.0, 100.0 * depth / METHOD.value_scale))
    assert valued == {DEPTH - 1: BOARDS, DEPTH: done}


def test_after_a_refusal_only_boards_that_are_new_are_valued(monkeypatch: pytest.MonkeyPatch) -> None:
    boards = [f"4k3/{'8/' * before}r7/{'8/' * (5 - before)}R3K3 w - - 0 1" for before in range(5)]
    first, further = histories(*boards[:3]), histories(*boards[1:])
    is_left = further.tries != encode_move(chess.Move.from_uci("a1a8"))
    left, valued = replace(further, tries=further.tries[is_left]), BoardValues(first, METHOD)
    open_values(first, METHOD, None, 1, valued)
    assert valued.depths(left.rows).tolist() == [DEPTH, DEPTH, 0, 0]
    asked: list[Rows] = []

    def value(rows: Rows, *others: Any) -> tuple[IntArray, int]:
        asked.append(rows)
        return value_boards(rows, *others)

    monkeypatch.setattr(perfect_information, "value_boards", value)
    values = open_values(left, METHOD, None, 2, valued)
    assert sorted(map(bytes, np.concatenate(asked))) == sorted(map(bytes, left.rows[2:]))
    anew = open_values(left, METHOD, None, 2, BoardValues(left, METHOD))
    assert values is not None
    assert values == pytest.approx(anew)


def test_boards_that_differ_in_labels_alone_are_valued_once(monkeypatch: pytest.MonkeyPatch) -> None:
    one = histories(chess.STARTING_FEN)
    several = replace(one, rows=with_type_ids(one.rows[0], 3)[1:], weights=np.ones(2))
    valued = BoardValues(one, METHOD)
    found = open_values(several, METHOD, None, 1, valued)
    monkeypatch.setattr(perfect_information, "value_boards", lambda rows, *_: (np.zeros((len(rows), 20), np.int64), 0))
    assert found == pytest.approx(open_values(one, METHOD, None, 1, valued))


def test_the_worst_fifth_of_the_boards_counts_three_tenths() -> None:
    values, weights = np.array([[0.0, 50.0], [100.0, 100.0], [200.0, 100.0]]), np.array([1.0, 2.0, 1.0])
    # a fifth of the weight, 0.8, is at 0 and at 50
    assert blended(values, weights).tolist() == pytest.approx([0.7 * 100, 0.7 * 87.5 + 0.3 * 50])
    assert blended(values[:2], weights[:2])[0] == pytest.approx(0.7 * 200 / 3)
    assert blended(values[1:2], weights[1:2])[0] == pytest.approx(100.0)


def test_a_refused_try_is_followed_by_another_on_the_boards_left() -> None:
    no = np.nan
    values = np.array([[100.0, 100.0, 0.0, no], [100.0, 0.0, 100.0, no], [0.0, 100.0, 100.0, no], [0.0, 0.0, 0.0, 60]])
    found, legal = values_of_tries(values, np.ones(4))
    assert legal.tolist() == [1.0, 1.0, 1.0, 0.25]
    # the first of the others follows: 100, 100 and 0; the last board has 60; the worst fifth is at 0
    assert found[3] == pytest.approx(0.7 * 65 + 0.3 * 0)
    assert found[0] == pytest.approx(0.7 * 50 + 0.3 * 0)


def test_a_try_that_is_illegal_after_a_refusal_has_the_median_of_the_board() -> None:
    no = np.nan
    values = np.array([[no, no, 10.0, 20.0, 90.0], [30.0, 40.0, 0.0, 0.0, 0.0]])
    found, legal = values_of_tries(values, np.array([3.0, 1.0]))
    assert legal.tolist() == [0.25, 0.25, 1.0, 1.0, 1.0]
    # the second would have 20 on the first board, the last has 90
    assert found[0] == pytest.approx(0.7 * (0.25 * 30 + 0.75 * 90) + 0.3 * 30)
    found, _ = values_of_tries(values[:, [0, 1, 3]], np.array([3.0, 1.0]))
    assert found[0] == pytest.approx(0.7 * (0.25 * 30 + 0.75 * 20) + 0.3 * 20)


TABLES = st.integers(1, 12).flatmap(
    lambda boards: st.lists(
        st.lists(st.one_of(st.just(math.nan), st.integers(-900, 900)), min_size=boards, max_size=boards),
        min_size=1,
        max_size=5,
    )
)


@given(TABLES, st.randoms(use_true_random=False))
def test_a_try_no_better_than_another_on_any_board_is_never_above_it(columns: list[list[float]], rng: Random) -> None:
    others = np.array(columns, np.float64).T
    better, worse = (np.array([float(rng.choice([math.nan, *range(-900, 901, 60)])) for _ in others]) for _ in "ab")
    worse = np.minimum(worse, better)  # nan where either is
    # where the worse is refused and the better legal, what may follow the worse is no better
    best = np.nanmax(np.column_stack([others, better]), axis=1, initial=-900)
    better = np.where(np.isnan(worse) & ~np.isnan(better), best, better)
    weights = np.array([rng.randint(1, 9) for _ in others], np.float64)
    found, legal = values_of_tries(np.column_stack([better, worse, others]), weights)
    assert legal[1] == 0 or found[1] <= found[0] + 1e-9


def test_the_try_that_follows_a_refusal_is_chosen_by_the_value_that_counts() -> None:
    no = np.nan
    # 150 or, on two boards, a gamble of 920 and -900, which the sum prefers to 0
    values = np.array([[0.0, 150, -900]] * 8 + [[0, no, 920], [0, no, -900]])
    found, _ = values_of_tries(values, np.ones(10))
    assert found[:2].tolist() == pytest.approx([0, 0.7 * 120])


@given(TABLES, st.randoms(use_true_random=False))
def test_a_try_has_the_highest_value_that_any_following_try_gives_it(columns: list[list[float]], rng: Random) -> None:
    values = np.array(columns, np.float64).T
    values[:, 0] = np.nan_to_num(values[:, 0])  # each board has a legal move
    weights = np.array([rng.randint(1, 9) for _ in values], np.float64)
    legal, tries = ~np.isnan(values), range(len(columns))
    filled = np.where(legal, values, np.nanmedian(values, axis=1, keepdims=True))
    found, _ = values_of_tries(values, weights)
    for i in tries:
        following = [f for f in tries if f != i] or [i]
        of_each = blended(np.where(legal[:, [i]], values[:, [i]], filled[:, following]), weights)
        assert not legal[:, i].any() or found[i] == pytest.approx(of_each.max())


def test_a_board_that_allows_no_try_does_not_count() -> None:
    values = np.array([[np.nan, np.nan], [100.0, np.nan], [300.0, 200.0]])
    found, legal = values_of_tries(values, np.array([5.0, 1.0, 1.0]))
    assert legal.tolist() == [1.0, 0.5]
    assert found.tolist() == pytest.approx(values_of_tries(values[1:], np.ones(2))[0])


@given(TABLES, st.randoms(use_true_random=False))
def test_a_try_that_is_legal_nowhere_is_worth_the_best_of_the_others(columns: list[list[float]], rng: Random) -> None:
    values = np.array(columns, np.float64).T
    values[:, 0] = np.nan_to_num(values[:, 0])  # each board has a legal move
    weights = np.array([rng.randint(1, 9) for _ in values], np.float64)
    found, legal = values_of_tries(np.column_stack([values, np.full(len(values), math.nan)]), weights)
    assert legal[-1] == 0
    assert found[-1] == found[:-1].max()


def test_a_try_that_loses_a_queen_where_it_is_legal_is_below_the_one_that_follows_it() -> None:
    first = np.array([300.0, 100, 100, 100, -600] * 2)
    values = np.column_stack([first, np.full(10, math.nan)])
    values[1, 1] = -900  # the second try leaves the first wherever it is refused
    found, _ = values_of_tries(values, np.ones(10))
    assert found.tolist() == pytest.approx([0.7 * 0 + 0.3 * -600, 0.7 * -100 + 0.3 * -750])  # -180 and -295


def test_tries_that_no_board_allows_are_all_worth_nothing() -> None:
    found, legal = values_of_tries(np.full((2, 3), math.nan), np.ones(2))
    assert (found.tolist(), legal.tolist()) == ([0, 0, 0], [0, 0, 0])


def test_an_only_try_that_is_always_legal_has_its_own_value() -> None:
    found, _ = values_of_tries(np.array([[50.0], [-20.0]]), np.ones(2))
    assert found.tolist() == pytest.approx([0.7 * 15 + 0.3 * -20])
