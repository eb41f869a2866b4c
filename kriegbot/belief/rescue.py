"""What to believe when no sampled board fits any more: boards that fit at least what was heard last.

`altered` moves enemy men on boards that fitted until now, or changes their kinds (a pawn may have been promoted to a
knight). `blind` forgets all boards and takes those of the last observation. Neither result is the information set:
`Belief` counts both. `elsewhere` is for who does not trust the few boards that are left.
"""

import chess
import numpy as np

from kriegbot import kernels as kb
from kriegbot.belief.last_observation import any_of, is_possible, last_observation
from kriegbot.belief.particles import Particles, merged
from referee import View

BOTH_RIGHTS, WITHOUT_PASSANT = kb.words(0b110, 2**64 - 1 - (63 << 5))
BLIND_BOARDS = 1000
KINGS, MEN = 4, 5
"""The words of a row that hold both kings, and White's men; Black's come after those."""
ATTEMPTS_PER_BOARD = 50


@kb.kernel
def with_one_change(position: kb.Position, side: int, state: kb.Word) -> kb.Position:
    """Move a random man of a side to a random empty square, or, one time in four, change its kind, not to a king."""
    men, others = kb.pieces_of(position, side)
    empty = ~(men | others)
    origin = any_of(men, state)
    target = origin
    pawns, knights, kings = position.pawns, position.knights, position.kings
    diagonals, orthogonals = position.diagonals, position.orthogonals
    if kb.uniform(state + kb.GAMMA) < 0.75 or origin & kings:
        target = any_of(empty, state + kb.GAMMA + kb.GAMMA)
        start, end = kb.lsb(origin), kb.lsb(target)
        pawns, knights, kings = kb.moved(pawns, start, end), kb.moved(knights, start, end), kb.moved(kings, start, end)
        diagonals, orthogonals = kb.moved(diagonals, start, end), kb.moved(orthogonals, start, end)
    else:
        kind = int(kb.uniform(state + kb.GAMMA + kb.GAMMA) * 5)
        pawns = (pawns & ~origin) | (origin if kind == 0 else kb.NONE)
        knights = (knights & ~origin) | (origin if kind == 1 else kb.NONE)
        diagonals = (diagonals & ~origin) | (origin if kind == 2 or kind == 4 else kb.NONE)
        orthogonals = (orthogonals & ~origin) | (origin if kind == 3 or kind == 4 else kb.NONE)
    meta = position.meta & WITHOUT_PASSANT
    if origin & (position.kings | position.orthogonals):
        meta &= ~(BOTH_RIGHTS << kb.word(2 * side))
    men = (men & ~origin) | target
    if side == kb.WHITE:
        return kb.Position(pawns, knights, diagonals, orthogonals, kings, men, others, meta)
    return kb.Position(pawns, knights, diagonals, orthogonals, kings, others, men, meta)


@kb.entry
def _alter(
    tables: kb.WordArray,
    rows: kb.Rows,
    side: int,
    changes: int,
    heard: int,
    terms: kb.KernelRules,
    seed: kb.Word,
    target: kb.Rows,
    scratch: kb.MoveArray,
) -> int:
    """Write to `target` boards made from random rows by `changes` changes, if they sound like `heard`; count them."""
    boards, written = kb.pointer(rows), 0
    state = kb.mixed(seed)
    for _ in range(len(target)):
        state += kb.GAMMA
        position = kb.load(boards, int(kb.uniform(state) * len(rows)))
        for _ in range(changes):
            state += kb.GAMMA
            position = with_one_change(position, side, kb.mixed(state))
        if (
            is_possible(kb.pointer(tables), position)
            and kb.situation(kb.pointer(tables), position, terms, kb.pointer(scratch)) == heard
        ):
            kb.store(kb.pointer(target), written, position)
            written += 1
    return written


def perturb(
    particles: Particles, side: int, changes: int, heard: int, terms: kb.KernelRules, count: int, seed: int
) -> Particles:
    """Boards on which `changes` men of a side are elsewhere or of another kind; up to `count`, with equal weights.

    Only those of which the referee would announce `heard` after the last move. May be empty.
    """
    target = np.empty((count, 8), np.uint64)
    written = _alter(
        kb.TABLES, particles.rows, side, changes, heard, terms, seed, target, np.empty(kb.MAX_MOVES, np.int32)
    )
    return merged(target[:written], np.ones(written), is_exact=False, is_consistent=False)


def with_king_moved(
    particles: Particles, side: int, heard: int, terms: kb.KernelRules, count: int, seed: int
) -> kb.Rows:
    """Boards [n, 8], n <= `count`, made from these, on which a side's king is a step from where any of these has him.

    Only those of which the referee would announce `heard` after the last move.
    """
    known = np.bitwise_or.reduce(particles.rows[:, KINGS] & particles.rows[:, MEN + side])
    near = int(known)
    for square in chess.scan_forward(int(known)):
        near |= chess.BB_KING_ATTACKS[square]
    rows = perturb(particles, side, 1, heard, terms, ATTEMPTS_PER_BOARD * count, seed).rows
    return rows[rows[:, KINGS] & rows[:, MEN + side] & np.uint64(near & ~int(known)) != 0][:count]


def from_last_observation(view: View, seed: int) -> Particles:
    """Boards of the last observation, with equal weights; may be empty."""
    rows = last_observation(view, BLIND_BOARDS, seed)
    return merged(rows, np.ones(len(rows)), is_exact=False, is_consistent=False)
