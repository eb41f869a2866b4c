"""Kernels made callable from Python one position at a time, for the tests alone."""

from typing import Any

import numpy as np
from numba import types

from evaluators.protocol import EVALUATOR_TYPE
from kriegbot.kernels.hearing import TERMS, Terms, announcement
from kriegbot.kernels.jit import INT, MOVE_ARRAY, WORD, WORD_ARRAY, entry, pointer
from kriegbot.kernels.magics import Words
from kriegbot.kernels.moves import MOST_MOVES, is_legal_try, legal_moves, make_move, moves_to
from kriegbot.kernels.position import load, store
from kriegbot.kernels.random import mixed
from kriegbot.kernels.silence import capture_said, is_silent, silence_of
from kriegbot.kernels.tables import TABLES


@entry(INT(WORD_ARRAY, WORD_ARRAY, MOVE_ARRAY))
def _legal(tables: Any, row: Any, moves: Any) -> int:
    return legal_moves(pointer(tables), load(pointer(row), 0), pointer(moves))


@entry(types.boolean(WORD_ARRAY, WORD_ARRAY, INT))
def _is_legal_try(tables: Any, row: Any, move: int) -> bool:
    return is_legal_try(pointer(tables), load(pointer(row), 0), move)


@entry(INT(WORD_ARRAY, WORD_ARRAY, WORD, MOVE_ARRAY))
def _moves_to(tables: Any, row: Any, wanted: int, moves: Any) -> int:
    return moves_to(pointer(tables), load(pointer(row), 0), wanted, pointer(moves))


@entry(types.boolean(WORD_ARRAY, WORD_ARRAY, INT, TERMS))
def _is_silent(tables: Any, row: Any, move: int, terms: Terms) -> bool:
    position = load(pointer(row), 0)
    return is_silent(silence_of(pointer(tables), position, terms), position, move)


@entry(INT(WORD_ARRAY, INT, TERMS))
def _capture_said(row: Any, move: int, terms: Terms) -> int:
    return capture_said(load(pointer(row), 0), move, terms)


@entry(INT(WORD_ARRAY, WORD_ARRAY, INT, TERMS, WORD_ARRAY, MOVE_ARRAY))
def _play(tables: Any, row: Any, move: int, terms: Terms, target: Any, moves: Any) -> int:
    before = load(pointer(row), 0)
    after, captured = make_move(pointer(tables), before, move)
    store(pointer(target), 0, after)
    return announcement(pointer(tables), before, after, captured, terms, pointer(moves))


@entry(INT(WORD_ARRAY, WORD_ARRAY, INT, EVALUATOR_TYPE))
def _evaluate(tables: Any, row: Any, side: int, evaluator: Any) -> int:
    return evaluator(pointer(tables), load(pointer(row), 0), side)  # type: ignore[no-any-return]  # a kernel's int


@entry(WORD(WORD))
def _mixed(state: int) -> int:
    return mixed(state)


def splitmix(state: int) -> int:
    """Output of SplitMix64 in a state."""
    return int(_mixed(np.uint64(state)))  # type: ignore[arg-type]  # uint64 is what the kernel takes


def legal(row: Words) -> list[int]:
    """Legal moves of a position uint64[8]."""
    moves = np.empty(MOST_MOVES, np.int32)
    return [int(move) for move in moves[: _legal(TABLES, row, moves)]]


def legal_to(row: Words, wanted: int) -> list[int]:
    """Legal moves of a position to the squares of a bitboard."""
    moves = np.empty(MOST_MOVES, np.int32)
    count = _moves_to(TABLES, row, np.uint64(wanted), moves)  # type: ignore[arg-type]  # uint64 is what the kernel takes
    return [int(move) for move in moves[:count]]


def legal_among(row: Words, tries: list[int]) -> list[int]:
    """Those of the tries of a position that are legal, each looked at by itself."""
    return [move for move in tries if _is_legal_try(TABLES, row, move)]


def silent_said(row: Words, move: int, terms: Terms) -> int | None:
    """What is said of a legal move if it is surely silent, pawn tries aside; else None."""
    return _capture_said(row, move, terms) if _is_silent(TABLES, row, move, terms) else None


def play(row: Words, move: int, terms: Terms) -> tuple[Words, int]:
    """Position after a legal move, and what is said of it."""
    target = np.empty(8, np.uint64)
    said = _play(TABLES, row, move, terms, target, np.empty(MOST_MOVES, np.int32))
    return target, said


def evaluate(evaluator: Any, row: Words, side: int) -> int:
    """Centipawns that an evaluator gives a position uint64[8], for side 0 (White) or 1."""
    return _evaluate(TABLES, row, side, evaluator)
