"""A hostile king: it sees the board, the squares on which we expect it, and the proofs."""

import math

import chess

from kriegbot.endgames.king_squares import BareKing
from kriegbot.endgames.proofs import probe_king
from referee import Announcement, Answer, OpponentMoved, OwnTry, announce


def hostile_step(board: chess.Board, king: BareKing) -> chess.Move:
    """Return a capture if there is one, else the king's step after which mate takes longest by the proofs.

    Args:
      board: the king's side to move, with a legal move.
      king: what we know of it, after our last move.
    """
    after = king.after(OpponentMoved(Announcement()))

    def merit(move: chess.Move) -> tuple[bool, float]:
        next_board = board.copy(stack=False)
        next_board.push(move)
        return board.is_capture(move), 0.0 if board.is_capture(move) else moves_left(next_board, after)

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
