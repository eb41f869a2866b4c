"""Opponents of several kinds: each a softmax of how a reply looks and how it suits what he knows.

    P(m | h, k) = (1 - FLOOR) * exp(s(m)) / sum_m' exp(s(m')) + FLOOR / |M(h)|,    s(m) = w_k . f(h, m) + u(h, k, m)

The board's label says of which kind k he is assumed to be. f is of `features`, with weights w_k of each kind; u is of
`knowledge`, whose vectors all kinds share. Kind 0 moves uniformly at random. Each of the others is a player of the
games that they are fitted to (`python benchmarks/fit_opponent.py`). `kriegbot` is, on purpose, as it moved before it
minded `search.predictability`: whoever has this model would foretell it better otherwise.
"""

from pathlib import Path

import numpy as np

from kriegbot.kernels import MAX_MOVES, Moves, Position, Reals, Words, advance, pointer, type_id
from kriegbot.models.features import NAMES, score_moves, softmax
from kriegbot.models.knowledge import VECTORS, WIDTH, facts_of, know, suits
from kriegbot.models.protocol import Announced, opponents

SIZE = len(NAMES)
FILE = Path(__file__).with_suffix(".npz")
WITH_MODEL = ("engine", "kriegbot")
"""The players among them that have a model of their opponent."""

with np.load(FILE) as _found:
    FORETELLERS = tuple(1 + _found["players"].tolist().index(player) for player in WITH_MODEL)
    PRIOR = tuple(map(float, _found["prior"]))
    WEIGHTS = _found["weights"].astype(np.float64).reshape(len(PRIOR) - 1, SIZE).ravel()
    LEARNT = _found["vectors"].astype(np.float64).reshape(VECTORS, WIDTH).ravel()


@opponents(PRIOR, FORETELLERS)
def opponent_types(
    tables: Words, position: Position, heard: Announced, moves: Moves, count: int, weights: Reals
) -> bool:
    """The softmax of the board's kind, with its uniform share."""
    kind = type_id(position)
    if kind == 0:
        return False
    score_moves(tables, position, heard, moves, count, advance(pointer(WEIGHTS), SIZE * (kind - 1)), weights)
    facts, known = advance(moves, MAX_MOVES // 2), advance(weights, MAX_MOVES // 2)  # room behind the list
    know(pointer(LEARNT), facts, facts_of(position, heard, facts), known)
    for i in range(count):
        weights[i] += suits(pointer(LEARNT), position, known, moves[i])
    softmax(weights, count)
    return True
