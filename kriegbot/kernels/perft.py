"""Perft: the number of legal move sequences of a length, the standard test of a move generator."""

import numpy as np

from kriegbot.kernels.jit import INT, MOVE_ARRAY, MOVES, WORD_ARRAY, WORDS, advance, entry, kernel, pointer
from kriegbot.kernels.magics import Words
from kriegbot.kernels.moves import MOST_MOVES, legal_moves, make_move
from kriegbot.kernels.position import NONE, POSITION, Position, load
from kriegbot.kernels.tables import TABLES


@kernel(INT(WORDS, POSITION, INT, MOVES))
def _count(tables: Words, position: Position, depth: int, moves: list[int]) -> int:
    number_of_moves = legal_moves(tables, position, moves)
    total = 0
    for i in range(number_of_moves):
        after, _ = make_move(tables, position, moves[i])
        if depth == 1:  # made all the same, so that the count times making moves, not only listing them
            total += after.kings != NONE
        else:
            total += _count(tables, after, depth - 1, advance(moves, MOST_MOVES))
    return total


@entry(INT(WORD_ARRAY, WORD_ARRAY, INT, MOVE_ARRAY))
def _perft(tables: Words, row: Words, depth: int, moves: list[int]) -> int:
    return _count(pointer(tables), load(pointer(row), 0), depth, pointer(moves))


def perft(row: Words, depth: int) -> int:
    """Count the sequences of `depth` >= 1 legal moves from a position uint64[8]."""
    if depth < 1:
        raise ValueError(f"perft depth {depth}: it must be at least 1")
    return _perft(TABLES, row, depth, np.zeros(MOST_MOVES * depth, np.int32))  # type: ignore[arg-type]
