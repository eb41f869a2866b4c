"""Opponents of several kinds, each a softmax of features of the reply; a board says which kind it assumes.

    P(m | h, k) = (1 - FLOOR) * exp(w_k . f(h, m)) / sum_m' exp(w_k . f(h, m')) + FLOOR / |M(h)|

Kind 0 moves uniformly at random. The others are fitted to games by expectation maximisation
(`python benchmarks/fit_opponent.py --kinds N`): a player of a game is of one kind throughout.
"""

import json
from pathlib import Path

import numpy as np

from kriegbot.kernels import Moves, Position, Reals, Words, advance, label, pointer
from kriegbot.models.features import NAMES, softmax
from kriegbot.models.protocol import Heard, opponents

FILE = Path(__file__).with_suffix(".json")

_FOUND = json.loads(FILE.read_text(encoding="utf-8"))
WEIGHTS = np.array([[kind.get(name, 0.0) for name in NAMES] for kind in _FOUND["kinds"]]).ravel()
PRIOR = tuple(float(share) for share in _FOUND["prior"])
SIZE = len(NAMES)


@opponents(PRIOR)
def kinds(tables: Words, position: Position, heard: Heard, moves: Moves, count: int, weights: Reals) -> bool:
    """The softmax of the board's kind, with its uniform share."""
    kind = label(position)
    if kind == 0:
        return False
    softmax(tables, position, heard, moves, count, advance(pointer(WEIGHTS), SIZE * (kind - 1)), weights)
    return True
