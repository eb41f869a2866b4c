"""A hostile king: it sees the board, the squares on which we expect it, and the proofs."""

import math

import chess

from kriegbot.endgames.king_squares import BareKing
from kriegbot.endgames.proofs import probe_king
from referee import Announcement, Answer, OpponentMoved, OwnTry, announce
from referee.announcement import board_after


def hostile_step(board: chess.Board, king: BareKing) -> chess.Move:
    """Return a capture if there is one, else the king's step after which mate takes longest by the proofs.

    `board` has the king's side to move, with a legal move; `king` is what we know of it, after our last move.
    """
    after = king.after(OpponentMoved(Announcement()))

    def merit(move: chess.Move) -> tuple[bool, float]:
        is_capture = board.is_capture(move)
        return is_capture, 0.0 if is_capture else moves_left(board_after(board, move), after)

    return max(board.legal_moves, key=merit)


def moves_left(board: chess.Board, king: BareKing) -> float:
    """Return the bound that remains after our next move, if we follow the proofs; infinite if there is none."""
    while (proof := probe_king(king)) is not None:
        if not board.is_legal(proof.move):
            king = king.after(OwnTry(proof.move, Answer.ILLEGAL))
            continue
        king = king.after(OwnTry(proof.move, Answer.ACCEPTED, announce(board, proof.move, king.rules)))
        board.push(proof.move)
        left = probe_king(king.after(OpponentMoved(Announcement())))
        return 0.0 if board.is_checkmate() else math.inf if left is None else left.moves
    return math.inf
