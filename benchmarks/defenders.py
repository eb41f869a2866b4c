"""Defenders of a bare king, by name, for `mating.py` and `endings.py`.

All but `blind` see the board. They capture if they can, and all but `hostile` avoid a mate at once. Otherwise:

    flees    goes as far from our king as it can; of equal steps lots choose
    chases   goes to the nearest of our other pieces; of equal steps, the one that `looks` prefers
    looks    goes where our worst reply leaves it a capture, else most moves; of equal steps, where the mean is highest
    blind    sees nothing, as a person does: it tries steps to the centre first, until one is legal
    hostile  also sees what we know, and takes the step that delays the proved mate most; without a proof it `looks`
"""

import random
from collections.abc import Callable, Mapping
from statistics import fmean
from typing import TypeAlias

import chess

from kriegbot.endgames import BareKing, hostile_step, probe_king
from referee import Announcement, OpponentMoved

CAPTURE = 100  # moves of freedom that a capture is worth: more than a king has

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


def best_by(taste: Callable[[chess.Board, chess.Move, random.Random], tuple[float, ...]]) -> Defender:
    """Return a defender that captures, avoids mate at once, and then prefers the moves of least `taste`."""

    def defend(board: chess.Board, _: BareKing, rng: random.Random) -> list[chess.Move]:
        def harm(move: chess.Move) -> tuple[float, ...]:
            return not board.is_capture(move), allows_mate(board, move), *taste(board, move, rng)

        return [min(board.legal_moves, key=harm)]

    return defend


def nearness(board: chess.Board, move: chess.Move, rng: random.Random) -> tuple[float, ...]:
    """Return how near a move comes to our king, in king's steps, negative; then a lot."""
    return -chess.square_distance(move.to_square, board.king(not board.turn) or 0), rng.random()


def distance(board: chess.Board, move: chess.Move, rng: random.Random) -> tuple[float, ...]:
    """Return a move's distance from the nearest of our pieces, in king's steps; then its `confinement`."""
    pieces = chess.SquareSet(board.occupied_co[not board.turn] & ~board.kings)
    nearest = min((chess.square_distance(move.to_square, square) for square in pieces), default=0)
    return nearest, *confinement(board, move, rng)


def confinement(board: chess.Board, move: chess.Move, _: random.Random) -> tuple[float, ...]:
    """Return the freedom of the king after a move and each of our replies, at least and on average, negative."""
    board.push(move)
    freedom = []
    for reply in board.legal_moves:
        board.push(reply)
        steps = list(board.legal_moves)
        freedom.append(len(steps) + CAPTURE * any(map(board.is_capture, steps)))
        board.pop()
    board.pop()
    return -min(freedom, default=0), -fmean(freedom or [0])


def blind(board: chess.Board, _: BareKing, rng: random.Random) -> list[chess.Move]:
    """Return all steps of the king, those nearest to the centre first."""
    king = board.king(board.turn) or 0

    def edge(move: chess.Move) -> tuple[int, float]:
        file, rank = chess.square_file(move.to_square), chess.square_rank(move.to_square)
        return max(abs(2 * file - 7), abs(2 * rank - 7)), rng.random()

    return sorted((chess.Move(king, square) for square in chess.SquareSet(chess.BB_KING_ATTACKS[king])), key=edge)


def hostile(board: chess.Board, known: BareKing, rng: random.Random) -> list[chess.Move]:
    """Return the step that delays the proved mate most; without a proof that of `looks`."""
    if probe_king(known.after(OpponentMoved(Announcement()))) is None:
        return best_by(confinement)(board, known, rng)
    return [hostile_step(board, known)]


DEFENDERS: Mapping[str, Defender] = {
    "flees": best_by(nearness),
    "chases": best_by(distance),
    "looks": best_by(confinement),
    "blind": blind,
    "hostile": hostile,
}
"""Defenders by name."""
