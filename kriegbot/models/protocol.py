"""The protocol of opponent models: kernels that weigh each reply on a possible board by its probability.

Parker, Nau and Subrahmanian (AAAI 2006) assume an opponent that moves uniformly at random: `built_in.uniform`. A new
model is a function like it, decorated with `opponent`. Belief and search each use one. A model may depend on
the opponent's knowledge (its own pieces, announcements) and, if it is fitted to games, on our pieces, too.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from kriegbot import kernels as kb


class Announced(NamedTuple):
    """Announcements of our last move and of the opponent's before it, by `kernels.encode_announcement`; 0 for none.

    The opponent is the side to move, whose moves the model weighs. To predict our own tries the two change places.
    """

    ours: int
    theirs: int


Opponent: TypeAlias = Callable[[kb.Words, kb.Position, Announced, kb.Moves, int, kb.Reals], bool]
"""(tables, position, announced, moves, count, weights) -> False if all moves are equally likely, else True.

`moves` are the `count` >= 1 legal moves of the side to move in `position`, in the belief only those that an answer to
"Any?" leaves. The model writes their `weights`, all above 0, unless it returns False; they need not sum to 1. Both
lists have MAX_MOVES places, more than a position needs: a model may use those behind `count` as scratch memory."""


def opponent(function: Opponent) -> Opponent:
    """Compile an opponent model; raise TypeError unless its annotations are those of `Opponent`."""
    return kb.part_of(Opponent, function)


def opponents(prior: Sequence[float], with_model: Sequence[int] = ()) -> Callable[[Opponent], Opponent]:
    """Compile a model of several opponent types, which reads the `type_id` of the board, 0 to len(prior) - 1.

    A belief begins with the starting position once for each type, with weights `prior`, which need not sum to 1.
    Announcements then make some types likelier than others. Types in `with_model` have a model of their own opponent.
    Raises ValueError unless there are 1 to MAX_TYPES shares, all positive.
    """
    if not 0 < len(prior) <= kb.MAX_TYPES or min(prior) <= 0.0:
        raise ValueError(f"illegal prior {prior}: give 1 to {kb.MAX_TYPES} positive shares")

    def compiled(function: Opponent) -> Opponent:
        model = opponent(function)
        model.prior = tuple(share / sum(prior) for share in prior)  # type: ignore[attr-defined] # read by `prior_of` alone
        model.with_model = tuple(with_model)  # type: ignore[attr-defined] # read by `types_with_model` alone
        return model

    return compiled


def prior_of(model: Opponent) -> tuple[float, ...]:
    """Return the prior of the opponent types; (1,) for a model of one type."""
    return getattr(model, "prior", (1.0,))


def types_with_model(model: Opponent) -> tuple[int, ...]:
    """Return the opponent types that have a model of us; all types if the model does not say."""
    return getattr(model, "with_model", ()) or tuple(range(len(prior_of(model))))


def weights_of(rows: kb.Rows, announced: Announced, model: Opponent) -> tuple[kb.IntArray, kb.MoveArray, kb.RealArray]:
    """Return the number [N] of legal moves of the side to move on each board, the moves, and their weights.

    Rows of moves [N, MAX_MOVES] and weights [N, 2 * MAX_MOVES] begin with those of the legal moves. The weights are 1
    if the model returns False, and nan from MAX_MOVES on, unless it writes beyond its list. All else has no meaning.
    """
    counts, moves = np.empty(len(rows), np.int64), np.empty((len(rows), kb.MAX_MOVES), np.int32)
    weights = np.full((len(rows), 2 * kb.MAX_MOVES), np.nan)
    _weigh(kb.TABLES, rows, announced, model, counts, moves.reshape(-1), weights.reshape(-1))
    return counts, moves, weights


def chances_of(moves: kb.MoveArray, rows: kb.Rows, announced: Announced, model: Opponent) -> kb.RealArray:
    """Return the probability [N, M] that the side to move plays each of M moves on N boards; 0 where it is illegal."""
    counts, legal, weights = weights_of(rows, announced, model)
    most = counts.max()
    chances = np.where(np.arange(most) < counts[:, None], weights[:, :most], 0.0)
    chances /= chances.sum(axis=1, keepdims=True)
    return np.einsum("nl,nlm->nm", chances, legal[:, :most, None] == moves)


@kb.entry
def _weigh(
    tables: kb.WordArray,
    rows: kb.Rows,
    announced: Announced,
    model: Opponent,
    counts: kb.IntArray,
    moves: kb.MoveArray,
    weights: kb.RealArray,
) -> None:
    for i in range(len(rows)):
        position = kb.load(kb.pointer(rows), i)
        listed = kb.advance(kb.pointer(moves), kb.MAX_MOVES * i)
        weighed = kb.advance(kb.pointer(weights), 2 * kb.MAX_MOVES * i)
        counts[i] = kb.legal_moves(kb.pointer(tables), position, listed)
        if not model(kb.pointer(tables), position, announced, listed, counts[i], weighed):
            for j in range(counts[i]):
                weighed[j] = 1.0
