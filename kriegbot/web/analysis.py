"""What each side believed at a moment of a game, how right it was, and what its tries were worth.

The values are those of the search of Parker, Nau and Subrahmanian (AAAI 2006): by the rule, the depth and the evaluator
of the player whose turn it was if that searches, else overconfident and two plies deep; on histories drawn anew.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

import chess
import numpy as np

from evaluators import load_evaluator
from kriegbot.belief.followed import Followed, Held
from kriegbot.belief.heard import terms_of
from kriegbot.belief.particles import Reals
from kriegbot.kernels.position import decode_move, encode_move
from kriegbot.players.notation import try_name
from kriegbot.search.backup import OVERCONFIDENT, PARANOID
from kriegbot.search.search import search, tries_of
from kriegbot.web.analyst import SAMPLES, Method, Side
from referee import View

PARTICLES, SEED = 50_000, 0
SURE = 0.9
"""Probability from which on a side counts as sure."""
MOST_KEPT = 64
"""Beliefs kept; one that was let go is made again when it is asked for."""
SLICE = 0.1
"""Seconds that a belief is carried on before another game has its turn."""


class Beliefs:
    """The beliefs of both sides in many games, each under a key of its own."""

    def __init__(self) -> None:
        self._followed: OrderedDict[str, Followed] = OrderedDict()

    def heat(self, key: str, view: View) -> list[list[float]] | None:
        """Chances [6][64] in a view, to three places; empty where all is dark; None if it takes another `SLICE`."""
        held = self._followed_by(f"heat {key}").at(view, seconds=SLICE)
        return None if held is None else rounded(held)

    def look(self, key: str, sides: Mapping[chess.Color, Side], method: Method) -> dict[str, Any] | None:
        """Both sides' beliefs at a moment and the mover's tries, best first; None if it takes another `SLICE`."""
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
            "tries": tries_valued(mover, method) if len(mover.rows) else [],
        }

    def _followed_by(self, key: str, samples: int = 0) -> Followed:
        followed = self._followed.setdefault(key, Followed(PARTICLES, SEED, samples))
        self._followed.move_to_end(key)
        if len(self._followed) > MOST_KEPT:
            self._followed.popitem(last=False)
        return followed


def rounded(held: Held) -> list[list[float]]:
    """Chances [6][64] to three places; empty where all is dark."""
    chances: list[list[float]] = held.chances.round(3).tolist() if held.boards else []
    return chances


def believed(held: Held, men: Mapping[chess.Square, chess.PieceType]) -> dict[str, Any]:
    """A side's belief beside the truth.

    Args:
      held: the belief.
      men: where the enemy's men stand.

    Returns:
      chances [6][64]; boards, exact, fits: as in `Held`; right: squares of which the side was sure that a man stands
      there, and one does; wrong: of which it was sure, and none does; missed: of which it was sure that none does, and
      one does; placed: how many men it expects to have right, kind and square; men: how many there are.
    """
    there = np.zeros((6, 64))
    for square, kind in men.items():
        there[kind - 1, square] = 1
    return {
        "chances": rounded(held),
        "boards": held.boards,
        "exact": held.is_exact,
        "fits": held.fits_all,
        **_sure(held.chances.sum(axis=0), there.any(axis=0), held.boards > 0),
        "placed": round(float((held.chances * there).sum()), 1),
        "men": len(men),
    }


def tries_valued(held: Held, method: Method) -> list[dict[str, Any]]:
    """Every open try of a side to move: its name, its value in centipawns, the chance that it is legal; best first."""
    view = held.view
    tries = tries_of(held.rows[0], view.pawn_tries != 0, [encode_move(move) for move in view.refused])
    rule = {OVERCONFIDENT.name: OVERCONFIDENT, PARANOID.name: PARANOID}[method.rule]
    terms, evaluator = terms_of(view.rules, view.limits), load_evaluator(method.evaluator)
    found = search(held.rows, held.counts, tries, method.depth, rule, evaluator, terms, may_prune=False)
    moves = [decode_move(int(code)) for code in found.tries]
    values = zip(moves, found.values.tolist(), found.legal.tolist(), strict=True)
    valued = [
        {"name": try_name(move, view), "uci": move.uci(), "value": round(value, 1), "legal": round(legal, 3)}
        for move, value, legal in values
    ]
    return sorted(valued, key=lambda one: -float(str(one["value"])))


def _sure(chances: Reals, there: Any, is_known: bool) -> dict[str, list[str]]:
    masks = {
        "right": (chances >= SURE) & there,
        "wrong": (chances >= SURE) & ~there,
        "missed": (chances <= 1 - SURE) & there & is_known,
    }
    return {name: [chess.square_name(int(square)) for square in np.flatnonzero(mask)] for name, mask in masks.items()}
