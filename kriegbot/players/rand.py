"""The weakest player of the papers: a uniformly random open try, and after a refusal another."""

import random

from kriegbot.options import Option
from kriegbot.players.base import Choice, PlayerKind
from referee import View


class RandPlayer:
    """Player of one game: it draws an open try or, by "man", a piece with open tries and then one of these."""

    def __init__(self, seed: int = 0, by: str = "try") -> None:
        self._rng, self._is_by_piece = random.Random(seed), by == "man"

    def choose(self, view: View) -> Choice:
        """Answer a view with one of its open tries."""
        tries = view.tries()
        if self._is_by_piece:
            origins = sorted({move.from_square for move in tries})
            origin = origins[int(self._rng.random() * len(origins))]
            tries = [move for move in tries if move.from_square == origin]
        return Choice(tries[int(self._rng.random() * len(tries))])  # the same on every version of Python


rand = PlayerKind(
    "a uniformly random open try",
    RandPlayer,
    (Option("by", str, "draw a try, or a piece and then one of its tries", "try", choices=("try", "man")),),
    words="Moves at random; good for learning the rules",
    rank=4,
)
