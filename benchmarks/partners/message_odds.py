"""How probable each of the referee's messages is, and what men are worth where they stand: numbers of one view.

The probabilities come from the densities of `densities`, frozen while a turn is thought over; most weights are
those of `metaposition`. Left out: that our moves open and close lines to the opponent's men.
"""

from __future__ import annotations

import chess
import numpy as np

from densities import ATTACKS, Metaposition, Reals
from metaposition import BLIND, CHECKS, CONTROL, FINDS, HEARD, KEPT, WORTHS
from referee import Announcement, Check, View
from referee.announcement import NO_CHECK, check_direction
from referee.pieces import (
    PIECE_VALUES,
    Men,
    attacks,
    is_castling,
    is_pawn_capture,
    king_of,
    must_be_empty,
    relative_rank,
    squares_of,
)

LEAST = 0.005
"""Replies less probable than this are not told apart from silence."""
CHECKED = 0.15
"""How probably a king without any cover is checked by the next move."""
COVERS, FLEES, ELSEWHERE = 0.3, 0.6, 0.02
"""In check: how probably a man on the line of the check, a move of the king, and any other try is legal."""
GREEDY = 0.3
"""How readily a man takes one of ours that is protected and worth less."""

Reply = tuple[float, chess.Square | None, bool, float]
"""An answer of the opponent's as it is heard: its probability, the square of a capture, check, what it costs us."""


class Odds:
    """The odds of one view.

    Attributes:
      heard: the announcement of the opponent's last move.
      prize: what a man of the opponent's on each square is worth, if there is one, in pawns.
    """

    def __init__(self, view: View, metaposition: Metaposition) -> None:
        self.heard = view.last_reply or Announcement()
        self._color, self._late = view.color, 1.0 - view.opponent_men / 16
        density, occupied, clear = metaposition.density, metaposition.occupied, metaposition.clear()
        takers = metaposition.takers(clear)
        self.prize = _plain(WORTHS[:5] @ density[:5] / np.maximum(density.sum(0), 1e-6))
        self._occupied = _plain(occupied)
        self._attacked = _plain(takers.sum(0))
        self._taken: dict[chess.PieceType, list[float]] = {}
        self._taker: dict[chess.PieceType, list[float]] = {}
        for man in chess.PIECE_TYPES[:5]:
            willing = takers[:5] * np.where(WORTHS[:5] > PIECE_VALUES[man] + 0.5, GREEDY, 1.0)[:, None]
            self._taken[man] = _plain(willing.sum(0))
            self._taker[man] = _plain(WORTHS[:5] @ willing / np.maximum(willing.sum(0), 1e-6))
        near_king = density[5] @ (ATTACKS[0, chess.KING - 1] + np.eye(64))
        self._weights = _plain(CONTROL + FINDS * occupied + (0.02 + 0.25 * self._late**2) * near_king)
        self._king = [_plain(row) for row in density[5] * clear]
        self._seen: dict[tuple[int, int, int], tuple[float, chess.Bitboard]] = {}
        self._pawn_share = 1.0
        pawns = [self._occupied[move.to_square] for move in view.tries() if is_pawn_capture(move, view.men)]
        if view.pawn_tries is not None and view.pawn_tries.at_least and sum(pawns) > 0:
            self._pawn_share = view.pawn_tries.at_least / sum(pawns)

    def legal(self, men: Men, move: chess.Move, hot: chess.Square | None, checks: Check | None) -> float:
        """How probably a try is legal.

        Args:
          men: our men.
          move: the try.
          hot: where the opponent has just taken a man of ours.
          checks: the directions of his check, no direction if he gives none, None if they are not known.
        """
        if is_pawn_capture(move, men):
            legal = 1.0 if move.to_square == hot else min(1.0, self._pawn_share * self._occupied[move.to_square])
        else:
            legal = 1.0
            for square in chess.scan_forward(must_be_empty(move, men)):
                legal *= 1.0 - self._occupied[square]
        is_king = men[move.from_square] == chess.KING
        if is_king:
            legal *= 1.0 - self._attacked[move.to_square]
        if checks == NO_CHECK:
            return legal
        if is_king:
            return ELSEWHERE * legal if is_castling(move, men) else FLEES * legal
        if checks is None:
            return COVERS * legal
        king = king_of(men)
        return (COVERS if check_direction(king, move.to_square) & checks else ELSEWHERE) * legal

    def captures(self, men: Men, move: chess.Move, hot: chess.Square | None) -> float:
        """How probably a legal try captures."""
        if is_pawn_capture(move, men) or move.to_square == hot:
            return 1.0
        if men[move.from_square] == chess.PAWN or is_castling(move, men):
            return 0.0
        return self._occupied[move.to_square]

    def checks(self, man: chess.PieceType, square: chess.Square, own: chess.Bitboard) -> float:
        """How probably a man that has come to a square gives check from there."""
        king = self._king[square]
        return sum(king[seen] for seen in chess.scan_forward(attacks(self._color, man, square, own)))

    def value(self, men: Men) -> tuple[float, chess.Bitboard]:
        """What our men are worth where they stand, in pawns, and what they attack or protect."""
        own, total, held = squares_of(men), 0.0, 0
        for square, man in men.items():
            key = (man, square, own & _LINES[square] if man in (chess.BISHOP, chess.ROOK, chess.QUEEN) else 0)
            known = self._seen.get(key)
            if known is None:
                seen = attacks(self._color, man, square, own)
                worth = PIECE_VALUES[man] if man != chess.KING else 0.0
                control = sum(self._weights[one] for one in chess.scan_forward(seen))
                known = self._seen[key] = (worth + self._place(man, square) + control, seen)
            total += known[0]
            held |= known[1]
        return total, held

    def replies(self, men: Men, held: chess.Bitboard, target: chess.Square, *, took: bool, checks: bool) -> list[Reply]:
        """What may be heard of the opponent's answer.

        Args:
          men: our men after our move.
          held: what they attack or protect.
          target: where our move went.
          took: whether it captured, which tells the opponent where it went.
          checks: whether it gives check, after which he can take little else.
        """
        risks: list[tuple[float, chess.Square, float]] = []
        none, total = 1.0, 0.0
        for square, man in men.items():
            if man == chess.KING:
                continue
            is_held = bool(held >> square & 1)
            attacked = self._taken[man][square] if is_held else self._attacked[square]
            risk = attacked * (HEARD if took and square == target else 0.3 * BLIND if checks else BLIND)
            if risk > LEAST:
                back = KEPT * self._taker[man][square] if is_held else 0.0
                risks.append((risk, square, PIECE_VALUES[man] - back))
                none *= 1.0 - risk
                total += risk
        king = king_of(men)
        lines = chess.popcount(attacks(self._color, chess.QUEEN, king, squares_of(men)))
        danger = CHECKED * lines / 27
        gain = CHECKS if checks else 0.0
        heard: list[Reply] = [(none * (1.0 - danger), None, False, -gain), (none * danger, None, True, 0.2 - gain)]
        return heard + [((1.0 - none) * risk / total, square, False, lost - gain) for risk, square, lost in risks]

    def taker(self, man: chess.PieceType, square: chess.Square) -> float:
        """What the man that takes one of ours on a square is worth on average."""
        return self._taker[man][square]

    def _place(self, man: chess.PieceType, square: chess.Square) -> float:
        """Pawns forward, pieces out, the king safe as long as the opponent has much left."""
        late, height, file = self._late, relative_rank(self._color, square), chess.square_file(square)
        match man:
            case chess.PAWN:
                centre = 0.15 if 2 <= file <= 5 and 2 < height <= 4 else 0.0
                return height * (0.05 + 0.08 * late) + late * height**2 / 20 + centre * (1 - late)
            case chess.KING:
                home = (0.5 if file in (1, 2, 6) else 0.2 if file == 4 else 0.0) if height == 0 else -0.5
                return 0.1 * late * height + home * (1 - late)
            case chess.KNIGHT | chess.BISHOP:
                return (0.0 if height else -0.25 * (1 - late)) + 0.03 * height
        return 0.0


def _plain(values: Reals) -> list[float]:
    """Plain numbers, rounded, since sums may differ in their last bits from machine to machine."""
    return [float(value) for value in np.round(values, 9)]


_LINES = [
    chess.BB_DIAG_MASKS[square] | chess.BB_RANK_MASKS[square] | chess.BB_FILE_MASKS[square] for square in chess.SQUARES
]
