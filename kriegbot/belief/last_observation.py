"""Boards consistent with the last announcement only, drawn from scratch.

`last_observation` is the "LOS" of Parker, Nau and Subrahmanian (IJCAI 2005). The opponent gets a king and random pieces
of a full set, on random squares: the paper does not say how it places them. A board is kept if the referee would repeat
its last announcement on it, unless no board drawn allows that, and if every try refused this turn is illegal on it.

Two things make random boards consistent more often. A piece is placed where the opponent has just captured. While we
know that we are not in check, no piece is placed where a pawn of ours was refused a capture, or could capture although
the referee did not name that pawn. A piece can stand there only if our pawn is pinned; those few boards are left out.
"""

from typing import NamedTuple

import chess
import numpy as np

from kriegbot import kernels as kb
from kriegbot.belief.filter import list_answering
from kriegbot.belief.particles import Particles, merged
from referee import Asking, PawnTryExists, PawnTrySquares, View
from referee.pieces import is_pawn_capture, may_capture, squares_of
from referee.view import may_be_en_passant

ATTEMPTS, ATTEMPTS_PER_BOARD = 10_000, 50  # random boards to try at most; a thousand take a millisecond
BLIND_BOARDS = 1000
ANYTHING = -1  # an announcement that any board matches
BACK_RANKS, FULL_SET = kb.words(0xFF000000000000FF, 0x7FFF)
PIECE_SET = kb.Position(*kb.words(0xFF, 0x300, 0x4C00, 0x7000, 0, 0, 0, 0))
"""A full set without the king, a bit each: eight pawns, two knights, bishops and rooks, a queen; and their types."""


@kb.kernel
def any_of(squares: kb.Word, state: kb.Word) -> kb.Word:
    """Return the bitboard of a random square of a set, empty if the set is."""
    for _ in range(int(kb.random_number(state) * kb.popcount(squares))):
        squares &= squares - kb.ONE
    return squares & (kb.NONE - squares)


@kb.kernel
def is_possible(tables: kb.Words, position: kb.Position) -> bool:
    """Return True if no pawn is on a back rank and the side not to move is not in check."""
    side = kb.side_to_move(position)
    own, other = kb.pieces_of(position, side)
    if position.pawns & BACK_RANKS:
        return False
    return kb.attacked_by(tables, position, side, own | other) & position.kings & other == kb.NONE


class Observation(NamedTuple):
    """The last observation of one side."""

    enemy: int  # the other side
    pieces: int  # its number of pieces
    capturers: kb.Word  # squares, on one of which it has just captured
    passed: kb.Word  # the one of them that only a pawn can stand on
    closed: kb.Word  # squares to leave empty
    code: int  # the announcement of the position, or ANYTHING
    rules: kb.KernelRules
    is_our_turn: bool


@kb.kernel
def with_piece(position: kb.Position, side: int, piece: int, square: kb.Word) -> kb.Position:
    """Add a piece of a side on the one square of a bitboard."""
    return kb.Position(
        position.pawns | (square if piece == kb.PAWN else kb.NONE),
        position.knights | (square if piece == kb.KNIGHT else kb.NONE),
        position.diagonals | (square if piece in (kb.BISHOP, kb.QUEEN) else kb.NONE),
        position.orthogonals | (square if piece in (kb.ROOK, kb.QUEEN) else kb.NONE),
        position.kings | (square if piece == kb.KING else kb.NONE),
        position.white | (square if side == kb.WHITE else kb.NONE),
        position.black | (kb.NONE if side == kb.WHITE else square),
        position.meta,
    )


@kb.kernel
def with_pieces(position: kb.Position, observation: Observation, state: kb.Word) -> kb.Position:
    """Add random pieces of the enemy, the king first: one on a square of `capturers`, if any, no other on `closed`."""
    count, capturers, left = observation.pieces, observation.capturers, FULL_SET
    empty = ~(position.white | position.black | capturers | observation.closed)
    capturer = int(kb.random_number(state) * count) if capturers else count
    for i in range(count):
        drawn = any_of(left, state + kb.GAMMA)
        state += kb.GAMMA + kb.GAMMA
        piece = kb.KING
        if i > 0:
            piece = kb.type_of(PIECE_SET, drawn)
            left &= ~drawn
        free = empty & ~BACK_RANKS if piece == kb.PAWN else empty
        square = any_of(capturers if i == capturer else free, state)
        empty &= ~square
        position = with_piece(position, observation.enemy, piece, square)
    return position


@kb.kernel
def is_announced(tables: kb.Words, position: kb.Position, code: int, rules: kb.KernelRules, scratch: kb.Moves) -> bool:
    """Return True if the referee would make this announcement of a position that a move can lead to.

    A move gives at most one check in each direction. Any checks will do if the referee does not announce them.
    """
    if code == ANYTHING:
        return True
    if kb.situation(tables, position, rules, scratch) != code:
        return False
    if rules.announces_checks == 0:
        return True
    checkers, _ = kb.check_info(tables, position)
    return kb.popcount(checkers) == kb.popcount(kb.word(code >> kb.CHECK_SHIFT & 31))


@kb.kernel
def plays_within(tables: kb.Words, position: kb.Position, tries: kb.Moves, count: int, moves: kb.Moves) -> bool:
    """Return True if a position has legal moves, all of them among `count` tries."""
    legal, found = kb.legal_moves(tables, position, moves), 0
    for i in range(count):  # legal moves are in the same order as the tries
        if found < legal and tries[i] == moves[found]:
            found += 1
    return legal > 0 and found == legal


@kb.entry
def _sample(
    tables: kb.WordArray,
    own: kb.WordArray,
    observation: Observation,
    tries: kb.MoveArray,
    seed: kb.Word,
    attempts: int,
    target: kb.Rows,
    scratch: kb.MoveArray,
) -> int:
    """Write consistent boards to `target` until it is full or after `attempts` draws; return their number."""
    ours, written, lookup, moves = kb.load(kb.pointer(own), 0), 0, kb.pointer(tables), kb.pointer(scratch)
    state = kb.mix64(seed)
    for _ in range(attempts):
        state += kb.GAMMA
        position = with_pieces(ours, observation, kb.mix64(state))
        occupied = position.white | position.black
        if occupied & observation.passed & ~position.pawns or not is_possible(lookup, position):
            continue
        if not is_announced(lookup, position, observation.code, observation.rules, moves):
            continue
        if observation.is_our_turn and not plays_within(lookup, position, kb.pointer(tries), len(tries), moves):
            continue
        kb.store(kb.pointer(target), written, position)
        written += 1
        if written == len(target):
            break
    return written


def last_observation(view: View, boards: int, seed: int) -> kb.Rows:
    """Draw boards [n, 8], n <= `boards`, consistent with the last announcement and this turn's refusals and answers.

    If no attempt matches the announcement, boards that match the refusals and answers will do. On the boards only our
    side can castle, nobody can capture en passant, and the halfmove clock is 0. The starting position is known.
    """
    if view.ply == 0:
        return kb.from_board(chess.Board(view.start)).reshape(1, 8)
    is_our_turn, pawn_attacks = view.turn == view.color, chess.BB_PAWN_ATTACKS[view.color]
    own, attempts = kb.from_board(_own_board(view), view.ply), ATTEMPTS + ATTEMPTS_PER_BOARD * boards
    tries = kb.tries_of(own, may_capture(view.pawn_tries), [kb.encode_move(move) for move in view.illegal])
    code, rules = kb.position_announcement(view, len(view.events))
    closed = 0
    if is_our_turn and view.rules.checks_announced and not code >> kb.CHECK_SHIFT & 31:
        closed = squares_of(move.to_square for move in view.refused if is_pawn_capture(move, view.men))
        if isinstance(view.pawn_tries, PawnTrySquares):
            unnamed = {square for square, piece in view.men.items() if piece == chess.PAWN} - {*view.pawn_tries.squares}
            closed |= squares_of(to for square in unnamed for to in chess.SquareSet(pawn_attacks[square]))
    capturers, passed, closed = kb.words(*_capturers(view), closed)
    enemy = kb.side_of(not view.color)
    observation = Observation(enemy, view.opponent_men, capturers, passed, closed, code, rules, is_our_turn)
    target, scratch = np.empty((boards, 8), np.uint64), np.empty(kb.MAX_MOVES, np.int32)
    for announced in (code, ANYTHING):
        written = _sample(kb.TABLES, own, observation._replace(code=announced), tries, seed, attempts, target, scratch)
        rows = target[:written]
        if view.rules.asking is not Asking.NONSENSE and view.pawn_tries == PawnTryExists(True):
            rows = rows[list_answering(rows, has_any=True)]
        if len(rows):
            break
    return rows


def _own_board(view: View) -> chess.Board:
    """Return a board with the view's own pieces only."""
    board = chess.Board(None)
    board.set_piece_map({square: chess.Piece(piece, view.color) for square, piece in view.men.items()})
    home = chess.BB_RANK_1 if view.color == chess.WHITE else chess.BB_RANK_8
    board.castling_rights = (chess.BB_FILE_H & home) * view.kingside | (chess.BB_FILE_A & home) * view.queenside
    board.turn = view.turn
    return board


def _capturers(view: View) -> tuple[chess.Bitboard, chess.Bitboard]:
    """Return the possible squares of the piece that has just captured, and the one of them reached en passant."""
    last = view.last_announcement
    if view.turn != view.color or last is None or last.capture is None:
        return chess.BB_EMPTY, chess.BB_EMPTY
    captured, passed = chess.BB_SQUARES[last.capture], chess.BB_EMPTY
    if may_be_en_passant(view, last):
        behind = last.capture + (-8 if view.color == chess.WHITE else 8)
        passed = captured if view.rules.en_passant_announced else chess.BB_SQUARES[behind]
    return captured | passed, passed


def blind_particles(view: View, seed: int) -> Particles:
    """Return boards of the last observation, weighted by how often they were drawn. May be empty."""
    rows = last_observation(view, BLIND_BOARDS, seed)
    return merged(rows, np.ones(len(rows)))
