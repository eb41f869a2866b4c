"""Opponent models: how likely each reply is, a kernel to a file, behind one protocol (see `models.protocol`)."""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import chess

from kriegbot.parts import Parts
from referee import Announcement

Replies: TypeAlias = Callable[
    [chess.Board, Sequence[chess.Move], Announcement | None, Announcement | None], list[float]
]
"""An opponent model in plain Python, for exact beliefs and trees: (board, legal moves, ours, theirs) -> weights.

`ours` is what was announced of the move before, `theirs` of the opponent's own before that; None where there was none.
The weights, all above 0, need not sum to 1."""

OPPONENTS = Parts("opponent model", "kriegbot.models", "kriegbot.opponents")
"""Ours, each the function NAME in the file NAME.py of this folder, and those from outside."""


def load_opponent(name: str) -> Any:
    """Return the compiled opponent model of a name, or of FILE.py:NAME or MODULE:NAME.

    Raises:
      kriegbot.parts.NotFound: a ValueError; there is none.
    """
    return OPPONENTS.load(name)


def equally_likely(
    board: chess.Board,  # noqa: ARG001 - a Replies
    moves: Sequence[chess.Move],
    ours: Announcement | None,  # noqa: ARG001
    theirs: Announcement | None,  # noqa: ARG001
) -> list[float]:
    """The paper's opponent, as `Replies`."""
    return [1.0] * len(moves)
