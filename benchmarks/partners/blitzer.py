"""A sparring partner that plays for a quick mate: a script, see `kriegbot.players.scripted`.

Bishop, knight and queen come out at once and look at the squares next to the enemy king that he alone protects: f7 or
f2 first of all, later those of a castled king. What another man of its own protects strikes there, even for a check.
What stands where is `densities`: the king at first on his own square, then wherever checks and time leave him.
How readily each kind of man takes part is drawn for each game, so that games differ.
"""

from __future__ import annotations

import chess
import numpy as np

from densities import ATTACKS, Metaposition, Reals
from kriegbot import Choice
from kriegbot.players.scripted import ScriptedPlayer, ScriptTurn
from referee import View
from referee.pieces import PIECE_VALUES, attacks, is_castling, moved, squares_of

OFFICERS = (chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN)
AIM, STRIKE, CHECK, FREEDOM, RISK, NOISE = 20.0, 60.0, 10.0, 0.6, 4.0, 4.0
"""What it is worth to attack a weak square next to the king, to come there protected, to give check, and to attack any
square; the price of a pawn's worth that may be taken; and how much luck is added."""
MOST_CASTLED = 1.0
"""A king that may be at home is as likely to have castled after sixty plies."""


class BlitzerPlayer(ScriptedPlayer):
    """Gathers men about the king, and strikes."""

    def __init__(self, seed: int = 0) -> None:
        super().__init__(seed)
        self._eager = {man: 0.2 + 1.6 * self._rng.random() for man in OFFICERS}
        self._metaposition: Metaposition | None = None
        self._king, self._weak, self._danger, self._taken_by_king = [[0.0] * 64] * 4

    def choose(self, view: View) -> Choice:
        """Answers a view, knowing where the king may be, and what protects the squares about him."""
        if self._metaposition is None:
            self._metaposition = Metaposition(view)
        self._metaposition.update(view)
        king, takers = self._metaposition.density[5].copy(), self._metaposition.takers(self._metaposition.clear())
        home, castled = (chess.E8, chess.G8) if view.color == chess.WHITE else (chess.E1, chess.G1)
        king[castled] += king[home] * min(MOST_CASTLED, view.ply / 60)
        king /= king.sum()
        danger: Reals = takers[:5].sum(0)
        weak = (king @ ATTACKS[0, chess.KING - 1]) * (1.0 - danger)
        # rounded, since sums may differ in their last bits from machine to machine
        told = np.round([king, weak, danger, takers[5]], 6).tolist()
        self._king, self._weak, self._danger, self._taken_by_king = told
        return super().choose(view)

    def taste(self, turn: ScriptTurn, move: chess.Move) -> float:
        """Attacks on the king and about him, men brought out, and a strike where one is protected."""
        man, target, late = turn.piece(move), move.to_square, 1.0 - turn.view.opponent_men / 16
        if move.promotion:
            return 300.0
        if man == chess.KING:
            return 10.0 if is_castling(move, turn.view.men) else -60.0 * (1.0 - late)
        taste = self._aim(turn.view.color, moved(turn.view.men, move)) + NOISE * self._rng.random()
        if man == chess.PAWN:
            is_wing = chess.square_file(target) not in (3, 4)
            taste += 20.0 * turn.is_pawn_capture(move) - 8.0 * (1.0 - late) * is_wing
            return taste + 10.0 * late * turn.height(target)
        if man in (chess.KNIGHT, chess.BISHOP) and turn.height(move.from_square) == 0:
            taste += 5.0
        is_held = turn.is_protected(move)
        risk = self._danger[target] * (0.5 if is_held else 1.0) + (0.0 if is_held else self._taken_by_king[target])
        return taste + (STRIKE * self._weak[target] if is_held else 0.0) - RISK * PIECE_VALUES[man] * risk

    def _aim(self, color: chess.Color, men: dict[chess.Square, chess.PieceType]) -> float:
        """How well our officers look at the king and the weak squares about him, and how freely they stand."""
        own, total = squares_of(men), 0.0
        for square, man in men.items():
            if man in self._eager:
                seen = list(chess.scan_forward(attacks(color, man, square, own)))
                total += self._eager[man] * sum(AIM * self._weak[one] + CHECK * self._king[one] for one in seen)
                total += FREEDOM * len(seen)
        return total
