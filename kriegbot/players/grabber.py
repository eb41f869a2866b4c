"""A sparring partner that captures whatever it can: a script, see `players.scripted`.

Pawn captures are tried first, wherever one may be legal; then its men go into the opponent's half, cheap ones first.
"""

from __future__ import annotations

import chess

from kriegbot.players.base import PlayerKind
from kriegbot.players.scripted import ScriptedPlayer, ScriptTurn, prowl


class GrabberPlayer(ScriptedPlayer):
    """Captures with pawns, then looks for more with its pieces."""

    def taste(self, turn: ScriptTurn, move: chess.Move) -> float:
        """Pawn captures, promotions, then moves towards the opponent's men."""
        if turn.is_pawn_capture(move):
            return 300.0 + turn.height(move.to_square)
        if move.promotion:
            return 250.0
        if turn.man(move) == chess.KING:
            return -20.0
        return prowl(turn, move) + 3 * self._rng.random()


grabber = PlayerKind("a script: captures whatever it can", GrabberPlayer, words="Takes whatever it can get", rank=5)
