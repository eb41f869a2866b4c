"""The fit of corrections to `sound`: its terms against python-chess, and that it finds what is there."""

import json
import random
import sys
from importlib import import_module
from pathlib import Path

import chess
import numpy as np
import pytest

from kriegbot.cli.main import main
from kriegbot.kernels import from_board
from referee import GameRecord
from tests.random_games import played

SCRIPT = import_module("benchmarks.fit_evaluator")  # by name: mypy reads scripts as modules of their own
TERMS = SCRIPT.TERMS


def terms(board: chess.Board) -> list[int]:
    """The counts of TERMS, of the side to move less the other's."""
    return [
        ours - theirs for ours, theirs in zip(terms_of(board, board.turn), terms_of(board, not board.turn), strict=True)
    ]


def terms_of(board: chess.Board, side: chess.Color) -> list[int]:
    """The counts of TERMS of one side."""
    counts = [len(board.pieces(kind, side)) for kind in range(chess.PAWN, chess.KING)]
    covered = [one for one in chess.SquareSet(board.occupied_co[side]) if board.is_attacked_by(side, one)]
    kinds = [board.piece_type_at(square) for square in covered]
    counts += [kinds.count(chess.PAWN), len(kinds) - kinds.count(chess.PAWN) - kinds.count(chess.KING)]
    ranks = dict[int, list[bool]]()
    for square in board.pieces(chess.PAWN, side):
        ranks.setdefault(rank_of(square, side), []).append(
            not any(
                abs(chess.square_file(other) - chess.square_file(square)) <= 1
                and rank_of(other, side) > rank_of(square, side)
                for other in board.pieces(chess.PAWN, not side)
            )
        )
    advanced = [ranks.get(rank, []) for rank in (4, 5, 6, 7)]
    counts += [len(pawns) for pawns in advanced]
    return [*counts, sum(ranks.get(2, []) + ranks.get(3, [])), *map(sum, advanced)]


def rank_of(square: chess.Square, side: chess.Color) -> int:
    """A square's rank, from 1, as a side counts."""
    return chess.square_rank(square) + 1 if side == chess.WHITE else 8 - chess.square_rank(square)


@pytest.mark.parametrize("seed", range(40))
def test_terms_are_those_that_python_chess_counts(seed: int) -> None:
    boards = [board := played(seed, plies=5 + 3 * seed).board(), board.mirror()]
    counts, known = SCRIPT.measured(np.array([from_board(one) for one in boards]), np.array([-1, -1]))
    assert counts[0].tolist() == counts[1].tolist() == terms(board)
    assert known[0].tolist() == known[1].tolist() == [known[0, 0], 0.0]


def test_a_man_that_can_be_taken_back_is_known() -> None:
    board = chess.Board("4k3/8/4p3/3N4/4P3/8/8/4K3 b - - 0 1")
    _, known = SCRIPT.measured(np.array([from_board(board)] * 2), np.array([chess.D5, -1]))
    assert known[:, 1].tolist() == [200.0, 0.0]


def test_the_fit_finds_corrections_and_skills() -> None:
    rng, count = np.random.default_rng(0), 60_000
    counts = rng.integers(-2, 3, (count, len(TERMS))).astype(float)
    known = np.stack([rng.normal(0, 300, count), np.zeros(count)], axis=1)
    players, true = rng.integers(0, 2, (count, 2)), np.zeros(len(TERMS))
    true[0], true[4] = 60.0, -60.0
    logits = (known[:, 0] + counts @ true) / 400 + np.array([0.5, -0.5])[players] @ [1, -1]
    result = (rng.random(count) < 1 / (1 + np.exp(-logits))).astype(float)
    found = SCRIPT.fit(SCRIPT.Positions(counts, known, result, np.arange(count), players), 2)
    assert found.b == pytest.approx(1, abs=0.1)
    assert found.skills[0] - found.skills[1] == pytest.approx(1, abs=0.15)
    weights = found.weights()  # the prior makes less of them
    assert weights[0] > 10
    assert weights[4] < -10
    assert np.abs(np.delete(weights, [0, 4])).max() < 3


def test_positions_of_a_game_come_with_captures_and_the_movers_result() -> None:
    record = GameRecord.of(played(5, plies=60))
    found = SCRIPT.positions_of(record, random.Random(0))
    assert len(found) == len(record.turns) - SCRIPT.FIRST
    for turn, one in zip(record.turns[SCRIPT.FIRST - 1 :], found, strict=False):
        assert one.square == (-1 if turn.announcement.capture is None else turn.announcement.capture)
    white = {"1-0": 1.0, "0-1": 0.0}.get(record.result, 0.5)
    assert {(one.turn, one.result) for one in found} == {(chess.WHITE, white), (chess.BLACK, 1 - white)}


@pytest.mark.slow
def test_it_reads_a_tournament_and_writes_where_weights_come_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, out = tmp_path / "pool.sqlite", tmp_path / "corrections.json"
    players = ["rusher", "shuffler", "grabber"]
    limits = ["--games", "4", "--seed", "1", "--limits", "plies=300", "--jobs", "1"]
    assert main(["tournament", *players, *limits, "--out", str(store)]) == 0
    monkeypatch.setattr(sys, "argv", ["fit_evaluator.py", str(store), "--without", "shuffler", "--out", str(out)])
    SCRIPT.main()
    content = json.loads(out.read_text())
    assert content["made_by"] == "python benchmarks/fit_evaluator.py pool.sqlite --without shuffler"
    assert content["games"] == 4
    assert set(content["weights"]) == set(TERMS)
