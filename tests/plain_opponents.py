"""The opponent models written plainly on python-chess, to hold their kernels against."""

from collections.abc import Sequence

import chess

from referee import Announcement
from referee.announcement import capture_square


def retaking(
    board: chess.Board,
    moves: Sequence[chess.Move],
    ours: Announcement | None,
    theirs: Announcement | None,  # noqa: ARG001 - a Replies
) -> list[float]:
    """A capture counts twice, a recapture on the square of our last capture ten times; en passant counts once."""
    weights = []
    for move in moves:
        weight = 1.0
        if capture_square(board, move) == move.to_square:
            weight = 10.0 if ours is not None and ours.capture == move.to_square else 2.0
        weights.append(weight)
    return weights
