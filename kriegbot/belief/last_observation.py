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

from kriegbot import kernels as kb
from kriegbot.belief.filter import list_answering
from referee import Answer, Asking, OwnTry, PawnTryExists, PawnTrySquares, View, open_tries
from referee.pieces import is_pawn_capture

ATTEMPTS, ATTEMPTS_PER_BOARD = 10_000, 50
"""The most random boards to try: a base, and more for each board wanted. A thousand take a millisecond."""
ANYTHING = -1
"""Stands for anything heard."""
(BACK_RANKS,) = kb.words(0xFF000000000000FF)
FULL_SET, PAWNS, KNIGHTS, DIAGONALS, ORTHOGONALS = kb.words(0x7FFF, 0xFF, 0x300, 0x4C00, 0x7000)
"""A full set of men without the king, as bits: eight pawns, two knights, bishops and rooks, a queen; and its kinds."""


@kb.kernel
def nth_square(squares: kb.Word, n: int) -> kb.Word:
    """Bitboard of the n-th square of a set, from 0."""
    for _ in range(n):
        squares &= squares - kb.ONE
    return squares & (kb.NONE - squares)


@kb.kernel
def any_of(squares: kb.Word, state: kb.Word) -> kb.Word:
    """Bitboard of a random square of a set, none if it is empty."""
    return nth_square(squares, int(kb.uniform(state) * kb.popcount(squares)))


@kb.kernel
def is_possible(tables: kb.Words, position: kb.Position) -> bool:
    """Whether no pawn is on a back rank and the side that has just moved is not in check."""
    side = kb.side_to_move(position)
    own, other = kb.pieces_of(position, side)
    if position.pawns & BACK_RANKS:
        return False
    return kb.attacked_by(tables, position, side, own | other) & position.kings & other == kb.NONE


class Observed(NamedTuple):
    """What a side has seen last.

    enemy: the other side, and `men`, how many it has. taken, passed: squares on one of which a man has just captured,
    and the one among them where only a pawn can be. closed: squares where no man is put. heard: as `last_heard` says,
    or ANYTHING. is_our_turn: whether the side is to move.
    """

    enemy: int
    men: int
    taken: kb.Word
    passed: kb.Word
    closed: kb.Word
    heard: int
    terms: kb.KernelRules
    is_our_turn: bool


@kb.kernel
def with_men(position: kb.Position, observed: Observed, state: kb.Word) -> kb.Position:
    """Add random men of the enemy, a king first: one of them on a square of `taken`, if any; none on `closed`."""
    men, taken = observed.men, observed.taken
    pawns, knights, kings = position.pawns, position.knights, position.kings
    diagonals, orthogonals = position.diagonals, position.orthogonals
    empty = ~(position.white | position.black | taken | observed.closed)
    added, left = kb.NONE, FULL_SET
    taker = int(kb.uniform(state) * men) if taken else men
    for i in range(men):
        man = any_of(left, state + kb.GAMMA)
        state += kb.GAMMA + kb.GAMMA
        is_pawn = i > 0 and man & PAWNS != kb.NONE
        free = empty & ~BACK_RANKS if is_pawn else empty
        square = any_of(taken if i == taker else free, state)
        empty &= ~square
        added |= square
        if i == 0:
            kings |= square
            continue
        left &= ~man
        pawns |= square if man & PAWNS else kb.NONE
        knights |= square if man & KNIGHTS else kb.NONE
        diagonals |= square if man & DIAGONALS else kb.NONE
        orthogonals |= square if man & ORTHOGONALS else kb.NONE
    if observed.enemy == kb.WHITE:
        return kb.Position(pawns, knights, diagonals, orthogonals, kings, added, position.black, position.meta)
    return kb.Position(pawns, knights, diagonals, orthogonals, kings, position.white, added, position.meta)


@kb.kernel
def sounds_like(tables: kb.Words, position: kb.Position, heard: int, terms: kb.KernelRules, scratch: kb.Moves) -> bool:
    """Whether the referee would announce `heard` of a position, each check in a different direction, as after moves.

    Where checks are not announced, there may be any.
    """
    if heard == ANYTHING:
        return True
    if kb.situation(tables, position, terms, scratch) != heard:
        return False
    if terms.announces_checks == 0:
        return True
    checkers, _ = kb.check_info(tables, position)
    return kb.popcount(checkers) == kb.popcount(kb.word(heard >> kb.CHECK_SHIFT & 31))


@kb.kernel
def plays_within(tables: kb.Words, position: kb.Position, tries: kb.Moves, count: int, moves: kb.Moves) -> bool:
    """Whether a position has legal moves, all of them among `count` tries."""
    legal = kb.legal_moves(tables, position, moves)
    for i in range(legal):
        place = 0
        while place < count and tries[place] != moves[i]:
            place += 1
        if place == count:
            return False
    return legal > 0


@kb.entry
def _sample(
    tables: kb.WordArray,
    own: kb.WordArray,
    observed: Observed,
    tries: kb.MoveArray,
    seed: kb.Word,
    attempts: int,
    target: kb.Rows,
    scratch: kb.MoveArray,
) -> int:
    """Write boards that fit to `target` until it is full or `attempts` were made; return how many were written."""
    ours, written = kb.load(kb.pointer(own), 0), 0
    state = kb.mixed(seed)
    for _ in range(attempts):
        state += kb.GAMMA
        position = with_men(ours, observed, kb.mixed(state))
        men = position.white | position.black
        if men & observed.passed & ~position.pawns or not is_possible(kb.pointer(tables), position):
            continue
        if not sounds_like(kb.pointer(tables), position, observed.heard, observed.terms, kb.pointer(scratch)):
            continue
        if observed.is_our_turn and not plays_within(
            kb.pointer(tables), position, kb.pointer(tries), len(tries), kb.pointer(scratch)
        ):
            continue
        kb.store(kb.pointer(target), written, position)
        written += 1
        if written == len(target):
            break
    return written


def last_observation(view: View, boards: int, seed: int) -> kb.Rows:
    """Boards [n, 8], n <= `boards`, with the view's own men that fit its last announcement and this turn's answers.

    If none of those tried fits the announcement, any that fits the answers will do. May be empty. Only our side can
    castle or capture en passant on them, and the halfmove clock is 0. The first position of a game is known.
    """
    if view.ply == 0:
        return kb.from_board(chess.Board(view.start)).reshape(1, 8)
    is_our_turn = view.turn == view.color
    illegal = set(view.illegal)  # what an answer to "Any?" forbids may be legal
    unforbidden = open_tries(view.color, view.men, view.kingside, view.queenside, view.pawn_tries)
    tries = np.array([kb.encode_move(move) for move in unforbidden if move not in illegal], np.int32)
    heard, terms = kb.last_announced(view, len(view.events))
    closed = 0
    if is_our_turn and view.rules.checks_told and not heard >> kb.CHECK_SHIFT & 31:
        closed = int(chess.SquareSet(m.to_square for m in view.refused if is_pawn_capture(m, view.men)))
        closed |= _unnamed(view)
    taken, passed, closed = kb.words(*_taken(view), closed)
    observed = Observed(kb.side_of(not view.color), view.opponent_men, taken, passed, closed, heard, terms, is_our_turn)
    own, attempts = kb.from_board(_own_board(view), view.ply), ATTEMPTS + ATTEMPTS_PER_BOARD * boards
    target, scratch = np.empty((boards, 8), np.uint64), np.empty(kb.MAX_MOVES, np.int32)
    for said in (heard, ANYTHING):
        written = _sample(kb.TABLES, own, observed._replace(heard=said), tries, seed, attempts, target, scratch)
        rows = target[:written]
        if view.rules.asking is not Asking.NONSENSE and view.pawn_tries == PawnTryExists(True):
            rows = rows[list_answering(rows, has_any=True)]
        if len(rows):
            break
    return rows


def _own_board(view: View) -> chess.Board:
    """Board with only the view's own men."""
    board = chess.Board(None)
    for square, kind in view.men.items():
        board.set_piece_at(square, chess.Piece(kind, view.color))
    home = chess.BB_RANK_1 if view.color == chess.WHITE else chess.BB_RANK_8
    board.castling_rights = (chess.BB_FILE_H & home) * view.kingside | (chess.BB_FILE_A & home) * view.queenside
    board.turn = view.turn
    return board


def _unnamed(view: View) -> chess.Bitboard:
    """Squares that pawns of the view attack which are not among those named as able to capture."""
    attacked = chess.BB_EMPTY
    if isinstance(view.pawn_tries, PawnTrySquares):
        for square, man in view.men.items():
            if man == chess.PAWN and square not in view.pawn_tries.squares:
                attacked |= chess.BB_PAWN_ATTACKS[view.color][square]
    return attacked


def _taken(view: View) -> tuple[chess.Bitboard, chess.Bitboard]:
    """Squares on one of which a man has just captured, and the one among them where only a pawn can be.

    The second is where it is after capturing en passant; both are empty if the opponent's last move was not a capture.
    """
    last = view.last_reply
    if view.turn != view.color or last is None or last.capture is None:
        return chess.BB_EMPTY, chess.BB_EMPTY
    taken = chess.BB_SQUARES[last.capture]
    if view.rules.en_passant_told:
        return taken, taken if last.en_passant else chess.BB_EMPTY
    moves = [event.move for event in view.events if isinstance(event, OwnTry) and event.answer is Answer.ACCEPTED]
    if not moves or moves[-1].to_square != last.capture:
        return taken, chess.BB_EMPTY
    origin, target = moves[-1].from_square, moves[-1].to_square
    was_pawn = chess.Board(view.start).piece_at(origin) == chess.Piece(chess.PAWN, view.color)
    has_stayed = all(origin not in (move.from_square, move.to_square) for move in moves[:-1])
    if was_pawn and has_stayed and abs(origin - target) == 16:
        passed = chess.BB_SQUARES[(origin + target) // 2]
        return taken | passed, passed
    return taken, chess.BB_EMPTY
