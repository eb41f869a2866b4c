"""Chess positions as eight words, passed by value. A batch of positions is a C-contiguous uint64[N, 8].

Bishops and queens share one bitboard, rooks and queens another, as slider attacks need them.
"""

from typing import NamedTuple

import chess
import numpy as np

from kriegbot.kernels.jit import inlined, kernel, words
from kriegbot.kernels.types import IntArray, Rows, Word, WordArray, Words, number, word

WHITE, BLACK = 0, 1
NONE, ONE = words(0, 1)
EP_SHIFT, SQUARE_MASK = words(5, 63)
CLOCK_SHIFT, CLOCK_MASK = words(16, 0xFFFF)
PLY_SHIFT, PLY = words(32, 1 << 32)
MAX_TYPES = 32
TYPE_SHIFT, TYPE_MASK = words(11, MAX_TYPES - 1 << 11)


class Position(NamedTuple):
    """Bitboards with bit 0 = a1 and bit 63 = h8, as in python-chess, and the rest of a position in `meta`.

    Bits of `meta`:

        63                    32 31               16 15       11 10        5 4   3   2   1  0
        +-----------------------+-------------------+-----------+-----------+---+---+---+---+------+
        | plies since the start |  halfmove clock   |   type    |    ep     | q | k | Q | K | side |
        +-----------------------+-------------------+-----------+-----------+---+---+---+---+------+

    side: to move, 0 for White. K Q k q: castling rights. ep: en passant square, 0 for none, set only if a pawn of the
    side to move can capture there, pins aside. type: that of the opponent which a belief assumes here, 0 elsewhere.
    """

    pawns: Word
    knights: Word
    diagonals: Word
    orthogonals: Word
    kings: Word
    white: Word
    black: Word
    meta: Word


PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING = range(6)
CORNERS = (chess.BB_H1, chess.BB_A1, chess.BB_H8, chess.BB_A8)
PROMOTIONS = {None: 0, chess.KNIGHT: 1, chess.BISHOP: 2, chess.ROOK: 3, chess.QUEEN: 4}


@kernel
def load(rows: Words, row: int) -> Position:
    """Read the position in a row of a batch."""
    i = 8 * row
    return Position(rows[i], rows[i + 1], rows[i + 2], rows[i + 3], rows[i + 4], rows[i + 5], rows[i + 6], rows[i + 7])


@kernel
def store(rows: Words, row: int, position: Position) -> None:
    """Write a position to a row of a batch."""
    i = 8 * row
    rows[i] = position.pawns
    rows[i + 1] = position.knights
    rows[i + 2] = position.diagonals
    rows[i + 3] = position.orthogonals
    rows[i + 4] = position.kings
    rows[i + 5] = position.white
    rows[i + 6] = position.black
    rows[i + 7] = position.meta


@kernel
def bit(square: int) -> Word:
    """Return the bitboard of one square."""
    return ONE << word(square)


@kernel
def forward(side: int) -> int:
    """Return the step of a side's pawns in squares: 8 for White, -8 for Black."""
    return 8 if side == WHITE else -8


@kernel
def side_to_move(position: Position) -> int:
    """Return 0 for White, 1 for Black."""
    return number(position.meta & ONE)


@kernel
def pieces_of(position: Position, side: int) -> tuple[Word, Word]:
    """Return the squares of a side's pieces, and of the other side's."""
    if side == WHITE:
        return position.white, position.black
    return position.black, position.white


@inlined
def type_of(position: Position, piece: Word) -> int:
    """Return the type, PAWN to KING, of the piece on the one square of a bitboard."""
    if piece & position.pawns:
        return PAWN
    if piece & position.knights:
        return KNIGHT
    if piece & position.kings:
        return KING
    if piece & position.diagonals:
        return QUEEN if piece & position.orthogonals else BISHOP
    return ROOK


@kernel
def ep_square(position: Position) -> int:
    """Return the target of an en passant capture, 0 for none."""
    return number((position.meta >> EP_SHIFT) & SQUARE_MASK)


@kernel
def halfmove_clock(position: Position) -> int:
    """Return the plies since the last pawn move or capture."""
    return number((position.meta >> CLOCK_SHIFT) & CLOCK_MASK)


@kernel
def type_id(position: Position) -> int:
    """Return the opponent type that the belief assumes on this board."""
    return number((position.meta & TYPE_MASK) >> TYPE_SHIFT)


@kernel
def plies_played(position: Position) -> int:
    """Return the plies since the start of the game."""
    return number(position.meta >> PLY_SHIFT)


def from_board(board: chess.Board, ply: int = 0) -> WordArray:
    """Return the row uint64[8] of a python-chess board (standard chess) after `ply` plies of the game."""
    rights = board.clean_castling_rights()
    meta = 0 if board.turn == chess.WHITE else 1
    meta |= sum(2 << i for i, corner in enumerate(CORNERS) if rights & corner)
    if board.has_pseudo_legal_en_passant():
        meta |= (board.ep_square or 0) << 5
    meta |= min(board.halfmove_clock, 0xFFFF) << 16 | ply << 32
    pieces = board.pawns, board.knights, board.bishops | board.queens, board.rooks | board.queens, board.kings
    return np.array((*pieces, board.occupied_co[chess.WHITE], board.occupied_co[chess.BLACK], meta), np.uint64)


def with_type_ids(row: WordArray, count: int) -> Rows:
    """Return a position [8] once with each opponent type from 0 to `count` - 1: [count, 8]."""
    rows = np.repeat(row.reshape(1, 8), count, axis=0)
    rows[:, 7] |= np.arange(count, dtype=np.uint64) << TYPE_SHIFT
    return rows


def type_ids(rows: Rows) -> IntArray:
    """Return the opponent types [N] of positions [N, 8]."""
    return ((rows[:, 7] & TYPE_MASK) >> TYPE_SHIFT).astype(np.int64)


def without_type_ids(rows: Rows) -> Rows:
    """Return positions [N, 8] with opponent type 0."""
    bare = rows.copy()
    bare[:, 7] &= ~TYPE_MASK
    return bare


def to_board(row: WordArray) -> chess.Board:
    """Return the python-chess board of a row uint64[8], with move number 1."""
    pawns, knights, diagonals, orthogonals, kings, white, black, meta = (int(field) for field in row)
    board = chess.Board(None)
    board.pawns, board.knights, board.kings = pawns, knights, kings
    board.queens = diagonals & orthogonals
    board.bishops, board.rooks = diagonals & ~orthogonals, orthogonals & ~diagonals
    board.occupied_co[chess.WHITE], board.occupied_co[chess.BLACK] = white, black
    board.occupied = white | black
    board.turn = chess.BLACK if meta & 1 else chess.WHITE
    board.castling_rights = sum(corner for i, corner in enumerate(CORNERS) if meta >> (1 + i) & 1)
    board.ep_square = (meta >> 5 & 63) or None
    board.halfmove_clock = meta >> 16 & 0xFFFF
    return board


def encode_move(move: chess.Move) -> int:
    """Return a move as from | to << 6 | promotion << 12, with promotion 0 for none, 1 N, 2 B, 3 R, 4 Q.

    A player can try a promotion to another piece: it becomes 7, which no kernel lists.
    """
    promotion = PROMOTIONS.get(move.promotion, 7)
    return move.from_square | move.to_square << 6 | promotion << 12


def decode_move(code: int) -> chess.Move:
    """Return the python-chess move of a code of `encode_move` that kernels list."""
    promotion = code >> 12
    return chess.Move(code & 63, code >> 6 & 63, promotion + 1 if promotion else None)
