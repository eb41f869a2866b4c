"""Knowledge of a mover in opponent models: known answers; the squares of enemy pieces make no difference."""

import random
from importlib import import_module
from typing import Any

import chess
import numpy as np
import pytest

from kriegbot.kernels import decode_move, from_board, with_type_ids
from kriegbot.models import knowledge
from kriegbot.models.knowledge import FACTS, MOST_FACTS, ORIGINS, TARGETS
from tests.random_games import played

FIT: Any = import_module("benchmarks.fit_opponent")  # by name: mypy reads scripts as modules of their own

CHECK_ON_FILE = 2 << 8
THREE_TRIES = 4 << 13


def facts(board: chess.Board, ply: int = 0, ours: int = 0, theirs: int = 0) -> list[int]:
    """Return the facts of a position, ascending, less the opponent type."""
    found, _ = FIT.knowledge_of(from_board(board, ply), ours, theirs, np.empty(0, np.int32))
    assert found[-1] == knowledge.TYPES
    assert len(found) <= MOST_FACTS
    return sorted(found[:-1].tolist())


def test_the_facts_of_a_position() -> None:
    board = chess.Board("r3k3/8/8/8/8/8/3P4/4K2R b q - 0 1")
    ours, theirs = chess.D2 + 1 | CHECK_ON_FILE | THREE_TRIES, chess.A8 + 1
    rook, king = 64 * 3 + chess.A1, 64 * 5 + chess.E1  # as Black sees them
    assert facts(board, 70, ours, theirs) == [
        rook,
        king,
        knowledge.OUR_CAPTURE + chess.D7,
        knowledge.THEIR_CAPTURE + chess.A1,
        knowledge.CHECKED + 1,
        knowledge.TRIES + 3,
        knowledge.ENEMIES + 2,
        knowledge.CASTLING + 1,
        knowledge.PLIES + 16,
    ]


@pytest.mark.parametrize(("ply", "place"), [(0, 0), (3, 0), (4, 1), (63, 15), (64, 16), (95, 16), (96, 17), (900, 19)])
def test_plies_are_counted_in_fours_and_then_in_32s(ply: int, place: int) -> None:
    assert knowledge.PLIES + place in facts(chess.Board(), ply)


@pytest.mark.parametrize("seed", range(10))
def test_the_squares_of_enemy_pieces_make_no_difference(seed: int) -> None:
    board = played(seed, plies=20 + seed).board()
    other, rng = not board.turn, random.Random(seed)
    known = facts(board, 30, chess.E4 + 1)
    men = [board.remove_piece_at(square) for square in chess.SquareSet(board.occupied_co[other])]
    for square, man in zip(rng.sample(sorted(set(chess.SQUARES) - set(board.piece_map())), len(men)), men, strict=True):
        board.set_piece_at(square, man)
    assert facts(board, 30, chess.E4 + 1) == known


@pytest.mark.parametrize("seed", range(10))
def test_knowledge_is_the_same_from_both_sides(seed: int) -> None:
    board = played(seed, plies=10 + seed).board()
    assert facts(board, 9, chess.C3 + 1, chess.F7 + 1) == facts(board.mirror(), 9, chess.C6 + 1, chess.F2 + 1)


@pytest.mark.parametrize("seed", range(4))
def test_a_move_has_the_vectors_of_its_piece_on_origin_and_target(seed: int) -> None:
    board = played(seed, plies=30 + seed).board()
    row, mirror = from_board(board, 30), 0 if board.turn == chess.WHITE else 56
    moves, _ = FIT.features_of(row, 0, 0)
    _, vectors = FIT.knowledge_of(row, 0, 0, moves)
    for code, (origin, target) in zip(moves, vectors, strict=True):
        move = decode_move(int(code))
        kind = 64 * ((board.piece_type_at(move.from_square) or 0) - 1)
        assert (origin, target) == (
            ORIGINS + kind + (move.from_square ^ mirror),
            TARGETS + kind + (move.to_square ^ mirror),
        )


def test_the_opponent_type_is_the_last_fact() -> None:
    rows = with_type_ids(from_board(chess.Board()), 3)
    for opponent_type, row in enumerate(rows):
        found, _ = FIT.knowledge_of(row, 0, 0, np.empty(0, np.int32))
        assert found[-1] == knowledge.TYPES + opponent_type < FACTS
