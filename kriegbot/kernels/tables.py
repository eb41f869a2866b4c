"""Tables of chess geometry in one flat vector of uint64, built from those of python-chess in some milliseconds.

Kernels receive it as a pointer, since numba would copy a global array into every compiled function.

Magic bitboards give the attacks of sliders (Kannan and Hansen, "Magic Move-Bitboard Generation in Computer Chess",
2007): a multiplication and a shift hash the blockers of a slider to the index of its attack set. The multipliers are
random numbers with few bits, found by trial.
"""

from math import comb

import chess
import numpy as np

from kriegbot.kernels.random import subseed
from kriegbot.kernels.types import WordArray

# Start of each table: 64 entries, one per square, unless noted otherwise.
KNIGHT = 0
KING = 64
PAWN = 128  # [2, 64] squares that a white or a black pawn attacks
ROOK = 256  # [4, 64] mask of blockers, magic, index of the first attack set, shift
BISHOP = 512  # [4, 64] likewise
RIGHTS = 768  # castling rights (K Q k q) that remain after a move from or to the square
BETWEEN = 832  # [64, 64] squares strictly between two squares of a line, else none
LINE = BETWEEN + 4096  # [64, 64] the whole line through two squares, else none
ATTACKS = LINE + 4096  # attack sets: 102,400 for rooks, then 5,248 for bishops
CHOOSE = ATTACKS + 102_400 + 5_248  # [64, 8] ways to choose 1 to 8 of the squares before this one
SIZE = CHOOSE + 64 * 8

MASK, MAGIC, FIRST, SHIFT = 0, 64, 128, 192

# fmt: off
ROOK_SEEDS = (
    483000, 16937, 624552, 942849, 488453, 585591, 302512, 367334,
    60233, 96482, 30738, 40126, 10349, 57201, 44065, 164095,
    160439, 164948, 68377, 122852, 6170, 1021000, 6340, 234944,
    622406, 404665, 103291, 868657, 73723, 48827, 19641, 8313438,
    281337, 11734, 30738, 40126, 293935, 72844, 53168, 21318,
    3658, 173286, 1272443, 136282, 154694, 284071, 56587, 4167,
    156226, 112156, 13014, 63650, 154694, 58876, 150, 28126,
    66763, 2143, 5392, 2855, 58836, 1216151, 15361, 286821,
)
BISHOP_SEEDS = (
    16156, 1746, 1254, 597, 104, 3740, 3180, 2109,
    8450, 4830, 3211, 1110, 1863, 390, 2109, 18336,
    719, 3303, 7158, 39209, 4066, 34134, 3008, 2233,
    4403, 7372, 3076, 51355, 32066, 6082, 146, 4783,
    2121, 597, 12107, 111666, 108803, 7491, 9173, 3420,
    12227, 979, 7339, 25301, 6115, 4402, 1254, 785,
    3180, 1137, 6438, 3378, 2106, 1746, 1746, 1746,
    2109, 18336, 2165, 1873, 3540, 220, 8450, 16156,
)
# fmt: on
"""For each square the first seed from 0 whose magic gives different attack sets different indexes."""


def build() -> WordArray:
    """Build the tables: uint64[SIZE]."""
    tables = np.zeros(SIZE, np.uint64)
    tables[KNIGHT:KING], tables[KING:PAWN] = chess.BB_KNIGHT_ATTACKS, chess.BB_KING_ATTACKS
    tables[PAWN:ROOK] = [*chess.BB_PAWN_ATTACKS[chess.WHITE], *chess.BB_PAWN_ATTACKS[chess.BLACK]]
    tables[RIGHTS : RIGHTS + 64] = 0b1111
    for square, remaining in ((4, 0b1100), (7, 0b1110), (0, 0b1101), (60, 0b0011), (63, 0b1011), (56, 0b0111)):
        tables[RIGHTS + square] = remaining
    tables[BETWEEN:LINE] = [chess.between(a, b) for a in chess.SQUARES for b in chess.SQUARES]
    tables[LINE:ATTACKS] = [chess.ray(a, b) for a in chess.SQUARES for b in chess.SQUARES]
    end = _sliders(tables, ROOK, ROOK_SEEDS, ATTACKS, chess.BB_RANK_ATTACKS, chess.BB_FILE_ATTACKS)
    _sliders(tables, BISHOP, BISHOP_SEEDS, end, chess.BB_DIAG_ATTACKS)
    tables[CHOOSE:] = [comb(square, chosen) for square in chess.SQUARES for chosen in range(1, 9)]
    return tables


def _sliders(tables: WordArray, begin: int, seeds: tuple[int, ...], first: int, *lines: list[dict[int, int]]) -> int:
    """Fill in the masks, magics, shifts and attack sets of one slider; return the index behind them.

    The attack sets begin at index `first`. `lines` are python-chess's attacks along lines: for each square, from
    blockers to attacked squares.
    """
    for square, seed in enumerate(seeds):
        magic = np.uint64(subseed(seed, 0) & subseed(seed, 1) & subseed(seed, 2))
        occupied = attacks = np.zeros(1, np.uint64)
        for line in lines:
            occupied = np.bitwise_or.outer(occupied, np.fromiter(line[square], np.uint64)).ravel()
            attacks = np.bitwise_or.outer(attacks, np.fromiter(line[square].values(), np.uint64)).ravel()
        mask = occupied.max()
        shift = 64 - int(mask).bit_count()
        tables[first + (occupied * magic >> np.uint64(shift)).astype(np.int64)] = attacks
        for field, value in ((MASK, mask), (MAGIC, magic), (FIRST, first), (SHIFT, shift)):
            tables[begin + field + square] = value
        first += len(attacks)
    return first


TABLES = build()  # first argument of entry kernels that need chess geometry
