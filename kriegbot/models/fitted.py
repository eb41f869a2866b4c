"""An opponent that plays like programs: a softmax of features of the reply, fitted to games by maximum likelihood.

    P(m | h) = (1 - FLOOR) * exp(w . f(h, m)) / sum_m' exp(w . f(h, m')) + FLOOR / |M(h)|

The features f are those of `features`. `python benchmarks/fit_opponent.py --plain` writes the weights w, and the games
that they come from, to fitted.json. The uniform share keeps all legal replies possible.
"""

import json
from pathlib import Path

import numpy as np

from kriegbot.kernels import Moves, Position, Reals, Words, pointer
from kriegbot.models.features import NAMES, score_moves, softmax
from kriegbot.models.protocol import Announced, opponent

FILE = Path(__file__).with_suffix(".json")


_weights: dict[str, float] = json.loads(FILE.read_text(encoding="utf-8"))["weights"]
WEIGHTS = np.array([_weights.get(name, 0.0) for name in NAMES])  # the file has no weights of newer features


@opponent
def fitted(tables: Words, position: Position, announced: Announced, moves: Moves, count: int, weights: Reals) -> bool:
    """Write the softmax, with its uniform share."""
    score_moves(tables, position, announced, moves, count, pointer(WEIGHTS), weights)
    softmax(weights, count)
    return True
