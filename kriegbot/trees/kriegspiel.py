"""A piece of Kriegspiel as an explicit game tree: all that can happen for some plies after an information set.

Every history of Parker, Nau and Subrahmanian, "Overconfidence or Paranoia? Search in Imperfect-Information Games" (AAAI
2006), is a node of its own. Our information sets are told apart by our tries and by what was heard since the root. The
opponent's are single nodes, for neither of the paper's rules asks what the opponent knows: `overconfident` moves it at
random, `paranoid` takes the worst. By python-chess and the referee, and slow: fast searches are held against it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import TypeAlias

import chess

from kriegbot.trees.tree import Chance, Decision, Leaf, Node, Tree
from referee import End, Limits, RuleSet, View, announce, open_tries

Evaluator: TypeAlias = Callable[[chess.Board, chess.Color], float]
"""What a board is worth to a side, in centipawns."""
WIN = 10_000.0
"""What a won game is worth, in centipawns; a lost one -WIN, a draw 0."""
ROOT = "now"
"""Name of our information set at the root."""


def kriegspiel_tree(
    positions: Iterable[tuple[chess.Board, float]], view: View, depth: int, evaluator: Evaluator
) -> Tree:
    """The tree below an information set in which we are to move.

    Args:
      positions: boards that fit the view, and their weights, which need not sum to 1; those of weight 0 do not count.
      view: what we know.
      depth: plies, >= 1; a refused try is one.
      evaluator: what the boards are worth where the tree is cut off.

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
    grower = _Grower(view.color, view.rules, view.limits, evaluator)
    now = _Turn(view.ply, view.refused, view.pawn_tries, ROOT)
    boards = tuple(grower.our_turn(board, now, depth) for board, _ in weighted)
    root = Chance(boards, tuple(weight / total for _, weight in weighted))
    names = (chess.COLOR_NAMES[view.color], chess.COLOR_NAMES[not view.color])
    return Tree(root, names, f"Kriegspiel, {depth} plies")


@dataclass(frozen=True, slots=True)
class _Turn:
    """What we know at a turn besides the positions: moves made, tries refused, pawn tries announced, all since ROOT."""

    ply: int
    refused: tuple[chess.Move, ...]
    pawn_tries: int | None
    story: str


@dataclass(frozen=True, slots=True)
class _Grower:
    side: chess.Color
    rules: RuleSet
    limits: Limits
    evaluator: Evaluator
    numbers: Iterator[int] = field(default_factory=lambda: count(1))

    def our_turn(self, board: chess.Board, turn: _Turn, depth: int) -> Node:
        """A history where we are to try."""
        if depth == 0:
            return self._leaf(self.evaluator(board, self.side))
        men = {square: man.piece_type for square, man in board.piece_map().items() if man.color == self.side}
        castling = board.has_kingside_castling_rights(self.side), board.has_queenside_castling_rights(self.side)
        tries = [move for move in open_tries(self.side, men, *castling, turn.pawn_tries) if move not in turn.refused]
        children = tuple(self._after_try(board, turn, move, depth) for move in tries)
        return Decision(0, turn.story, children, tuple(move.uci() for move in tries))

    def _after_try(self, board: chess.Board, turn: _Turn, move: chess.Move, depth: int) -> Node:
        if not board.is_legal(move):
            refused = (*turn.refused, move)
            return self.our_turn(board, _Turn(turn.ply, refused, turn.pawn_tries, f"{turn.story} {move}?"), depth - 1)
        heard = announce(board, move, self.rules, self.limits, ply=turn.ply)
        if heard.end is not None:
            return self._end(heard.end)
        return self._their_turn(_after(board, move), turn.ply + 1, f"{turn.story} {move} {heard.code()}", depth - 1)

    def _their_turn(self, board: chess.Board, ply: int, story: str, depth: int) -> Node:
        """A history where the opponent is to move."""
        if depth == 0:
            return self._leaf(self.evaluator(board, self.side))
        replies = list(board.legal_moves)
        children = tuple(self._after_reply(board, move, ply, story, depth) for move in replies)
        return Decision(1, str(next(self.numbers)), children, tuple(move.uci() for move in replies))

    def _after_reply(self, board: chess.Board, move: chess.Move, ply: int, story: str, depth: int) -> Node:
        heard = announce(board, move, self.rules, self.limits, ply=ply)
        if heard.end is not None:
            return self._end(heard.end)
        turn = _Turn(ply + 1, (), heard.pawn_tries, f"{story} {heard.code()}")
        return self.our_turn(_after(board, move), turn, depth - 1)

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
