"""The evaluator `sound`: what it adds to KS, on positions that show it."""

import chess
import pytest

from evaluators import load_evaluator
from kriegbot.kernels import from_board
from tests.kernel_entries import evaluate
from tests.random_games import played

SOUND, KS = load_evaluator("sound"), load_evaluator("ks")


def added(fen: str) -> int:
    """Return what `sound` adds to KS for White."""
    row = from_board(chess.Board(fen))
    return int(evaluate(SOUND, row, 0) - evaluate(KS, row, 0))


@pytest.mark.parametrize("seed", range(30))
def test_both_sides_are_valued_alike(seed: int) -> None:
    board = played(seed, plies=5 + 2 * seed).board()
    assert evaluate(SOUND, from_board(board), 0) == evaluate(SOUND, from_board(board.mirror()), 1)


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("4k3/8/8/8/3P4/8/8/R3K3 w - - 0 1", "4k3/8/8/3p4/3P4/8/8/R3K3 w - - 0 1"),
        ("r3k3/1p6/8/8/8/8/8/QQ2K3 w - - 0 1", "r3k3/1p6/2Q5/8/8/8/8/Q3K3 w - - 0 1"),
        ("7k/8/8/4K3/8/8/8/R7 w - - 0 1", "8/8/8/8/4k3/8/8/R5K1 w - - 0 1"),
        ("rnbqkbnr/8/8/8/8/5N2/8/RNBQKB1R w KQkq - 0 1", "rnbqkbnr/8/8/8/8/8/8/RNBQKBNR w KQkq - 0 1"),
        ("rnbqkbnr/8/8/8/8/8/8/RNBQ1RK1 w kq - 0 1", "rnbqkbnr/8/8/8/8/4K3/8/RNBQ1R2 w kq - 0 1"),
        ("rnbqkbnr/8/8/8/8/8/8/RNBQK2R w KQkq - 0 1", "rnbqkbnr/8/8/8/8/8/8/RNBQK2R w kq - 0 1"),
        (
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 1",
            "rnbqkbnr/pppppppp/8/8/8/4P3/PPPP1PPP/RNBQKBNR w KQkq - 0 1",
        ),
        ("1n5k/pp6/8/8/6Q1/8/8/R2QK3 w - - 0 1", "1n5k/pp6/8/8/2Q5/8/8/R2QK3 w - - 0 1"),
    ],
    ids=[
        "a passed pawn",
        "a queen en prise",
        "the king driven",
        "development",
        "the king at home",
        "a king that may castle",
        "a pawn in the centre",
        "a net around the king",
    ],
)
def test_what_it_adds_to_ks(better: str, worse: str) -> None:
    assert added(better) > added(worse)
