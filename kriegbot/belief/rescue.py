"""What to believe when no sampled board fits any more: boards that fit at least what was heard last.

`altered` moves enemy men on boards that fitted until now, or changes their kinds (a pawn may have been promoted to a
knight). `blind` forgets all boards and takes those of the last observation. Neither result is the information set:
`Belief` counts both.
"""

import numpy as np

from kriegbot.belief.last_observation import any_of, is_possible, last_observation
from kriegbot.belief.particles import Particles, merged
from kriegbot.kernels.hearing import Terms, situation
from kriegbot.kernels.jit import (
    entry,
    kernel,
    lsb,
    pointer,
    word,
    words,
)
from kriegbot.kernels.moves import MAX_MOVES, moved
from kriegbot.kernels.position import (
    NONE,
    WHITE,
    Position,
    load,
    men_of,
    store,
)
from kriegbot.kernels.random import GAMMA, mixed, uniform
from kriegbot.kernels.tables import TABLES
from kriegbot.kernels.types import MoveArray, Rows, Word, WordArray
from referee import View

BOTH_RIGHTS, WITHOUT_PASSANT = words(0b110, 2**64 - 1 - (63 << 5))
BLIND_BOARDS = 1000


@kernel
def with_one_change(position: Position, side: int, state: Word) -> Position:
    """Move a random man of a side to a random empty square, or, one time in four, change its kind, not to a king."""
    men, others = men_of(position, side)
    empty = ~(men | others)
    origin = any_of(men, state)
    target = origin
    pawns, knights, kings = position.pawns, position.knights, position.kings
    diagonals, orthogonals = position.diagonals, position.orthogonals
    if uniform(state + GAMMA) < 0.75 or origin & kings:
        target = any_of(empty, state + GAMMA + GAMMA)
        start, end = lsb(origin), lsb(target)
        pawns, knights, kings = moved(pawns, start, end), moved(knights, start, end), moved(kings, start, end)
        diagonals, orthogonals = moved(diagonals, start, end), moved(orthogonals, start, end)
    else:
        kind = int(uniform(state + GAMMA + GAMMA) * 5)
        pawns = (pawns & ~origin) | (origin if kind == 0 else NONE)
        knights = (knights & ~origin) | (origin if kind == 1 else NONE)
        diagonals = (diagonals & ~origin) | (origin if kind == 2 or kind == 4 else NONE)
        orthogonals = (orthogonals & ~origin) | (origin if kind == 3 or kind == 4 else NONE)
    meta = position.meta & WITHOUT_PASSANT
    if origin & (position.kings | position.orthogonals):
        meta &= ~(BOTH_RIGHTS << word(2 * side))
    men = (men & ~origin) | target
    if side == WHITE:
        return Position(pawns, knights, diagonals, orthogonals, kings, men, others, meta)
    return Position(pawns, knights, diagonals, orthogonals, kings, others, men, meta)


@entry
def _alter(
    tables: WordArray,
    rows: Rows,
    side: int,
    changes: int,
    heard: int,
    terms: Terms,
    seed: Word,
    target: Rows,
    scratch: MoveArray,
) -> int:
    """Write to `target` boards made from random rows by `changes` changes, if they sound like `heard`; count them."""
    boards, written = pointer(rows), 0
    state = mixed(seed)
    for _ in range(len(target)):
        state += GAMMA
        position = load(boards, int(uniform(state) * len(rows)))
        for _ in range(changes):
            state += GAMMA
            position = with_one_change(position, side, mixed(state))
        if (
            is_possible(pointer(tables), position)
            and situation(pointer(tables), position, terms, pointer(scratch)) == heard
        ):
            store(pointer(target), written, position)
            written += 1
    return written


def altered(
    particles: Particles, side: int, changes: int, heard: int, terms: Terms, count: int, seed: int
) -> Particles:
    """Boards on which `changes` men of a side are elsewhere or of another kind; up to `count`, with equal weights.

    Only those of which the referee would announce `heard` after the last move. May be empty.
    """
    target = np.empty((count, 8), np.uint64)
    written = _alter(TABLES, particles.rows, side, changes, heard, terms, seed, target, np.empty(MAX_MOVES, np.int32))
    return merged(target[:written], np.ones(written), is_exact=False, fits_all=False)


def blind(view: View, seed: int) -> Particles:
    """Boards of the last observation, with equal weights; may be empty."""
    rows = last_observation(view, BLIND_BOARDS, seed)
    return merged(rows, np.ones(len(rows)), is_exact=False, fits_all=False)
