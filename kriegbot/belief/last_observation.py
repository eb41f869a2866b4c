"""Boards that fit the last observation alone: the "LOS" of Parker, Nau and Subrahmanian (IJCAI 2005).

Our own men stand where they stand, the enemy's, of whom only the number is known, anywhere: a king, and for the rest a
draw from a full set of men. A random board is kept if the referee would say of it what it said last, and if the tries
refused this turn are illegal on it. How the paper places the enemy's men is not at hand.

Two things make random boards fit more often. A man is put where the opponent has just captured. And none is put where
a pawn of ours was refused a capture while not in check: somebody can stand there only if that pawn is pinned, and such
boards, a few, are left out.
"""

from typing import Any

import chess
import numpy as np
from numba import types

from kriegbot.belief.heard import last_heard, side_of, terms_of
from kriegbot.kernels.attacks import attacked_by, checkers_and_pins
from kriegbot.kernels.hearing import CHECK_SHIFT, TERMS, Terms, situation
from kriegbot.kernels.jit import (
    INT,
    MOVE_ARRAY,
    MOVES,
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
from kriegbot.kernels.magics import Words
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
from kriegbot.kernels.random import GAMMA, mixed, uniform
from kriegbot.kernels.tables import TABLES
from referee import Answer, OpponentMoved, OwnTry, View

ATTEMPTS, ATTEMPTS_A_BOARD = 10_000, 50
"""Random boards tried at most: so many, and so many more for each board wanted. A thousand take a millisecond."""
ANYTHING = -1
"""In the place of what was heard: whatever it was."""
(BACK_RANKS,) = words(0xFF000000000000FF)
FULL_SET, PAWNS, KNIGHTS, DIAGONALS, ORTHOGONALS = words(0x7FFF, 0xFF, 0x300, 0x4C00, 0x7000)
"""A full set of men but the king, as bits: eight pawns, two knights, two bishops, two rooks, a queen; and its kinds."""


@kernel(WORD(WORD, INT))
def nth_square(squares: int, n: int) -> int:
    """Bitboard of the n-th square of a set, from 0."""
    for _ in range(n):
        squares &= squares - ONE
    return squares & (NONE - squares)


@kernel(WORD(WORD, WORD))
def any_of(squares: int, state: int) -> int:
    """Bitboard of a random square of a set, none if it is empty."""
    return nth_square(squares, int(uniform(state) * popcount(squares)))


@kernel(types.boolean(WORDS, POSITION))
def is_possible(tables: Any, position: Position) -> bool:
    """Whether no pawn stands on a back rank and the side that has just moved is not in check."""
    side = side_to_move(position)
    own, other = men_of(position, side)
    if position.pawns & BACK_RANKS:
        return False
    return attacked_by(tables, position, side, own | other) & position.kings & other == NONE


@kernel(POSITION(POSITION, INT, INT, WORD, WORD, WORD))
def with_men(position: Position, side: int, men: int, taken: int, closed: int, state: int) -> Position:
    """Add random men of a side, a king first: one of them on one of the squares `taken`, if any; none on `closed`."""
    pawns, knights, kings = position.pawns, position.knights, position.kings
    diagonals, orthogonals = position.diagonals, position.orthogonals
    empty = ~(position.white | position.black | taken | closed)
    added, left = NONE, FULL_SET
    taker = int(uniform(state) * men) if taken else men
    for i in range(men):
        man = any_of(left, state + GAMMA)
        state += GAMMA + GAMMA
        is_pawn = i > 0 and man & PAWNS != NONE
        free = empty & ~BACK_RANKS if is_pawn else empty
        square = any_of(taken if i == taker else free, state)
        empty &= ~square
        added |= square
        if i == 0:
            kings |= square
            continue
        left &= ~man
        pawns |= square if man & PAWNS else NONE
        knights |= square if man & KNIGHTS else NONE
        diagonals |= square if man & DIAGONALS else NONE
        orthogonals |= square if man & ORTHOGONALS else NONE
    if side == WHITE:
        return Position(pawns, knights, diagonals, orthogonals, kings, added, position.black, position.meta)
    return Position(pawns, knights, diagonals, orthogonals, kings, position.white, added, position.meta)


@kernel(types.boolean(WORDS, POSITION, INT, TERMS, MOVES))
def sounds_like(tables: Any, position: Position, heard: int, terms: Terms, scratch: list[int]) -> bool:
    """Whether the referee would say `heard` of a position, each check in a direction of its own, as moves give them."""
    if situation(tables, position, terms, scratch) != heard:
        return False
    checkers, _ = checkers_and_pins(tables, position)
    return popcount(checkers) == popcount(word(heard >> CHECK_SHIFT & 31))


@kernel(types.boolean(WORDS, POSITION, MOVES, INT, MOVES))
def plays_within(tables: Any, position: Position, tries: list[int], count: int, moves: list[int]) -> bool:
    """Whether a position has legal moves, all of them among `count` tries."""
    legal = legal_moves(tables, position, moves)
    for i in range(legal):
        place = 0
        while place < count and tries[place] != moves[i]:
            place += 1
        if place == count:
            return False
    return legal > 0


@entry(
    INT(
        WORD_ARRAY,
        WORD_ARRAY,
        INT,
        INT,
        WORD,
        WORD,
        WORD,
        INT,
        TERMS,
        MOVE_ARRAY,
        types.boolean,
        WORD,
        INT,
        ROW_ARRAY,
        MOVE_ARRAY,
    )
)
def _sample(
    tables: Any,
    own: Any,
    enemy: int,
    men: int,
    taken: int,
    passed: int,
    closed: int,
    heard: int,
    terms: Terms,
    tries: Any,
    is_our_turn: bool,
    seed: int,
    attempts: int,
    target: Any,
    scratch: Any,
) -> int:
    """Write boards that fit to `target` until it is full or `attempts` were made; return how many were written."""
    ours, written = load(pointer(own), 0), 0
    state = mixed(seed)
    for _ in range(attempts):
        state += GAMMA
        position = with_men(ours, enemy, men, taken, closed, mixed(state))
        if not is_possible(pointer(tables), position) or (position.white | position.black) & passed & ~position.pawns:
            continue
        if heard != ANYTHING and not sounds_like(pointer(tables), position, heard, terms, pointer(scratch)):
            continue
        if is_our_turn and not plays_within(pointer(tables), position, pointer(tries), len(tries), pointer(scratch)):
            continue
        store(pointer(target), written, position)
        written += 1
        if written == len(target):
            break
    return written


def last_observation(view: View, boards: int, seed: int) -> Words:
    """Boards [n, 8], n <= `boards`, with the view's own men that fit its last announcement and this turn's refusals.

    If none of those tried fits the announcement, any that fits the refusals will do. May be empty. Nobody castles or
    takes en passant on them but we, and the halfmove clock is 0. The first position of a game is known.
    """
    if view.ply == 0:
        return from_board(chess.Board(view.start)).reshape(1, 8)
    is_our_turn = view.turn == view.color
    tries = np.array([encode_move(move) for move in view.tries()], np.int32)
    heard, terms = last_heard(view, len(view.events)), terms_of(view.rules, view.limits)
    own, closed = from_board(_own_board(view), view.ply), 0
    taken, passed = _taken(view)
    if is_our_turn and not heard >> CHECK_SHIFT & 31:
        closed = int(chess.SquareSet(m.to_square for m in view.refused if _is_pawn_capture(view, m)))
    target, scratch = np.empty((boards, 8), np.uint64), np.empty(MOST_MOVES, np.int32)
    for sound in (heard, ANYTHING):
        written = _sample(
            TABLES,
            own,
            side_of(not view.color),
            view.opponent_men,
            taken,
            passed,
            closed,
            sound,
            terms,
            tries,
            is_our_turn,
            seed,
            ATTEMPTS + ATTEMPTS_A_BOARD * boards,
            target,
            scratch,
        )
        if written:
            break
    return target[:written]


def _own_board(view: View) -> chess.Board:
    """Board with nothing but the view's own men."""
    board = chess.Board(None)
    for square, kind in view.men.items():
        board.set_piece_at(square, chess.Piece(kind, view.color))
    home = chess.BB_RANK_1 if view.color == chess.WHITE else chess.BB_RANK_8
    board.castling_rights = (chess.BB_FILE_H & home) * view.kingside | (chess.BB_FILE_A & home) * view.queenside
    board.turn = view.turn
    return board


def _is_pawn_capture(view: View, move: chess.Move) -> bool:
    """Whether a try is a pawn's, one file to the side."""
    is_aside = abs(chess.square_file(move.from_square) - chess.square_file(move.to_square)) == 1
    return view.men.get(move.from_square) == chess.PAWN and is_aside


def _taken(view: View) -> tuple[chess.Bitboard, chess.Bitboard]:
    """Squares on one of which a man stands that has just captured, and that of them where only a pawn can.

    The second is where it stands after taking en passant a pawn that had just gone two steps; both are empty where the
    opponent's last move was no capture.
    """
    moves = [event.move for event in view.events if isinstance(event, OwnTry) and event.answer is Answer.ACCEPTED]
    last = next((event for event in reversed(view.events) if isinstance(event, OpponentMoved)), None)
    if view.turn != view.color or last is None or last.announcement.capture is None:
        return chess.BB_EMPTY, chess.BB_EMPTY
    taken = chess.BB_SQUARES[last.announcement.capture]
    if not moves or moves[-1].to_square != last.announcement.capture:
        return taken, chess.BB_EMPTY
    origin, target = moves[-1].from_square, moves[-1].to_square
    was_pawn = chess.Board(view.start).piece_at(origin) == chess.Piece(chess.PAWN, view.color)
    has_stayed = all(origin not in (move.from_square, move.to_square) for move in moves[:-1])
    if was_pawn and has_stayed and abs(origin - target) == 16:
        passed = chess.BB_SQUARES[(origin + target) // 2]
        return taken | passed, passed
    return taken, chess.BB_EMPTY
