"""The chess search of HS against plain negamax with quiescence, on python-chess."""

import random
from collections.abc import Hashable

import chess
import numpy as np
import pytest

from evaluators import load_evaluator
from kriegbot.kernels import encode_move, from_board, kernel_rules, tries_of
from kriegbot.search.perfect_information import value_boards
from referee import NO_LIMITS, WILD16
from tests.effort import many
from tests.plain_evaluators import ks
from tests.random_games import played
from tests.test_kernels import sparse_board

TERMS = kernel_rules(WILD16, NO_LIMITS)
NEVER = np.zeros(1, np.int64)
MOST_LEAVES = many(10**9, 1_000)
"""Boards that have more, without cuts a hundred times as many, are left to a thorough run."""
MATE, QUIESCENCE = 10_000, 4


def is_tactical(board: chess.Board, move: chess.Move) -> bool:
    """Return True if quiescence looks at a move: captures, and promotions to a queen."""
    if move.promotion:
        return move.promotion == chess.QUEEN
    return board.is_capture(move)


def value(board: chess.Board, side: chess.Color, depth: int, ply: int, known: dict[Hashable, float]) -> float:
    """Negamax value for the side to move, without any cut; `known` holds the values of positions seen before."""
    key = board._transposition_key(), depth
    if key not in known:
        known[key] = plain_negamax(board, side, depth, ply, known)
    return known[key]


def plain_negamax(board: chess.Board, side: chess.Color, depth: int, ply: int, known: dict[Hashable, float]) -> float:
    if board.is_checkmate():
        return ply - MATE
    if board.is_stalemate() or board.is_insufficient_material():
        return 0
    sign = 1 if board.turn == side else -1
    moves, values = list(board.legal_moves), []
    if depth == -QUIESCENCE or (depth <= 0 and not board.is_check()):
        values.append(sign * ks(board, side))
        moves = [move for move in moves if depth > -QUIESCENCE and is_tactical(board, move)]
    for move in moves:
        board.push(move)
        values.append(-value(board, side, depth - 1, ply + 1, known))
        board.pop()
    return max(values)


@pytest.mark.parametrize(
    ("depth", "count"), [(1, 12), *(pytest.param(depth, many(60, 40), marks=pytest.mark.slow) for depth in (1, 2))]
)
def test_values_equal_plain_negamax(depth: int, count: int) -> None:
    rng = random.Random(depth)
    boards = [sparse_board(rng) for _ in range(count)]
    boards += [played(seed, plies=20 + seed).board() for seed in range(6)] if depth == 1 and count > 12 else []
    checked = 0
    for board in boards:
        if not any(board.legal_moves):
            continue
        row = from_board(board)
        tries = tries_of(row)
        values, leaves = value_boards(row.reshape(1, 8), tries, depth, load_evaluator("ks"), TERMS, NEVER)
        assert leaves > 0
        if leaves > MOST_LEAVES:
            continue
        found = dict(zip(tries.tolist(), values[0].tolist(), strict=True))
        side, known = board.turn, dict[Hashable, float]()
        expected = dict.fromkeys(tries.tolist(), ks(board, side))
        for move in list(board.legal_moves):
            board.push(move)
            expected[encode_move(move)] = -value(board, side, depth - 1, 1, known)
            board.pop()
        assert found == expected
        checked += 1
    assert checked >= 0.8 * count


@pytest.mark.parametrize(
    ("pieces", "move", "value"),
    [
        ("3k4/8/8/3p4/8/8/8/3RK3", "d1d5", 500),  # nothing protects the pawn
        ("3k4/8/2p5/3p4/8/8/8/3RK3", "d1d5", -100),  # the rook for one of two pawns
        ("3k4/8/2p5/3p4/2P5/8/8/3RK3", "d1d5", 100),  # the rook for both
        ("3k4/8/2p5/3p4/2P5/8/8/3RK3", "c4d5", 500),
        ("k2r4/3r4/3r4/3p4/8/3R4/3R4/K2R4", "d3d5", 0),  # after four more captures there is another, unseen
    ],
)
def test_an_exchange_is_played_out_for_four_plies(pieces: str, move: str, value: int) -> None:
    row = from_board(chess.Board(f"{pieces} w - - 0 1"))
    tries = tries_of(row)
    values, _ = value_boards(row.reshape(1, 8), tries, 1, load_evaluator("material"), TERMS, NEVER)
    assert values[0][tries.tolist().index(encode_move(chess.Move.from_uci(move)))] == value


def test_the_sooner_mate_is_worth_more() -> None:
    board = chess.Board("7k/8/5K2/8/8/8/8/R7 w - - 0 1")
    values = {}
    for depth in (1, 3):
        row = from_board(board)
        tries = tries_of(row)
        found, _ = value_boards(row.reshape(1, 8), tries, depth, load_evaluator("ks"), TERMS, NEVER)
        values[depth] = int(found.max())
    assert values[1] < MATE - 3 == values[3]  # 1. Kf7 Kh7 2. Rh1 mate
    board = chess.Board("7k/8/6K1/8/8/8/8/R7 w - - 0 1")
    found, _ = value_boards(
        from_board(board).reshape(1, 8), tries_of(from_board(board)), 3, load_evaluator("ks"), TERMS, NEVER
    )
    assert int(found.max()) == MATE - 1


def test_boards_with_other_tries_are_refused() -> None:
    row = from_board(chess.Board())
    with pytest.raises(ValueError, match="other tries"):
        value_boards(row.reshape(1, 8), tries_of(row)[1:], 1, load_evaluator("ks"), TERMS, NEVER)
    with pytest.raises(ValueError, match="at least 1"):
        value_boards(row.reshape(1, 8), tries_of(row), 0, load_evaluator("ks"), TERMS, NEVER)
