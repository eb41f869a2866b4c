"""A sparring partner that stays at home: a script, see `players.scripted`.

It castles, keeps its men behind its pawns and protected, and retakes whatever is taken. Only when it is well ahead do
its pawns go forward, one protected step after another.
"""

from __future__ import annotations

import chess

from kriegbot.players.base import PlayerKind
from kriegbot.players.scripted import ScriptedPlayer, ScriptTurn
from referee.pieces import is_castling

AHEAD = 3
"""So many men more than the opponent, and the pawns go forward."""
HOME = 3
"""The last rank, counted from 0, on which a pawn looks for something to capture."""


class ShufflerPlayer(ScriptedPlayer):
    """Keeps its men together at home."""

    def taste(self, turn: ScriptTurn, move: chess.Move) -> float:
        """Pawn captures at home, castling, then protected men on the first ranks."""
        man, height = turn.man(move), turn.height(move.to_square)
        if turn.is_pawn_capture(move):
            tries = turn.view.pawn_tries
            return 300.0 if height <= HOME or (tries is not None and tries.at_least) else -50.0
        if is_castling(move, turn.view.men):
            return 200.0
        is_ahead = len(turn.view.men) >= turn.view.opponent_men + AHEAD
        taste = -turn.unprotected(move) + 6 * self._rng.random()
        if man == chess.PAWN:
            if is_ahead:
                return taste + 10 * height
            return taste + (2.0 if height == 2 and 2 <= chess.square_file(move.to_square) <= 4 else -20.0)
        if man == chess.KING:
            return taste - 15.0 - 10 * height
        return taste - 8 * max(0, height - 2)


shuffler = PlayerKind(
    "a script: keeps its men at home", ShufflerPlayer, words="Waits at home for your mistakes", rank=6
)
