"""The networks of endings, against numpy and python-chess, and the fit."""

import random
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import chess
import numpy as np
import pytest

from kriegbot.endgames import BareKing
from kriegbot.endgames.delayed_information import BISHOPS, KNIGHTS, ROOKS, SCALE, delayed_tables_for
from kriegbot.endgames.king_squares import pieces_row
from kriegbot.endgames.leaf import HIDDEN, INPUTS, SIZE, Network, load_networks
from kriegbot.kernels import ShortArray
from tests.kernel_entries import correction_of

MATING = import_module("benchmarks.mating")  # by name: mypy reads scripts as modules of their own
ENDINGS: dict[str, str] = MATING.ENDINGS
PLACED = {"KRK": ROOKS, "KBBK": BISHOPS, "KBNK": KNIGHTS}
Men = dict[chess.Square, chess.PieceType]


def placed(ending: str, rng: random.Random) -> tuple[Men, chess.Bitboard]:
    """Return our pieces, our king where the tables have it, and some squares of the other king."""
    kinds = [chess.Piece.from_symbol(one).piece_type for one in ENDINGS[ending]]
    while True:
        king, *others = rng.sample(chess.SQUARES, len(kinds) + 1)
        bishops = [(square ^ square >> 3) & 1 for square in others]
        if chess.square_rank(king) <= chess.square_file(king) <= 3 and (ending != "KBBK" or sum(bishops) == 1):
            men = {king: chess.KING, **dict(zip(others, kinds, strict=True))}
            where = list(chess.scan_forward(BareKing.anywhere(chess.WHITE, men).squares))
            return men, chess.SquareSet(rng.sample(where, rng.randint(1, len(where)))).mask


def plain_correction(ending: str, men: Men, squares: chess.Bitboard) -> float:
    """Return the correction in the docstring of `leaf`, by python-chess and numpy."""
    board = chess.Board(None)
    for square, kind in men.items():
        board.set_piece_at(square, chess.Piece(kind, chess.WHITE))
    king = board.king(chess.WHITE) or 0
    inputs = np.zeros(INPUTS)
    inputs[king] = 1
    inputs[[64 + square for square, kind in men.items() if kind in (chess.BISHOP, chess.ROOK)]] = 1
    inputs[[128 + square for square, kind in men.items() if kind == chess.KNIGHT]] = 1
    inputs[[192 + 64 * king_number(king) + square for square in chess.scan_forward(squares)]] = 1
    inputs[[832 + square for square in chess.SQUARES if board.is_attacked_by(chess.WHITE, square)]] = 1
    table = delayed_tables_for(pieces_row(chess.WHITE, men)).current
    costs = [seen_cost(table, ending, men, square) for square in chess.scan_forward(squares)]
    inputs[896:] = np.mean(costs) / 30, len(costs) / 20
    network = load_networks()[ending]
    weights = network[: INPUTS * HIDDEN].reshape(INPUTS, HIDDEN)
    biases, outputs = network[INPUTS * HIDDEN : -1].reshape(2, HIDDEN)
    return 30 * float(np.maximum(inputs @ weights + biases, 0) @ outputs + network[-1])


def king_number(square: chess.Square) -> int:
    """Return the number of one of the ten squares of our king."""
    file, rank = chess.square_file(square), chess.square_rank(square)
    return file * (file + 1) // 2 + rank


def seen_cost(table: ShortArray, ending: str, men: Men, square: chess.Square) -> float:
    """Return the cost in the table of a king on a square."""
    king, *others = sorted(men, key=lambda square: men[square] != chess.KING)
    if ending == "KRK":
        place = ROOKS + 64 * king_number(king) + others[0]
    else:
        first, second = sorted(others) if ending == "KBBK" else sorted(others, key=lambda s: men[s] != chess.BISHOP)
        place = PLACED[ending] + 4096 * king_number(king) + 64 * first + second
    return float(table[64 * place + square]) / SCALE


@pytest.mark.parametrize("ending", PLACED)
def test_the_network_is_that_of_numpy(ending: str) -> None:
    rng = random.Random(1)
    assert len(load_networks()[ending]) == SIZE
    for _ in range(30):
        men, squares = placed(ending, rng)
        assert correction_of(men, squares) == pytest.approx(plain_correction(ending, men, squares))


@pytest.mark.parametrize("ending", PLACED)
def test_a_board_turned_or_mirrored_costs_the_same(ending: str) -> None:
    rng = random.Random(2)
    for _ in range(20):
        men, squares = placed(ending, rng)
        costs = [correction_of(men, squares)]
        for turn in (chess.flip_vertical, chess.flip_horizontal, chess.flip_diagonal):
            where = {chess.lsb(turn(chess.BB_SQUARES[square])): kind for square, kind in men.items()}
            costs.append(correction_of(where, turn(squares)))
        king = next(square for square, kind in men.items() if kind == chess.KING)
        if chess.square_rank(king) != chess.square_file(king):  # on the diagonal two views are as good
            assert costs == pytest.approx([costs[0]] * 4)


def test_a_network_of_another_size_is_refused() -> None:
    with pytest.raises(ValueError, match=f"a network of 7 numbers: it takes {SIZE}"):
        Network.of(np.zeros(7))


@pytest.mark.slow
def test_networks_are_fitted_and_written_beside_others(tmp_path: Path) -> None:
    out = tmp_path / "networks.npz"
    np.savez_compressed(out, KBNK=np.zeros(SIZE, np.float16))
    command = [sys.executable, "benchmarks/fit_mating.py", "KRK", "--games", "500", "--out", str(out)]
    printed = subprocess.run(command, check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout
    assert "KRK 500 games" in printed
    with np.load(out) as found:
        assert {name: found[name].shape for name in found.files} == {"KBNK": (SIZE,), "KRK": (SIZE,)}
