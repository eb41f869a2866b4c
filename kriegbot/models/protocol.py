"""What an opponent model is: a kernel that says how likely each reply is on a board, compiled to one signature.

Parker, Nau and Subrahmanian (AAAI 2006) assume that the opponent moves uniformly at random: `models/uniform.py`.
A new model is one file like it, its function decorated with `opponent`. Belief and search ask it the same question: on
this board, which is possible, how likely is each legal reply? It may use what the opponent knows (its own men, and what
it has heard) and, if it is fitted to games whose true boards are known, our men as well.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

from kriegbot.kernels import MAX_TYPES, Moves, Position, Reals, Words, part_of


class Announced(NamedTuple):
    """What was announced last, as numbers; `captured_on` reads the square of a capture from one.

    ours: of our move, to which the opponent replies; theirs: of the opponent's own move before that; 0 for none.
    """

    ours: int
    theirs: int


Opponent: TypeAlias = Callable[[Words, Position, Announced, Moves, int, Reals], bool]
"""(tables, position, heard, moves, count, weights) -> whether `weights` were written.

`moves` are the `count` >= 1 legal moves of the side to move in `position`. Their weights, all above 0, need not sum to
1. Both have room for MAX_MOVES, more than twice what a position needs; what lies behind `count` is room to work in.
Where False is returned, nothing needs to be written: all moves are equally likely."""


def opponent(function: Opponent) -> Opponent:
    """Compile an opponent model.

    Raises:
      TypeError: its annotations are not those of `Opponent`.
    """
    return part_of(Opponent, function)


def opponents(prior: Sequence[float], foretellers: Sequence[int] = ()) -> Callable[[Opponent], Opponent]:
    """Compile a model of several kinds of opponent.

    It reads `kernels.position.label` of the board: 0 to len(prior) - 1. A belief begins with the first position once
    for each kind, weighing what `prior` gives it; from then on what is heard makes some kinds likelier than others.

    Args:
      prior: the share of each kind; they need not sum to 1.
      foretellers: the kinds that themselves have a model of their opponent.

    Raises:
      ValueError: there are no shares, more than there are labels, or one is not positive.
    """
    if not 0 < len(prior) <= MAX_TYPES or min(prior) <= 0.0:
        raise ValueError(f"prior {prior}: it takes 1 to {MAX_TYPES} positive shares")

    def compiled(function: Opponent) -> Opponent:
        model = opponent(function)
        model.prior = tuple(share / sum(prior) for share in prior)  # type: ignore[attr-defined] # read by `prior_of` alone
        model.foretellers = tuple(foretellers)  # type: ignore[attr-defined] # read by `foretellers_of` alone
        return model

    return compiled


def prior_of(model: Opponent) -> tuple[float, ...]:
    """How likely each kind of opponent is before anything was heard; one for a model of one kind."""
    return getattr(model, "prior", (1.0,))


def types_with_model(model: Opponent) -> tuple[int, ...]:
    """The kinds that have a model of us; all of a model that does not say."""
    return getattr(model, "foretellers", ()) or tuple(range(len(prior_of(model))))
