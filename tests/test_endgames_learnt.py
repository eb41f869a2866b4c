"""The network for bishop and knight, against numpy and python-chess, and its fit."""

import random
import subprocess
import sys
from pathlib import Path

import chess
import numpy as np
import pytest

from kriegbot.endgames import BareKing, Mating
from kriegbot.endgames.delayed_information import KNIGHTS, SCALE, delayed_tables_for
from kriegbot.endgames.king_squares import pieces_row
from kriegbot.endgames.leaf import HIDDEN, INPUTS, SIZE, load_network
from kriegbot.kernels import ShortArray
from tests.kernel_entries import learnt_cost_of

Men = dict[chess.Square, chess.PieceType]


def placed(rng: random.Random) -> tuple[Men, chess.Bitboard]:
    """Return king, bishop and knight, our king where the tables have it, and some squares of the other king."""
    while True:
        king, bishop, knight = rng.sample(chess.SQUARES, 3)
        if chess.square_rank(king) <= chess.square_file(king) <= 3:
            men = {king: chess.KING, bishop: chess.BISHOP, knight: chess.KNIGHT}
            where = list(chess.scan_forward(BareKing.anywhere(chess.WHITE, men).squares))
            return men, chess.SquareSet(rng.sample(where, rng.randint(1, len(where)))).mask


def plain_cost(men: Men, squares: chess.Bitboard) -> float:
    """Return the cost in the docstring of `leaf`, by python-chess and numpy."""
    board = chess.Board(None)
    for square, kind in men.items():
        board.set_piece_at(square, chess.Piece(kind, chess.WHITE))
    places = {kind: square for square, kind in men.items()}
    inputs = np.zeros(INPUTS)
    inputs[[places[chess.KING], 64 + places[chess.BISHOP], 128 + places[chess.KNIGHT]]] = 1
    inputs[[192 + square for square in chess.scan_forward(squares)]] = 1
    inputs[[256 + square for square in chess.SQUARES if board.is_attacked_by(chess.WHITE, square)]] = 1
    row = pieces_row(chess.WHITE, men)
    table = delayed_tables_for(row).current
    costs = [seen_cost(table, places, square) for square in chess.scan_forward(squares)]
    inputs[320:] = np.mean(costs) / 30, len(costs) / 20
    network = load_network()
    weights = network[: INPUTS * HIDDEN].reshape(INPUTS, HIDDEN)
    biases, outputs = network[INPUTS * HIDDEN : -1].reshape(2, HIDDEN)
    return max(1.0, 30 * float(np.maximum(inputs @ weights + biases, 0) @ outputs + network[-1]))


def seen_cost(table: ShortArray, places: dict[chess.PieceType, chess.Square], square: chess.Square) -> float:
    """Return the cost in the table of a king on a square."""
    file, rank = chess.square_file(places[chess.KING]), chess.square_rank(places[chess.KING])
    king = file * (file + 1) // 2 + rank
    place = KNIGHTS + 4096 * king + 64 * places[chess.BISHOP] + places[chess.KNIGHT]
    return float(table[64 * place + square]) / SCALE


def test_the_network_is_that_of_numpy() -> None:
    rng = random.Random(1)
    assert len(load_network()) == SIZE
    for _ in range(50):
        men, squares = placed(rng)
        assert learnt_cost_of(men, squares) == pytest.approx(plain_cost(men, squares))


def test_a_board_turned_or_mirrored_costs_the_same() -> None:
    rng = random.Random(2)
    for _ in range(20):
        men, squares = placed(rng)
        costs = [learnt_cost_of(men, squares)]
        for turn in (chess.flip_vertical, chess.flip_horizontal, chess.flip_diagonal):
            where = {chess.lsb(turn(chess.BB_SQUARES[square])): kind for square, kind in men.items()}
            costs.append(learnt_cost_of(where, turn(squares)))
        king = next(square for square, kind in men.items() if kind == chess.KING)
        if chess.square_rank(king) != chess.square_file(king):  # on the diagonal two views are as good
            assert costs == pytest.approx([costs[0]] * 4)


@pytest.mark.parametrize("ours", ["Ka1 Rd4", "Ka1 Be3 Be4"])
def test_other_pieces_need_no_network(ours: str) -> None:
    men = {chess.parse_square(one[1:]): chess.Piece.from_symbol(one[0]).piece_type for one in ours.split()}
    king = BareKing.anywhere(chess.WHITE, men)
    with_it, without = Mating(1).best_try(king, nodes=5000), Mating(1, np.zeros(0)).best_try(king, nodes=5000)
    assert with_it == without


def test_a_network_of_another_size_is_refused() -> None:
    with pytest.raises(ValueError, match=f"a network of 7 numbers: it takes {SIZE}"):
        Mating(1, np.zeros(7))


@pytest.mark.slow
def test_rounds_are_played_fitted_and_resumed(tmp_path: Path) -> None:
    out = tmp_path / "network.npz"
    command = [sys.executable, "benchmarks/fit_mating.py", "--first", "3", "--games", "2"]
    command += ["--folder", str(tmp_path / "rounds"), "--out", str(out)]
    printed = subprocess.run([*command, "--rounds", "2"], check=True, stdout=subprocess.PIPE, text=True).stdout
    assert "round 1: " in printed
    with np.load(out) as found:
        assert found["weights"].shape == (SIZE,)
    again = subprocess.run([*command, "--rounds", "3"], check=True, capture_output=True, text=True)
    assert printed.splitlines()[0] in again.stdout
    assert "round 1" not in again.stderr  # it is not played again
    assert "round 2: " in again.stdout
