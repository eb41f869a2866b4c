"""One ply over a metaposition, in the manner of Darkboard.

After Ciancarini and Favini, "Representing Kriegspiel states with metapositions" (IJCAI 2007) and "A program to play
Kriegspiel" (ICGA Journal, 2007), on the densities of `densities`. A refusal costs nothing and the next best try
follows, so each try is rated as if it were legal, as a capture and as a quiet move in proportion. As in the papers, the
rating adds up the safety of our pieces, the squares that they control, and progress. The referee announces captures, so
the opponent is expected to recapture with its cheapest piece; this player does so before it rates anything. The weights
are our own. Left out: search beyond the opponent's reply, the opening book, and the solved endings, in whose place
`kriegbot.players.scripted` hunts a lone king.
"""

from __future__ import annotations

import random

import chess
import numpy as np

from densities import ATTACKS, Metaposition, Reals, recapture
from kriegbot import Choice
from kriegbot.players.scripted import Hunter
from referee import Announcement, View
from referee.announcement import check_direction
from referee.pieces import (
    PIECE_VALUES,
    attacks,
    is_castling,
    is_pawn_capture,
    king_of,
    moved,
    relative_rank,
    squares_of,
)

VALUES = np.array([PIECE_VALUES[piece] for piece in chess.PIECE_TYPES])

ANNOUNCED, UNANNOUNCED = 0.95, 0.22
"""Probability that an attacker captures a piece: where we announced a capture, and elsewhere."""
RECAPTURED = 0.8
"""Share of a capturing piece's value that a recapture brings, since it may fail."""
CONTROL, FINDS, CHECKS, NOISE = 0.012, 0.05, 0.15, 0.03
"""Value of a controlled square, of an enemy piece on it, of a check; and size of the random term."""


class MetapositionPlayer:
    """Player of one game; the seed varies the ratings a little."""

    def __init__(self, seed: int) -> None:
        self._rng = random.Random(seed)
        self._hunter = Hunter()
        self._metaposition: Metaposition | None = None

    def choose(self, view: View) -> Choice:
        """Choose the open try with the best rating."""
        if self._metaposition is None:
            self._metaposition = Metaposition(view)
        self._metaposition.update(view)
        king, tries = self._hunter.hunts(view), view.tries()
        taking = recapture(view)
        if king is None and taking is not None:
            return Choice(taking)
        rate = Rating(view, self._metaposition).rate if king is None else king.rate
        return Choice(max(tries, key=lambda move: rate(move) + NOISE * self._rng.random()))


class Rating:
    """Ratings of the tries of one view, in pawns."""

    def __init__(self, view: View, metaposition: Metaposition) -> None:
        self._view = view
        self._density, self._occupied = metaposition.density, metaposition.occupied
        self._late = 1.0 - view.opponent_men / 16
        self._clear = metaposition.clear()
        self._last = view.last_announcement or Announcement()
        self._capturers = metaposition.capturers(self._clear)
        counts = np.maximum(self._density.sum(0), 1e-6)
        self._prize = (VALUES[:5] @ self._density[:5]) / counts
        near = ATTACKS[0, chess.KING - 1] + np.eye(64)
        self._near_king: Reals = self._density[5] @ near
        self._barred = self._pawns_barred()

    def rate(self, move: chess.Move) -> float:
        """Rate a try as if it were legal."""
        view, piece = self._view, self._view.men[move.from_square]
        men = moved(view.men, move)
        becomes, target = men[move.to_square], move.to_square
        own = squares_of(men)
        seen = {square: attacks(view.color, other, square, own) for square, other in men.items()}
        held = 0
        for squares in seen.values():
            held |= squares
        is_pawn = is_pawn_capture(move, view.men)
        captures = 1.0 if is_pawn else float(self._occupied[target])
        is_ahead = piece == chess.PAWN and not is_pawn
        if is_ahead or is_castling(move, view.men):
            captures = 0.0
        elif target == self._last.capture:
            captures = 1.0

        rating = captures * float(self._prize[target])
        risk = self._loss(target, becomes, bool(held >> target & 1))
        rating -= (captures * ANNOUNCED + (1 - captures) * UNANNOUNCED) * risk
        for square, other in men.items():
            if square != target and other != chess.KING:
                rating -= UNANNOUNCED * self._loss(square, other, bool(held >> square & 1))
        if self._last.checks and not self._answers(move):
            rating -= 50.0
        rating += self._control(move, seen, held) + self._progress(move, piece, target)
        if piece == chess.PAWN and move.promotion is not None:
            rating += PIECE_VALUES[move.promotion] - 1.0
        return round(rating, 9)  # the last bits of sums may differ between machines

    def _loss(self, square: chess.Square, piece: chess.PieceType, is_held: bool) -> float:
        """Return the expected loss on a square if an attacker captures there, the cheapest one first."""
        worth = PIECE_VALUES[piece]
        if piece == chess.KING:
            return 0.0
        capturers = self._capturers[:, square]
        if not is_held:
            return float(worth * capturers.sum())
        return float(capturers[:5] @ np.maximum(0.0, worth - RECAPTURED * VALUES[:5]))

    def _control(self, move: chess.Move, seen: dict[chess.Square, chess.Bitboard], held: chess.Bitboard) -> float:
        """Rate the attacked squares, above all those with pieces and around the king."""
        squares = list(chess.scan_forward(held))
        control = CONTROL * len(squares) + FINDS * float(self._occupied[squares].sum())
        control += (0.02 + 0.25 * self._late**2) * float(self._near_king[squares].sum())
        ours = list(chess.scan_forward(seen[move.to_square]))
        control += CHECKS * float((self._density[5] * self._clear[move.to_square])[ours].sum())
        return control

    def _progress(self, move: chess.Move, piece: chess.PieceType, target: chess.Square) -> float:
        """Rate advanced pawns, developed pieces, and a safe king while the opponent has many pieces."""
        color, late = self._view.color, self._late
        height, before = relative_rank(color, target), relative_rank(color, move.from_square)
        match piece:
            case chess.PAWN:
                free = float(1.0 - self._barred[target])
                centre = 0.15 if 2 <= chess.square_file(target) <= 5 and height <= 4 else 0.0
                gain = (height - before) * (0.05 + 0.08 * late) + late * free * (height**2 - before**2) / 14
                shield = chess.square_distance(move.from_square, king_of(self._view.men)) <= 1
                return gain + centre * (1 - late) - (0.15 * (1 - late) if shield else 0.0)
            case chess.KING:
                if is_castling(move, self._view.men):
                    return 0.6
                return 0.1 * late * (height - before) - 0.5 * (1 - late)
            case chess.QUEEN:
                return -0.2 * (1 - late)
            case chess.KNIGHT | chess.BISHOP:
                return 0.25 * (1 - late) * ((before == 0) - (height == 0)) + 0.03 * (height - before)
        return 0.0

    def _answers(self, move: chess.Move) -> bool:
        """Return True if a try may answer a check: a king move, or a move to the line of check."""
        king = king_of(self._view.men)
        if move.from_square == king:
            return not is_castling(move, self._view.men)
        return bool(check_direction(king, move.to_square) & self._last.checks)

    def _pawns_barred(self) -> Reals:
        """Return the mean number, at most 1, of enemy pawns ahead of each square, on its and the next files."""
        pawns = self._density[0].reshape(8, 8)
        rows = pawns if self._view.color == chess.WHITE else pawns[::-1]
        ahead = np.cumsum(rows[::-1], axis=0)[::-1] - rows
        beside = np.pad(ahead, ((0, 0), (1, 1)))
        barred = np.minimum(1.0, beside[:, :-2] + beside[:, 1:-1] + beside[:, 2:])
        turned: Reals = (barred if self._view.color == chess.WHITE else barred[::-1]).reshape(64)
        return turned
