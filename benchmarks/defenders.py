"""Defenders of a bare king, by name, for `mating.py` and `endings.py`.

All but `blind` see the board, and avoid a mate at once. They capture if they can. Otherwise:

    flees    goes as far from our king as it can
    chases   goes to the nearest of our other pieces
    looks    keeps its own later freedom: its moves after each of our moves, and its captures, on average
    blind    sees nothing, as a person does: it tries steps to the centre first, until one is legal
"""

import random
from collections.abc import Callable, Mapping
from statistics import fmean
from typing import TypeAlias

import chess

from kriegbot.endgames import BareKing

CAPTURE = 8  # moves of freedom that a capture is worth

Defender: TypeAlias = Callable[[chess.Board, BareKing, random.Random], list[chess.Move]]
"""Return the tries of a king, the first to be made first, given the board and our knowledge of the king."""


def mates(board: chess.Board, move: chess.Move) -> bool:
    """Return True if a move mates."""
    board.push(move)
    is_mate = board.is_checkmate()
    board.pop()
    return is_mate


def allows_mate(board: chess.Board, move: chess.Move) -> bool:
    """Return True if we could mate after a move."""
    board.push(move)
    is_mated = any(mates(board, answer) for answer in board.legal_moves if board.gives_check(answer))
    board.pop()
    return is_mated


def best_by(taste: Callable[[chess.Board, chess.Move], float]) -> Defender:
    """Return a defender that captures, avoids mate at once, and then prefers the moves of least `taste`."""

    def defend(board: chess.Board, _: BareKing, rng: random.Random) -> list[chess.Move]:
        def harm(move: chess.Move) -> tuple[bool, bool, float, float]:
            return not board.is_capture(move), allows_mate(board, move), taste(board, move), rng.random()

        return [min(board.legal_moves, key=harm)]

    return defend


def nearness(board: chess.Board, move: chess.Move) -> float:
    """Return how near a move comes to our king, in king's steps, negative."""
    return -chess.square_distance(move.to_square, board.king(not board.turn) or 0)


def distance(board: chess.Board, move: chess.Move) -> float:
    """Return a move's distance from the nearest of our pieces, in king's steps."""
    pieces = chess.SquareSet(board.occupied_co[not board.turn] & ~board.kings)
    return min((chess.square_distance(move.to_square, square) for square in pieces), default=0)


def confinement(board: chess.Board, move: chess.Move) -> float:
    """Return the freedom of the king after a move and each of our moves, on average, negative."""
    board.push(move)
    free = []
    for answer in board.legal_moves:
        board.push(answer)
        free.append(sum(1 + CAPTURE * board.is_capture(step) for step in board.legal_moves))
        board.pop()
    board.pop()
    return -fmean(free or [0])


def blind(board: chess.Board, _: BareKing, rng: random.Random) -> list[chess.Move]:
    """Return all steps of the king, those nearest to the centre first."""
    king = board.king(board.turn) or 0

    def edge(move: chess.Move) -> tuple[int, float]:
        file, rank = chess.square_file(move.to_square), chess.square_rank(move.to_square)
        return max(abs(2 * file - 7), abs(2 * rank - 7)), rng.random()

    return sorted((chess.Move(king, square) for square in chess.SquareSet(chess.BB_KING_ATTACKS[king])), key=edge)


DEFENDERS: Mapping[str, Defender] = {
    "flees": best_by(nearness),
    "chases": best_by(distance),
    "looks": best_by(confinement),
    "blind": blind,
}
"""Defenders by name."""
