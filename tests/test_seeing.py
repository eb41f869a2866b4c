"""`benchmarks/seeing.py` on games whose every figure can be counted."""

import math
from importlib import import_module
from pathlib import Path

import chess
import pytest

from kriegbot.models.built_in import uniform
from referee import BERKELEY, GameRecord, Referee

SEEING = import_module("benchmarks.seeing")  # by name: mypy reads scripts as modules of their own


def watched(moves: str, color: chess.Color) -> dict[tuple[str, str], list[float]]:
    """Return the sums of one side, which believes that the opponent moves at random."""
    referee = Referee(BERKELEY)
    for move in moves.split():
        referee.try_move(chess.Move.from_uci(move))
    sums: dict[tuple[str, str], list[float]] = SEEING.Watch(GameRecord.of(referee), color, 0, 1000, uniform).sums
    return sums


def test_a_mate_that_two_of_twenty_replies_allow_is_believed_with_one_tenth() -> None:
    sums = watched("f2f3 e7e5 g2g4 d8h4", chess.WHITE)
    assert sums["mating reply", "true"] == [1, 2]
    assert sums["mating reply", "expected"] == pytest.approx([0.1, 2])
    assert sums["likelihood of the announcement, nats", "true"] == pytest.approx([math.log(0.1 / 30), 2])
    assert sums["likelihood of the true move, nats", "true"] == pytest.approx([math.log(1 / 20) + math.log(1 / 30), 2])


def test_a_queen_on_f7_can_be_taken_by_the_king_on_every_board_and_was() -> None:
    sums = watched("e2e4 h7h6 d1h5 a7a6 h5f7 e8f7", chess.WHITE)
    assert sums["captures by pieces: covered", "true"] == sums["captures by pieces: taken at once", "true"] == [1, 1]
    assert sums["captures by pieces: covered", "expected"] == pytest.approx([1, 1], rel=0.2)
    assert 0 < sums["captures by pieces: taken at once", "expected"][0] < 1


def test_every_turn_after_the_opening_counts_each_square_and_the_king_once() -> None:
    sums = watched(3 * "g1f3 g8f6 f3g1 f6g8 " + "e2e4", chess.WHITE)
    tenths = [SEEING.KING.format(tenth / 10) for tenth in range(10)]
    assert [sum(sums[name, column][1] for name in tenths) for column in SEEING.BOTH] == [2 * 64, 2 * 64]
    assert sum(sums[name, "true"][0] for name in tenths) == 2
    assert sum(sums[name, "expected"][0] for name in tenths) == pytest.approx(2)


def test_squares_of_which_the_belief_is_sure_are_the_likeliest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SEEING, "SURE", 0.3)
    sums = watched(3 * "g1f3 g8f6 f3g1 f6g8 " + "e2e4", chess.WHITE)
    for column in SEEING.BOTH:
        bins = [sums[SEEING.KING.format(tenth / 10), column] for tenth in range(3, 10)]
        assert sums[SEEING.SURELY, column] == pytest.approx([sum(column) for column in zip(*bins, strict=True)])
        assert sums[SEEING.SURELY, column][1] > 0


def test_a_game_that_was_watched_is_read_again(tmp_path: Path) -> None:
    sums = watched("e2e4 h7h6 d1h5 a7a6 h5f7 e8f7", chess.WHITE)
    SEEING.Kept(tmp_path / "kept.jsonl").add("1 white", sums)
    assert SEEING.Kept(tmp_path / "kept.jsonl").sums == {"1 white": sums}
