"""A part from outside that breaks its promise only after its check makes its player forfeit by a named reason."""

from __future__ import annotations

from pathlib import Path

import chess
import pytest

from kriegbot.game.match import play_game
from kriegbot.game.process import ProcessSeat
from kriegbot.players.specs import parse_spec
from referee import Limits, Reason
from tests.effort import some

pytestmark = pytest.mark.slow

PARTS = '''
import numpy as np
from evaluators.protocol import evaluator
from kriegbot.kernels import Moves, Position, Reals, Words, words, NONE
from kriegbot.models.protocol import Announced, opponent
from kriegbot.search.backup import Backup, fold, settle

NF3, = words(1 << 21)


@evaluator
def least(tables: Words, position: Position, side: int) -> int:
    return -1 << 63 if position.knights & NF3 else 0


@evaluator
def little_too_much(tables: Words, position: Position, side: int) -> int:
    return 10_001 if position.knights & NF3 else 0


@fold
def add(totals: Reals, weights: Reals, values: Reals, count: int) -> None:
    for i in range(count):
        totals[0] += weights[i] * values[i]


@settle
def none(totals: Reals, weight: float, parameters: Reals, passed_up: Reals) -> float:
    passed_up[0] = totals[0]
    return totals[0] if weight == 3.0 else np.nan


@settle
def none_within(totals: Reals, weight: float, parameters: Reals, passed_up: Reals) -> float:
    """Give no number once, where a maximum over tries would pass over it."""
    passed_up[0] = totals[0]
    parameters[0] += 1.0
    return np.nan if parameters[0] == 1000.0 else totals[0]


@settle
def boundless(totals: Reals, weight: float, parameters: Reals, passed_up: Reals) -> float:
    passed_up[0] = totals[0]
    return totals[0] if weight == 3.0 else np.inf


nan = Backup("nan", (0.0,), add, none, is_sum=True)
nan_within = Backup("nan_within", (0.0,), add, none_within, (0.0,), is_sum=True)
infinite = Backup("infinite", (0.0,), add, boundless, is_sum=True)


@opponent
def unsure(tables: Words, position: Position, announced: Announced, moves: Moves, count: int, weights: Reals) -> bool:
    for i in range(count):
        weights[i] = np.nan if position.knights & NF3 else 1.0
    return True


@opponent
def negative(tables: Words, position: Position, announced: Announced, moves: Moves, count: int, weights: Reals) -> bool:
    for i in range(count):
        weights[i] = -1.0 if i == 0 and position.knights & NF3 else 1.0
    return True
'''
RANGE = "the evaluator gives a value beyond -10000 to 10000 centipawns"
RULE = "or the opponent model an illegal weight"


@pytest.mark.parametrize(
    ("options", "why"),
    some(
        (
            ("search:depth=2,evaluator={}:little_too_much", RANGE),
            ("search:depth=3,backup={}:nan_within", f"backup rule nan_within gives nan, {RULE}"),
            ("search:depth=2,opponent={}:negative", RULE),
            ("search:depth=1,belief_model={}:unsure", "the opponent model gives a weight"),
            ("search:depth=1,evaluator={}:least", RANGE),
            ("paranoid:depth=2,evaluator={}:least", RANGE),
            ("hs:depth=1,evaluator={}:least", RANGE),
            ("search:depth=1,backup={}:nan", f"backup rule nan gives nan, {RULE}"),
            ("search:depth=1,backup={}:infinite", f"backup rule infinite gives inf, {RULE}"),
            ("search:depth=2,opponent={}:unsure", RULE),
            ("search:depth=1,belief_model={}:negative", "the opponent model gives a weight"),
        ),
        4,
    ),
)
def test_a_part_that_breaks_its_promise_in_mid_game_is_named(options: str, why: str, tmp_path: Path) -> None:
    (tmp_path / "parts.py").write_text(PARTS, encoding="utf-8")
    spec = parse_spec(options.format(tmp_path / "parts.py") + ",samples=20")
    start = "rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R w KQkq - 0 1"
    with ProcessSeat(spec) as seat:
        played = play_game(seat, "rand", limits=Limits(plies=12), start=start, seed=3)
    end = played.record.end
    assert end is not None
    assert (end.reason, end.winner) == (Reason.FORFEIT, chess.BLACK)
    assert end.detail.startswith("raised kriegbot.parts.BadPart: ")
    assert why in end.detail
