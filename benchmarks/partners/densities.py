"""A metaposition: one's own men, and for every square what may stand there of the opponent's.

After Ciancarini and Favini, "Representing Kriegspiel states with metapositions" (IJCAI 2007): a single board merges all
positions that fit what was heard, and contains at least each of them; every square keeps the kinds of men that may be
on it and its age, the moves since it was last known to be empty. Here each kind has a density instead, the number of
such men expected on the square: it is 0 where the kind cannot be, and grows with age as the opponent's men spread.
Left out: what two men cannot both be or do, and promotions other than to a queen.
"""

from __future__ import annotations

from typing import TypeAlias

import chess
import numpy as np
import numpy.typing as npt

from referee import Announcement, Answer, Check, OpponentMoved, OwnTry, View
from referee.announcement import CapturedKind, check_direction
from referee.pieces import (
    attacks,
    is_open,
    is_pawn_capture,
    king_of,
    may_capture,
    moved,
    must_be_empty,
    relative_rank,
    squares_of,
)

Reals: TypeAlias = npt.NDArray[np.float64]

KINDS = np.array(chess.PIECE_TYPES)
ACTIVITY = np.array([0.45, 0.9, 0.9, 0.6, 0.8, 0.5])
"""How readily men of each kind move, in proportion."""
CAPTURING = np.array([3.0, 1.5, 1.5, 1.0, 0.8, 0.4])
"""How readily they capture, in proportion."""
FORWARD = 0.15
"""A piece goes a rank forward more readily than a rank back, by e to this power."""
LEAST, BLOCKED = 1e-6, 1e-4
"""In place of 0, where something is divided by it or its logarithm is taken."""


class Metaposition:
    """What may stand where, kept up to date from view to view.

    Attributes:
      density: men of each kind, pawns to king, expected on each square, [6, 64].
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
        self._heard = 0

    @property
    def occupied(self) -> Reals:
        """How probable it is that a man of the opponent's stands on a square, [64]."""
        occupied: Reals = np.minimum(1.0, self.density.sum(0))
        return occupied

    def update(self, view: View) -> None:
        """Hears what has happened since the last view."""
        for event in view.events[self._heard :]:
            if isinstance(event, OwnTry) and event.announcement is not None:
                self._own(event.move, event.announcement)
            elif isinstance(event, OwnTry) and event.answer is Answer.ILLEGAL:
                if is_open(event.move, self._color, self._men, kingside=True, queenside=True):
                    self._refused(event.move)
            elif isinstance(event, OpponentMoved):
                self._his(event.announcement)
        self._heard, self._men = len(view.events), dict(view.men)
        capturing = may_capture(view.pawn_tries)
        for square, man in self._men.items():
            if man == chess.PAWN and not capturing & chess.BB_SQUARES[square]:
                self._empty(attacks(self._color, man, square, 0))
        self._settle()

    def _own(self, move: chess.Move, heard: Announcement) -> None:
        """Our try was accepted: its way is empty, and what it took is gone."""
        self._empty(must_be_empty(move, self._men) | chess.BB_SQUARES[move.from_square])
        self._men = moved(self._men, move)
        if heard.captured_square is not None:
            self._left -= 1
            there = self.density[:, heard.captured_square].copy()
            self._empty(chess.BB_SQUARES[heard.captured_square])
            gone = there * [1, 1, 1, 1, 1, 0]
            if heard.captured is not None:
                gone *= np.equal(KINDS, chess.PAWN) == (heard.captured is CapturedKind.PAWN)
            if gone.sum() > 0:
                self._lose(gone / gone.sum() - there)
        self._empty(squares_of(self._men))
        if heard.checks:
            self._find_king(heard.checks)

    def _find_king(self, checks: Check) -> None:
        """Our check says on which lines the king stands."""
        own, seen = squares_of(self._men), np.zeros(64, bool)
        for origin, man in self._men.items():
            for square in chess.scan_forward(attacks(self._color, man, origin, own)):
                seen[square] |= bool(check_direction(square, origin) & checks)
        self._only(5, seen)

    def _refused(self, move: chess.Move) -> None:
        """Our try was refused: something stands in its way, or a pawn has nothing to take."""
        if is_pawn_capture(move, self._men):
            self.density[:, move.to_square] *= 0.02
            return
        squares = list(chess.scan_forward(must_be_empty(move, self._men)))
        blocked = self.occupied[squares]
        if not squares or not 0 < blocked.sum() < 1 or self._men[move.from_square] == chess.KING:
            return
        self.density[:, squares] *= 0.9 / blocked.sum()

    def _his(self, heard: Announcement) -> None:
        """The opponent moved: quietly, by taking a man of ours, or giving check."""
        if heard.capture is None or heard.captured_square is None:
            self._spread()
        else:
            self._men.pop(heard.captured_square, None)
            self._took(heard.capture)
        self._release_king()
        self._settle()
        if heard.checks:
            self._find_checker(heard.checks)

    def clear(self) -> Reals:
        """How probable it is that nothing stands between two squares, [64, 64]."""
        free = np.maximum(BLOCKED, 1.0 - self.occupied)
        free[list(self._men)] = BLOCKED
        clear: Reals = np.exp(BETWEEN @ np.log(free))
        return clear

    def takers(self, clear: Reals) -> Reals:
        """The probabilities that the cheapest attacker of a square is of each kind, [6, 64]."""
        his = ATTACKS[int(not self._color)]
        threats = np.stack([self.density[kind] @ (his[kind] * clear) for kind in range(6)])
        attacked = 1.0 - np.exp(-threats)
        none_cheaper = np.cumprod(np.vstack([np.ones(64), 1.0 - attacked[:-1]]), axis=0)
        takers: Reals = attacked * none_cheaper
        return takers

    def _spread(self) -> None:
        """A man of the opponent's has moved, who knows which: a part of each density goes where such a man may go."""
        clear = self.clear()
        readiness = self.density.sum(1) * ACTIVITY
        total = max(readiness.sum(), LEAST)
        free = 0.05 + 1.0 - self.occupied
        free[list(self._men)] = 0.0
        up = CLIMB if self._color == chess.BLACK else -CLIMB
        onwards = np.exp(FORWARD * np.clip(up[None, :] - up[:, None], -3, 3))
        his = ATTACKS[int(not self._color)]
        for kind in range(6):
            steps = (PUSHES[int(not self._color)] if kind == 0 else his[kind] * (onwards if kind < 4 else 1.0)) * clear
            steps = steps * free
            ways = steps.sum(1)
            moving = self.density[kind] * np.where(ways > LEAST, ACTIVITY[kind] / total, 0.0)
            self.density[kind] += (moving / np.maximum(ways, LEAST)) @ steps - moving
        last = [square for square in chess.SQUARES if relative_rank(not self._color, square) == 7]
        self.density[4, last] += self.density[0, last]
        self.density[0, last] = 0.0

    def _took(self, square: chess.Square) -> None:
        """A man of the opponent's has taken ours on this square; nothing else has moved."""
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
        """The opponent gives check: what may give it stands on these lines with more weight."""
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
        """A kind of which there is one man stands on one of these squares."""
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
        """So many men of each kind less, wherever they were expected."""
        counts = self.density.sum(1)
        self.density *= np.where(counts > 0, np.maximum(0.0, counts - kinds) / np.maximum(counts, 1e-9), 0.0)[:, None]

    def _settle(self) -> None:
        """No man of his is on ours or twice on a square; there is one king, and as many men as are left."""
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
        """After his move the opponent's king stands nowhere that we attack."""
        clear = self.clear()
        for square, man in self._men.items():
            self.density[5] *= 1.0 - ATTACKS[int(self._color), man - 1, square] * clear[square]


def _lines() -> Reals:
    between = np.zeros((64, 64, 64))
    for origin in chess.SQUARES:
        for target in chess.SQUARES:
            between[origin, target, list(chess.scan_forward(chess.between(origin, target)))] = 1.0
    return between


def _all_attacks() -> Reals:
    seen = np.zeros((2, 6, 64, 64))
    for color in chess.COLORS:
        for man in chess.PIECE_TYPES:
            for square in chess.SQUARES:
                seen[int(color), man - 1, square, list(chess.scan_forward(attacks(color, man, square, 0)))] = 1.0
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
"""1 for each square that a man of a colour and kind attacks from another on an empty board, [2, 6, 64, 64]."""
PUSHES = _all_pushes()
"""1 for each square to which a pawn of a colour goes from another, [2, 64, 64]."""
CLIMB = np.array([float(chess.square_rank(square)) for square in chess.SQUARES])
"""The rank of every square, from White's side."""


def recapture(view: View) -> chess.Move | None:
    """Return the open try that recaptures with the least valuable piece; None if there is none.

    After a refusal the next call returns the next one.
    """
    square = None if view.last_reply is None else view.last_reply.capture
    tries = [] if square is None else [move for move in view.tries() if move.to_square == square]
    captures = [move for move in tries if view.men[move.from_square] != chess.PAWN or is_pawn_capture(move, view.men)]
    return min(captures, key=lambda move: (view.men[move.from_square], -(move.promotion or 0)), default=None)
