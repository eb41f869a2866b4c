"""Your own player: it tries pawn captures first, then mostly moves that go forward.

kriegbot match examples/own_player.py:Forward rand
kriegbot check-player examples/own_player.py:Forward:boldness=0.5
"""

from __future__ import annotations

import random

import chess

from kriegbot import Choice, Option
from referee import View


class Forward:
    """A player of one game for one side. It sees only what that side knows."""

    version = "1.0"
    options = (Option("boldness", float, "probability of a forward move, if there is one", 0.9, 0.0, 1.0),)

    def __init__(self, seed: int, boldness: float) -> None:
        self._rng = random.Random(seed)
        self._boldness = boldness

    def choose(self, view: View) -> Choice:
        """Return an open try. After a refusal the game calls this again."""
        tries = view.tries()
        captures = [move for move in tries if is_pawn_capture(move, view)]
        if captures:
            return Choice(self._rng.choice(captures))
        forward = [move for move in tries if ranks_gained(move, view) > 0]
        if forward and self._rng.random() < self._boldness:
            return Choice(self._rng.choice(forward))
        return Choice(self._rng.choice(tries))


def is_pawn_capture(move: chess.Move, view: View) -> bool:
    """Return True for a diagonal step of a pawn, which is legal only as a capture."""
    files = chess.square_file(move.from_square) - chess.square_file(move.to_square)
    return view.men[move.from_square] == chess.PAWN and files != 0


def ranks_gained(move: chess.Move, view: View) -> int:
    """Return the number of ranks that a piece moves forward."""
    ranks = chess.square_rank(move.to_square) - chess.square_rank(move.from_square)
    return ranks if view.color == chess.WHITE else -ranks
