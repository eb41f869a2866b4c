"""A sparring partner that runs for promotion: the foremost pawns first, protected by the pieces, then queens attack."""

import chess

from kriegbot.players.base import PlayerKind
from kriegbot.players.scripted import ScriptedPlayer, ScriptTurn, prowl
from referee.pieces import attacked, moved, squares_of

ENOUGH = 3  # queens with which it stops promoting and attacks


class RusherPlayer(ScriptedPlayer):
    """Script that pushes pawns and protects those that are far up."""

    def taste(self, turn: ScriptTurn, move: chess.Move) -> float:
        """Prefer promotion (*), pawn captures, pawn moves (*), then protecting far pawns; (*) below `ENOUGH` queens."""
        height, is_enough = turn.height(move.to_square), list(turn.view.men.values()).count(chess.QUEEN) >= ENOUGH
        if move.promotion:
            return 0.0 if is_enough else 400.0
        if turn.is_pawn_capture(move):
            return 300.0 + height
        if turn.piece(move) == chess.PAWN and not is_enough:
            return 100.0 + 5 * height + (20.0 if turn.is_protected(move) else 0.0) + 8 * self._rng.random()
        if turn.piece(move) == chess.KING:
            return -20.0
        return prowl(turn, move) + self._support(turn, move) + 3 * self._rng.random()

    def _support(self, turn: ScriptTurn, move: chess.Move) -> float:
        men = moved(turn.view.men, move)
        protected = attacked(turn.view.color, men) & squares_of(men)
        return float(sum(turn.height(sq) for sq in chess.scan_forward(protected) if men[sq] == chess.PAWN))


rusher = PlayerKind("a script: runs for promotion", RusherPlayer, words="Rushes its pawns at you", rank=7)
