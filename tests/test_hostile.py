"""Hostile programs: a game against one ends in time, and never for it; nothing of it goes on."""

from __future__ import annotations

import random
import sys
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path

import chess
import psutil
import pytest

from kriegbot.game.match import GameResult, play_game
from kriegbot.game.process import ProcessSeat, Wait
from kriegbot.game.seat import HereSeat
from kriegbot.players.rand import RandPlayer
from kriegbot.players.specs import parse_spec
from referee import RULE_SETS, Limits, Reason, RuleSet
from tests.effort import many
from tests.hostile import FAULTS, HANGS, HARMLESS, MOMENTS

BOT = Path(__file__).with_name("hostile.py")
PATIENCE = 30.0  # seconds: enough on a busy machine
HANGING = 0.5  # seconds for a program that hangs at any rate
CASES = list(product([*HARMLESS, *HANGS, *FAULTS], MOMENTS, chess.COLORS, RULE_SETS.values()))


class HastySeat(ProcessSeat):
    """A seat with seconds of its own for a player to start."""

    start = PATIENCE

    def _wait_to_start(self) -> Wait:
        return super()._wait_to_start()._replace(seconds=self.start)


def played(case: tuple[str, str, chess.Color, RuleSet], mark: str) -> tuple[GameResult, float]:
    """Return a short game of a hostile program against rand, and its seconds."""
    kind, moment, color, rules = case
    at_start = moment in MOMENTS[:2]
    start = HANGING if kind in HANGS and at_start else PATIENCE
    patience = HANGING if kind in HANGS and not at_start else PATIENCE
    spec = parse_spec(f"program:{sys.executable} -I -S {BOT} '{kind}' {moment} {mark}", sandbox=False)
    with HastySeat(spec, patience=patience) as seat:
        seat.start = start
        here = HereSeat("rand", RandPlayer)
        white, black = (seat, here) if color else (here, seat)
        begun = time.monotonic()
        return play_game(white, black, rules=rules, limits=Limits(plies=8), seed=1), time.monotonic() - begun


def running(mark: str) -> list[int]:
    """Return the processes whose command holds the mark."""
    return [one.pid for one in psutil.process_iter(["cmdline"]) if mark in (one.info["cmdline"] or ())]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere daemons outlive their game")
def test_no_hostile_program_stops_a_game_wins_it_or_outlives_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kriegbot.game.process.DYING_PATIENCE", 0.5)
    cases = random.Random(55).sample(CASES, many(1200, 48))
    mark = uuid.uuid4().hex
    with ThreadPoolExecutor(4) as threads:
        games = list(threads.map(played, cases, [mark] * len(cases)))
    for (kind, moment, color, rules), (game, seconds) in zip(cases, games, strict=True):
        what = f"{kind}, {moment}, {chess.COLOR_NAMES[color]}, {rules.name}"
        end, failure = game.record.end, game.statistics(color).failure
        assert end is not None, what
        assert game.statistics(not color).failure == "", what
        if kind in HARMLESS:
            assert (end.reason, failure) == (Reason.PLY_LIMIT, ""), f"{what}: {end}"
        else:
            assert (end.reason, end.winner) == (Reason.FORFEIT, not color), f"{what}: {end}"
            assert failure, what
            assert failure.isprintable(), what
            assert len(failure) < 250, what
        assert seconds < 2 * PATIENCE, what
    deadline = time.monotonic() + 20
    while (left := running(mark)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not left
