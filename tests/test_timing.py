"""The time until a side's turn does not tell the number of refused tries that nobody announced."""

from __future__ import annotations

import io

import chess
import pytest
from rich.console import Console

from kriegbot.cli.console import PlainConsole, TerminalConsole
from kriegbot.narration import even_time
from kriegbot.players.base import Leave
from kriegbot.web.seats import GameClock, PersonSeat
from referee import BERKELEY, WILD16, Referee, RuleSet, View


class Clock:
    """In the place of the clock: time passes when somebody sleeps, or when a test says so."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1000.0
        monkeypatch.setattr(even_time, "time", self)

    def monotonic(self) -> float:
        """Return the time."""
        return self.now

    def sleep(self, seconds: float) -> None:
        """Time passes."""
        self.now += seconds


def waited(clock: Clock, rules: RuleSet, *thinking: float) -> float:
    """Seconds until White is shown its second turn, if Black thinks so long for each of its tries."""
    even, begun = even_time.EvenTime(), clock.now
    referee = Referee(rules)
    even.hold(referee.view(chess.WHITE))
    assert clock.now == begun
    referee.try_move(chess.Move.from_uci("e2e4"))
    tries = ["e7d6", "d7c6", "g7f6"][: len(thinking) - 1]
    for move, seconds in zip([*tries, "e7e5"], thinking, strict=True):
        even.begin(shown(referee))
        clock.now += seconds
        referee.try_move(chess.Move.from_uci(move))
    even.hold(shown(referee))
    return clock.now - begun


def shown(referee: Referee) -> View:
    """Return what White knows."""
    return referee.view(chess.WHITE)


def test_one_try_takes_as_long_as_three_if_refusals_are_not_announced(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    once, thrice = waited(clock, WILD16, 0.018), waited(clock, WILD16, 0.018, 0.022, 0.023)
    assert once == pytest.approx(even_time.QUANTUM)
    assert thrice == pytest.approx(even_time.QUANTUM)
    assert waited(clock, WILD16, 0.7, 0.2) == pytest.approx(2 * even_time.QUANTUM)


def test_nothing_is_held_back_where_refusals_are_announced(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    assert waited(clock, BERKELEY, 0.018, 0.022) == pytest.approx(0.04)


NAMES = {chess.WHITE: "you", chess.BLACK: "rand"}


@pytest.mark.parametrize("where", ["plain", "terminal", "page"])
def test_a_person_is_shown_the_turn_at_an_even_time_everywhere(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    clock, referee = Clock(monkeypatch), Referee(WILD16)
    referee.try_move(chess.Move.from_uci("e2e4"))
    begun = clock.now
    if where == "page":
        seat = PersonSeat(lambda _message: None, GameClock(None), is_here=True)
        seat.wait(shown(referee))
        seat.leave("for the test")  # so that `ask` returns
    else:
        console = PlainConsole(NAMES) if where == "plain" else TerminalConsole(NAMES, None, Console(file=io.StringIO()))
        console.wait(shown(referee))
    clock.now += 0.018
    referee.try_move(chess.Move.from_uci("e7e5"))
    if where == "page":
        assert isinstance(seat.ask(shown(referee)).action, Leave)
    else:
        console.show(shown(referee))
        console.close()
    assert clock.now - begun == pytest.approx(even_time.QUANTUM)
