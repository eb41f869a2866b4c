"""Entry kernels for tests: inner kernels on one position at a time."""

from typing import Any

import numpy as np
import numpy.typing as npt

from evaluators.protocol import Evaluator
from kriegbot.kernels import (
    MAX_MOVES,
    TABLES,
    KernelRules,
    MoveArray,
    Word,
    WordArray,
    announcement,
    entry,
    exchange,
    is_legal_try,
    legal_moves,
    load,
    make_move,
    mix64,
    moves_to,
    pointer,
    quiet_info,
    store,
)
from kriegbot.kernels import quiet_announcement as announcement_if_quiet
from kriegbot.models import load_opponent
from kriegbot.models.protocol import Announced, weights_of


@entry
def _legal(tables: WordArray, row: WordArray, moves: MoveArray) -> int:
    return legal_moves(pointer(tables), load(pointer(row), 0), pointer(moves))


@entry
def _is_legal_try(tables: WordArray, row: WordArray, move: int) -> bool:
    return is_legal_try(pointer(tables), load(pointer(row), 0), move)


@entry
def _moves_to(tables: WordArray, row: WordArray, wanted: Word, moves: MoveArray) -> int:
    return moves_to(pointer(tables), load(pointer(row), 0), wanted, pointer(moves))


@entry
def _quiet_announcement(tables: WordArray, row: WordArray, move: int, rules: KernelRules) -> int:
    position = load(pointer(row), 0)
    return announcement_if_quiet(quiet_info(pointer(tables), position, rules), position, move, rules)


@entry
def _exchange(tables: WordArray, row: WordArray, square: int) -> int:
    return exchange(pointer(tables), load(pointer(row), 0), square)


@entry
def _play(tables: WordArray, row: WordArray, move: int, rules: KernelRules, target: WordArray, moves: MoveArray) -> int:
    before = load(pointer(row), 0)
    after, captured = make_move(pointer(tables), before, move)
    store(pointer(target), 0, after)
    return announcement(pointer(tables), before, after, captured, rules, pointer(moves))


@entry
def _evaluate(tables: WordArray, row: WordArray, side: int, evaluator: Evaluator) -> int:
    return evaluator(pointer(tables), load(pointer(row), 0), side)


@entry
def _mixed(state: Word) -> Word:
    return mix64(state)


def splitmix(state: int) -> int:
    """Return the output of SplitMix64 for a state."""
    return int(_mixed(state))


def legal(row: WordArray) -> list[int]:
    """Return the legal moves of a position uint64[8]."""
    moves = np.empty(MAX_MOVES, np.int32)
    return [int(move) for move in moves[: _legal(TABLES, row, moves)]]


def legal_to(row: WordArray, wanted: int) -> list[int]:
    """Return the legal moves of a position to the squares of a bitboard."""
    moves = np.empty(MAX_MOVES, np.int32)
    count = _moves_to(TABLES, row, wanted, moves)
    return [int(move) for move in moves[:count]]


def legal_among(row: WordArray, tries: list[int]) -> list[int]:
    """Return the tries of a position that are legal, each tested by itself."""
    return [move for move in tries if _is_legal_try(TABLES, row, move)]


def quiet_announcement(row: WordArray, move: int, rules: KernelRules) -> int | None:
    """Return the announcement of a legal move that surely is quiet, else None."""
    code = _quiet_announcement(TABLES, row, move, rules)
    return code if code >= 0 else None


def play(row: WordArray, move: int, rules: KernelRules) -> tuple[WordArray, int]:
    """Return the position after a legal move, and its announcement."""
    target = np.empty(8, np.uint64)
    code = _play(TABLES, row, move, rules, target, np.empty(MAX_MOVES, np.int32))
    return target, code


def evaluate(evaluator: Any, row: WordArray, side: int) -> int:
    """Return the centipawns that an evaluator gives a position uint64[8], for side 0 (White) or 1."""
    return _evaluate(TABLES, row, side, evaluator)


def exchanged(row: WordArray, square: int) -> int:
    """Return `kernels.exchange` on a square."""
    return int(_exchange(TABLES, row, square))


def replies_of(name: str, row: WordArray) -> npt.NDArray[np.float64]:
    """Return the weights that an opponent model gives to the legal moves of a position, before any announcement."""
    (count,), _, (weights,) = weights_of(row.reshape(1, 8), Announced(0, 0), load_opponent(name))
    return np.asarray(weights[:count])
