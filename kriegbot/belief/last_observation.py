"""Boards that fit the last observation alone: the "LOS" of Parker, Nau and Subrahmanian (IJCAI 2005).

Our own men are where they are. The enemy's, of whom only the number is known, are anywhere: a king, and for the rest a
draw from a full set of men. A random board is kept if the referee would announce of it what it announced last, and if
the tries refused this turn are illegal on it. We do not know how the paper places the enemy's men.

Two things make random boards fit more often. A man is put where the opponent has just captured. And none is put where
a pawn of ours was refused a capture while not in check, or the referee named the pawns that can capture, and not that
one: an enemy can be there only if that pawn is pinned, and those few boards are left out.
"""

from typing import NamedTuple

import chess
import numpy as np

from kriegbot.belief.encoding import last_heard, side_of
from kriegbot.kernels.attacks import attacked_by, check_info
from kriegbot.kernels.hearing import CHECK_SHIFT, Terms, situation
from kriegbot.kernels.jit import (
    entry,
    kernel,
    pointer,
    popcount,
    word,
    words,
)
from kriegbot.kernels.moves import MAX_MOVES, legal_moves
from kriegbot.kernels.position import (
    NONE,
    ONE,
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
from kriegbot.kernels.types import MoveArray, Moves, Rows, Word, WordArray, Words
from referee import Answer, OpponentMoved, OwnTry, View, open_tries

ATTEMPTS, ATTEMPTS_PER_BOARD = 10_000, 50
"""The most random boards to try: a base, and more for each board wanted. A thousand take a millisecond."""
ANYTHING = -1
"""Stands for anything heard."""
(BACK_RANKS,) = words(0xFF000000000000FF)
FULL_SET, PAWNS, KNIGHTS, DIAGONALS, ORTHOGONALS = words(0x7FFF, 0xFF, 0x300, 0x4C00, 0x7000)
"""A full set of men without the king, as bits: eight pawns, two knights, bishops and rooks, a queen; and its kinds."""


@kernel
def nth_square(squares: Word, n: int) -> Word:
    """Bitboard of the n-th square of a set, from 0."""
    for _ in range(n):
        squares &= squares - ONE
    return squares & (NONE - squares)


@kernel
def any_of(squares: Word, state: Word) -> Word:
    """Bitboard of a random square of a set, none if it is empty."""
    return nth_square(squares, int(uniform(state) * popcount(squares)))


@kernel
def is_possible(tables: Words, position: Position) -> bool:
    """Whether no pawn is on a back rank and the side that has just moved is not in check."""
    side = side_to_move(position)
    own, other = men_of(position, side)
    if position.pawns & BACK_RANKS:
        return False
    return attacked_by(tables, position, side, own | other) & position.kings & other == NONE


class Observed(NamedTuple):
    """What a side has seen last.

    enemy: the other side, and `men`, how many it has. taken, passed: squares on one of which a man has just captured,
    and the one among them where only a pawn can be. closed: squares where no man is put. heard: as `last_heard` says,
    or ANYTHING. is_our_turn: whether the side is to move.
    """

    enemy: int
    men: int
    taken: Word
    passed: Word
    closed: Word
    heard: int
    terms: Terms
    is_our_turn: bool


@kernel
def with_men(position: Position, observed: Observed, state: Word) -> Position:
    """Add random men of the enemy, a king first: one of them on a square of `taken`, if any; none on `closed`."""
    men, taken = observed.men, observed.taken
    pawns, knights, kings = position.pawns, position.knights, position.kings
    diagonals, orthogonals = position.diagonals, position.orthogonals
    empty = ~(position.white | position.black | taken | observed.closed)
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
    if observed.enemy == WHITE:
        return Position(pawns, knights, diagonals, orthogonals, kings, added, position.black, position.meta)
    return Position(pawns, knights, diagonals, orthogonals, kings, position.white, added, position.meta)


@kernel
def sounds_like(tables: Words, position: Position, heard: int, terms: Terms, scratch: Moves) -> bool:
    """Whether the referee would announce `heard` of a position, each check in a different direction, as after moves.

    Where checks are not announced, there may be any.
    """
    if heard == ANYTHING:
        return True
    if situation(tables, position, terms, scratch) != heard:
        return False
    if terms.tells_checks == 0:
        return True
    checkers, _ = check_info(tables, position)
    return popcount(checkers) == popcount(word(heard >> CHECK_SHIFT & 31))


@kernel
def plays_within(tables: Words, position: Position, tries: Moves, count: int, moves: Moves) -> bool:
    """Whether a position has legal moves, all of them among `count` tries."""
    legal = legal_moves(tables, position, moves)
    for i in range(legal):
        place = 0
        while place < count and tries[place] != moves[i]:
            place += 1
        if place == count:
            return False
    return legal > 0


@entry
def _sample(
    tables: WordArray,
    own: WordArray,
    observed: Observed,
    tries: MoveArray,
    seed: Word,
    attempts: int,
    target: Rows,
    scratch: MoveArray,
) -> int:
    """Write boards that fit to `target` until it is full or `attempts` were made; return how many were written."""
    ours, written = load(pointer(own), 0), 0
    state = mixed(seed)
    for _ in range(attempts):
        state += GAMMA
        position = with_men(ours, observed, mixed(state))
        men = position.white | position.black
        if men & observed.passed & ~position.pawns or not is_possible(pointer(tables), position):
            continue
        if not sounds_like(pointer(tables), position, observed.heard, observed.terms, pointer(scratch)):
            continue
        if observed.is_our_turn and not plays_within(
            pointer(tables), position, pointer(tries), len(tries), pointer(scratch)
        ):
            continue
        store(pointer(target), written, position)
        written += 1
        if written == len(target):
            break
    return written


def last_observation(view: View, boards: int, seed: int) -> Rows:
    """Boards [n, 8], n <= `boards`, with the view's own men that fit its last announcement and this turn's refusals.

    If none of those tried fits the announcement, any that fits the refusals will do. May be empty. Only our side can
    castle or capture en passant on them, and the halfmove clock is 0. The first position of a game is known.
    """
    if view.ply == 0:
        return from_board(chess.Board(view.start)).reshape(1, 8)
    is_our_turn = view.turn == view.color
    # All that was not refused: also what an answer to "Any?" forbids may be legal.
    refused = set(view.refused)
    unforbidden = open_tries(view.color, view.men, view.kingside, view.queenside, view.pawn_tries)
    tries = np.array([encode_move(move) for move in unforbidden if move not in refused], np.int32)
    heard, terms = last_heard(view, len(view.events))
    closed = 0
    if is_our_turn and view.rules.checks_told and not heard >> CHECK_SHIFT & 31:
        closed = int(chess.SquareSet(m.to_square for m in view.refused if _is_pawn_capture(view, m)))
        closed |= _unnamed(view)
    taken, passed, closed = words(*_taken(view), closed)
    observed = Observed(side_of(not view.color), view.opponent_men, taken, passed, closed, heard, terms, is_our_turn)
    own, attempts = from_board(_own_board(view), view.ply), ATTEMPTS + ATTEMPTS_PER_BOARD * boards
    target, scratch = np.empty((boards, 8), np.uint64), np.empty(MAX_MOVES, np.int32)
    for said in (heard, ANYTHING):
        written = _sample(TABLES, own, observed._replace(heard=said), tries, seed, attempts, target, scratch)
        if written:
            break
    return target[:written]


def _own_board(view: View) -> chess.Board:
    """Board with only the view's own men."""
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


def _unnamed(view: View) -> chess.Bitboard:
    """Squares that pawns of the view attack which are not among those named as able to capture."""
    attacked = chess.BB_EMPTY
    if isinstance(view.pawn_tries, tuple):
        for square, man in view.men.items():
            if man == chess.PAWN and square not in view.pawn_tries:
                attacked |= chess.BB_PAWN_ATTACKS[view.color][square]
    return attacked


def _taken(view: View) -> tuple[chess.Bitboard, chess.Bitboard]:
    """Squares on one of which a man has just captured, and the one among them where only a pawn can be.

    The second is where it is after capturing en passant; both are empty if the opponent's last move was not a capture.
    """
    moves = [event.move for event in view.events if isinstance(event, OwnTry) and event.answer is Answer.ACCEPTED]
    last = next((event for event in reversed(view.events) if isinstance(event, OpponentMoved)), None)
    if view.turn != view.color or last is None or last.announcement.capture is None:
        return chess.BB_EMPTY, chess.BB_EMPTY
    taken = chess.BB_SQUARES[last.announcement.capture]
    if view.rules.en_passant_told:
        return taken, taken if last.announcement.en_passant else chess.BB_EMPTY
    if not moves or moves[-1].to_square != last.announcement.capture:
        return taken, chess.BB_EMPTY
    origin, target = moves[-1].from_square, moves[-1].to_square
    was_pawn = chess.Board(view.start).piece_at(origin) == chess.Piece(chess.PAWN, view.color)
    has_stayed = all(origin not in (move.from_square, move.to_square) for move in moves[:-1])
    if was_pawn and has_stayed and abs(origin - target) == 16:
        passed = chess.BB_SQUARES[(origin + target) // 2]
        return taken | passed, passed
    return taken, chess.BB_EMPTY
