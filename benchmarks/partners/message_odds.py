"""Probabilities of the referee's messages, and values of our pieces on their squares, for one view.

They rest on `densities`, frozen during a turn, with most weights from `metaposition`. Left out: our moves open and
close lines of the enemy pieces.
"""

from __future__ import annotations

import chess
import numpy as np

from densities import ATTACKS, Metaposition, Reals
from metaposition import ANNOUNCED, CHECKS, CONTROL, FINDS, RECAPTURED, UNANNOUNCED, VALUES
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
"""Least probability of a reply that counts as more than a quiet move."""
CHECKED = 0.15
"""Probability of a check by the next move for a king without cover."""
COVERS, FLEES, ELSEWHERE = 0.3, 0.6, 0.02
"""Probabilities, in check, that a try on the line of check, a king move, and any other try is legal."""
GREEDY = 0.3
"""Relative frequency of capturing a protected piece of lower value."""

Reply = tuple[float, chess.Square | None, bool, float]
"""The announcement of a reply: probability, square of a capture, True for check, cost to us in pawns."""


class Odds:
    """The odds of one view.

    Attributes:
      last: the announcement of the opponent's last move.
      prize: value in pawns of an enemy piece on each square, if there is one.
    """

    def __init__(self, view: View, metaposition: Metaposition) -> None:
        self.last = view.last_announcement or Announcement()
        self._color, self._late = view.color, 1.0 - view.opponent_men / 16
        density, occupied, clear = metaposition.density, metaposition.occupied, metaposition.clear()
        capturers = metaposition.capturers(clear)
        self.prize = _plain(VALUES[:5] @ density[:5] / np.maximum(density.sum(0), 1e-6))
        self._occupied = _plain(occupied)
        self._attacked = _plain(capturers.sum(0))
        self._taken: dict[chess.PieceType, list[float]] = {}
        self._capturer: dict[chess.PieceType, list[float]] = {}
        for piece in chess.PIECE_TYPES[:5]:
            willing = capturers[:5] * np.where(VALUES[:5] > PIECE_VALUES[piece] + 0.5, GREEDY, 1.0)[:, None]
            self._taken[piece] = _plain(willing.sum(0))
            self._capturer[piece] = _plain(VALUES[:5] @ willing / np.maximum(willing.sum(0), 1e-6))
        near_king = density[5] @ (ATTACKS[0, chess.KING - 1] + np.eye(64))
        self._weights = _plain(CONTROL + FINDS * occupied + (0.02 + 0.25 * self._late**2) * near_king)
        self._king = [_plain(row) for row in density[5] * clear]
        self._seen: dict[tuple[int, int, int], tuple[float, chess.Bitboard]] = {}
        self._pawn_share = 1.0
        pawns = [self._occupied[move.to_square] for move in view.tries() if is_pawn_capture(move, view.men)]
        if view.pawn_tries is not None and view.pawn_tries.at_least and sum(pawns) > 0:
            self._pawn_share = view.pawn_tries.at_least / sum(pawns)

    def legal(self, men: Men, move: chess.Move, hot: chess.Square | None, checks: Check | None) -> float:
        """Return the probability that a try is legal.

        Args:
          men: our pieces.
          move: the try.
          hot: square of the opponent's last capture.
          checks: directions of the opponent's check, empty for none; None if unknown.
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
        """Return the probability that a legal try captures."""
        if is_pawn_capture(move, men) or move.to_square == hot:
            return 1.0
        if men[move.from_square] == chess.PAWN or is_castling(move, men):
            return 0.0
        return self._occupied[move.to_square]

    def checks(self, piece: chess.PieceType, square: chess.Square, own: chess.Bitboard) -> float:
        """Return the probability that a piece gives check from a square."""
        king = self._king[square]
        return sum(king[seen] for seen in chess.scan_forward(attacks(self._color, piece, square, own)))

    def value(self, men: Men) -> tuple[float, chess.Bitboard]:
        """Return the value of our pieces on their squares, in pawns, and the squares that they attack or protect."""
        own, total, held = squares_of(men), 0.0, 0
        for square, piece in men.items():
            key = (piece, square, own & _LINES[square] if piece in (chess.BISHOP, chess.ROOK, chess.QUEEN) else 0)
            known = self._seen.get(key)
            if known is None:
                seen = attacks(self._color, piece, square, own)
                worth = PIECE_VALUES[piece] if piece != chess.KING else 0.0
                control = sum(self._weights[one] for one in chess.scan_forward(seen))
                known = self._seen[key] = (worth + self._place(piece, square) + control, seen)
            total += known[0]
            held |= known[1]
        return total, held

    def replies(self, men: Men, held: chess.Bitboard, target: chess.Square, *, took: bool, checks: bool) -> list[Reply]:
        """Return the possible announcements of the opponent's reply.

        Args:
          men: our pieces after our move.
          held: squares that they attack or protect.
          target: target of our move.
          took: True if it captured, which reveals its target.
          checks: True if it gives check; the opponent can then capture little else.
        """
        risks: list[tuple[float, chess.Square, float]] = []
        none, total = 1.0, 0.0
        for square, piece in men.items():
            if piece == chess.KING:
                continue
            is_held = bool(held >> square & 1)
            attacked = self._taken[piece][square] if is_held else self._attacked[square]
            risk = attacked * (ANNOUNCED if took and square == target else 0.3 * UNANNOUNCED if checks else UNANNOUNCED)
            if risk > LEAST:
                back = RECAPTURED * self._capturer[piece][square] if is_held else 0.0
                risks.append((risk, square, PIECE_VALUES[piece] - back))
                none *= 1.0 - risk
                total += risk
        king = king_of(men)
        lines = chess.popcount(attacks(self._color, chess.QUEEN, king, squares_of(men)))
        danger = CHECKED * lines / 27
        gain = CHECKS if checks else 0.0
        quiet: list[Reply] = [(none * (1.0 - danger), None, False, -gain), (none * danger, None, True, 0.2 - gain)]
        return quiet + [((1.0 - none) * risk / total, square, False, lost - gain) for risk, square, lost in risks]

    def capturer(self, piece: chess.PieceType, square: chess.Square) -> float:
        """Return the mean value of the enemy piece that captures ours on a square."""
        return self._capturer[piece][square]

    def _place(self, piece: chess.PieceType, square: chess.Square) -> float:
        """Rate advanced pawns, developed pieces, and a safe king while the opponent has many pieces."""
        late, height, file = self._late, relative_rank(self._color, square), chess.square_file(square)
        match piece:
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
    """Round, since the last bits of sums may differ between machines."""
    return [float(value) for value in np.round(values, 9)]


_LINES = [
    chess.BB_DIAG_MASKS[square] | chess.BB_RANK_MASKS[square] | chess.BB_FILE_MASKS[square] for square in chess.SQUARES
]
