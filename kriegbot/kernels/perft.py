"""Perft: the number of legal move sequences of a length, the standard test of a move generator."""

import numpy as np

from kriegbot.kernels.jit import advance, entry, kernel, pointer
from kriegbot.kernels.moves import MAX_MOVES, legal_moves, make_move
from kriegbot.kernels.position import NONE, Position, load
from kriegbot.kernels.tables import TABLES
from kriegbot.kernels.types import MoveArray, Moves, WordArray, Words


@kernel
def _count(tables: Words, position: Position, depth: int, moves: Moves) -> int:
    number_of_moves = legal_moves(tables, position, moves)
    total = 0
    for i in range(number_of_moves):
        after, _ = make_move(tables, position, moves[i])
        if depth == 1:  # made as well, so that the timing covers making moves, not only listing them
            total += after.kings != NONE
        else:
            total += _count(tables, after, depth - 1, advance(moves, MAX_MOVES))
    return total


@entry
def _perft(tables: WordArray, row: WordArray, depth: int, moves: MoveArray) -> int:
    return _count(pointer(tables), load(pointer(row), 0), depth, pointer(moves))


def perft(row: WordArray, depth: int) -> int:
    """Count the sequences of `depth` >= 1 legal moves from a position uint64[8]."""
    if depth < 1:
        raise ValueError(f"perft depth {depth}: it must be at least 1")
    return _perft(TABLES, row, depth, np.zeros(MAX_MOVES * depth, np.int32))
