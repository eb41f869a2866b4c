"""The sequential test against the published values of fastchess and fishtest, and its distributions against scipy."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tournaments.statistics import NELO, Sprt, likeliest

SHARES = st.lists(st.integers(1, 200), min_size=3, max_size=3) | st.lists(st.integers(1, 200), min_size=5, max_size=5)


@pytest.mark.parametrize(
    ("counts", "elo0", "elo1", "ratio"),
    [  # the published cases of fastchess's normalized model; the last is a page of raw statistics of fishtest's
        ((36027, 68692, 36433), 0, 2, 0.92),
        ((10650, 20431, 10871), -1.75, 0.25, 2.30),
        ((0, 0, 4250), 0, 10, 120.56),
        ((365, 16618, 36229, 16974, 390), 0, 2, 2.25),
        ((127, 4883, 10712, 5150, 104), -1.75, 0.25, 3.01),
        ((0, 0, 0, 0, 5550), 0, 5, 111.82),
        ((379, 10170, 21828, 10640, 343), 0, 2, 2.946),
        ((13, 37, 50, 25, 3), 0, 4, -0.54912),
    ],
)
def test_log_likelihood_ratios_equal_published_ones(
    counts: tuple[int, ...], elo0: float, elo1: float, ratio: float
) -> None:
    found = Sprt(elo0, elo1).log_likelihood_ratio(counts)
    assert found == pytest.approx(ratio, abs=0.005, rel=3e-4)


def test_bounds_are_those_of_wald() -> None:
    assert Sprt(0, 2).bounds == pytest.approx((-2.944439, 2.944439))
    assert Sprt(0, 2, alpha=0.01, beta=0.2).bounds == pytest.approx((math.log(0.2 / 0.99), math.log(80)))


def test_a_hypothesis_is_accepted_only_at_a_bound() -> None:
    test = Sprt(0, 10)
    assert test.decision((36027, 68692, 36433)) == "H0"
    assert test.decision((0, 0, 4250)) == "H1"
    assert test.decision((100, 300, 102)) is None
    assert test.decision((0, 0, 0)) is None
    assert test.log_likelihood_ratio((0, 0, 0, 0, 0)) == 0


@pytest.mark.parametrize(
    "counts", [(0, 0, 1), (1, 0, 0), (0, 200, 0), (144, 3, 1, 0, 0), (0, 0, 0, 0, 9), (0, 0, 50, 0, 0)]
)
@pytest.mark.parametrize(("elo0", "elo1"), [(0, 5), (-10, 0), (-1500, -500), (200, 800)])
def test_one_sided_results_have_a_finite_ratio(counts: tuple[int, ...], elo0: float, elo1: float) -> None:
    assert math.isfinite(Sprt(elo0, elo1).log_likelihood_ratio(counts))


@given(SHARES, st.floats(-2, 2))
def test_a_likeliest_distribution_has_the_strength_that_was_asked_for(counts: list[int], t: float) -> None:
    shares, scores = likeliest(counts, t), np.linspace(0, 1, len(counts))
    mean = shares @ scores
    assert shares.min() > 0
    assert shares.sum() == pytest.approx(1)
    assert mean - 0.5 == pytest.approx(t * math.sqrt(shares @ (scores - mean) ** 2), abs=1e-7)


@pytest.mark.parametrize("counts", [(30, 50, 20), (5, 90, 5), (10, 40, 80, 60, 30), (1, 9, 30, 5, 1)])
@pytest.mark.parametrize("t", [-0.5, -0.01, 0, 0.02, 0.9])
def test_no_distribution_of_that_strength_is_likelier(counts: tuple[int, ...], t: float) -> None:
    optimize = pytest.importorskip("scipy.optimize")
    scores = np.linspace(0, 1, len(counts))
    seen = np.array(counts) / sum(counts)
    found = optimize.minimize(
        lambda p: -seen @ np.log(p),
        np.full(len(counts), 1 / len(counts)),
        method="SLSQP",
        bounds=[(1e-9, 1)] * len(counts),
        constraints=[
            {"type": "eq", "fun": lambda p: p.sum() - 1},
            {"type": "eq", "fun": lambda p: p @ scores - 0.5 - t * math.sqrt(p @ (scores - p @ scores) ** 2)},
        ],
        options={"ftol": 1e-14, "maxiter": 500},
    )
    assert found.success
    assert likeliest(counts, t) == pytest.approx(found.x, abs=1e-4)


def test_the_ratio_is_largest_for_the_hypothesis_that_was_seen() -> None:
    counts = (96, 111, 136)
    mean, deviation = (111 / 2 + 136) / 343, math.sqrt((111 / 4 + 136) / 343 - ((111 / 2 + 136) / 343) ** 2)
    seen = NELO * (mean - 0.5) / deviation
    assert seen == pytest.approx(49.77, abs=0.005)  # as fastchess gives it
    assert Sprt(0, seen).log_likelihood_ratio(counts) > Sprt(0, seen + 5).log_likelihood_ratio(counts) > 0
    assert Sprt(0, seen).log_likelihood_ratio(counts) > Sprt(0, seen - 5).log_likelihood_ratio(counts) > 0


@pytest.mark.parametrize(
    ("arguments", "refused"),
    [((2, 0), "elo0"), ((0, 0), "elo0"), ((0, math.inf), "elo1"), ((0, 2, 0.0), "alpha"), ((0, 2, 0.05, 0.5), "beta")],
)
def test_impossible_tests_are_refused(arguments: tuple[float, ...], refused: str) -> None:
    with pytest.raises(ValueError, match=f"{refused}=.*it takes"):
        Sprt(*arguments)


def test_what_is_no_counts_is_refused_by_a_test() -> None:
    for counts in ((1, 2), (-1, 2, 3), (0, 0)):
        with pytest.raises(ValueError, match="3 for games or 5 for pairs"):
            Sprt(0, 2).log_likelihood_ratio(counts)
