"""What the mover can know, as a sum of learnt vectors, and how well a move suits it.

    a = max(0, sum of the vectors of the facts)    u(m) = a . (vector of man and origin + vector of man and target)

A bilinear model with one hidden layer. The facts are those that the mover sees or has heard: where its own men stand,
what was announced of the last two moves, how many enemy men are left, its right to castle, how long the game has
lasted. One more is the kind of player that the board's label assumes. None tells where our men stand. Squares are seen
from the mover's side: for Black the board is turned over.
"""

import numpy as np
import numpy.typing as npt

from kriegbot import kernels as kb
from kriegbot.models.protocol import Announced

WIDTH = 64
"""Numbers in a vector. At 92 the vectors would be a megabyte, more than numba keeps with compiled code."""
TAKEN, TOOK = 6 * 64, 7 * 64
"""After the squares of the men of each kind: where we have just taken, and where its own last move took."""
CHECKED, CHECKING = 8 * 64, 8 * 64 + 5
"""The lines on which it stands in check, and on which its own last move gave check."""
TRIES = CHECKING + 5
"""That it makes the first move of the game; else how many pawn captures it was told of: none or untold, one, more."""
LEFT = TRIES + 4
"""How many enemy men are left, 1 to 16."""
CASTLING = LEFT + 16
PLIES = CASTLING + 2
"""Plies played, in fours up to 64, then in 32s."""
KINDS = PLIES + 20
"""The label of the board."""
FACTS = KINDS + kb.MAX_TYPES
ORIGINS, TARGETS = FACTS, FACTS + 6 * 64
VECTORS = TARGETS + 6 * 64
MOST_FACTS = 16 + 2 * 6 + 2 + 4
"""Its men; of two moves the capture and five lines of check; castling; pawn captures, enemy men, plies, kind."""


@kb.inlined
def add_men(men: kb.Word, kind: int, mirror: int, facts: kb.Moves, count: int) -> int:
    """Append where the mover's men of a kind stand; return the new count."""
    while men:
        facts[count] = 64 * kind + (kb.lsb(men) ^ mirror)
        men &= men - kb.ONE
        count += 1
    return count


@kb.inlined
def add_announced(said: int, captured: int, checks: int, mirror: int, facts: kb.Moves, count: int) -> int:
    """Append where a move took, and on which lines it gave check; return the new count."""
    square = kb.captured_on(said)
    if square >= 0:
        facts[count] = captured + (square ^ mirror)
        count += 1
    for line in range(5):
        if said >> kb.CHECK_SHIFT + line & 1:
            facts[count] = checks + line
            count += 1
    return count


@kb.inlined
def facts_of(position: kb.Position, heard: Announced, facts: kb.Moves) -> int:
    """List what the side to move knows, at most MOST_FACTS numbers of vectors; return how many."""
    side = kb.side_to_move(position)
    own, other = kb.men_of(position, side)
    mirror = 0 if side == kb.WHITE else 56
    queens = position.diagonals & position.orthogonals
    count = add_men(own & position.pawns, kb.PAWN, mirror, facts, 0)
    count = add_men(own & position.knights, kb.KNIGHT, mirror, facts, count)
    count = add_men(own & position.diagonals & ~queens, kb.BISHOP, mirror, facts, count)
    count = add_men(own & position.orthogonals & ~queens, kb.ROOK, mirror, facts, count)
    count = add_men(own & queens, kb.QUEEN, mirror, facts, count)
    count = add_men(own & position.kings, kb.KING, mirror, facts, count)
    count = add_announced(heard.ours, TAKEN, CHECKED, mirror, facts, count)
    count = add_announced(heard.theirs, TOOK, CHECKING, mirror, facts, count)
    for wing in range(2):
        if position.meta >> kb.word(1 + 2 * side + wing) & kb.ONE:
            facts[count] = CASTLING + wing
            count += 1
    plies = kb.plies_played(position)
    tries = heard.ours >> kb.TRIES_SHIFT & 31  # 0 where they are not told, else their number + 1
    facts[count] = TRIES + (min(max(tries, 1), 3) if plies > 0 else 0)
    facts[count + 1] = LEFT + kb.popcount(other) - 1
    facts[count + 2] = PLIES + (plies >> 2 if plies < 64 else min(14 + (plies >> 5), 19))
    facts[count + 3] = KINDS + kb.type_id(position)
    return count + 4


@kb.inlined
def know(vectors: kb.Reals, facts: kb.Moves, count: int, known: kb.Reals) -> None:
    """Write a [WIDTH] from `count` facts and the vectors [VECTORS, WIDTH]."""
    for i in range(WIDTH):
        known[i] = 0.0
    for fact in range(count):
        vector = kb.advance(vectors, WIDTH * facts[fact])
        for i in range(WIDTH):
            known[i] += vector[i]
    for i in range(WIDTH):
        known[i] = max(known[i], 0.0)


@kb.inlined
def vectors_of(position: kb.Position, move: int) -> tuple[int, int]:
    """Numbers of the vectors of a legal move's origin and target."""
    origin, target = move & 63, move >> 6 & 63
    mirror = 0 if kb.side_to_move(position) == kb.WHITE else 56
    kind = 64 * kb.kind_of(position, kb.bit(origin))
    return ORIGINS + kind + (origin ^ mirror), TARGETS + kind + (target ^ mirror)


@kb.inlined
def fold(numbers: kb.Reals, half: int) -> None:
    """Add the second half of numbers to the first."""
    for i in range(half):
        numbers[i] += numbers[i + half]


@kb.inlined
def suits(vectors: kb.Reals, position: kb.Position, known: kb.Reals, move: int) -> float:
    """u(m) of a legal move; behind `known` is room for as many numbers."""
    origin, target = vectors_of(position, move)
    leaving, reaching = kb.advance(vectors, WIDTH * origin), kb.advance(vectors, WIDTH * target)
    products = kb.advance(known, WIDTH)
    for i in range(WIDTH):
        products[i] = known[i] * (leaving[i] + reaching[i])
    # half by half: in one sum each addition would wait for the one before
    fold(products, WIDTH // 2)
    fold(products, WIDTH // 4)
    fold(products, WIDTH // 8)
    fold(products, WIDTH // 16)
    fold(products, WIDTH // 32)
    return products[0] + products[1]


@kb.entry
def _list_knowledge(
    row: kb.WordArray, heard: Announced, moves: kb.MoveArray, facts: kb.MoveArray, found: kb.MoveArray
) -> int:
    position = kb.load(kb.pointer(row), 0)
    for i in range(len(moves)):
        found[2 * i], found[2 * i + 1] = vectors_of(position, moves[i])
    return facts_of(position, heard, kb.pointer(facts))


def knowledge_of(
    row: kb.WordArray, ours: int, theirs: int, moves: npt.NDArray[np.int32]
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Which vectors are those of the facts of a position, and of its legal moves; arguments as for `features_of`.

    Returns:
      facts [at most MOST_FACTS], and [M, 2] of each move the origin's and the target's.
    """
    facts, found = np.empty(MOST_FACTS, np.int32), np.empty(2 * len(moves), np.int32)
    count = _list_knowledge(row, Announced(ours, theirs), moves, facts, found)
    return facts[:count], found.reshape(-1, 2)
