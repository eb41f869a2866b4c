"""The capture of the last enemy piece: worth a mate where mate is proved after it."""

import chess
import pytest

from kriegbot.players.search import search_player
from kriegbot.search.settings import Settings
from referee import BERKELEY, Referee

CAPTURE = chess.Move.from_uci("d1d5")


def value_of_capture(start: str, *, use_endings: bool) -> float:
    """Return what a search gives the capture, in centipawns."""
    player = search_player(
        Settings(depth=1, samples=20, particles=200, use_endings=use_endings, evaluator="material"), 1
    )
    view = Referee(BERKELEY, start=start).view(chess.WHITE)
    player.search.update(view)
    policy = player.search.policy(view, None)
    return float(policy.values[policy.tries.index(CAPTURE)])


def test_a_capture_that_leads_into_a_proved_set_is_worth_a_mate() -> None:
    start = "8/8/k7/3n4/2K5/8/8/3R4 w - - 0 1"
    assert value_of_capture(start, use_endings=False) < 2000
    assert value_of_capture(start, use_endings=True) == pytest.approx(10_000)


def test_a_capture_after_which_the_rook_may_be_lost_is_not() -> None:
    start = "8/8/k7/3n4/8/8/8/K2R4 w - - 0 1"
    values = [value_of_capture(start, use_endings=use) for use in (False, True)]
    assert values[0] == values[1] < 2000
