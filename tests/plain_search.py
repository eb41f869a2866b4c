"""Information-set search in plain Python on python-chess, to test the fast search against.

Equations 2 and 3 of Parker, Nau and Subrahmanian, "Overconfidence or Paranoia? Search in Imperfect-Information Games"
(AAAI 2006), line by line: an information set is a list of boards with weights, and every step sorts its histories by
what the referee announces. Nothing is merged or pruned. E(I), which the equations leave open, is the mean of the
evaluator over the histories in Eq. 2 and its minimum in Eq. 3, as the paper's text has it. Both are computed side by
side until the searching side chooses, where a `Rule` makes one value of them. Terms that are not in the equations
are off by default.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TypeAlias

import chess

from evaluators import WIN
from referee import Announcement, End, Limits, OpponentMoved, RuleSet, View, open_tries
from referee import announce as really_announce
from referee.announcement import PawnTryInfo
from tests.plain_opponents import Replies, equally_likely
from tests.remembered import by_board

Evaluator: TypeAlias = Callable[[chess.Board, chess.Color], float]
Histories: TypeAlias = list[tuple[chess.Board, float]]


PIECE_VALUES = dict(zip(chess.PIECE_TYPES, (100, 300, 350, 500, 900, 20_000), strict=True))
announce = by_board(really_announce)


@dataclass(frozen=True)
class Totals:
    """Mean, minimum and maximum of all values that may follow; only rules of tests use the maximum."""

    mean: float
    worst: float
    best: float

    @classmethod
    def known(cls, value: float) -> Totals:
        """Return a value that is certain."""
        return cls(value, value, value)

    @classmethod
    def of(cls, parts: list[tuple[float, Totals]]) -> Totals:
        """Combine pairs of weight and totals."""
        weight = sum(weight for weight, _ in parts)
        return cls(
            sum(weight * totals.mean for weight, totals in parts) / weight,
            min(totals.worst for _, totals in parts),
            max(totals.best for _, totals in parts),
        )


Rule: TypeAlias = Callable[[Totals], float]
"""The value of a try from its totals."""


def overconfident(totals: Totals) -> float:
    """Eq. 2."""
    return totals.mean


def paranoid(totals: Totals) -> float:
    """Eq. 3."""
    return totals.worst


@dataclass(frozen=True)
class Knowledge:
    """The view of the searching side, besides its positions.

    Attributes:
      side: the side that searches.
      rules: the rule set.
      limits: the limits of the game.
      ply: moves made so far.
      refused: its tries refused this turn.
      pawn_tries: the pawn tries announced for its turn, or None.
      ours: announcement of our last move in the search, None before it.
      theirs: announcement of the opponent's last move.
      free_left: refusals in a row that still cost no ply.
    """

    side: chess.Color
    rules: RuleSet
    limits: Limits
    ply: int
    refused: tuple[chess.Move, ...]
    pawn_tries: PawnTryInfo | None
    ours: Announcement | None = None
    theirs: Announcement | None = None
    free_left: int = 0

    @classmethod
    def of(cls, view: View) -> Knowledge:
        """Return the knowledge of a view."""
        moved = [event.announcement for event in view.events if isinstance(event, OpponentMoved)]
        refused, theirs = tuple(view.refused), moved[-1] if moved else None
        return cls(view.color, view.rules, view.limits, view.ply, refused, view.pawn_tries, theirs=theirs)

    def after_try(self, announcement: Announcement) -> Knowledge:
        """Return the knowledge once our try was accepted and announced."""
        return replace(self, ply=self.ply + 1, refused=(), pawn_tries=None, ours=announcement)

    def after_reply(self, announcement: Announcement, free: int) -> Knowledge:
        """Return the knowledge once the opponent's move was announced."""
        return replace(self, ply=self.ply + 1, pawn_tries=announcement.pawn_tries, theirs=announcement, free_left=free)

    def without(self, move: chess.Move) -> Knowledge:
        """Return the knowledge once a try was refused."""
        return replace(self, refused=(*self.refused, move), free_left=max(self.free_left - 1, 0))


@dataclass
class PlainSearch:
    """The recursion, with its backup rule and evaluator, and a count of the leaves it reached.

    Attributes:
      backup: Eq. 2, Eq. 3, or another rule.
      evaluator: value in centipawns of a board for a side.
      replies: how likely the opponent's moves are.
      free_refusals: 0 if each refusal costs a ply, as in the equations. Otherwise the first n in a row cost none, and
        after one more the side moves at random.
      exchange: share of the exchange on the square of the last capture that a leaf counts; 0 in the equations.
      value_scale: bound of all values, or 0; see `Settings.value_scale`.
      evaluated: leaves at depth 0 so far, one for each history.
      ended: leaves where the game had ended so far, one for each history.
    """

    backup: Rule
    evaluator: Evaluator
    replies: Replies = equally_likely
    free_refusals: int = 0
    exchange: float = 0.0
    value_scale: float = 0.0
    evaluated: int = 0
    ended: int = 0

    @property
    def leaves(self) -> int:
        """All leaves so far, one for each history that reached one."""
        return self.evaluated + self.ended

    def try_values(
        self, positions: Iterable[tuple[chess.Board, float]], knowledge: Knowledge, depth: int
    ) -> dict[chess.Move, float]:
        """Return the value of every try open in an information set, `depth` >= 1 plies deep."""
        histories = [(board, weight) for board, weight in positions if weight > 0.0]
        if depth < 1 or not histories or any(board.turn != knowledge.side for board, _ in histories):
            raise ValueError("a search takes depth >= 1 and positions of the side to move")
        knowledge = replace(knowledge, free_left=self.free_refusals)
        return {
            move: self.backup(self._try(histories, knowledge, move, depth))
            for move in plain_tries(histories, knowledge)
        }

    def _try(self, histories: Histories, knowledge: Knowledge, move: chess.Move, depth: int) -> Totals:
        """Return the totals of a try over its refusal and its announcements."""
        refused: Histories = []
        announced: dict[Announcement, Histories] = {}
        for board, weight in histories:
            if move in legal_moves(board):
                announcement = announce(board, move, knowledge.rules, knowledge.limits, ply=knowledge.ply)
                announced.setdefault(announcement, []).append((_after(board, move), weight))
            else:
                refused.append((board, weight))
        parts = []
        for announcement, possible in announced.items():
            after = knowledge.after_try(announcement)
            value = self._ended(announcement, possible, knowledge) or self._reply(possible, after, depth - 1)
            parts.append((_weight(possible), value))
        if refused and self.free_refusals and not knowledge.free_left:
            parts += [(weight, self._random(board, knowledge, min(depth, 2))) for board, weight in refused]
        elif refused:
            cost = 0 if knowledge.free_left else 1
            parts.append((_weight(refused), self._ours(refused, knowledge.without(move), depth - cost)))
        return Totals.of(parts)

    def _random(self, board: chess.Board, knowledge: Knowledge, depth: int) -> Totals:
        """Return the totals over all legal moves on one board."""
        moves = legal_moves(board)
        return Totals.of([(1.0, self._try([(board, 1.0)], knowledge, move, depth)) for move in moves])

    def _reply(self, histories: Histories, knowledge: Knowledge, depth: int) -> Totals:
        """Return the value of a set with the opponent to move."""
        if depth == 0:
            return self._leaf(histories, knowledge, knowledge.ours)
        announced: dict[Announcement, Histories] = {}
        for board, weight in histories:
            legal = legal_moves(board)
            likely = self.replies(board, legal, knowledge.ours, knowledge.theirs)
            for move, share in zip(legal, likely, strict=True):
                announcement = announce(board, move, knowledge.rules, knowledge.limits, ply=knowledge.ply)
                part = (_after(board, move), weight * share / sum(likely))
                announced.setdefault(announcement, []).append(part)
        parts = []
        for announcement, possible in announced.items():
            after = knowledge.after_reply(announcement, self.free_refusals)
            value = self._ended(announcement, possible, knowledge) or self._ours(possible, after, depth - 1)
            parts.append((_weight(possible), value))
        return Totals.of(parts)

    def _ours(self, histories: Histories, knowledge: Knowledge, depth: int) -> Totals:
        """Return the value of a set in which we are to move: that of the best try, which is certain."""
        if depth == 0:
            return self._leaf(histories, knowledge, None if knowledge.refused else knowledge.theirs)
        tries = plain_tries(histories, knowledge)
        return Totals.known(max(self.backup(self._try(histories, knowledge, move, depth)) for move in tries))

    def _ended(self, announcement: Announcement, histories: Histories, knowledge: Knowledge) -> Totals | None:
        """Return what an announcement that ends the game is worth; None if the game goes on."""
        if announcement.end is None:
            return None
        self.ended += len(histories)
        return Totals.known(self._bounded(utility(announcement.end, knowledge.side)))

    def _leaf(self, histories: Histories, knowledge: Knowledge, last: Announcement | None) -> Totals:
        self.evaluated += len(histories)
        return Totals.of(
            [(weight, Totals.known(self._value(board, knowledge.side, last))) for board, weight in histories]
        )

    def _value(self, board: chess.Board, side: chess.Color, last: Announcement | None) -> float:
        value = self.evaluator(board, side)
        if last is not None and last.captured_square is not None and self.exchange:
            gained = self.exchange * exchange(board, last.captured_square)
            value += gained if board.turn == side else -gained
        return self._bounded(value)

    def _bounded(self, value: float) -> float:
        return value / math.hypot(1.0, value / self.value_scale) if self.value_scale else value


def try_values(
    positions: Iterable[tuple[chess.Board, float]],
    knowledge: Knowledge,
    depth: int,
    backup: Rule,
    evaluator: Evaluator,
) -> dict[chess.Move, float]:
    """Return the value of every try open in an information set, in centipawns of the searching side."""
    return PlainSearch(backup, evaluator).try_values(positions, knowledge, depth)


def utility(end: End, side: chess.Color) -> float:
    """Return what an ended game is worth to a side."""
    if end.winner is None:
        return 0.0
    return WIN if end.winner == side else -WIN


def plain_tries(histories: Histories, knowledge: Knowledge) -> list[chess.Move]:
    """Return the tries open in an information set, which are the same in each of its histories."""
    boards = [board for board, _ in histories]
    men = _own_men(boards[0], knowledge.side)
    if any(_own_men(board, knowledge.side) != men for board in boards):
        raise ValueError("the positions of an information set agree in the side's own men")
    kingside = boards[0].has_kingside_castling_rights(knowledge.side)
    queenside = boards[0].has_queenside_castling_rights(knowledge.side)
    tries = open_tries(knowledge.side, men, kingside, queenside, knowledge.pawn_tries)
    return [move for move in tries if move not in knowledge.refused]


@by_board
def _own_men(board: chess.Board, side: chess.Color) -> dict[chess.Square, chess.PieceType]:
    return {square: piece.piece_type for square, piece in board.piece_map().items() if piece.color == side}


def _weight(histories: Histories) -> float:
    return sum(weight for _, weight in histories)


@by_board
def legal_moves(board: chess.Board) -> tuple[chess.Move, ...]:
    """Return the legal moves on a board."""
    return tuple(board.legal_moves)


@by_board
def _after(board: chess.Board, move: chess.Move) -> chess.Board:
    after = board.copy(stack=False)
    after.push(move)
    return after


@by_board
def exchange(board: chess.Board, square: chess.Square) -> int:
    """Return what the side to move wins by taking on a square; see `kernels.exchange`."""
    standing = board.piece_at(square)
    if standing is None or standing.color == board.turn or standing.piece_type == chess.KING:
        return 0
    return _gain(board, square, board.turn, PIECE_VALUES[standing.piece_type], board.occupied)


def _gain(board: chess.Board, square: chess.Square, side: chess.Color, standing: int, occupied: chess.Bitboard) -> int:
    attackers = board.attackers_mask(side, square, occupied) & occupied
    if not attackers:
        return 0
    value, taker = min((PIECE_VALUES[board.piece_type_at(one) or 0], one) for one in chess.scan_forward(attackers))
    return max(0, standing - _gain(board, square, not side, value, occupied & ~chess.BB_SQUARES[taker]))
