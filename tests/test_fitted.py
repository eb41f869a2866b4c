"""The fitted opponent model: its features on positions that show them, and that it leaves nothing out."""

import json
from importlib import import_module
from typing import Any

import chess
import numpy as np
import pytest

from kriegbot.kernels import decode_move, from_board, with_type_ids
from kriegbot.models.built_in import FILE, PRIOR, TYPES, WEIGHTS, opponent_types
from kriegbot.models.features import FLOOR, NAMES
from kriegbot.models.protocol import opponents, prior_of
from tests.kernel_entries import replies_of
from tests.random_games import played

FIT: Any = import_module("benchmarks.fit_opponent")  # by name: mypy reads scripts as modules of their own


def features(fen: str, move: str, ours: chess.Square | None = None) -> set[str]:
    """Names of the features of one move, after we have taken on a square; a minus before those that count -1."""
    moves, found = FIT.features_of(from_board(chess.Board(fen), 40), 0 if ours is None else ours + 1, 0)
    [row] = [row for code, row in zip(moves, found, strict=True) if decode_move(int(code)).uci() == move]
    return {"-" * int(value < 0) + name for name, value in zip(NAMES, row, strict=True) if value}


@pytest.mark.parametrize(
    ("fen", "move", "ours", "expected"),
    [
        (
            "4k3/8/2n5/4P3/8/8/8/4K3 b - - 0 1",
            "c6e5",
            chess.E5,
            {
                "moves: knight",
                "takes with: knight",
                "takes: pawn",
                "retakes with: knight",
                "forward: knight",
                "late: knight",
                "to a square not covered: knight",
                "to the centre",
            }
            | {"-rank 3: knight", "rank 4: knight", "-file c, f: knight", "file d, e: knight"},
        ),
        (
            "r3k3/8/8/1P6/8/8/8/4K3 b q - 0 1",
            "a8a6",
            None,
            {"moves: rook", "to a square that a pawn attacks: rook", "to an attacked square, not covered: rook"}
            | {"forward: rook", "late: rook", "to a square not covered: rook", "-rank 1: rook", "rank 3: rook"},
        ),
        (
            "r3k3/8/8/8/8/8/8/4K3 b q - 0 1",
            "e8c8",
            None,
            {"moves: king", "late: king", "castles", "-file d, e: king", "file c, f: king"},
        ),
        (
            "4k3/8/8/8/8/8/p7/4K3 b - - 0 1",
            "a2a1q",
            None,
            {"moves: pawn", "forward: pawn", "late: pawn", "promotes to a queen"}
            | {"to a square not covered: pawn", "beyond the middle: pawn", "-rank 7: pawn", "rank 8: pawn"},
        ),
        (
            "4k3/8/5q2/8/8/8/8/4K3 b - - 0 1",
            "f6f3",
            None,
            {
                "moves: queen",
                "forward: queen",
                "late: queen",
                "to a square not covered: queen",
                "beyond the middle: queen",
            }
            | {
                "looks at a square next to the enemy king: queen",
                "to the wide centre",
                "-rank 3: queen",
                "rank 6: queen",
            },
        ),
        (
            "4k3/8/5n2/3p4/8/8/7p/4K3 b - - 0 1",
            "f6g4",
            None,
            {"moves: knight", "forward: knight", "late: knight", "to a square not covered: knight"}
            | {"beyond the middle: knight", "looks at a square next to the enemy king: knight"}
            | {"-rank 3: knight", "rank 5: knight", "-file c, f: knight", "file b, g: knight"},
        ),
    ],
    ids=[
        "a knight takes back",
        "a rook en prise",
        "castling",
        "a queen",
        "a queen near the king",
        "a knight near the king",
    ],
)
def test_a_move_has_the_features_that_it_shows(
    fen: str, move: str, ours: chess.Square | None, expected: set[str]
) -> None:
    assert features(fen, move, ours) == expected


@pytest.mark.parametrize(
    ("fen", "move", "expected"),
    [
        ("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", "a1a8", True),
        ("r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4", "h5f7", True),
        ("6rk/6pp/8/6N1/8/8/8/4K3 w - - 0 1", "g5f7", True),
        ("6bk/7p/5KPP/8/8/8/8/8 w - - 0 1", "g6g7", True),
        ("6k1/5ppp/8/3r4/8/8/8/R3K3 w - - 0 1", "a1a8", False),
        ("7k/5Q2/8/6K1/8/8/8/8 w - - 0 1", "g5g6", False),
    ],
    ids=["a rook", "a queen", "a knight", "a pawn", "a check that a rook can block", "stalemate"],
)
def test_a_mate_is_known_as_one(fen: str, move: str, expected: bool) -> None:
    board = chess.Board(fen)
    board.push_uci(move)
    assert board.is_checkmate() == expected == ("mates" in features(fen, move))


@pytest.mark.parametrize("seed", range(12))
def test_features_are_the_same_from_both_sides(seed: int) -> None:
    board = played(seed, plies=10 + seed).board()
    ours, mirrored = FIT.features_of(from_board(board, 9), 0, 0), FIT.features_of(from_board(board.mirror(), 9), 0, 0)
    assert sorted(map(tuple, ours[1].tolist())) == sorted(map(tuple, mirrored[1].tolist()))


@pytest.mark.parametrize("seed", range(10))
def test_every_legal_move_has_a_share_and_they_sum_to_one(seed: int) -> None:
    board = played(seed, plies=30).board()
    weights = replies_of("fitted", from_board(board, 30))
    assert len(weights) == board.legal_moves.count()
    assert weights.sum() == pytest.approx(1.0)
    assert weights.min() >= FLOOR / len(weights) * 0.999
    assert np.ptp(weights) > 0.01


def test_the_weights_say_where_they_come_from() -> None:
    content = json.loads(FILE.read_text(encoding="utf-8"))
    assert set(content["weights"]) == set(NAMES)
    assert content["made_by"].startswith("python benchmarks/fit_opponent.py")
    assert content["moves"] > 10_000
    assert len(TYPES) + 1 == len(PRIOR) == len(prior_of(opponent_types))
    assert sum(PRIOR) == pytest.approx(1.0)


@pytest.mark.parametrize("kind", range(len(PRIOR)))
def test_the_opponent_type_of_a_board_decides_its_weights(kind: int) -> None:
    board = played(3, plies=30).board()
    row = with_type_ids(from_board(board, 30), len(PRIOR))[kind]
    weights = replies_of("opponent_types", row)
    if kind == 0:  # nothing written: all moves alike
        assert (weights == 1.0).all()
        return
    _, found = FIT.features_of(row, 0, 0)
    scores = np.exp(found @ WEIGHTS.reshape(-1, len(NAMES))[kind - 1])
    assert weights == pytest.approx((1 - FLOOR) * scores / scores.sum() + FLOOR / len(weights))


def test_opponent_types_have_positive_shares() -> None:
    for prior in ((), (0.5, 0.0), (1.5, -0.5), (1.0,) * 33):
        with pytest.raises(ValueError, match="positive shares"):
            opponents(prior)
