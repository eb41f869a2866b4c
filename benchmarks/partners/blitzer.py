"""A sparring partner that plays for a quick mate, as a script of `kriegbot.players.scripted`.

Bishop, knight and queen come out at once and aim at squares that only the enemy king protects: first f7 or f2, later
the squares around a castled king. A piece that another one protects strikes there. `densities` estimates the positions;
the king starts on its own square and moves with checks and time. Each game draws how eagerly each type of piece takes
part, so that games differ.
"""

from __future__ import annotations

import chess
import numpy as np

from densities import ATTACKS, Metaposition, Reals
from kriegbot import Choice
from kriegbot.players.scripted import ScriptedPlayer, ScriptTurn
from referee import View
from referee.pieces import PIECE_VALUES, attacks, is_castling, moved, squares_of

PIECES = (chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN)
AIM, STRIKE, CHECK, FREEDOM, RISK, NOISE = 20.0, 60.0, 10.0, 0.6, 4.0, 4.0
"""Value of attacking a weak square next to the king, of arriving there protected, of a check, of attacking any square;
price per pawn at risk; and size of the random term.
"""
MOST_CASTLED = 1.0
"""Odds after sixty plies that a king that can be at home has castled."""


class BlitzerPlayer(ScriptedPlayer):
    """Gathers pieces around the king, and strikes."""

    def __init__(self, seed: int = 0) -> None:
        super().__init__(seed)
        self._eager = {piece: 0.2 + 1.6 * self._rng.random() for piece in PIECES}
        self._metaposition: Metaposition | None = None
        self._king, self._weak, self._danger, self._king_captures = [[0.0] * 64] * 4

    def choose(self, view: View) -> Choice:
        """Choose a try, with estimates of the king's square and of the protection around it."""
        if self._metaposition is None:
            self._metaposition = Metaposition(view)
        self._metaposition.update(view)
        king, capturers = self._metaposition.density[5].copy(), self._metaposition.capturers(self._metaposition.clear())
        home, castled = (chess.E8, chess.G8) if view.color == chess.WHITE else (chess.E1, chess.G1)
        king[castled] += king[home] * min(MOST_CASTLED, view.ply / 60)
        king /= king.sum()
        danger: Reals = capturers[:5].sum(0)
        weak = (king @ ATTACKS[0, chess.KING - 1]) * (1.0 - danger)
        # rounded: the last bits of sums may differ between machines
        rounded = np.round([king, weak, danger, capturers[5]], 6).tolist()
        self._king, self._weak, self._danger, self._king_captures = rounded
        return super().choose(view)

    def taste(self, turn: ScriptTurn, move: chess.Move) -> float:
        """Rate attacks on the king and around it, development, and a protected strike."""
        piece, target, late = turn.piece(move), move.to_square, 1.0 - turn.view.opponent_men / 16
        if move.promotion:
            return 300.0
        if piece == chess.KING:
            return 10.0 if is_castling(move, turn.view.men) else -60.0 * (1.0 - late)
        taste = self._aim(turn.view.color, moved(turn.view.men, move)) + NOISE * self._rng.random()
        if piece == chess.PAWN:
            is_wing = chess.square_file(target) not in (3, 4)
            taste += 20.0 * turn.is_pawn_capture(move) - 8.0 * (1.0 - late) * is_wing
            return taste + 10.0 * late * turn.height(target)
        if piece in (chess.KNIGHT, chess.BISHOP) and turn.height(move.from_square) == 0:
            taste += 5.0
        is_held = turn.is_protected(move)
        risk = self._danger[target] * (0.5 if is_held else 1.0) + (0.0 if is_held else self._king_captures[target])
        return taste + (STRIKE * self._weak[target] if is_held else 0.0) - RISK * PIECE_VALUES[piece] * risk

    def _aim(self, color: chess.Color, men: dict[chess.Square, chess.PieceType]) -> float:
        """Rate how well our pieces aim at the king and the weak squares around it, and their mobility."""
        own, total = squares_of(men), 0.0
        for square, piece in men.items():
            if piece in self._eager:
                seen = list(chess.scan_forward(attacks(color, piece, square, own)))
                total += self._eager[piece] * sum(AIM * self._weak[one] + CHECK * self._king[one] for one in seen)
                total += FREEDOM * len(seen)
        return total
