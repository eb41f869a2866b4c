"""A sparring partner that stays at home: it castles, protects its pieces, and keeps its pawns back until well ahead.

Before that it prefers to advance pawns on the files c to e, by one square, and captures with pawns near home.
"""

import chess

from kriegbot.players.base import PlayerKind
from kriegbot.players.scripted import ScriptedPlayer, ScriptTurn
from referee.pieces import is_castling

AHEAD = 3  # lead in pieces, pawns included, with which the pawns advance
HOME = 3  # last rank, counted from 0, on which it tries pawn captures that nobody announced


class ShufflerPlayer(ScriptedPlayer):
    """Script that keeps its pieces together at home."""

    def taste(self, turn: ScriptTurn, move: chess.Move) -> float:
        """Prefer pawn captures announced or near home, castling, then pawns if ahead, else c to e pawns and pieces."""
        piece, height = turn.piece(move), turn.height(move.to_square)
        if turn.is_pawn_capture(move):
            tries = turn.view.pawn_tries
            return 300.0 if height <= HOME or (tries is not None and tries.at_least) else -50.0
        if is_castling(move, turn.view.men):
            return 200.0
        is_ahead = len(turn.view.men) >= turn.view.opponent_men + AHEAD
        taste = -turn.unprotected(move) + 6 * self._rng.random()
        if piece == chess.PAWN:
            if is_ahead:
                return taste + 10 * height
            return taste + (2.0 if height == 2 and 2 <= chess.square_file(move.to_square) <= 4 else -20.0)
        if piece == chess.KING:
            return taste - 15.0 - 10 * height
        return taste - 8 * max(0, height - 2)


shuffler = PlayerKind("a script: its pieces stay at home", ShufflerPlayer, words="Waits at home for mistakes", rank=6)
