"""Information-set search written plainly on python-chess, to hold the fast one against.

Equations 2 and 3 of Parker, Nau and Subrahmanian, "Overconfidence or Paranoia? Search in
Imperfect-Information Games" (AAAI 2006), line by line: an information set is a list of boards with weights,
and every step sorts its histories by what the searching side hears. Nothing is merged, cut off or kept
between calls. Where the equations leave E(I) open, the text decides: the mean of the evaluator over the
histories of Eq. 2, its minimum in Eq. 3.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

import chess

from referee import Announcement, End, Limits, RuleSet, View, announce, open_tries

Evaluator: TypeAlias = Callable[[chess.Board, chess.Color], float]
Histories: TypeAlias = list[tuple[chess.Board, float]]

WIN = 10_000.0


class Backup(Enum):
    """How the values of histories, replies and announcements are combined."""

    OVERCONFIDENT = "overconfident"  # Eq. 2: by their probabilities
    PARANOID = "paranoid"  # Eq. 3: the least

    def combine(self, values: list[tuple[float, float]]) -> float:
        """One value out of pairs of weight and value."""
        if self is Backup.PARANOID:
            return min(value for _, value in values)
        return sum(weight * value for weight, value in values) / sum(weight for weight, _ in values)


@dataclass(frozen=True)
class Context:
    """What the searching side knows besides the positions.

    Attributes:
      side: the side that searches.
      rules: the rule set.
      limits: the limits of the game.
      ply: moves made so far.
      refused: its tries refused this turn.
      pawn_tries: the number of pawn tries announced for its turn, or None.
    """

    side: chess.Color
    rules: RuleSet
    limits: Limits
    ply: int
    refused: tuple[chess.Move, ...]
    pawn_tries: int | None

    @classmethod
    def of(cls, view: View) -> Context:
        """The context of a view."""
        return cls(view.color, view.rules, view.limits, view.ply, view.refused, view.pawn_tries)

    def after(self, announcement: Announcement) -> Context:
        """The context once a move was accepted and announced."""
        return Context(self.side, self.rules, self.limits, self.ply + 1, (), announcement.pawn_tries)

    def without(self, move: chess.Move) -> Context:
        """The context once a try was refused."""
        refused = (*self.refused, move)
        return Context(self.side, self.rules, self.limits, self.ply, refused, self.pawn_tries)


@dataclass
class PlainSearch:
    """The recursion, with its backup rule and evaluator, and a count of the leaves it reached.

    Attributes:
      backup: Eq. 2 or Eq. 3.
      evaluator: value in centipawns of a board for a side.
      evaluated: leaves at depth 0 so far, one for each history.
      ended: leaves where the game had ended so far, one for each history.
    """

    backup: Backup
    evaluator: Evaluator
    evaluated: int = 0
    ended: int = 0

    @property
    def leaves(self) -> int:
        """All leaves so far, one for each history that reached one."""
        return self.evaluated + self.ended

    def try_values(
        self, positions: Iterable[tuple[chess.Board, float]], context: Context, depth: int
    ) -> dict[chess.Move, float]:
        """The value of every try open in an information set, `depth` >= 1 plies deep."""
        histories = [(board, weight) for board, weight in positions if weight > 0.0]
        if depth < 1 or not histories or any(board.turn != context.side for board, _ in histories):
            raise ValueError("a search takes depth >= 1 and positions of the side to move")
        return {move: self._try(histories, context, move, depth) for move in tries_in(histories, context)}

    def _try(self, histories: Histories, context: Context, move: chess.Move, depth: int) -> float:
        """Value of a try: of the set where it is refused, and of one set for each announcement."""
        refused: Histories = []
        heard: dict[Announcement, Histories] = {}
        for board, weight in histories:
            if board.is_legal(move):
                announcement = announce(board, move, context.rules, context.limits, ply=context.ply)
                heard.setdefault(announcement, []).append((_after(board, move), weight))
            else:
                refused.append((board, weight))
        values = self._values(heard, context, depth)
        if refused:
            values.append((_weight(refused), self._value(refused, context.without(move), depth - 1)))
        return self.backup.combine(values)

    def _reply(self, histories: Histories, context: Context, depth: int) -> float:
        """Value of a set with the opponent to move: any legal move, all equally likely."""
        heard: dict[Announcement, Histories] = {}
        for board, weight in histories:
            legal = list(board.legal_moves)
            for move in legal:
                announcement = announce(board, move, context.rules, context.limits, ply=context.ply)
                heard.setdefault(announcement, []).append((_after(board, move), weight / len(legal)))
        return self.backup.combine(self._values(heard, context, depth))

    def _values(self, heard: dict[Announcement, Histories], context: Context, depth: int) -> list[tuple[float, float]]:
        """Weight and value of the set behind each announcement; one that ends the game is known to have."""
        values = []
        for announcement, histories in heard.items():
            if announcement.end is None:
                value = self._value(histories, context.after(announcement), depth - 1)
            else:
                self.ended += len(histories)
                value = utility(announcement.end, context.side)
            values.append((_weight(histories), value))
        return values

    def _value(self, histories: Histories, context: Context, depth: int) -> float:
        """Value of an information set in which the game goes on."""
        if depth == 0:
            self.evaluated += len(histories)
            return self.backup.combine([(w, self.evaluator(board, context.side)) for board, w in histories])
        if histories[0][0].turn != context.side:
            return self._reply(histories, context, depth)
        return max(self._try(histories, context, move, depth) for move in tries_in(histories, context))


def try_values(
    positions: Iterable[tuple[chess.Board, float]],
    context: Context,
    depth: int,
    backup: Backup,
    evaluator: Evaluator,
) -> dict[chess.Move, float]:
    """The value of every try open in an information set, in centipawns of the searching side."""
    return PlainSearch(backup, evaluator).try_values(positions, context, depth)


def utility(end: End, side: chess.Color) -> float:
    """What an ended game is worth to a side."""
    if end.winner is None:
        return 0.0
    return WIN if end.winner == side else -WIN


def tries_in(histories: Histories, context: Context) -> list[chess.Move]:
    """The tries open in an information set, which are the same in each of its histories."""
    boards = [board for board, _ in histories]
    men = _own_men(boards[0], context.side)
    if any(_own_men(board, context.side) != men for board in boards):
        raise ValueError("the positions of an information set agree in the side's own men")
    kingside = boards[0].has_kingside_castling_rights(context.side)
    queenside = boards[0].has_queenside_castling_rights(context.side)
    tries = open_tries(context.side, men, kingside, queenside, context.pawn_tries)
    return [move for move in tries if move not in context.refused]


def _own_men(board: chess.Board, side: chess.Color) -> dict[chess.Square, chess.PieceType]:
    return {square: piece.piece_type for square, piece in board.piece_map().items() if piece.color == side}


def _weight(histories: Histories) -> float:
    return sum(weight for _, weight in histories)


def _after(board: chess.Board, move: chess.Move) -> chess.Board:
    after = board.copy(stack=False)
    after.push(move)
    return after
