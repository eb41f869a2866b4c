"""Known boards with enemy pieces moved or changed, among which some match an announcement that the boards do not."""

from typing import NamedTuple

import chess
import numpy as np

from kriegbot import kernels as kb
from kriegbot.belief.last_observation import any_of, is_possible, with_piece
from kriegbot.belief.particles import Particles, merged

PERTURBATIONS_PER_BOARD = 50
KINGS, PIECES = 4, 5  # words of a row: both kings; White's pieces, followed by Black's
BOTH_RIGHTS, WITHOUT_PASSANT = kb.words(0b110, 2**64 - 1 - (63 << 5))


@kb.kernel
def with_one_change(position: kb.Position, side: int, state: kb.Word) -> kb.Position:
    """Move a random piece of a side to an empty square or, one time in four unless it is a king, redraw its type."""
    own, others = kb.pieces_of(position, side)
    origin = any_of(own, state)
    piece, target = kb.type_of(position, origin), origin
    meta = position.meta & WITHOUT_PASSANT
    if origin & (position.kings | position.orthogonals):
        meta &= ~(BOTH_RIGHTS << kb.word(2 * side))
    if kb.random_number(state + kb.GAMMA) < 0.75 or piece == kb.KING:
        target = any_of(~(own | others), state + kb.GAMMA + kb.GAMMA)
    else:
        piece = int(kb.random_number(state + kb.GAMMA + kb.GAMMA) * 5)
    rest = kb.Position(
        position.pawns & ~origin,
        position.knights & ~origin,
        position.diagonals & ~origin,
        position.orthogonals & ~origin,
        position.kings & ~origin,
        position.white & ~origin,
        position.black & ~origin,
        meta,
    )
    return with_piece(rest, side, piece, target)


class Perturbation(NamedTuple):
    """A number of random changes to a side's pieces, and the announcement of the position that must hold afterwards."""

    side: int
    changes: int
    code: int
    rules: kb.KernelRules


@kb.entry
def _perturb(
    tables: kb.WordArray, rows: kb.Rows, change: Perturbation, seed: kb.Word, target: kb.Rows, scratch: kb.MoveArray
) -> int:
    """Perturb random rows, as many as `target` has; write those that match the announcement and return their number."""
    boards, written = kb.pointer(rows), 0
    state = kb.mix64(seed)
    for _ in range(len(target)):
        state += kb.GAMMA
        position = kb.load(boards, int(kb.random_number(state) * len(rows)))
        for _ in range(change.changes):
            state += kb.GAMMA
            position = with_one_change(position, change.side, kb.mix64(state))
        if (
            is_possible(kb.pointer(tables), position)
            and kb.situation(kb.pointer(tables), position, change.rules, kb.pointer(scratch)) == change.code
        ):
            kb.store(kb.pointer(target), written, position)
            written += 1
    return written


def perturb(particles: Particles, change: Perturbation, count: int, seed: int) -> Particles:
    """Perturb `count` boards; return those that match the announcement, weighted by frequency. May be empty."""
    target, scratch = np.empty((count, 8), np.uint64), np.empty(kb.MAX_MOVES, np.int32)
    written = _perturb(kb.TABLES, particles.rows, change, seed, target, scratch)
    return merged(target[:written], np.ones(written))


def with_king_moved(
    particles: Particles, side: int, code: int, rules: kb.KernelRules, count: int, seed: int
) -> kb.Rows:
    """Return boards [n, 8], n <= `count`, that match an announcement, a king one step beyond where boards have it."""
    squares = np.bitwise_or.reduce(particles.rows[:, KINGS] & particles.rows[:, PIECES + side])
    near = int(squares)
    for square in chess.scan_forward(int(squares)):
        near |= chess.BB_KING_ATTACKS[square]
    rows = perturb(particles, Perturbation(side, 1, code, rules), PERTURBATIONS_PER_BOARD * count, seed).rows
    return rows[rows[:, KINGS] & rows[:, PIECES + side] & np.uint64(near & ~int(squares)) != 0][:count]
