"""Precomputed tables of chess geometry: one flat vector of uint64, built in a few milliseconds with numpy.

Kernels receive it as a pointer, since numba would copy a frozen global into every compiled function.
"""

from math import comb

import numpy as np

from kriegbot.kernels.jit import WordArray
from kriegbot.kernels.magics import (
    BISHOP_DIRECTIONS,
    BISHOP_MAGICS,
    ROOK_DIRECTIONS,
    ROOK_MAGICS,
    Directions,
    blockers_and_attacks,
    ray,
)

# Where each table begins; 64 entries, one per square, unless noted otherwise.
KNIGHT = 0
KING = 64
PAWN = 128
"""[2, 64] squares that a white, a black pawn attacks."""
ROOK = 256
"""[4, 64] mask of blockers, magic, first place of the attack sets, shift."""
BISHOP = 512
RIGHTS = 768
"""Castling rights (K Q k q) that a move from or to the square leaves."""
BETWEEN = 832
"""[64, 64] squares strictly between two squares of a line, else none."""
LINE = BETWEEN + 4096
"""[64, 64] the whole line through two squares, else none."""
ATTACKS = LINE + 4096
"""The sliders' attack sets: 102,400 for rooks, then 5,248 for bishops."""
CHOOSE = ATTACKS + 102_400 + 5_248
"""[64, 8] ways to choose 1 to 8 of as many squares as stand before this one."""
SIZE = CHOOSE + 64 * 8

KNIGHT_STEPS = tuple((r, f) for r in (-2, -1, 1, 2) for f in (-2, -1, 1, 2) if abs(r) != abs(f))
KING_STEPS = ROOK_DIRECTIONS + BISHOP_DIRECTIONS
WHITE_PAWN_STEPS = ((1, -1), (1, 1))
BLACK_PAWN_STEPS = ((-1, -1), (-1, 1))
MASK, MAGIC, FIRST, SHIFT = 0, 64, 128, 192


def build() -> WordArray:
    """Build the tables: uint64[SIZE]."""
    tables = np.zeros(SIZE, np.uint64)
    leaps = (
        (KNIGHT, KNIGHT_STEPS),
        (KING, KING_STEPS),
        (PAWN, WHITE_PAWN_STEPS),
        (PAWN + 64, BLACK_PAWN_STEPS),
    )
    for square in range(64):
        for begin, steps in leaps:
            tables[begin + square] = sum(1 << s for step in steps for s in ray(square, step)[:1])
        for direction in KING_STEPS:
            rank, file = direction
            ahead = ray(square, direction)
            line = sum(1 << s for s in [square, *ahead, *ray(square, (-rank, -file))])
            for i, s in enumerate(ahead):
                tables[BETWEEN + 64 * square + s] = sum(1 << b for b in ahead[:i])
                tables[LINE + 64 * square + s] = line
    tables[RIGHTS : RIGHTS + 64] = 0b1111
    for square, kept in ((4, 0b1100), (7, 0b1110), (0, 0b1101), (60, 0b0011), (63, 0b1011), (56, 0b0111)):
        tables[RIGHTS + square] = kept
    end = _sliders(tables, ROOK, ROOK_DIRECTIONS, ROOK_MAGICS, ATTACKS)
    _sliders(tables, BISHOP, BISHOP_DIRECTIONS, BISHOP_MAGICS, end)
    tables[CHOOSE:] = [comb(square, chosen) for square in range(64) for chosen in range(1, 9)]
    return tables


def _sliders(tables: WordArray, begin: int, directions: Directions, magics: tuple[int, ...], place: int) -> int:
    """Fill in one slider's masks, magics, shifts and attack sets from `place` on; return where they end."""
    for square in range(64):
        mask, occupied, attacks = blockers_and_attacks(square, directions)
        shift = 64 - mask.bit_count()
        index = (occupied * np.uint64(magics[square]) >> np.uint64(shift)).astype(np.int64)
        tables[place + index] = attacks
        for field, value in ((MASK, mask), (MAGIC, magics[square]), (FIRST, place), (SHIFT, shift)):
            tables[begin + field + square] = value
        place += len(attacks)
    return place


TABLES = build()
"""The tables that every entry kernel takes as its first argument."""
