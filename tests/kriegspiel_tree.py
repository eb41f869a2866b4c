"""A piece of Kriegspiel as an explicit game tree: all that can happen within some plies of an information set.

Every history of Parker, Nau and Subrahmanian, "Overconfidence or Paranoia? Search in Imperfect-Information Games" (AAAI
2006), is a node of its own. Our information sets are told apart by our tries and by what was heard since the root. The
opponent's are single nodes, for neither of the paper's rules asks what the opponent knows: `overconfident` moves it at
random, `paranoid` takes the worst; with an opponent model they are nodes of chance. Built on python-chess and the
referee, so slow: fast searches are tested against it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import count
from typing import TypeAlias

import chess

from evaluators import WIN
from kriegbot.trees.tree import Chance, Decision, Leaf, Node, Tree
from referee import Announcement, End, Limits, RuleSet, View, announce, open_tries
from referee.announcement import PawnTryInfo
from referee.pieces import men_of
from tests.plain_opponents import Replies

Evaluator: TypeAlias = Callable[[chess.Board, chess.Color], float]
"""Value of a board to a side, in centipawns."""
ROOT = "now"
"""Name of our information set at the root."""


def kriegspiel_tree(
    positions: Iterable[tuple[chess.Board, float]],
    view: View,
    depth: int,
    evaluator: Evaluator,
    replies: Replies | None = None,
    free: int = 0,
) -> Tree:
    """Return the tree below an information set in which we are to move.

    Args:
      positions: boards that fit the view, and their weights, which need not sum to 1; those of weight 0 do not count.
      view: what we know.
      depth: plies, >= 1; a refused try is one, unless refusals are free.
      evaluator: what the boards are worth where the tree is cut off; a won game is worth WIN.
      replies: how likely the opponent's moves are; None leaves that to who solves the tree.
      free: as in `search.settings.Method`.

    Returns:
      A chance root over the boards; player 0 is the side of the view, player 1 its opponent, with payoffs in
      centipawns, zero-sum. The root set is named ROOT, those below by what was tried and heard since, such as
      "now e4d5? e4e5 - +F": refused; moved, and nothing said; after the reply, a check on the file. Actions are
      moves in UCI.

    Raises:
      ValueError: no depth, no position, or one where the other side is to move.
      TreeError: the positions are not of one information set.
    """
    weighted = [(board, weight) for board, weight in positions if weight > 0.0]
    if depth < 1 or not weighted or any(board.turn != view.color for board, _ in weighted):
        raise ValueError("a Kriegspiel tree takes a depth of at least 1, and positions of the side to move")
    total = sum(weight for _, weight in weighted)
    grower = _Grower(view.color, view.rules, view.limits, evaluator, replies, free)
    now = _Turn(view.ply, tuple(view.refused), view.last_announcement, free, view.pawn_tries, ROOT)
    boards = tuple(grower.our_turn(board, now, depth) for board, _ in weighted)
    root = Chance(boards, tuple(weight / total for _, weight in weighted))
    names = (chess.COLOR_NAMES[view.color], chess.COLOR_NAMES[not view.color])
    return Tree(root, names, f"Kriegspiel, {depth} plies")


@dataclass(frozen=True, slots=True)
class _Turn:
    """Our knowledge at a turn besides the positions.

    ply: moves made. refused: tries refused this turn. theirs: what was announced of the opponent's last move. free:
    refusals that still cost no ply. pawn_tries: as announced; None if nothing was. story: all since ROOT.
    """

    ply: int
    refused: tuple[chess.Move, ...]
    theirs: Announcement | None
    free: int
    pawn_tries: PawnTryInfo | None
    story: str

    def without(self, move: chess.Move) -> _Turn:
        """Return the turn after a try was refused."""
        refused = (*self.refused, move)
        return replace(self, refused=refused, free=max(self.free - 1, 0), story=f"{self.story} {move}?")


@dataclass(frozen=True, slots=True)
class _Grower:
    side: chess.Color
    rules: RuleSet
    limits: Limits
    evaluator: Evaluator
    replies: Replies | None
    free: int
    numbers: Iterator[int] = field(default_factory=lambda: count(1))

    def our_turn(self, board: chess.Board, turn: _Turn, depth: int) -> Node:
        """Return a history where we are to try."""
        if depth == 0:
            return self._leaf(self.evaluator(board, self.side))
        men = men_of(board, self.side)
        castling = board.has_kingside_castling_rights(self.side), board.has_queenside_castling_rights(self.side)
        tries = [move for move in open_tries(self.side, men, *castling, turn.pawn_tries) if move not in turn.refused]
        children = tuple(self._after_try(board, turn, move, depth) for move in tries)
        return Decision(0, turn.story, children, tuple(move.uci() for move in tries))

    def _after_try(self, board: chess.Board, turn: _Turn, move: chess.Move, depth: int) -> Node:
        if not board.is_legal(move) and self.free and not turn.free:
            moves = list(board.legal_moves)
            children = tuple(self._after_try(board, turn, one, min(depth, 2)) for one in moves)
            return Chance(children, (1 / len(moves),) * len(moves), tuple(map(str, moves)))
        if not board.is_legal(move):
            return self.our_turn(board, turn.without(move), depth if turn.free else depth - 1)
        heard = announce(board, move, self.rules, self.limits, ply=turn.ply)
        if heard.end is not None:
            return self._end(heard.end)
        story = f"{turn.story} {move} {heard.code()}"
        return self._their_turn(_after(board, move), replace(turn, ply=turn.ply + 1, story=story), heard, depth - 1)

    def _their_turn(self, board: chess.Board, turn: _Turn, ours: Announcement, depth: int) -> Node:
        """Return a history where the opponent is to move."""
        if depth == 0:
            return self._leaf(self.evaluator(board, self.side))
        moves = list(board.legal_moves)
        children, names = tuple(self._after_reply(board, turn, move, depth) for move in moves), [*map(str, moves)]
        if self.replies is None:
            return Decision(1, str(next(self.numbers)), children, tuple(names))
        weights = self.replies(board, moves, ours, turn.theirs)
        return Chance(children, tuple(weight / sum(weights) for weight in weights), tuple(names))

    def _after_reply(self, board: chess.Board, turn: _Turn, move: chess.Move, depth: int) -> Node:
        heard = announce(board, move, self.rules, self.limits, ply=turn.ply)
        if heard.end is not None:
            return self._end(heard.end)
        story = f"{turn.story} {heard.code()}"
        after = _Turn(turn.ply + 1, (), heard, self.free, heard.pawn_tries, story)
        return self.our_turn(_after(board, move), after, depth - 1)

    def _end(self, end: End) -> Leaf:
        if end.winner is None:
            return self._leaf(0.0)
        return self._leaf(WIN if end.winner == self.side else -WIN)

    def _leaf(self, value: float) -> Leaf:
        return Leaf((value, -value))


def _after(board: chess.Board, move: chess.Move) -> chess.Board:
    after = board.copy(stack=False)
    after.push(move)
    return after
