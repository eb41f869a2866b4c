"""A metaposition: our own pieces, and the expected enemy pieces on every square.

After Ciancarini and Favini, "Representing Kriegspiel states with metapositions" (IJCAI 2007). There, one board merges
all consistent positions; each square has the possible types of pieces and its age, the moves since it was last known to
be empty. Here each type has a density instead, the expected number of such pieces on the square. It is 0 where the type
cannot be, and grows with age as the pieces spread. Left out: exclusions between two pieces, and underpromotions.
"""

from __future__ import annotations

from typing import TypeAlias

import chess
import numpy as np
import numpy.typing as npt

from referee import Announcement, Answer, CapturedKind, Check, OpponentMoved, OwnTry, View
from referee.announcement import check_direction
from referee.pieces import (
    attacks,
    is_pawn_capture,
    king_of,
    may_capture,
    moved,
    must_be_empty,
    open_tries,
    relative_rank,
    squares_of,
)

Reals: TypeAlias = npt.NDArray[np.float64]

KINDS = np.array(chess.PIECE_TYPES)
ACTIVITY = np.array([0.45, 0.9, 0.9, 0.6, 0.8, 0.5])
"""Relative frequency of moves by each type of piece."""
CAPTURING = np.array([3.0, 1.5, 1.5, 1.0, 0.8, 0.4])
"""Relative frequency of captures by each type of piece."""
FORWARD = 0.15
"""Preference for moving forward: e to this power per rank."""
LEAST, BLOCKED = 1e-6, 1e-4
"""Replacements of 0 in divisors and logarithms."""


class Metaposition:
    """Densities of the enemy pieces, updated from view to view.

    Attributes:
      density: expected number of pieces of each type, pawns to king, on each square, [6, 64].
    """

    def __init__(self, view: View) -> None:
        self._color = view.color
        board = chess.Board(view.start)
        self._men: dict[chess.Square, chess.PieceType] = {
            square: piece.piece_type for square, piece in board.piece_map().items() if piece.color == view.color
        }
        self.density: Reals = np.zeros((6, 64))
        for square, piece in board.piece_map().items():
            if piece.color != view.color:
                self.density[piece.piece_type - 1, square] = 1.0
        self._left = int(self.density.sum())
        self._events = 0

    @property
    def occupied(self) -> Reals:
        """Probability of an enemy piece on each square, [64]."""
        occupied: Reals = np.minimum(1.0, self.density.sum(0))
        return occupied

    def update(self, view: View) -> None:
        """Update the densities for all new events of a view."""
        for event in view.events[self._events :]:
            if isinstance(event, OwnTry) and event.announcement is not None:
                self._after_own_move(event.move, event.announcement)
            elif isinstance(event, OwnTry) and event.answer is Answer.ILLEGAL:
                if event.move in open_tries(self._color, self._men, True, True, origin=event.move.from_square):
                    self._refused(event.move)
            elif isinstance(event, OpponentMoved):
                self._after_opponent_move(event.announcement)
        self._events, self._men = len(view.events), dict(view.men)
        capturing = may_capture(view.pawn_tries)
        for square, piece in self._men.items():
            if piece == chess.PAWN and not capturing & chess.BB_SQUARES[square]:
                self._empty(attacks(self._color, piece, square, 0))
        self._settle()

    def _after_own_move(self, move: chess.Move, announcement: Announcement) -> None:
        """Empty the path of our move, and remove a captured piece."""
        self._empty(must_be_empty(move, self._men) | chess.BB_SQUARES[move.from_square])
        self._men = moved(self._men, move)
        if announcement.captured_square is not None:
            self._left -= 1
            there = self.density[:, announcement.captured_square].copy()
            self._empty(chess.BB_SQUARES[announcement.captured_square])
            gone = there * [1, 1, 1, 1, 1, 0]
            if announcement.captured is not None:
                gone *= np.equal(KINDS, chess.PAWN) == (announcement.captured is CapturedKind.PAWN)
            if gone.sum() > 0:
                self._lose(gone / gone.sum() - there)
        self._empty(squares_of(self._men))
        if announcement.checks:
            self._find_king(announcement.checks)

    def _find_king(self, checks: Check) -> None:
        """Restrict the king to the lines on which we give check."""
        own, seen = squares_of(self._men), np.zeros(64, bool)
        for origin, piece in self._men.items():
            for square in chess.scan_forward(attacks(self._color, piece, origin, own)):
                seen[square] |= bool(check_direction(square, origin) & checks)
        self._only(5, seen)

    def _refused(self, move: chess.Move) -> None:
        """Update for a refusal: something blocks the path, or a pawn has nothing to capture."""
        if is_pawn_capture(move, self._men):
            self.density[:, move.to_square] *= 0.02
            return
        squares = list(chess.scan_forward(must_be_empty(move, self._men)))
        blocked = self.occupied[squares]
        if not squares or not 0 < blocked.sum() < 1 or self._men[move.from_square] == chess.KING:
            return
        self.density[:, squares] *= 0.9 / blocked.sum()

    def _after_opponent_move(self, announcement: Announcement) -> None:
        """Update for a quiet move, a capture, or a check."""
        if announcement.capture is None or announcement.captured_square is None:
            self._spread()
        else:
            self._men.pop(announcement.captured_square, None)
            self._after_capture(announcement.capture)
        self._release_king()
        self._settle()
        if announcement.checks:
            self._find_checker(announcement.checks)

    def clear(self) -> Reals:
        """Return the probability that nothing stands between two squares, [64, 64]."""
        free = np.maximum(BLOCKED, 1.0 - self.occupied)
        free[list(self._men)] = BLOCKED
        clear: Reals = np.exp(BETWEEN @ np.log(free))
        return clear

    def capturers(self, clear: Reals) -> Reals:
        """Return the probability that the cheapest attacker of a square is of each type, [6, 64]."""
        theirs = ATTACKS[int(not self._color)]
        threats = np.stack([self.density[kind] @ (theirs[kind] * clear) for kind in range(6)])
        attacked = 1.0 - np.exp(-threats)
        none_cheaper = np.cumprod(np.vstack([np.ones(64), 1.0 - attacked[:-1]]), axis=0)
        capturers: Reals = attacked * none_cheaper
        return capturers

    def _spread(self) -> None:
        """Spread a part of each density to the squares that such a piece can move to."""
        clear = self.clear()
        frequency = self.density.sum(1) * ACTIVITY
        total = max(frequency.sum(), LEAST)
        free = 0.05 + 1.0 - self.occupied
        free[list(self._men)] = 0.0
        up = CLIMB if self._color == chess.BLACK else -CLIMB
        onwards = np.exp(FORWARD * np.clip(up[None, :] - up[:, None], -3, 3))
        theirs = ATTACKS[int(not self._color)]
        for kind in range(6):
            steps = (
                PUSHES[int(not self._color)] if kind == 0 else theirs[kind] * (onwards if kind < 4 else 1.0)
            ) * clear
            steps = steps * free
            ways = steps.sum(1)
            moving = self.density[kind] * np.where(ways > LEAST, ACTIVITY[kind] / total, 0.0)
            self.density[kind] += (moving / np.maximum(ways, LEAST)) @ steps - moving
        last = [square for square in chess.SQUARES if relative_rank(not self._color, square) == 7]
        self.density[4, last] += self.density[0, last]
        self.density[0, last] = 0.0

    def _after_capture(self, square: chess.Square) -> None:
        """Update for a capture on a square: nothing else has moved."""
        taking = self.density * (ATTACKS[int(not self._color), :, :, square] * self.clear()[:, square])
        taking *= CAPTURING[:, None]
        total = taking.sum()
        if total > 0:
            kinds = taking.sum(1) / total
            self.density = np.maximum(0.0, self.density - taking / total)
        else:
            kinds = CAPTURING / CAPTURING.sum()
        self.density[:, square] = kinds

    def _find_checker(self, checks: Check) -> None:
        """Update for a check: raise the density of the pieces that can give it."""
        king = king_of(self._men)
        own = squares_of(self._men)
        giving = np.zeros((6, 64))
        for kind in range(5):
            for square in chess.scan_forward(attacks(self._color, kind + 1, king, own) & ~own):
                if check_direction(king, square) & checks:
                    giving[kind, square] = self.density[kind, square] + 0.01
        if 0 < giving.sum() < 1:
            rest = 1 - giving.sum()
            self.density += giving / giving.sum() * rest

    def _only(self, kind: int, where: npt.NDArray[np.bool_]) -> None:
        """Restrict a type with a single piece to some squares."""
        kept = self.density[kind] * where
        if kept.sum() == 0:
            kept = where * 1.0
            kept[list(self._men)] = 0.0
        if kept.sum() > 0:
            self.density[kind] = kept / kept.sum()

    def _empty(self, squares: chess.Bitboard) -> None:
        for square in chess.scan_forward(squares):
            self.density[:, square] = 0.0

    def _lose(self, kinds: Reals) -> None:
        """Remove numbers of pieces of each type, in proportion to their densities."""
        counts = self.density.sum(1)
        self.density *= np.where(counts > 0, np.maximum(0.0, counts - kinds) / np.maximum(counts, 1e-9), 0.0)[:, None]

    def _settle(self) -> None:
        """Normalise: no overlaps, one king, and the known number of pieces."""
        free = np.ones(64)
        free[list(self._men)] = 0.0
        self.density *= free
        if self.density[5].sum() < LEAST:
            self.density[5] = free
        self.density[5] /= self.density[5].sum()
        others = self.density[:5]
        if others.sum() < LEAST:
            others += LEAST * free
        for _ in range(2):
            others /= np.maximum(1.0, self.density.sum(0))
            others *= (self._left - 1) / max(float(others.sum()), LEAST)

    def _release_king(self) -> None:
        """Remove the king, after its move, from squares that we attack."""
        clear = self.clear()
        for square, piece in self._men.items():
            self.density[5] *= 1.0 - ATTACKS[int(self._color), piece - 1, square] * clear[square]


def _lines() -> Reals:
    between = np.zeros((64, 64, 64))
    for origin in chess.SQUARES:
        for target in chess.SQUARES:
            between[origin, target, list(chess.scan_forward(chess.between(origin, target)))] = 1.0
    return between


def _all_attacks() -> Reals:
    seen = np.zeros((2, 6, 64, 64))
    for color in chess.COLORS:
        for piece in chess.PIECE_TYPES:
            for square in chess.SQUARES:
                seen[int(color), piece - 1, square, list(chess.scan_forward(attacks(color, piece, square, 0)))] = 1.0
    return seen


def _all_pushes() -> Reals:
    pushes = np.zeros((2, 64, 64))
    for color in chess.COLORS:
        step = 8 if color == chess.WHITE else -8
        for square in range(8, 56):
            pushes[int(color), square, square + step] = 1.0
            if relative_rank(color, square) == 1:
                pushes[int(color), square, square + 2 * step] = 1.0
    return pushes


BETWEEN = _lines()
"""1 for each square between two others, [64, 64, 64]."""
ATTACKS = _all_attacks()
"""1 for each square that a piece of a colour and type attacks from another on an empty board, [2, 6, 64, 64]."""
PUSHES = _all_pushes()
"""1 for each square that a pawn of a colour can move to from another, [2, 64, 64]."""
CLIMB = np.array([float(chess.square_rank(square)) for square in chess.SQUARES])
"""The rank of every square, from White's side."""


def recapture(view: View) -> chess.Move | None:
    """Return the open try that recaptures with the least valuable piece; None if there is none.

    After a refusal the next call returns the next one.
    """
    square = None if view.last_announcement is None else view.last_announcement.capture
    tries = [] if square is None else [move for move in view.tries() if move.to_square == square]
    captures = [move for move in tries if view.men[move.from_square] != chess.PAWN or is_pawn_capture(move, view.men)]
    return min(captures, key=lambda move: (view.men[move.from_square], -(move.promotion or 0)), default=None)
