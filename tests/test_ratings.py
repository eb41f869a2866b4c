"""Strengths on one scale: known answers, and players who are as strong as they scored."""

import math
from importlib import import_module

import pytest

LADDER = import_module("benchmarks.ladder")  # by name: mypy reads scripts as modules of their own
rated = LADDER.rated


def test_a_pair_is_as_far_apart_as_its_score_says() -> None:
    meetings = {("a", "b"): (7_500.0, 10_000)}
    first, second = rated(meetings, "b")
    assert (first.player, second.player, second.elo) == ("a", "b", 0.0)
    assert first.elo == pytest.approx(400 * math.log10(3), abs=0.1)  # the prior's two games hardly count
    assert first.error == pytest.approx(1.96 * 400 / math.log(10) / math.sqrt(10_000 * 0.75 * 0.25), rel=0.01)


def test_strengths_add_up_and_explain_what_was_scored() -> None:
    meetings = {("a", "b"): (30.0, 40), ("b", "c"): (25.0, 40), ("a", "d"): (12.0, 40), ("c", "d"): (8.5, 40)}
    found = {one.player: one for one in rated(meetings, "c")}

    def expected(ahead: float) -> float:
        return 1 / (1 + 10 ** (-ahead / 400))

    for player, one in found.items():
        scored, foreseen = 0.0, 0.0
        for (first, second), (points, games) in meetings.items():
            if player in (first, second):
                scored += points if player == first else games - points
                other = second if player == first else first
                foreseen += games * expected(one.elo - found[other].elo)
        assert scored == pytest.approx(foreseen, abs=LADDER.PRIOR / 2)
        assert one.share == pytest.approx(scored / one.games)
    assert found["d"].elo > found["a"].elo > found["b"].elo > found["c"].elo == 0.0


def test_who_won_everything_is_finitely_strong() -> None:
    first, second = rated({("a", "b"): (20.0, 20)})
    assert second == ("b", 0.0, 0.0, 20, 0.0)
    assert 200 < first.elo < 1200
    assert first.error > 100
