"""The weakest player of the papers: a uniformly random open try.

After a refusal it draws again, so the move that it makes is a uniformly random legal one. For experiments it may draw a
man first, and then one of his tries: the papers do not say that all moves are equally likely.
"""

from __future__ import annotations

import random

from kriegbot.options import Option
from kriegbot.players.base import Choice, PlayerKind
from referee import View


class RandPlayer:
    """Plays one game at random; a seed is a game."""

    def __init__(self, seed: int = 0, by: str = "try") -> None:
        self._rng, self._is_by_man = random.Random(seed), by == "man"

    def choose(self, view: View) -> Choice:
        """Answers a view with one of its open tries."""
        tries = view.tries()
        if self._is_by_man:
            men = sorted({move.from_square for move in tries})
            man = men[int(self._rng.random() * len(men))]
            tries = [move for move in tries if move.from_square == man]
        return Choice(tries[int(self._rng.random() * len(tries))])  # the same on every version of Python


rand = PlayerKind(
    "a uniformly random open try",
    RandPlayer,
    (Option("by", str, "what is drawn: a try, or a man and then one of his tries", "try", choices=("try", "man")),),
    words="Moves at random; good for learning the rules",
    rank=4,
)
