"""Players that follow a script: they rank the open tries and make them in that order.

All scripts recapture at once with the cheapest piece, answer checks on their line or with the king, move the queen away
from a square near which the opponent has just captured, and mate a lone king. The rest is a script's own taste.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod

import chess

from kriegbot.players.base import Choice
from kriegbot.players.lone_king import Hunter
from referee import Announcement, Check, View
from referee.announcement import check_direction
from referee.pieces import PIECE_VALUES, attacked, attacks, is_pawn_capture, king_of, moved, relative_rank, squares_of

ANSWER_CHECK, RECAPTURE, RESCUE_QUEEN = 3_000.0, 2_000.0, 1_000.0
"""Ranks of tries above all taste."""


class ScriptTurn:
    """A turn of a script.

    Attributes:
      view: the player's view.
      reply: announcement of the opponent's last move.
      threatened: squares that the piece that has just captured may attack.
    """

    def __init__(self, view: View) -> None:
        self.view = view
        self.reply = view.last_reply or Announcement()
        self.threatened = 0
        if self.reply.capture is not None:
            square = self.reply.capture
            lines = attacks(view.color, chess.QUEEN, square, squares_of(view.men))
            self.threatened = lines | chess.BB_KNIGHT_ATTACKS[square] | chess.BB_KING_ATTACKS[square]

    def piece(self, move: chess.Move) -> chess.PieceType:
        """Return the type of the piece that moves."""
        return self.view.men[move.from_square]

    def height(self, square: chess.Square) -> int:
        """Return the rank of a square from our side, 0 to 7."""
        return relative_rank(self.view.color, square)

    def gain(self, move: chess.Move) -> int:
        """Return the number of ranks that a try advances."""
        return self.height(move.to_square) - self.height(move.from_square)

    def is_pawn_capture(self, move: chess.Move) -> bool:
        """Return True if a try can only be a capture by a pawn."""
        return is_pawn_capture(move, self.view.men)

    def is_protected(self, move: chess.Move) -> bool:
        """Return True if the piece is protected on its target square."""
        men = moved(self.view.men, move)
        del men[move.to_square]
        occupied = squares_of(men)
        target = chess.BB_SQUARES[move.to_square]
        return any(attacks(self.view.color, kind, square, occupied) & target for square, kind in men.items())

    def unprotected(self, move: chess.Move) -> float:
        """Return the value of our unprotected pieces after a try."""
        men = moved(self.view.men, move)
        protected = attacked(self.view.color, men)
        loose = (kind for square, kind in men.items() if not protected & chess.BB_SQUARES[square])
        return sum(PIECE_VALUES[kind] for kind in loose if kind != chess.KING)

    def answers_check(self, move: chess.Move) -> float:
        """Rate a try as an answer to check: on its line with the cheapest piece, or with the king off it; else 0."""
        king = king_of(self.view.men)
        if self.piece(move) == chess.KING:
            return 1.0 if self._on_line(king, move.to_square) else 10.0
        if move.to_square == self.reply.capture:
            return 40.0 - PIECE_VALUES[self.piece(move)]
        if self._on_line(king, move.to_square):
            return (30.0 if self.is_pawn_capture(move) else 20.0) - PIECE_VALUES[self.piece(move)]
        return 0.0

    def _on_line(self, king: chess.Square, square: chess.Square) -> bool:
        """Return True if a piece on this square may give the check or block it."""
        direction = check_direction(king, square)
        if direction is Check.KNIGHT:
            return bool(direction & self.reply.checks and chess.BB_KNIGHT_ATTACKS[king] & chess.BB_SQUARES[square])
        return bool(direction & self.reply.checks)


class ScriptedPlayer(ABC):
    """Player of one game by a script; the seed decides between tries of equal rank."""

    def __init__(self, seed: int = 0) -> None:
        self._rng = random.Random(seed)
        self._hunter = Hunter()

    def choose(self, view: View) -> Choice:
        """Answer a view with the open try of the highest rank."""
        king, turn, tries = self._hunter.hunts(view), ScriptTurn(view), view.tries()
        ranked = [king.rate(move) if king is not None else self._rank(turn, move) for move in tries]
        best = max(ranked)
        first = [move for move, rank in zip(tries, ranked, strict=True) if rank == best]
        return Choice(first[int(self._rng.random() * len(first))])

    @abstractmethod
    def taste(self, turn: ScriptTurn, move: chess.Move) -> float:
        """Rate a try when nothing is urgent, from -500 to 500."""

    def _rank(self, turn: ScriptTurn, move: chess.Move) -> float:
        piece, target = turn.piece(move), chess.BB_SQUARES[move.to_square]
        rank = self.taste(turn, move)
        if move.promotion not in (None, chess.QUEEN):
            rank -= 10 * RECAPTURE
        if turn.reply.checks:
            answer = turn.answers_check(move)
            return rank + ANSWER_CHECK + 100 * answer if answer else rank
        if move.to_square == turn.reply.capture:
            return RECAPTURE - PIECE_VALUES[piece]
        if piece == chess.QUEEN and turn.threatened:
            is_away = not target & turn.threatened
            if chess.BB_SQUARES[move.from_square] & turn.threatened and is_away:
                return rank + RESCUE_QUEEN
            rank -= 0 if is_away else RESCUE_QUEEN
        return rank


def prowl(turn: ScriptTurn, move: chess.Move) -> float:
    """Rate a move into the opponent's half: far up, protected, with a cheap piece."""
    value = PIECE_VALUES[turn.piece(move)]
    height = turn.height(move.to_square)
    risk = 0.0 if turn.is_protected(move) else value * max(0, height - 2)
    return 4.0 * turn.gain(move) + (6.0 if height >= 4 else 0.0) - value - risk
