"""What to believe when no sampled board fits any more: boards that fit at least what was heard last.

`altered` moves enemy men about on boards that fitted until now, or changes what they are (a pawn may have been promoted
to a knight). `blind` forgets all boards and puts the enemy's men anywhere, as the last-observation sampling of Parker,
Nau and Subrahmanian (IJCAI 2005) does. Neither result is the information set: `Belief` counts both.
"""

from typing import Any

import chess
import numpy as np
from numba import types

from kriegbot.belief.heard import said, terms_of
from kriegbot.belief.particles import Particles, merged
from kriegbot.kernels.attacks import attacked_by
from kriegbot.kernels.hearing import CAPTURE_MASK, TERMS, Terms, situation
from kriegbot.kernels.jit import (
    INT,
    MOVE_ARRAY,
    ROW_ARRAY,
    WORD,
    WORD_ARRAY,
    WORDS,
    entry,
    kernel,
    pointer,
    popcount,
    word,
    words,
)
from kriegbot.kernels.moves import MOST_MOVES, legal_moves
from kriegbot.kernels.position import (
    NONE,
    ONE,
    POSITION,
    WHITE,
    Position,
    encode_move,
    from_board,
    load,
    men_of,
    side_to_move,
    store,
)
from kriegbot.kernels.random import GAMMA, mixed, subseed, uniform, uniforms
from kriegbot.kernels.tables import TABLES
from referee import OpponentMoved, OwnTry, View

BACK_RANKS, BOTH_RIGHTS, WITHOUT_PASSANT = words(0xFF000000000000FF, 0b110, 2**64 - 1 - (63 << 5))
BLIND_ATTEMPTS = 1000


@kernel(WORD(WORD, INT))
def nth_square(squares: int, n: int) -> int:
    """Bitboard of the n-th square of a set, from 0."""
    for _ in range(n):
        squares &= squares - ONE
    return squares & (NONE - squares)


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
    origin = nth_square(men, int(uniform(state) * popcount(men)))
    target = origin
    pawns, knights, kings = position.pawns, position.knights, position.kings
    diagonals, orthogonals = position.diagonals, position.orthogonals
    if uniform(state + GAMMA) < 0.75 or origin & kings:
        target = nth_square(empty, int(uniform(state + GAMMA + GAMMA) * popcount(empty)))
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


@kernel(types.boolean(WORDS, POSITION))
def is_possible(tables: Any, position: Position) -> bool:
    """Whether no pawn stands on a back rank and the side that has just moved is not in check."""
    side = side_to_move(position)
    own, other = men_of(position, side)
    if position.pawns & BACK_RANKS:
        return False
    return attacked_by(tables, position, side, own | other) & position.kings & other == NONE


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


def last_heard(view: View, before: int) -> int:
    """Checks, pawn tries and end in the last announcement before an event of a view; of the first position, none."""
    for event in reversed(view.events[:before]):
        if isinstance(event, OwnTry | OpponentMoved) and event.announcement is not None:
            return said(event.announcement) & ~CAPTURE_MASK
    return 0


@entry(INT(WORD_ARRAY, ROW_ARRAY, MOVE_ARRAY, MOVE_ARRAY))
def _keep_within(tables: Any, rows: Any, tries: Any, moves: Any) -> int:
    """Pack the boards that have legal moves, all among the tries, to the front; return how many."""
    boards, kept = pointer(rows), 0
    for i in range(len(rows)):
        position = load(boards, i)
        count = legal_moves(pointer(tables), position, pointer(moves))
        among = 0
        for j in range(count):
            for k in range(len(tries)):
                if moves[j] == tries[k]:
                    among += 1
                    break
        if among == count > 0:
            store(boards, kept, position)
            kept += 1
    return kept


@entry(INT(WORD_ARRAY, ROW_ARRAY, INT, TERMS, MOVE_ARRAY))
def _keep_sounding(tables: Any, rows: Any, heard: int, terms: Terms, scratch: Any) -> int:
    """Pack the boards of which the referee would say `heard` to the front; return how many."""
    boards, kept = pointer(rows), 0
    for i in range(len(rows)):
        position = load(boards, i)
        if situation(pointer(tables), position, terms, pointer(scratch)) == heard:
            store(boards, kept, position)
            kept += 1
    return kept


def blind(view: View, seed: int) -> Particles:
    """Boards with the view's own men, and enemy men of the right number anywhere, that fit the last announcement.

    If none of the random boards does, any will do on which the tries refused this turn are illegal. May be empty.
    """
    random_boards = (_random_board(view, subseed(seed, i)) for i in range(BLIND_ATTEMPTS))
    rows = [from_board(board, view.ply) for board in random_boards if board.is_valid()]
    boards, moves = np.array(rows, np.uint64).reshape(len(rows), 8), np.empty(MOST_MOVES, np.int32)
    if view.turn == view.color:
        tries = np.array([encode_move(move) for move in view.tries()], np.int32)
        boards = boards[: _keep_within(TABLES, boards, tries, moves)]
    fitting = boards.copy()
    heard, terms = last_heard(view, len(view.events)), terms_of(view.rules, view.limits)
    kept = _keep_sounding(TABLES, fitting, heard, terms, moves)
    chosen = fitting[:kept] if kept else boards
    return merged(chosen, np.ones(len(chosen)), is_exact=False, fits_all=False)


def _random_board(view: View, seed: int) -> chess.Board:
    """Board with the view's own men and random enemy men: a king, and a draw from a full set for the rest."""
    board = chess.Board(None)
    for square, kind in view.men.items():
        board.set_piece_at(square, chess.Piece(kind, view.color))
    home = chess.BB_RANK_1 if view.color == chess.WHITE else chess.BB_RANK_8
    board.castling_rights = (chess.BB_FILE_H & home) * view.kingside | (chess.BB_FILE_A & home) * view.queenside
    board.turn = view.turn
    numbers = iter(uniforms(seed, 2 * view.opponent_men))
    men = [chess.PAWN] * 8 + [chess.KNIGHT, chess.BISHOP, chess.ROOK] * 2 + [chess.QUEEN]
    for i in range(view.opponent_men):
        kind = chess.KING if i == 0 else men.pop(int(next(numbers) * len(men)))
        free = [s for s in chess.SQUARES if board.piece_at(s) is None]
        if kind == chess.PAWN:
            free = [s for s in free if 0 < chess.square_rank(s) < 7] or free
        board.set_piece_at(free[int(next(numbers) * len(free))], chess.Piece(kind, not view.color))
    return board
