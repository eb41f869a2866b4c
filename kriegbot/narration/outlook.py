"""What a try leads to on boards that its side holds possible, counted: captures, replies, ends.

One ply of chess on each board; the search that values tries looks further. The counting is our own.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field

import chess
import numpy as np

from kriegbot.belief.timeline import BeliefSnapshot
from kriegbot.kernels import to_board
from kriegbot.narration.helping import HINT_SAMPLES
from referee import men

EVERY = HINT_SAMPLES // 100  # one in so many of the boards that tries are valued on is looked at; those are a hundred
WORTH = {
    kind: round(worth) for kind, worth in men.PIECE_VALUES.items()
}  # whole pawns: a bishop for a knight costs nothing


@dataclass(slots=True)
class Outlook:
    """What a try leads to.

    Attributes:
      legal: on how many of a hundred boards it is legal; the others are numbers of these.
      mates, stalemates, mated, promoted: on how many it mates, stalemates, lets the enemy mate or promote at once.
      takes: on how many it takes a man of each kind.
      open: on how many the enemy may take the man on a square for less than it is worth.
      by: on how many a man of each kind may do so, by square.
      cost: pawns that this costs, by square, summed over boards.
    """

    legal: int = 0
    mates: int = 0
    stalemates: int = 0
    mated: int = 0
    promoted: int = 0
    takes: Counter[chess.PieceType] = field(default_factory=Counter)
    open: Counter[chess.Square] = field(default_factory=Counter)
    by: defaultdict[chess.Square, Counter[chess.PieceType]] = field(default_factory=lambda: defaultdict(Counter))
    cost: Counter[chess.Square] = field(default_factory=Counter)

    @property
    def gain(self) -> float:
        """Pawns that it takes, on average over all boards."""
        return sum(WORTH[kind] * count for kind, count in self.takes.items()) / 100

    def share(self, count: int) -> int:
        """A number of boards as a share of those on which it is legal, in per cent."""
        return round(100 * count / max(self.legal, 1))

    @classmethod
    def of(cls, held: BeliefSnapshot, move: chess.Move) -> Outlook:
        """On the boards that were drawn."""
        outlook = cls()
        rows = np.repeat(held.rows, held.counts.astype(np.int64), axis=0)[::EVERY]
        for row, count in zip(*np.unique(rows, axis=0, return_counts=True), strict=True):
            outlook._add(to_board(row), move, int(count))
        return outlook

    def _add(self, board: chess.Board, move: chess.Move, count: int) -> None:
        if not board.is_legal(move):
            return
        self.legal += count
        taken, own = taken_by(board, move), board.turn
        if taken:
            self.takes[taken] += count
        board.push(move)
        replies = list(board.legal_moves)
        if not replies:
            self.mates += count * board.is_check()
            self.stalemates += count * (not board.is_check())
        self.mated += count * any(board.gives_check(reply) and is_mate(board, reply) for reply in replies)
        self.promoted += count * any(reply.promotion for reply in replies)
        costs: dict[tuple[chess.Square, chess.PieceType], int] = {}
        for reply in replies:
            square, by = reply.to_square, kind_at(board, reply.from_square)
            worth = WORTH.get(taken_by(board, reply), 0)
            cost = worth - WORTH[by] * board.is_attacked_by(own, square)
            if square == move.to_square:  # what was taken there pays for it
                cost -= WORTH.get(taken, 0)
            if worth and cost > 0:
                costs[square, by] = cost
        for square in {square for square, _ in costs}:
            self.open[square] += count
            self.cost[square] += count * max(cost for (at, _), cost in costs.items() if at == square)
        for square, by in costs:
            self.by[square][by] += count


def taken_by(board: chess.Board, move: chess.Move) -> chess.PieceType:
    """The kind of man that a move takes; 0 for none."""
    return chess.PAWN if board.is_en_passant(move) else board.piece_type_at(move.to_square) or 0


def kind_at(board: chess.Board, square: chess.Square) -> chess.PieceType:
    """The kind of the man on a square; 0 for none."""
    return board.piece_type_at(square) or 0


def is_mate(board: chess.Board, move: chess.Move) -> bool:
    """Whether a legal move mates."""
    after = board.copy(stack=False)
    after.push(move)
    return after.is_checkmate()
