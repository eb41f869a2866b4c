"""What an opponent model is: a kernel that says how likely each reply is on a board, compiled to one signature.

Parker, Nau and Subrahmanian (AAAI 2006) assume that the opponent moves uniformly at random: `opponents/uniform.py`.
A new model is one file like it, its function decorated with `opponent`. Belief and search ask it the same question: on
this board, which is possible, how likely is each legal reply? It may use what the opponent knows (its own men, and what
it has heard) and, if it is fitted to games whose true boards are known, our men as well.
"""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from kriegbot.kernels.jit import part_of
from kriegbot.kernels.position import Position
from kriegbot.kernels.types import Moves, Reals, Words


class Heard(NamedTuple):
    """What was announced last, as `kernels.hearing` writes it.

    ours: of our move, to which the opponent replies; theirs: of the opponent's own move before that; 0 for none.
    """

    ours: int
    theirs: int


Opponent: TypeAlias = Callable[[Words, Position, Heard, Moves, int, Reals], bool]
"""(tables, position, heard, moves, count, weights) -> whether `weights` were written.

`moves` are the `count` >= 1 legal moves of the side to move in `position`. Their weights, all above 0, need not sum to
1. Where False is returned, nothing needs to be written: all moves are equally likely."""


def opponent(function: Opponent) -> Opponent:
    """Compile an opponent model.

    Raises:
      TypeError: its annotations are not those of `Opponent`.
    """
    return part_of(Opponent, function)
