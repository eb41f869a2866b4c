"""A program on the page with a clock has one budget for each turn, computed from what is left, whoever it is."""

from __future__ import annotations

import re
import time
from pathlib import Path

import chess
import pytest

from kriegbot.players.making import make_player
from kriegbot.players.search import SearchPlayer
from kriegbot.players.specs import parse_spec
from kriegbot.report import Report
from kriegbot.search.policy import Policy, equal_policy
from kriegbot.web.seats import INCREMENT_SHARE, LEAST_TURN, TURNS, GameClock, PooledSeat, TimeControl
from referee import Referee, View

PLAY = Path(__file__).parents[1] / "docs" / "play.md"


def test_the_page_says_what_a_program_gets_for_a_turn() -> None:
    page = " ".join(PLAY.read_text(encoding="utf-8").split())
    assert TURNS == 60
    assert "gets a sixtieth of its remaining time for a turn, all its tries together," in page
    assert f"and {INCREMENT_SHARE:g} of the increment; at least {LEAST_TURN:g} seconds." in page
    control = TimeControl(300, 5)
    assert [control.turn(left) for left in (300, 60, 0)] == pytest.approx([8.5, 4.5, 3.5])
    assert TimeControl(60, 0).turn(3.0) == LEAST_TURN


TALKER = """
while read -r word rest; do
  case $word in
    newgame) echo ready;;
    time) echo "time $rest" >&2;;
    tries) set -- $rest;;
    go) sleep 0.3; echo "try $1";;
  esac
done
"""


def test_a_program_from_outside_receives_with_each_try_what_is_left_of_its_turn(tmp_path: Path) -> None:
    (tmp_path / "talker.sh").write_text(TALKER, encoding="utf-8")
    control = TimeControl(60, 0)
    referee = Referee()
    with PooledSeat(parse_spec(f"program:sh {tmp_path / 'talker.sh'}", sandbox=False)) as seat:
        seat.color, seat.clock = chess.WHITE, GameClock(control)
        seat.begin(1)
        before, after = [], []
        for i in range(4):  # the same turn three times, as after refusals; then another turn
            if i == 3:
                referee.try_move(chess.Move.from_uci("e2e4"))
                referee.try_move(chess.Move.from_uci("e7e5"))
            before.append(seat.clock.left(chess.WHITE) or 0.0)
            seat.ask(referee.view(chess.WHITE))
            after.append(seat.clock.left(chess.WHITE) or 0.0)
        received = [float(text) for text in re.findall(r"^time (\S+)$", seat.log(), re.MULTILINE)]
    budget, rounding = control.turn(60.0), 0.001
    assert budget == 1.0
    for seconds, most, least in zip(received[:3], before, after, strict=False):
        assert budget - (60.0 - least) - rounding <= seconds <= max(0.0, budget - (before[0] - most)) + rounding
    assert control.turn(after[3]) - rounding <= received[3] <= control.turn(before[3]) + rounding


class Timed:
    """A search that takes all its time, which is noted."""

    def __init__(self) -> None:
        self.given: list[float | None] = []

    def update(self, view: View, seconds: float | None = None) -> None:
        """Do nothing."""

    def policy(self, view: View, seconds: float | None) -> Policy:
        """Wait as long as it may."""
        self.given.append(seconds)
        time.sleep(max(0.0, seconds or 0.0))
        return equal_policy(view.tries(), Report())


@pytest.mark.parametrize("is_for_turn", [True, False])
def test_all_tries_of_a_turn_share_its_budget(is_for_turn: bool) -> None:
    search = Timed()
    player = SearchPlayer(search, 5.0, is_for_turn=is_for_turn)
    view, left = Referee().view(chess.WHITE), 0.4
    for _ in range(12):
        player.on_time(left)
        begun = time.perf_counter()
        player.choose(view)
        left -= time.perf_counter() - begun
    assert sum(seconds or 0.0 for seconds in search.given) <= 0.4
    assert len(search.given) == 12


def test_a_search_by_samples_plays_alike_at_any_clock() -> None:
    search = Timed()
    player = SearchPlayer(search)
    player.on_time(0.01)
    player.choose(Referee().view(chess.WHITE))
    assert search.given == [None]


@pytest.mark.parametrize("name", ["overconfident", "paranoid", "search", "hs", "kriegbot"])
def test_every_built_in_player_by_time_shares_what_its_clock_leaves_for_a_turn(name: str, kernels: None) -> None:  # noqa: ARG001
    player = make_player(parse_spec(name), 1)
    assert isinstance(player, SearchPlayer)
    search = Timed()
    player.search = search
    player.on_time(0.1)
    player.choose(Referee().view(chess.WHITE))
    assert all(seconds is not None and seconds < 0.1 for seconds in search.given)
