"""The opponent models written plainly on python-chess, to hold their kernels against."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

import chess

from referee import Announcement
from referee.announcement import capture_square

Replies: TypeAlias = Callable[
    [chess.Board, Sequence[chess.Move], Announcement | None, Announcement | None], list[float]
]
"""An opponent model in plain Python, for exact beliefs and trees: (board, legal moves, ours, theirs) -> weights.

`ours` is what was announced of the move before, `theirs` of the opponent's own before that; None where there was none.
The weights, all above 0, need not sum to 1."""


def equally_likely(
    board: chess.Board,  # noqa: ARG001 - a Replies
    moves: Sequence[chess.Move],
    ours: Announcement | None,  # noqa: ARG001
    theirs: Announcement | None,  # noqa: ARG001
) -> list[float]:
    """Return the paper's opponent, as `Replies`."""
    return [1.0] * len(moves)


def recapturing(
    board: chess.Board,
    moves: Sequence[chess.Move],
    ours: Announcement | None,
    theirs: Announcement | None,  # noqa: ARG001 - a Replies
) -> list[float]:
    """Count a capture twice, a recapture on the square of our last capture ten times, en passant once."""
    weights = []
    for move in moves:
        weight = 1.0
        if capture_square(board, move) == move.to_square:
            weight = 10.0 if ours is not None and ours.capture == move.to_square else 2.0
        weights.append(weight)
    return weights
