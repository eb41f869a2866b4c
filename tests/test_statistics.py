"""Intervals, Elo and likelihoods against published values and against scipy."""

import math
from dataclasses import astuple

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tournaments.statistics import (
    NORMAL_95,
    elo,
    expected_utility,
    expected_utility_interval,
    likelihood_of_superiority,
    mean_and_variance,
    score_interval,
    wilson_interval,
)

GAMES = st.tuples(*[st.integers(0, 300)] * 3).filter(any)
COUNTS = GAMES | st.tuples(*[st.integers(0, 300)] * 5).filter(any)


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [  # Newcombe, "Two-sided confidence intervals for the single proportion" (1998), table I, method 3
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_intervals_equal_published_ones(successes: int, trials: int, low: float, high: float) -> None:
    assert wilson_interval(successes, trials) == pytest.approx((low, high), abs=5e-5)


@pytest.mark.parametrize(("successes", "trials"), [(0, 1), (1, 1), (3, 7), (0, 250), (249, 250), (1000, 4000)])
def test_wilson_intervals_equal_those_of_scipy(successes: int, trials: int) -> None:
    expected = pytest.importorskip("scipy.stats").binomtest(successes, trials).proportion_ci(0.95, "wilson")
    assert wilson_interval(successes, trials) == pytest.approx((expected.low, expected.high), abs=1e-7)


def test_intervals_at_both_ends_mirror_each_other() -> None:
    low, high = wilson_interval(0, 100)
    assert wilson_interval(100, 100) == pytest.approx((1 - high, 1 - low))


def test_a_wilson_interval_holds_the_share_it_is_made_of() -> None:
    for trials in range(1, 300):
        assert wilson_interval(0, trials)[0] == 0.0
        assert wilson_interval(trials, trials)[1] == 1.0


@pytest.mark.parametrize(("successes", "trials"), [(0, 0), (2, 1), (-1, 5)])
def test_impossible_counts_are_refused(successes: int, trials: int) -> None:
    with pytest.raises(ValueError, match="at least one trial"):
        wilson_interval(successes, trials)


def test_a_score_is_wins_less_losses_in_percent_of_the_games() -> None:
    assert expected_utility(losses=10, draws=30, wins=60) == pytest.approx(50)
    assert expected_utility(0, 7, 0) == 0
    assert expected_utility(5, 0, 0) == -100


@pytest.mark.parametrize(
    ("losses", "draws", "wins", "low", "high"),
    [  # Fagerland, Lydersen, Laake, "Statistical Analysis of Contingency Tables" (2017), ch. 8, Tango's interval
        (7, 13, 1, -51.7, -2.6),
        (16, 139, 6, -12.40, -0.54),
    ],
)
def test_intervals_of_a_score_equal_published_ones(losses: int, draws: int, wins: int, low: float, high: float) -> None:
    digits = 0.006 if draws == 139 else 0.06
    assert expected_utility_interval(losses, draws, wins) == pytest.approx((low, high), abs=digits)


@given(st.integers(0, 300), st.integers(0, 300))
def test_without_draws_the_interval_of_a_score_is_that_of_wilson(losses: int, wins: int) -> None:
    assume(losses + wins > 0)
    low, high = wilson_interval(wins, losses + wins)
    assert expected_utility_interval(losses, 0, wins) == pytest.approx((200 * low - 100, 200 * high - 100), abs=1e-4)


@given(GAMES)
def test_the_interval_of_a_score_holds_it_has_a_width_and_mirrors(games: tuple[int, int, int]) -> None:
    low, high = expected_utility_interval(*games)
    assert -100 <= low <= expected_utility(*games) <= high <= 100
    assert high - low > 100 / (sum(games) + 4)
    assert expected_utility_interval(*games[::-1]) == pytest.approx((-high, -low), abs=1e-6)


@pytest.mark.parametrize("games", [(30, 40, 50), (3, 90, 7), (0, 20, 5), (60, 2, 1)])
def test_the_ends_of_a_scores_interval_are_196_deviations_of_the_likeliest_shares_away(
    games: tuple[int, int, int],
) -> None:
    optimize = pytest.importorskip("scipy.optimize")
    losses, _, wins = games
    number, seen = sum(games), (wins - losses) / sum(games)

    def distance(difference: float) -> float:
        def unlikely(lost: float) -> float:
            shares = lost, 1 - 2 * lost - difference, lost + difference
            return -sum(count * math.log(max(share, 1e-300)) for count, share in zip(games, shares, strict=True))

        lost = optimize.minimize_scalar(
            unlikely,
            bounds=(max(0, -difference), (1 - difference) / 2),
            method="bounded",
            options={"xatol": 1e-12},
        ).x
        return float((seen - difference) ** 2 - NORMAL_95**2 * (2 * lost + difference - difference**2) / number)

    low, high = optimize.brentq(distance, -0.9999, seen), optimize.brentq(distance, seen, 0.9999)
    assert expected_utility_interval(*games) == pytest.approx((100 * low, 100 * high), abs=1e-3)


def test_a_hundred_games_all_won_or_all_drawn_leave_doubt() -> None:
    assert expected_utility_interval(0, 0, 100) == pytest.approx((92.60, 100), abs=0.005)
    assert expected_utility_interval(100, 0, 0) == pytest.approx((-100, -92.60), abs=0.005)
    assert expected_utility_interval(0, 100, 0) == pytest.approx((-3.70, 3.70), abs=0.005)


@pytest.mark.parametrize(
    ("counts", "difference", "error"),
    [  # as fastchess gives them, worst score first
        ((96, 111, 136), 40.70, 30.43),
        ((334, 333, 498, 433, 332), 8.64, 10.33),
        ((75, 64, 63, 54, 34), -55.58, 27.65),
        ((72, 10, 0, 0, 0), -600.97, 118.46),
    ],
)
def test_elo_differences_equal_those_of_match_runners(counts: tuple[int, ...], difference: float, error: float) -> None:
    found = elo(counts)
    assert (found.difference, found.error) == pytest.approx((difference, error), abs=0.005)
    assert found.high - found.low == pytest.approx(2 * found.error)


@given(COUNTS)
def test_an_elo_difference_is_finite_within_its_interval_and_mirrors(counts: tuple[int, ...]) -> None:
    found, mirrored = elo(counts), elo(counts[::-1])
    assert all(map(math.isfinite, astuple(found)))
    assert found.low <= found.difference <= found.high
    assert found.error > 0
    assert astuple(mirrored) == pytest.approx((-found.difference, found.error, -found.high, -found.low), abs=1e-5)


def test_a_hundred_wins_count_as_with_one_draw_more() -> None:
    found = elo((0, 0, 100))
    assert found.difference == found.high == pytest.approx(400 * math.log10(100.5 / 0.5))
    assert found.low == pytest.approx(566.2, abs=0.05)


@pytest.mark.parametrize(
    ("counts", "percent"),
    [  # as fastchess gives them, worst score first
        ((96, 111, 136), 99.60),
        ((89, 123, 76), 15.53),
        ((334, 333, 498, 433, 332), 94.95),
        ((34, 54, 63, 64, 75), 100.00),
    ],
)
def test_likelihoods_of_superiority_equal_those_of_match_runners(counts: tuple[int, ...], percent: float) -> None:
    assert 100 * likelihood_of_superiority(counts) == pytest.approx(percent, abs=0.005)


def test_one_game_won_is_not_yet_superiority() -> None:
    assert likelihood_of_superiority((0, 0, 1)) == pytest.approx(0.841, abs=0.001)
    assert likelihood_of_superiority((0, 9, 0)) == 0.5
    assert likelihood_of_superiority((0, 0, 50)) > 0.999999


@given(COUNTS)
def test_mean_and_variance_equal_those_of_numpy(counts: tuple[int, ...]) -> None:
    scores = np.repeat(np.linspace(0, 1, len(counts)), counts)
    assert mean_and_variance(counts) == pytest.approx((scores.mean(), scores.var()), abs=1e-12)


def test_pairs_that_each_go_one_all_vary_less_than_their_games() -> None:
    games, pairs = (50, 0, 50), (1, 0, 49, 0, 1)
    assert mean_and_variance(pairs) == pytest.approx((0.5, 0.5 / 51))
    assert elo(pairs).error < 0.3 * elo(games).error


def test_pairs_of_independent_games_say_what_their_games_say() -> None:
    # shares of losses, draws and wins 1/4, 1/2, 1/4, the games of a pair independent
    assert elo((100, 400, 600, 400, 100)).error == pytest.approx(elo((800, 1600, 800)).error)


def test_the_interval_of_a_mean_score_of_pairs_has_a_width_where_all_are_alike() -> None:
    low, high = score_interval((0, 0, 40, 0, 0))
    assert low < 0.45
    assert high > 0.55


@pytest.mark.parametrize("counts", [(0, 0, 0), (0, 0, 0, 0, 0), (1, 2), (1, -1, 3), (1, 2, 3, 4)])
def test_what_is_no_counts_is_refused(counts: tuple[int, ...]) -> None:
    for statistic in (elo, mean_and_variance, likelihood_of_superiority, score_interval):
        with pytest.raises(ValueError, match="3 for games or 5 for pairs"):
            statistic(counts)
