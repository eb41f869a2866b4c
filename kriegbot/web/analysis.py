"""What each side believed at a moment of a game, how right it was, and what its tries were worth; hints; heat maps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from time import perf_counter
from typing import Any

import chess
import numpy as np

from kriegbot.belief.timeline import BeliefSnapshot, BeliefTimeline
from kriegbot.narration.helping import BY, HINT_SAMPLES, PARTICLES, SEED, Hint, hint
from kriegbot.narration.turning import Hindsight, TurningPoint
from kriegbot.web.replies import BeliefShown, MomentAnalysis
from referee import View

SURE = 0.9  # probability above which a side counts as sure
MAX_KEPT = 32  # games of which each kind of belief is kept; a discarded one is rebuilt when needed
SLICE = 0.1  # seconds of work on one game before another gets its turn


class Beliefs:
    """The beliefs of both sides in many games, each under a key of its own."""

    def __init__(self) -> None:
        kept = lru_cache(MAX_KEPT)
        self._heats = kept(lambda _key: BeliefTimeline(PARTICLES, SEED))
        self._hints = kept(lambda _key: BeliefTimeline(PARTICLES, SEED, HINT_SAMPLES))
        self._sides = kept(lambda _key: {color: Hindsight() for color in chess.COLORS})

    def heat(self, key: str, view: View) -> list[list[float]] | None:
        """Chances [6][64] in a view, to three places; empty if nothing is known; None if another `SLICE` is needed."""
        held = self._heats(key).at(view, seconds=SLICE)
        return None if held is None else rounded(held)

    def hint(self, key: str, view: View) -> Hint | None:
        """The best tries in a view, as the level `master` searches; None if another `SLICE` is needed."""
        held = self._hints(key).at(view, seconds=SLICE)
        return None if held is None else hint(held)

    def look(
        self, key: str, views: Mapping[chess.Color, View], moments: Sequence[Mapping[chess.Color, int]]
    ) -> list[MomentAnalysis] | None:
        """Both sides' beliefs and the mover's tries, best first, at the first of some moments.

        A moment is how many events each side had heard. The answer has as many as one `SLICE` was enough for, and is
        None if that was not enough for one.
        """
        sides, deadline = self._sides(key), perf_counter() + SLICE
        found: list[MomentAnalysis] = []
        for heard in moments:
            white, black = (
                sides[color].at(views[color], heard[color], deadline - perf_counter()) for color in (True, False)
            )
            if white is None or black is None:
                break
            mover, color = (white, chess.WHITE) if white.view.turn else (black, chess.BLACK)
            is_over = mover.view.end is not None
            found.append(
                {
                    "white": believed(white, black.view.men),
                    "black": believed(black, white.view.men),
                    "mover": None if is_over else chess.COLOR_NAMES[color],
                    "by": BY,
                    "tries": sides[color].values(mover),
                }
            )
            if perf_counter() > deadline:
                break
        return found or None

    def turning(
        self, key: str, views: Mapping[chess.Color, View], you: chess.Color | None
    ) -> list[TurningPoint] | None:
        """The turning points of both sides, White's first; `you` is the side called so; None as in `heat`."""
        sides, found = self._sides(key), []
        for color in (chess.WHITE, chess.BLACK):
            points = sides[color].turning_points(views[color], views[not color], you, SLICE)
            if points is None:
                return None
            found += points
        return found


def rounded(held: BeliefSnapshot) -> list[list[float]]:
    """Chances [6][64] to three places; empty if nothing is known."""
    chances: list[list[float]] = held.chances.round(3).tolist() if held.boards else []
    return chances


def believed(held: BeliefSnapshot, men: Mapping[chess.Square, chess.PieceType]) -> BeliefShown:
    """A side's belief beside the truth, which is where the enemy's men stand.

    right: squares that the side was sure are occupied, and are; wrong: that it was sure are occupied, and are not;
    missed: that it was sure are empty, and are not; placed: how many men it expects to have right, kind and square.
    """
    there = np.zeros((6, 64))
    for square, kind in men.items():
        there[kind - 1, square] = 1
    chances, stands = held.chances.sum(axis=0), there.any(axis=0)
    return {
        "chances": rounded(held),
        "boards": held.boards,
        "exact": held.is_exact,
        "fits": held.is_consistent,
        "right": _names((chances >= SURE) & stands),
        "wrong": _names((chances >= SURE) & ~stands),
        "missed": _names((chances <= 1 - SURE) & stands & (held.boards > 0)),
        "placed": round(float((held.chances * there).sum()), 1),
        "men": len(men),
    }


def _names(mask: Any) -> list[str]:
    return [chess.square_name(int(square)) for square in np.flatnonzero(mask)]
