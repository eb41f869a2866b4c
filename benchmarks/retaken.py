"""How often what has just moved can be taken, and is taken: as a belief foretells it, and as it is.

    python benchmarks/retaken.py pool.sqlite --watcher kriegbot:samples=200 --games 20

Games of the watcher are replayed, and a belief is given its views. Just before each of its moves its boards say
with what probability an enemy man will be able to take the man that moves ("foretold"); the true board says whether one
was ("could be"), and the game whether it was taken at once ("was taken"). Moves that capture, moves that give check and
all others are counted apart: a player chooses the captures that look safe, and what looks safest is often what its
belief errs about. Intervals are 95 %, over moves. Games of a bare king are left out from then on.
"""

import argparse
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

import chess
import numpy as np
from rich.progress import track

from kriegbot.belief.belief import Belief
from kriegbot.kernels import to_board
from kriegbot.models import load_opponent
from referee import GameRecord
from tournaments.store import Store, StoreError

BOARDS = 100
"""Boards drawn from the belief for each move."""
SORTS = ("captures", "checks", "others")


class Move(NamedTuple):
    """One move: its sort, and whether the man that moved can be taken, by the belief and in truth, and was."""

    sort: str
    foretold: float
    could_be: bool
    was_taken: bool


def can_be_taken(board: chess.Board, move: chess.Move) -> bool:
    """Whether a legal move takes on the square to which a move goes."""
    board.push(move)
    found = any(reply.to_square == move.to_square for reply in board.legal_moves)
    board.pop()
    return found


def foretold(belief: Belief, move: chess.Move, seed: int) -> float | None:
    """The share of the belief's boards on which a move is legal where it can be answered so; None if there are none."""
    rows, counts = belief.draw(BOARDS, seed)
    legal = taken = 0.0
    for row, count in zip(rows, counts.tolist(), strict=True):
        board = to_board(row)
        if board.is_legal(move):
            legal += count
            taken += count * can_be_taken(board, move)
    return taken / legal if legal else None


def watch(record: GameRecord, color: chess.Color, model: str, particles: int) -> list[Move]:
    """Replay a game before one side's belief."""
    belief, found, before, ply = None, [], chess.Board(), 0
    for step in record.replay():
        referee = step.referee
        if belief is not None and referee.ply > ply and before.turn == color and len(belief.particles):
            move = record.turns[ply].move
            chance = foretold(belief, move, ply)
            if chance is not None and before.occupied_co[not color].bit_count() > 1:
                sort = SORTS[0 if before.is_capture(move) else 1 if before.gives_check(move) else 2]
                answer = record.turns[ply + 1].move if ply + 1 < len(record.turns) else None
                was_taken = answer is not None and answer.to_square == move.to_square
                found.append(Move(sort, chance, can_be_taken(before, move), was_taken))
        before, ply = referee.board(), referee.ply
        if referee.turn != color or referee.end is not None:
            continue
        if belief is None:
            belief = Belief(referee.view(color), particles, 0, load_opponent(model))
        else:
            belief.update(referee.view(color))
    return found


def report(found: dict[str, list[Move]]) -> None:
    """Print a line for each opponent and sort of move."""
    print(f"{'moves':>6} {'foretold':>16} {'could be taken':>16} {'was taken':>16}")
    for opponent, moves in sorted(found.items()):
        for sort in SORTS:
            rows = np.array([move[1:] for move in moves if move.sort == sort], float)
            if not len(rows):
                continue
            means, widths = rows.mean(axis=0), 1.96 * rows.std(axis=0) / np.sqrt(len(rows))
            texts = [f"{mean:7.1%} +-{width:5.1%}" for mean, width in zip(means, widths, strict=True)]
            print(f"{len(rows):6} {texts[0]:>16} {texts[1]:>16} {texts[2]:>16}  {sort}, against {opponent}")


def main() -> None:
    """Read games, replay them, and report."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("file", type=Path, help="a tournament's store")
    parser.add_argument("--watcher", required=True, help="the player whose moves are watched")
    parser.add_argument("--model", default="kinds", help="opponent model of its belief")
    parser.add_argument("--particles", type=int, default=6_000)
    parser.add_argument("--games", type=int, default=20, help="at most, against each opponent")
    options = parser.parse_args()
    found: dict[str, list[Move]] = defaultdict(list)
    try:
        with Store.open(options.file) as store:
            for game, color in track(store.games_of(options.watcher, options.games), description="games"):
                opponent, record = game.black if color else game.white, store.record(game.id)
                found[opponent] += watch(record, color, options.model, options.particles)
    except StoreError as error:
        parser.error(str(error))
    if not found:
        parser.error(f"no game of {options.watcher} in {options.file}")
    report(found)


if __name__ == "__main__":
    main()
