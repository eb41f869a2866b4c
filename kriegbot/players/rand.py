"""The weakest player of the papers: a uniformly random open try."""

from __future__ import annotations

import random

from kriegbot.players.base import Choice
from kriegbot.players.options import PlayerKind
from referee import View


class RandPlayer:
    """Plays one game at random; a seed is a game."""

    def __init__(self, seed: int = 0) -> None:
        self._rng = random.Random(seed)

    def choose(self, view: View) -> Choice:
        """Answers a view with one of its open tries."""
        tries = view.tries()
        return Choice(tries[int(self._rng.random() * len(tries))])  # the same on every version of Python


rand = PlayerKind(
    "a uniformly random open try", RandPlayer, words="Moves at random; good for learning the rules", rank=4
)
