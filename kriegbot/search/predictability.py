"""How well an opponent who has a model of us foretells our tries, as we foretell his.

Nothing of this is in Parker, Nau and Subrahmanian (AAAI 2006). Whoever holds boards that fit all he has heard weighs
them by how likely our moves are on each: the likelier what we do, the more he knows. Among the many tries that are
worth nearly the same, likelihoods differ tenfold; so he can be told less at little cost.

The model is our own of the opponent, from the other side. He sees his own men, and we do not: the mean over some of our
boards stands for his. He does not know of which kind we are: the kinds count as they do before a game. A try that is
less likely than a random one gains no more for that, since nobody is misled by rare tries for long.

Opponents without a model are told nothing by what is likely. So all of it counts as long as it is no less likely than
before the game that he has one.
"""

import numpy as np

from kriegbot import kernels as kb
from kriegbot.kernels import RealArray
from kriegbot.kernels.position import type_ids
from kriegbot.models.protocol import Announced, Opponent, prior_of, types_with_model
from kriegbot.search.information_set import InformationSet

BOARDS = 20
"""Boards on which tries are looked at."""


def has_model(histories: InformationSet, model: Opponent) -> float:
    """How likely the opponent is to have a model of us, in terms of how likely that was before the game; at most 1."""
    kinds, prior = list(types_with_model(model)), np.array(prior_of(model))
    now = histories.weights @ np.isin(type_ids(histories.rows), kinds) / histories.weights.sum()
    return float(min(now / prior[kinds].sum(), 1.0))


def foretold(histories: InformationSet, model: Opponent, ours: int, seed: int) -> RealArray:
    """By how many nats [M] each try is likelier than a random one: the mean of log P(try | board) + log M, at least 0.

    The mean is over some boards that allow the try; if none does, nobody foretells it.

    Args:
      histories: the information set.
      model: P, with which we foretell the opponent.
      ours: what was announced of our last move, as `kernels.announcements` writes it.
      seed: of the choice of boards.
    """
    some = np.argsort(kb.uniforms(seed, len(histories.rows)), kind="stable")[:BOARDS]
    prior, weights = np.array(prior_of(model)), histories.weights[some]
    rows = np.concatenate([kb.with_type_ids(row, len(prior)) for row in kb.without_type_ids(histories.rows[some])])
    chances = np.zeros(len(rows) * len(histories.tries))
    room = np.empty(2 * kb.MAX_MOVES, np.int32), np.empty(kb.MAX_MOVES)
    _foretell(kb.TABLES, rows, Announced(histories.heard, ours), histories.tries, model, *room, chances)
    likely = np.einsum("nkm,k->nm", chances.reshape(len(some), len(prior), -1), prior)
    allows = likely > 0
    gains = np.log(len(histories.tries) * likely, out=np.zeros_like(likely), where=allows)
    return np.maximum(weights @ gains / np.maximum(weights @ allows, weights.min()), 0.0)


@kb.entry
def _foretell(
    tables: kb.WordArray,
    rows: kb.Rows,
    heard: Announced,
    tries: kb.MoveArray,
    model: Opponent,
    moves: kb.MoveArray,
    weights: kb.RealArray,
    chances: kb.RealArray,
) -> int:
    """Write how likely the side to move of each position is to make each try, where it is legal."""
    boards, listed, each = kb.pointer(rows), kb.pointer(moves), kb.pointer(weights)
    for i in range(len(rows)):
        position = kb.load(boards, i)
        count = kb.legal_moves(kb.pointer(tables), position, listed)
        if count > 0 and not model(kb.pointer(tables), position, heard, listed, count, each):
            for j in range(count):
                each[j] = 1.0
        total = 0.0
        for j in range(count):
            total += each[j]
        for j in range(count):
            for k in range(len(tries)):
                if tries[k] == listed[j]:
                    chances[len(tries) * i + k] = each[j] / total
    return 0
