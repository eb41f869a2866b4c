"""Counts sequences of legal moves, the usual test and measure of move generators."""

import numpy as np

from kriegbot import kernels as kb


@kb.kernel
def _count(tables: kb.Words, position: kb.Position, depth: int, moves: kb.Moves) -> int:
    number_of_moves = kb.legal_moves(tables, position, moves)
    total = 0
    for i in range(number_of_moves):
        after, _ = kb.make_move(tables, position, moves[i])
        if depth == 1:  # made as well, so that the timing covers making moves, not only listing them
            total += after.kings != kb.NONE
        else:
            total += _count(tables, after, depth - 1, kb.advance(moves, kb.MAX_MOVES))
    return total


@kb.entry
def _perft(tables: kb.WordArray, row: kb.WordArray, depth: int, moves: kb.MoveArray) -> int:
    return _count(kb.pointer(tables), kb.load(kb.pointer(row), 0), depth, kb.pointer(moves))


def perft(row: kb.WordArray, depth: int) -> int:
    """Count the sequences of `depth` >= 1 legal moves from a position uint64[8]."""
    return _perft(kb.TABLES, row, depth, np.zeros(kb.MAX_MOVES * depth, np.int32))
