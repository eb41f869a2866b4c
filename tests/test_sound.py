"""The evaluator `sound`: what it adds to KS, on positions that show it."""

import random

import chess
import pytest

from evaluators import load_evaluator
from kriegbot.kernels import from_board
from tests.kernel_entries import evaluate
from tests.plain_evaluators import sound
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


def scattered(seed: int) -> chess.Board:
    """Return two kings and up to fifteen other men of White's, and as many of Black's, on squares drawn at random."""
    rng, board = random.Random(seed), chess.Board(None)
    squares = rng.sample(range(64), 64)
    for color in chess.COLORS:
        board.set_piece_at(squares.pop(), chess.Piece(chess.KING, color))
        for kind in rng.choices((*[chess.PAWN] * 2, *chess.PIECE_TYPES[:5]), k=rng.choice((0, 1, 2, 4, 8, 15))):
            square = squares.pop()
            if kind != chess.PAWN or 0 < chess.square_rank(square) < 7:
                board.set_piece_at(square, chess.Piece(kind, color))
    return board


@pytest.mark.parametrize("seed", range(10))
def test_it_equals_the_plain_evaluator(seed: int) -> None:
    boards = [scattered(100 * seed + number) for number in range(100)]
    boards += [played(seed + 10 * number, plies=8 * number).board() for number in range(8)]
    for board in boards:
        row = from_board(board)
        for side in (chess.WHITE, chess.BLACK):
            assert evaluate(SOUND, row, 0 if side else 1) == sound(board, side), (board.fen(), side)


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
