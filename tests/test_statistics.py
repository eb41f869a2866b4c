"""Intervals against published values."""

import pytest

from tournaments.statistics import wilson_interval


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


def test_intervals_at_both_ends_mirror_each_other() -> None:
    low, high = wilson_interval(0, 100)
    assert wilson_interval(100, 100) == pytest.approx((1 - high, 1 - low))


@pytest.mark.parametrize(("successes", "trials"), [(0, 0), (2, 1), (-1, 5)])
def test_impossible_counts_are_refused(successes: int, trials: int) -> None:
    with pytest.raises(ValueError, match="at least one trial"):
        wilson_interval(successes, trials)
