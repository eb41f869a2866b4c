"""Opponents of several types: each a softmax of a reply's features and of its fit to the opponent's knowledge.

    P(m | h, k) = (1 - FLOOR) * exp(s(m)) / sum_m' exp(s(m')) + FLOOR / |M(h)|,    s(m) = w_k . f(h, m) + u(h, k, m)

k is the `type_id` of the board. The features f have weights w_k for each type (see `features`); all types share the
vectors of u (see `knowledge`). Type 0 moves uniformly at random. Each of the others is a player of the games to which
`python benchmarks/fit_opponent.py` fitted the model. The type 'kriegbot' is fitted to games before
`Settings.predictability`, deliberately: a newer one would make kriegbot more predictable to opponents with this model.
"""

from pathlib import Path

import numpy as np

from kriegbot.kernels import MAX_MOVES, Moves, Position, Reals, Words, advance, pointer, type_id
from kriegbot.models.features import NAMES, score_moves, softmax
from kriegbot.models.knowledge import VECTORS, WIDTH, add_up, facts_of, fit
from kriegbot.models.protocol import Announced, opponents

SIZE = len(NAMES)
FILE = Path(__file__).with_suffix(".npz")
WITH_MODEL = ("engine", "kriegbot")
"""Players with a model of their opponent."""

with np.load(FILE) as _arrays:
    TYPES_WITH_MODEL = tuple(1 + _arrays["players"].tolist().index(player) for player in WITH_MODEL)
    PRIOR = tuple(map(float, _arrays["prior"]))
    WEIGHTS = _arrays["weights"].astype(np.float64).reshape(len(PRIOR) - 1, SIZE).ravel()
    VECTOR_VALUES = _arrays["vectors"].astype(np.float64).reshape(VECTORS, WIDTH).ravel()


@opponents(PRIOR, TYPES_WITH_MODEL)
def opponent_types(
    tables: Words, position: Position, announced: Announced, moves: Moves, count: int, weights: Reals
) -> bool:
    """Write the softmax of the board's opponent type, with its uniform share."""
    opponent_type = type_id(position)
    if opponent_type == 0:
        return False
    score_moves(
        tables, position, announced, moves, count, advance(pointer(WEIGHTS), SIZE * (opponent_type - 1)), weights
    )
    facts, hidden = advance(moves, MAX_MOVES // 2), advance(weights, MAX_MOVES // 2)  # scratch memory behind the lists
    add_up(pointer(VECTOR_VALUES), facts, facts_of(position, announced, facts), hidden)
    for i in range(count):
        weights[i] += fit(pointer(VECTOR_VALUES), position, hidden, moves[i])
    softmax(weights, count)
    return True
