"""The evaluators `sound` and `active`: what they add to KS and to each other, on positions that show it."""

import chess
import pytest

from evaluators import load_evaluator
from evaluators.active import CHECK, KNIGHT
from kriegbot.kernels import from_board
from tests.kernel_entries import evaluate, reached_by
from tests.random_games import played

ACTIVE, SOUND, KS = (load_evaluator(name) for name in ("active", "sound", "ks"))


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


@pytest.mark.parametrize(
    ("fen", "added"),
    [
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", 0),
        ("k7/8/8/8/8/8/8/N3K3 w - - 0 1", 2 * KNIGHT),
        ("k7/8/8/p7/8/1N6/8/4K3 w - - 0 1", 6 * KNIGHT),
        ("7k/8/8/8/p7/8/8/N3K3 w - - 0 1", KNIGHT),
        ("8/8/8/3k4/8/8/8/1N2K3 w - - 0 1", 3 * KNIGHT + CHECK),
        ("8/8/8/3k4/1p6/8/8/1N2K3 w - - 0 1", KNIGHT),
    ],
    ids=["kings", "two squares", "six", "a pawn's are not counted", "a check from c3", "which a pawn guards"],
)
def test_active_counts_mobility_and_safe_checks(fen: str, added: int) -> None:
    row = from_board(chess.Board(fen))
    assert evaluate(ACTIVE, row, 0) - evaluate(SOUND, row, 0) == added
    assert evaluate(ACTIVE, row, 1) - evaluate(SOUND, row, 1) == -added


def test_a_check_beside_the_king_counts_if_it_is_protected() -> None:
    added = []
    for fen in ("6k1/8/8/8/8/8/8/5Q1K w - - 0 1", "3N2k1/8/8/8/8/8/8/5Q1K w - - 0 1"):
        row = from_board(chess.Board(fen))
        added.append(evaluate(ACTIVE, row, 0) - evaluate(SOUND, row, 0))
    assert added[1] - added[0] == 4 * KNIGHT + CHECK


@pytest.mark.parametrize("seed", range(20))
def test_what_a_side_reaches_is_what_its_men_attack(seed: int) -> None:
    board = played(seed, plies=10 + 3 * seed).board()
    for side, color in enumerate((chess.WHITE, chess.BLACK)):
        men = board.occupied_co[color]
        by = {square: int(board.attackers_mask(color, square)) for square in chess.SQUARES}
        officers = (board.knights, board.bishops, board.rooks, board.queens)
        wanted = (*(men & kind for kind in (chess.BB_ALL, ~board.kings)), 0, *(men & kind for kind in officers))
        expected = [sum(1 << square for square in by if by[square] & kind) for kind in wanted]
        expected[2] = sum(1 << square for square in by if by[square].bit_count() > 1)
        assert reached_by(from_board(board), side) == expected
