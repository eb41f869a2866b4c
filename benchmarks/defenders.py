"""Defenders of a bare king, by name, and games against them, for `mating.py` and `endings.py`.

All but `blind` see the board. They capture if they can, and all but `hostile` avoid a mate at once. Otherwise:

    flees    goes as far from our king as it can; of equal steps lots choose
    chases   goes to the nearest of our other pieces; of equal steps, the one that `looks` prefers
    looks    goes where our worst reply leaves it a capture, else most moves; of equal steps, where the mean is highest
    blind    sees nothing, as a person does: it tries steps to the centre first, until one is legal
    hostile  also sees what we know, and takes the step that delays the proved mate most; without a proof it `looks`
"""

import random
import time
from collections.abc import Callable, Iterator, Mapping
from statistics import fmean
from typing import TypeAlias

import chess

from kriegbot.endgames import BareKing, Mating, MatingTry, hostile_step, probe_king
from referee import Announcement, Answer, OpponentMoved, Referee
from referee.pieces import attacked, men_of, moved, squares_of

CAPTURE = 100  # steps of freedom that a capture is worth: more than a king has
MATED = -1

Defender: TypeAlias = Callable[[chess.Board, BareKing, random.Random], list[chess.Move]]
"""Return the tries of a king, the first to be made first, given the board and our knowledge of the king."""


def freedoms(board: chess.Board, move: chess.Move) -> list[int]:
    """Return the king's steps after its move and each of our replies; MATED if it is, and CAPTURE more if it can."""
    us, king, freedom = not board.turn, move.to_square, []
    board.push(move)
    men = men_of(board, us)
    for reply in board.legal_moves:
        after = moved(men, reply)
        covered = attacked(us, after)
        steps = chess.BB_KING_ATTACKS[king] & ~covered
        is_mated = not steps and covered & chess.BB_SQUARES[king]
        freedom.append(MATED if is_mated else chess.popcount(steps) + CAPTURE * bool(steps & squares_of(after)))
    board.pop()
    return freedom


def best_by(taste: Callable[[chess.Board, chess.Move, random.Random], tuple[float, ...]]) -> Defender:
    """Return a defender that captures, avoids mate at once, and then prefers the moves of least `taste`.

    Of equal moves it takes the one after which our worst reply leaves most freedom, then the one with most on average.
    """

    def defend(board: chess.Board, _: BareKing, rng: random.Random) -> list[chess.Move]:
        def harm(move: chess.Move) -> tuple[float, ...]:
            freedom = freedoms(board, move)
            left = [max(one, 0) for one in freedom or [0]]
            return not board.is_capture(move), MATED in freedom, *taste(board, move, rng), -min(left), -fmean(left)

        return [min(board.legal_moves, key=harm)]

    return defend


def nearness(board: chess.Board, move: chess.Move, rng: random.Random) -> tuple[float, ...]:
    """Return minus the distance of a move from our king, in king's steps; then a lot."""
    return -chess.square_distance(move.to_square, board.king(not board.turn) or 0), rng.random()


def distance(board: chess.Board, move: chess.Move, _: random.Random) -> tuple[float, ...]:
    """Return a move's distance from the nearest of our pieces, in king's steps."""
    pieces = chess.SquareSet(board.occupied_co[not board.turn] & ~board.kings)
    return (min((chess.square_distance(move.to_square, square) for square in pieces), default=0),)


looks = best_by(lambda *_: ())


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
        return looks(board, known, rng)
    return [hostile_step(board, known)]


DEFENDERS: Mapping[str, Defender] = {
    "flees": best_by(nearness),
    "chases": best_by(distance),
    "looks": looks,
    "blind": blind,
    "hostile": hostile,
}
"""Defenders by name."""


def tries(
    referee: Referee, known: BareKing, mating: Mating, defend: Defender, rng: random.Random
) -> Iterator[tuple[MatingTry, bool, float]]:
    """Play a game; yield each try of ours, True if the referee accepted it, and the seconds that we took."""
    while referee.end is None:
        seen = len(referee.view(chess.WHITE).events)
        if referee.turn == chess.WHITE:
            begun = time.perf_counter()
            best = mating.best_try(known)
            seconds = time.perf_counter() - begun
            yield best, referee.try_move(best.move) is Answer.ACCEPTED, seconds
        else:
            next(one for one in defend(referee.board(), known, rng) if referee.try_move(one) is Answer.ACCEPTED)
        for event in referee.view(chess.WHITE).events[seen:]:
            known = known.after(event)
