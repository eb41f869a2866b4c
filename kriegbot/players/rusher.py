"""A sparring partner that runs for promotion: a script, see `players.scripted`.

Its pawns go forward whenever they can, the foremost first, and its pieces protect them; queens then hunt what is left.
"""

from __future__ import annotations

import chess

from kriegbot.players.base import PlayerKind
from kriegbot.players.scripted import ScriptedPlayer, ScriptTurn, prowl
from referee.pieces import attacked, moved

ENOUGH = 3
"""So many queens, and they hunt instead of becoming more."""


class RusherPlayer(ScriptedPlayer):
    """Pushes pawns, and protects those that are far up."""

    def taste(self, turn: ScriptTurn, move: chess.Move) -> float:
        """Promotion, pawn captures, pawn moves, then protecting what has come far."""
        height = turn.height(move.to_square)
        if move.promotion:
            return 400.0 if self._queens(turn) < ENOUGH else 0.0
        if turn.is_pawn_capture(move):
            return 300.0 + height
        if turn.man(move) == chess.PAWN and self._queens(turn) < ENOUGH:
            return 100.0 + 5 * height + (20.0 if turn.is_held(move) else 0.0) + 8 * self._rng.random()
        if turn.man(move) == chess.KING:
            return -20.0
        return prowl(turn, move) + self._support(turn, move) + 3 * self._rng.random()

    def _queens(self, turn: ScriptTurn) -> int:
        return sum(man == chess.QUEEN for man in turn.view.men.values())

    def _support(self, turn: ScriptTurn, move: chess.Move) -> float:
        """How far up the protected pawns are after a move."""
        men = moved(turn.view.men, move)
        held = attacked(turn.view.color, men)
        return sum(
            float(turn.height(square))
            for square, man in men.items()
            if man == chess.PAWN and held & chess.BB_SQUARES[square]
        )


rusher = PlayerKind("a script: runs for promotion", RusherPlayer, words="Rushes its pawns at you", rank=7)
