"""What each side believed at a moment of a game, how right it was, and what its tries were worth; hints; heat maps."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from time import perf_counter
from typing import Any, TypeVar

import chess
import numpy as np

from kriegbot.belief.timeline import Followed, Held
from kriegbot.narration.helping import BY, HINT_SAMPLES, PARTICLES, SEED, Hinted, hint
from kriegbot.narration.turning import Hindsight, TurningPoint
from kriegbot.web.replies import Believed, Looked
from referee import View

T = TypeVar("T", Followed, Hindsight)

SURE = 0.9
"""Probability above which a side counts as sure."""
MOST_KEPT = 64
"""Beliefs kept; a discarded one is rebuilt when needed."""
SLICE = 0.1
"""Seconds of work on one game before another gets its turn."""


class Beliefs:
    """The beliefs of both sides in many games, each under a key of its own."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, Followed | Hindsight] = OrderedDict()

    def heat(self, key: str, view: View) -> list[list[float]] | None:
        """Chances [6][64] in a view, to three places; empty if nothing is known; None if another `SLICE` is needed."""
        held = self._of(f"heat {key}", Followed(PARTICLES, SEED)).at(view, seconds=SLICE)
        return None if held is None else rounded(held)

    def hint(self, key: str, view: View) -> Hinted | None:
        """The best tries in a view, as the level `master` searches; None if another `SLICE` is needed."""
        held = self._of(f"hint {key}", Followed(PARTICLES, SEED, HINT_SAMPLES)).at(view, seconds=SLICE)
        return None if held is None else hint(held)

    def look(
        self, key: str, views: Mapping[chess.Color, View], moments: Sequence[Mapping[chess.Color, int]]
    ) -> list[Looked] | None:
        """Both sides' beliefs and the mover's tries, best first, at the first of some moments.

        A moment is how many events each side had heard. The answer has as many as one `SLICE` was enough for, and is
        None if that was not enough for one.
        """
        sides, deadline = self._sides(key), perf_counter() + SLICE
        found: list[Looked] = []
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
                    "tries": sides[color].valued(mover),
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

    def _sides(self, key: str) -> dict[chess.Color, Hindsight]:
        return {color: self._of(f"{chess.COLOR_NAMES[color]} of {key}", Hindsight()) for color in chess.COLORS}

    def _of(self, key: str, fresh: T) -> T:
        """What is kept under a key, or else a fresh one, kept from now on."""
        kept = self._kept.setdefault(key, fresh)
        assert isinstance(kept, type(fresh))  # for mypy: what a key is of stands in it
        self._kept.move_to_end(key)
        if len(self._kept) > MOST_KEPT:
            self._kept.popitem(last=False)
        return kept


def rounded(held: Held) -> list[list[float]]:
    """Chances [6][64] to three places; empty if nothing is known."""
    chances: list[list[float]] = held.chances.round(3).tolist() if held.boards else []
    return chances


def believed(held: Held, men: Mapping[chess.Square, chess.PieceType]) -> Believed:
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
        "fits": held.fits_all,
        "right": _names((chances >= SURE) & stands),
        "wrong": _names((chances >= SURE) & ~stands),
        "missed": _names((chances <= 1 - SURE) & stands & (held.boards > 0)),
        "placed": round(float((held.chances * there).sum()), 1),
        "men": len(men),
    }


def _names(mask: Any) -> list[str]:
    return [chess.square_name(int(square)) for square in np.flatnonzero(mask)]
