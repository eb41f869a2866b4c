"""The opponent models of the package, each a kernel that weighs the replies on a possible board.

`fitted` and `opponent_types` are softmaxes of features of the reply (see `features`), fitted to replies in games by
maximum likelihood or least cross-entropy. The uniform share keeps all legal replies possible:

    P(m | h, k) = (1 - FLOOR) * exp(w_k . f(h, m)) / sum_m' exp(w_k . f(h, m')) + FLOOR / |M(h)|

k is the opponent type. `opponent_types` reads it from the board: type 0 moves uniformly at random, and the others are
those of opponent_types.json, which says how each was fitted. `fitted` is type 1 alone, one softmax for all
players. The others are strong players with a model of their opponent: a chess engine, and `kriegbot`
before it had `Settings.predictability`. A newer `kriegbot` would be more predictable to opponents with this model.
"""

import json
from pathlib import Path

import numpy as np

from kriegbot import kernels as kb
from kriegbot.models.features import NAMES, score_moves, softmax
from kriegbot.models.protocol import Announced, opponent, opponents

FILE = Path(__file__).with_name("opponent_types.json")
SIZE = len(NAMES)
CAPTURE, RECAPTURE = 2.0, 10.0  # weights for `recapturing`, from trial matches

_content = json.loads(FILE.read_text(encoding="utf-8"))
TYPES: tuple[str, ...] = tuple(_content["types"])
PRIOR = tuple(map(float, _content["prior"]))
WITH_MODEL = tuple(range(2, len(PRIOR)))  # types with a model of their opponent
WEIGHTS = np.array([_content["weights"].get(name, [0.0] * len(TYPES)) for name in NAMES]).T.ravel()
"""Weights [len(TYPES) * SIZE] of the features; 0 for one that is newer than the file."""


@opponent
def uniform(
    tables: kb.Words, position: kb.Position, announced: Announced, moves: kb.Moves, count: int, weights: kb.Reals
) -> bool:
    """Return False: all legal moves are equally likely, P(m | h) = 1 / |M(h)|, as in the paper."""
    return False


@opponent
def recapturing(
    tables: kb.Words, position: kb.Position, announced: Announced, moves: kb.Moves, count: int, weights: kb.Reals
) -> bool:
    """Write weight 1 for a move without capture, more for a capture, and most for one where we have just captured.

    En passant counts as no capture.
    """
    _, other = kb.pieces_of(position, kb.side_to_move(position))
    for i in range(count):
        target = moves[i] >> 6 & 63
        weights[i] = 1.0
        if kb.bit(target) & other != kb.NONE:
            weights[i] = RECAPTURE if kb.captured_on(announced.ours) == target else CAPTURE
    return True


@opponent
def fitted(
    tables: kb.Words, position: kb.Position, announced: Announced, moves: kb.Moves, count: int, weights: kb.Reals
) -> bool:
    """Write the softmax of all players, with its uniform share."""
    score_moves(tables, position, announced, moves, count, kb.pointer(WEIGHTS), weights)
    softmax(weights, count)
    return True


@opponents(PRIOR, WITH_MODEL)
def opponent_types(
    tables: kb.Words, position: kb.Position, announced: Announced, moves: kb.Moves, count: int, weights: kb.Reals
) -> bool:
    """Write the softmax of the board's opponent type, with its uniform share; return False for type 0."""
    opponent_type = kb.type_id(position)
    if opponent_type == 0:
        return False
    of_type = kb.advance(kb.pointer(WEIGHTS), SIZE * (opponent_type - 1))
    score_moves(tables, position, announced, moves, count, of_type, weights)
    softmax(weights, count)
    return True
