"""Players that follow a script, which ranks the open tries: the first is made, and if it is refused the next.

All scripts share what any sensible player does: retake at once on the square of a capture, with the cheapest man;
answer a check on its line or with the king; take the queen away from a square near which the opponent has just
captured; mate a king that is alone. For everything else a script has its own taste.
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

ANSWER, RETAKE, RESCUE = 3_000.0, 2_000.0, 1_000.0
"""What comes before all taste, and in which order."""


class ScriptTurn:
    """A turn as a script sees it.

    Attributes:
      view: what is known.
      heard: what the opponent's last move was announced with.
      shot: squares that the man that captured last may attack.
    """

    def __init__(self, view: View) -> None:
        self.view = view
        self.heard = view.last_reply or Announcement()
        self.shot = 0
        if self.heard.capture is not None:
            square = self.heard.capture
            lines = attacks(view.color, chess.QUEEN, square, squares_of(view.men))
            self.shot = lines | chess.BB_KNIGHT_ATTACKS[square] | chess.BB_KING_ATTACKS[square]

    def man(self, move: chess.Move) -> chess.PieceType:
        """The man that moves."""
        return self.view.men[move.from_square]

    def height(self, square: chess.Square) -> int:
        """Our rank of a square, 0 to 7."""
        return relative_rank(self.view.color, square)

    def gain(self, move: chess.Move) -> int:
        """How many ranks a try goes up the board."""
        return self.height(move.to_square) - self.height(move.from_square)

    def is_pawn_capture(self, move: chess.Move) -> bool:
        """Whether a try can only be a capture by a pawn."""
        return is_pawn_capture(move, self.view.men)

    def is_held(self, move: chess.Move) -> bool:
        """Whether the man that moves is protected where it goes."""
        men = moved(self.view.men, move)
        del men[move.to_square]
        occupied = squares_of(men)
        target = chess.BB_SQUARES[move.to_square]
        return any(attacks(self.view.color, man, square, occupied) & target for square, man in men.items())

    def unprotected(self, move: chess.Move) -> float:
        """The worth of our men that nothing protects after a try."""
        men = moved(self.view.men, move)
        held = attacked(self.view.color, men)
        return sum(
            PIECE_VALUES[man]
            for square, man in men.items()
            if man != chess.KING and not held & chess.BB_SQUARES[square]
        )

    def answers_check(self, move: chess.Move) -> float:
        """How well a try may answer the check: on its line with the cheapest man, or with the king off it; else 0."""
        king = king_of(self.view.men)
        if self.man(move) == chess.KING:
            return 1.0 if self._on_line(king, move.to_square) else 10.0
        if move.to_square == self.heard.capture:
            return 40.0 - PIECE_VALUES[self.man(move)]
        if self._on_line(king, move.to_square):
            return (30.0 if self.is_pawn_capture(move) else 20.0) - PIECE_VALUES[self.man(move)]
        return 0.0

    def _on_line(self, king: chess.Square, square: chess.Square) -> bool:
        """Whether a man on this square may give the check, or stand in its way."""
        direction = check_direction(king, square)
        if direction is Check.KNIGHT:
            return bool(direction & self.heard.checks and chess.BB_KNIGHT_ATTACKS[king] & chess.BB_SQUARES[square])
        return bool(direction & self.heard.checks)


class ScriptedPlayer(ABC):
    """Plays one game by a script; of tries it ranks alike, the seed picks one."""

    def __init__(self, seed: int = 0) -> None:
        self._rng = random.Random(seed)
        self._hunter = Hunter()

    def choose(self, view: View) -> Choice:
        """Answers a view with the open try that ranks first."""
        king, turn, tries = self._hunter.hunts(view), ScriptTurn(view), view.tries()
        ranked = [king.rate(move) if king is not None else self._rank(turn, move) for move in tries]
        best = max(ranked)
        first = [move for move, rank in zip(tries, ranked, strict=True) if rank == best]
        return Choice(first[int(self._rng.random() * len(first))])

    @abstractmethod
    def taste(self, turn: ScriptTurn, move: chess.Move) -> float:
        """How much the script likes a try when nothing is urgent, from -500 to 500."""

    def _rank(self, turn: ScriptTurn, move: chess.Move) -> float:
        man, target = turn.man(move), chess.BB_SQUARES[move.to_square]
        rank = self.taste(turn, move)
        if move.promotion not in (None, chess.QUEEN):
            rank -= 10 * RETAKE
        if turn.heard.checks:
            answer = turn.answers_check(move)
            return rank + ANSWER + 100 * answer if answer else rank
        if move.to_square == turn.heard.capture:
            return RETAKE - PIECE_VALUES[man]
        if man == chess.QUEEN and turn.shot:
            is_away = not target & turn.shot
            if chess.BB_SQUARES[move.from_square] & turn.shot and is_away:
                return rank + RESCUE
            rank -= 0 if is_away else RESCUE
        return rank


def prowl(turn: ScriptTurn, move: chess.Move) -> float:
    """How promising a move of a piece into the opponent's half is: far up, held, and cheap."""
    worth = PIECE_VALUES[turn.man(move)]
    height = turn.height(move.to_square)
    risk = 0.0 if turn.is_held(move) else worth * max(0, height - 2)
    return 4.0 * turn.gain(move) + (6.0 if height >= 4 else 0.0) - worth - risk
