"""What each side believed at a moment of a game, how right it was, and what its tries were worth.

The values are those of the search of Parker, Nau and Subrahmanian (AAAI 2006): by the rule, the depth and the evaluator
of the player whose turn it was if that searches, else overconfident and two plies deep; on freshly drawn histories.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import chess
import numpy as np

from evaluators import load_evaluator
from kriegbot.belief.timeline import Followed, Held
from kriegbot.narration.helping import HINT_SAMPLES, PARTICLES, SEED, Hinted, hint, tries_valued
from kriegbot.players.specs import BadSpec, parse_spec
from kriegbot.search import settings as search_settings
from kriegbot.search.rules import load_backup
from kriegbot.web.replies import Believed, Looked
from referee import View

SAMPLES, MOST_DEPTH = 1000, 2
"""Histories drawn to value tries, and the most plies searched: a few hundredths of a second."""

Side: TypeAlias = tuple[View, int]
"""A side at a moment: a view of it then or later, and the number of events that it had heard by then."""


@dataclass(frozen=True, slots=True)
class Method:
    """How tries are valued: the rule, overconfident or paranoid, plies to look ahead, and the evaluator's name."""

    rule: str = "overconfident"
    depth: int = MOST_DEPTH
    evaluator: str = "ks"

    @classmethod
    def of(cls, player: str) -> Method:
        """As a player does it, up to `MOST_DEPTH` plies deep; for players that do not search like this, the default."""
        try:
            spec = parse_spec(player)
        except BadSpec:
            return cls()
        depth = spec.get("depth")
        if spec.name not in ("overconfident", "paranoid") or not isinstance(depth, int):
            return cls()
        return cls(spec.name, min(depth, MOST_DEPTH), str(spec.get("evaluator")))

    def text(self) -> str:
        """In words."""
        return f"{self.rule}, depth {self.depth}, {SAMPLES} histories"


SURE = 0.9
"""Probability above which a side counts as sure."""
MOST_KEPT = 64
"""Beliefs kept; a discarded one is rebuilt when needed."""
SLICE = 0.1
"""Seconds of work on one belief before another game gets its turn."""


class Beliefs:
    """The beliefs of both sides in many games, each under a key of its own."""

    def __init__(self) -> None:
        self._followed: OrderedDict[str, Followed] = OrderedDict()

    def heat(self, key: str, view: View) -> list[list[float]] | None:
        """Chances [6][64] in a view, to three places; empty if nothing is known; None if another `SLICE` is needed."""
        held = self._followed_by(f"heat {key}").at(view, seconds=SLICE)
        return None if held is None else rounded(held)

    def hint(self, key: str, view: View) -> Hinted | None:
        """The best tries in a view, as the level `master` searches; None if another `SLICE` is needed."""
        held = self._followed_by(f"hint {key}", HINT_SAMPLES).at(view, seconds=SLICE)
        return None if held is None else hint(held)

    def look(self, key: str, sides: Mapping[chess.Color, Side], method: Method) -> Looked | None:
        """Both sides' beliefs at a moment and the mover's tries, best first; None if another `SLICE` is needed."""
        both = {}
        for color, (view, heard) in sides.items():
            followed = self._followed_by(f"look {chess.COLOR_NAMES[color]} {key}", SAMPLES)
            both[color] = followed.at(view, heard, SLICE)
        white, black = both[chess.WHITE], both[chess.BLACK]
        if white is None or black is None:
            return None
        mover = white if white.view.turn == chess.WHITE else black
        return {
            "white": believed(white, black.view.men),
            "black": believed(black, white.view.men),
            "mover": None if mover.view.end is not None else chess.COLOR_NAMES[mover.view.color],
            "by": method.text(),
            "tries": tries_valued(mover, _searching(method)) if len(mover.rows) else [],
        }

    def _followed_by(self, key: str, samples: int = 0) -> Followed:
        followed = self._followed.setdefault(key, Followed(PARTICLES, SEED, samples))
        self._followed.move_to_end(key)
        if len(self._followed) > MOST_KEPT:
            self._followed.popitem(last=False)
        return followed


def rounded(held: Held) -> list[list[float]]:
    """Chances [6][64] to three places; empty if nothing is known."""
    chances: list[list[float]] = held.chances.round(3).tolist() if held.boards else []
    return chances


def believed(held: Held, men: Mapping[chess.Square, chess.PieceType]) -> Believed:
    """A side's belief beside the truth.

    Args:
      held: the belief.
      men: where the enemy's men stand.

    Returns:
      chances [6][64]; boards, exact, fits: as in `Held`; right: squares that the side was sure are
      occupied, and are; wrong: that it was sure are occupied, and are not; missed: that it was sure are empty, and are
      not; placed: how many men it expects to have right, kind and square; men: how many there are.
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


def _searching(method: Method) -> search_settings.Method:
    return search_settings.Method(method.depth, load_backup(method.rule), load_evaluator(method.evaluator))


def _names(mask: Any) -> list[str]:
    return [chess.square_name(int(square)) for square in np.flatnonzero(mask)]
