"""A sparring partner that captures whatever it can: pawn captures first, then cheap pieces go far up the board."""

import chess

from kriegbot.players.base import PlayerKind
from kriegbot.players.scripted import ScriptedPlayer, ScriptTurn, prowl


class GrabberPlayer(ScriptedPlayer):
    """Script that captures with pawns, then looks for more with its pieces."""

    def taste(self, turn: ScriptTurn, move: chess.Move) -> float:
        """Prefer pawn captures, promotions, then moves far up the board (`prowl`)."""
        if turn.is_pawn_capture(move):
            return 300.0 + turn.height(move.to_square)
        if move.promotion:
            return 250.0
        if turn.piece(move) == chess.KING:
            return -20.0
        return prowl(turn, move) + 3 * self._rng.random()


grabber = PlayerKind("a script: captures whatever it can", GrabberPlayer, words="Captures whatever it can", rank=5)
