"""Kernels made callable from Python one position at a time, for the tests alone."""

from typing import Any

import numpy as np
import numpy.typing as npt

from evaluators.protocol import Evaluator
from kriegbot.endgames.delayed_information import delayed_tables_for
from kriegbot.endgames.king_sets import men_at
from kriegbot.endgames.king_squares import men_row
from kriegbot.endgames.leaf import Network, learnt_cost, load_network
from kriegbot.kernels import (
    MAX_MOVES,
    TABLES,
    KernelRules,
    MoveArray,
    RealArray,
    ShortArray,
    Word,
    WordArray,
    announcement,
    entry,
    exchange,
    is_legal_try,
    legal_moves,
    load,
    make_move,
    mixed,
    moves_to,
    pointer,
    pointers,
    quiet_info,
    reach,
    store,
)
from kriegbot.kernels import quiet_announcement as said_of_silent
from kriegbot.models import load_opponent
from kriegbot.models.protocol import Announced, Opponent
from referee.pieces import Men


@entry
def _legal(tables: WordArray, row: WordArray, moves: MoveArray) -> int:
    return legal_moves(pointer(tables), load(pointer(row), 0), pointer(moves))


@entry
def _reach(tables: WordArray, row: WordArray, side: int, found: WordArray) -> None:
    reached = reach(pointer(tables), load(pointer(row), 0), side)
    found[0], found[1], found[2] = reached.every, reached.but_king, reached.twice
    found[3], found[4], found[5], found[6] = reached.knights, reached.bishops, reached.rooks, reached.queens


def reached_by(row: WordArray, side: int) -> list[int]:
    """The fields of what a side reaches."""
    found = np.empty(7, np.uint64)
    _reach(TABLES, row, side, found)
    return [int(one) for one in found]


@entry
def _is_legal_try(tables: WordArray, row: WordArray, move: int) -> bool:
    return is_legal_try(pointer(tables), load(pointer(row), 0), move)


@entry
def _moves_to(tables: WordArray, row: WordArray, wanted: Word, moves: MoveArray) -> int:
    return moves_to(pointer(tables), load(pointer(row), 0), wanted, pointer(moves))


@entry
def _silent_said(tables: WordArray, row: WordArray, move: int, terms: KernelRules) -> int:
    position = load(pointer(row), 0)
    return said_of_silent(quiet_info(pointer(tables), position, terms), position, move, terms)


@entry
def _learnt(tables: WordArray, network: Network, now: ShortArray, row: WordArray, squares: Word) -> float:
    return learnt_cost(pointer(tables), pointers(network), pointer(now), men_at(pointer(row), 0), squares)


@entry
def _weights(tables: WordArray, row: WordArray, opponent: Opponent, moves: MoveArray, weights: RealArray) -> int:
    position = load(pointer(row), 0)
    count = legal_moves(pointer(tables), position, pointer(moves))
    opponent(pointer(tables), position, Announced(0, 0), pointer(moves), count, pointer(weights))
    return count


@entry
def _exchange(tables: WordArray, row: WordArray, square: int) -> int:
    return exchange(pointer(tables), load(pointer(row), 0), square)


@entry
def _play(tables: WordArray, row: WordArray, move: int, terms: KernelRules, target: WordArray, moves: MoveArray) -> int:
    before = load(pointer(row), 0)
    after, captured = make_move(pointer(tables), before, move)
    store(pointer(target), 0, after)
    return announcement(pointer(tables), before, after, captured, terms, pointer(moves))


@entry
def _evaluate(tables: WordArray, row: WordArray, side: int, evaluator: Evaluator) -> int:
    return evaluator(pointer(tables), load(pointer(row), 0), side)


@entry
def _mixed(state: Word) -> Word:
    return mixed(state)


def splitmix(state: int) -> int:
    """Output of SplitMix64 in a state."""
    return int(_mixed(state))


def legal(row: WordArray) -> list[int]:
    """Legal moves of a position uint64[8]."""
    moves = np.empty(MAX_MOVES, np.int32)
    return [int(move) for move in moves[: _legal(TABLES, row, moves)]]


def legal_to(row: WordArray, wanted: int) -> list[int]:
    """Legal moves of a position to the squares of a bitboard."""
    moves = np.empty(MAX_MOVES, np.int32)
    count = _moves_to(TABLES, row, wanted, moves)
    return [int(move) for move in moves[:count]]


def legal_among(row: WordArray, tries: list[int]) -> list[int]:
    """Those of the tries of a position that are legal, each looked at by itself."""
    return [move for move in tries if _is_legal_try(TABLES, row, move)]


def quiet_announcement(row: WordArray, move: int, terms: KernelRules) -> int | None:
    """What is said of a legal move, if that can be seen without making it; else None."""
    said = _silent_said(TABLES, row, move, terms)
    return said if said >= 0 else None


def play(row: WordArray, move: int, terms: KernelRules) -> tuple[WordArray, int]:
    """Position after a legal move, and what is said of it."""
    target = np.empty(8, np.uint64)
    said = _play(TABLES, row, move, terms, target, np.empty(MAX_MOVES, np.int32))
    return target, said


def evaluate(evaluator: Any, row: WordArray, side: int) -> int:
    """Centipawns that an evaluator gives a position uint64[8], for side 0 (White) or 1."""
    return _evaluate(TABLES, row, side, evaluator)


def exchanged(row: WordArray, square: int) -> int:
    """What `kernels.exchange` finds on a square."""
    return int(_exchange(TABLES, row, square))


def replies_of(name: str, row: WordArray) -> npt.NDArray[np.float64]:
    """The weights that an opponent model gives to the legal moves of a position, nothing having been heard."""
    weights = np.ones(MAX_MOVES)
    return weights[: _weights(TABLES, row, load_opponent(name), np.empty(MAX_MOVES, np.int32), weights)]


def learnt_cost_of(men: Men, squares: int) -> float:
    """What the network says of our men, as White, and squares of a bare king."""
    row = men_row(True, men)
    return float(_learnt(TABLES, Network.of(load_network()), delayed_tables_for(row).now, row, squares))
