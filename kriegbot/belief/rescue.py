"""What to believe when no sampled board fits any more: boards that fit at least what was heard last.

`altered` moves enemy men about on boards that fitted until now, or changes what they are (a pawn may have been promoted
to a knight). `blind` forgets all boards and takes those of the last observation. Neither result is the information set:
`Belief` counts both.
"""

from typing import Any

import numpy as np

from kriegbot.belief.last_observation import any_of, is_possible, last_observation
from kriegbot.belief.particles import Particles, merged
from kriegbot.kernels.hearing import TERMS, Terms, situation
from kriegbot.kernels.jit import (
    INT,
    MOVE_ARRAY,
    ROW_ARRAY,
    WORD,
    WORD_ARRAY,
    entry,
    kernel,
    pointer,
    word,
    words,
)
from kriegbot.kernels.moves import MOST_MOVES
from kriegbot.kernels.position import (
    NONE,
    POSITION,
    WHITE,
    Position,
    load,
    men_of,
    store,
)
from kriegbot.kernels.random import GAMMA, mixed, uniform
from kriegbot.kernels.tables import TABLES
from referee import View

BOTH_RIGHTS, WITHOUT_PASSANT = words(0b110, 2**64 - 1 - (63 << 5))
BLIND_BOARDS = 1000


@kernel(WORD(WORD, WORD, WORD))
def moved(bits: int, origin: int, target: int) -> int:
    """Bitboard after a man, if it is on it, went from `origin` to `target`."""
    if bits & origin:
        return (bits & ~origin) | target
    return bits


@kernel(POSITION(POSITION, INT, WORD))
def with_one_change(position: Position, side: int, state: int) -> Position:
    """Move a random man of a side to a random empty square, or, one time in four, make another man but a king of it."""
    men, others = men_of(position, side)
    empty = ~(men | others)
    origin = any_of(men, state)
    target = origin
    pawns, knights, kings = position.pawns, position.knights, position.kings
    diagonals, orthogonals = position.diagonals, position.orthogonals
    if uniform(state + GAMMA) < 0.75 or origin & kings:
        target = any_of(empty, state + GAMMA + GAMMA)
        pawns, knights, kings = (
            moved(pawns, origin, target),
            moved(knights, origin, target),
            moved(kings, origin, target),
        )
        diagonals, orthogonals = moved(diagonals, origin, target), moved(orthogonals, origin, target)
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


@entry(INT(WORD_ARRAY, ROW_ARRAY, INT, INT, INT, TERMS, WORD, ROW_ARRAY, MOVE_ARRAY))
def _alter(
    tables: Any,
    rows: Any,
    side: int,
    changes: int,
    heard: int,
    terms: Terms,
    seed: int,
    target: Any,
    scratch: Any,
) -> int:
    """Write to `target` boards made from random rows by so many changes, if they sound as `heard`; return how many."""
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


def altered(particles: Particles, side: int, changes: int, heard: int, terms: Terms, most: int, seed: int) -> Particles:
    """Boards in which `changes` men of a side stand elsewhere or are others; up to `most`, all weighing the same.

    Only those of which the referee would say `heard`, as at the end of the last move. May be empty.
    """
    target = np.empty((most, 8), np.uint64)
    written = _alter(TABLES, particles.rows, side, changes, heard, terms, seed, target, np.empty(MOST_MOVES, np.int32))
    return merged(target[:written], np.ones(written), is_exact=False, fits_all=False)


def blind(view: View, seed: int) -> Particles:
    """Boards of the last observation, all weighing the same; may be empty."""
    rows = last_observation(view, BLIND_BOARDS, seed)
    return merged(rows, np.ones(len(rows)), is_exact=False, fits_all=False)
