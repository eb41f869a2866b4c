"""Alpha-beta of the paranoid rule against the whole search."""

import random
from collections.abc import Iterator

import numpy as np
import pytest

from evaluators import load_evaluator
from kriegbot.belief.belief import Belief
from kriegbot.kernels import RealArray as Reals
from kriegbot.kernels import Rows
from kriegbot.search import pruned
from kriegbot.search.backup import load_backup
from kriegbot.search.information_set import InformationSet
from kriegbot.search.search import TryValues, search_tries
from kriegbot.search.settings import Method
from referee import BERKELEY, PAPER_LIMITS, RAND, WILD16, Referee, View
from tests.effort import many
from tests.plain_cases import CASES, Case
from tests.test_search import arrays

PARANOID = load_backup("paranoid")

KS = load_evaluator("ks")


def both(view: View, rows: Rows, weights: Reals, depth: int) -> tuple[TryValues, TryValues]:
    """Return what the whole search and alpha-beta find."""
    histories, method = InformationSet.of(view, rows, weights), Method(depth, PARANOID, KS)
    return search_tries(histories, method, may_prune=False), search_tries(histories, method)


def agree(whole: TryValues, found: TryValues) -> bool:
    """Return True if both agree on the best tries, and alpha-beta values the others no lower."""
    assert found.is_pruned
    assert not whole.is_pruned
    np.testing.assert_array_equal(found.legal, whole.legal)
    is_the_same = found.values.max() == whole.values.max() and found.best() == whole.best()
    return is_the_same and bool((found.values >= whole.values).all())


def midgames(count: int, histories: int, rng: random.Random) -> Iterator[tuple[View, Rows, Reals]]:
    """Return views of random games under three rule sets, some of them after refusals, and histories that fit."""
    while count > 0:
        referee = Referee(rng.choice((BERKELEY, WILD16, RAND)), PAPER_LIMITS)
        beliefs: dict[bool, Belief] = {}
        while referee.end is None and count > 0:
            view = referee.view(referee.turn)
            if view.color not in beliefs:
                beliefs[view.color] = Belief(view, 500, seed=count)
            belief = beliefs[view.color]
            belief.update(view)
            if len(belief.particles) and rng.random() < 0.2:
                count -= 1
                yield view, *belief.particles.draw(histories, count)
            referee.try_move(rng.choice(view.tries()))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name.replace(" ", "-"))
def test_the_best_tries_are_those_of_the_whole_search(case: Case) -> None:
    for depth in (2, 3):
        assert agree(*both(case.view, *arrays(case), depth))


@pytest.mark.slow
@pytest.mark.parametrize(("depth", "histories", "count"), [(2, 40, many(1_000, 100)), (3, 6, many(100, 50)), (4, 2, 4)])
def test_the_best_tries_are_those_of_the_whole_search_in_midgame(depth: int, histories: int, count: int) -> None:
    fewer = 0
    for view, rows, weights in midgames(count, histories, random.Random(depth)):
        whole, found = both(view, rows, weights, depth)
        assert agree(whole, found)
        fewer += found.leaves < whole.leaves
    assert fewer > 0.85 * count


def test_a_stack_that_is_full_grows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pruned, "STACK_PER_HISTORY", 1)
    for view, rows, weights in midgames(20, 10, random.Random(5)):
        assert agree(*both(view, rows, weights, 3))


@pytest.mark.slow
def test_a_search_out_of_time_answers_from_as_many_boards_as_it_has_done() -> None:
    (view, rows, _weights) = next(iter(midgames(1, 400, random.Random(1))))
    many = InformationSet.of(view, np.concatenate([rows] * 500), np.ones(500 * len(rows)))  # many minutes of work
    hurried = search_tries(many, Method(4, PARANOID, KS), seconds=1.0)
    assert 0 < hurried.boards < len(many.rows)
    assert hurried.depth in (1, 4)
    again = search_tries(many.first(hurried.boards), Method(hurried.depth, PARANOID, KS))
    np.testing.assert_array_equal(hurried.values, again.values)


def test_a_search_with_time_enough_takes_all_boards() -> None:
    (view, rows, weights) = next(iter(midgames(1, 100, random.Random(1))))
    histories, method = InformationSet.of(view, rows, weights), Method(2, PARANOID, KS)
    found = search_tries(histories, method, seconds=600.0)
    assert found.boards == len(rows)
    np.testing.assert_array_equal(found.values, search_tries(histories, method).values)
