"""Mates against a bare king: share and speed, from random starts with the king on any possible square.

    python benchmarks/mating.py --games 200 --seconds 0.2
    python benchmarks/mating.py --games 1000 --reached games.sqlite

Each game starts from random squares of our pieces, with us to move and the king on a random square of those it can
stand on; we know none of them from the others. Starts that ordinary chess does not win are drawn again, except with two
rooks. Pawns start on ranks five to seven. Or a game starts where the flagship bared a king in a tournament, with its
knowledge of then. A game not won within 50 moves of ours is a draw.

"Mated" has its 95% interval. "Pieces lost" counts games, "by 25" is the share won within 25 moves. The last columns are
the mean and the longest time of a turn.

The defender sees the board. It captures a hanging piece. Otherwise it avoids squares on which we could mate at once,
and goes as far from our king as it can, with ties by lot.
"""

import argparse
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

import chess
from rich.console import Console
from rich.progress import track

from kriegbot import kernels as kb
from kriegbot.endgames import BareKing, Mating
from kriegbot.endgames.delayed_information import LOST, PAIRS, QUEENS, fill_in_view, mean_cost, no_mates
from kriegbot.endgames.king_sets import pieces_at
from kriegbot.endgames.king_squares import pieces_row, turned
from kriegbot.kernels import subseed
from referee import NO_LIMITS, RULE_SETS, Answer, Reason, Referee
from tournaments.statistics import wilson_interval
from tournaments.store import Store, StoreError

ENDINGS = {"KQK": "Q", "KRRK": "RR", "KRK": "R", "KPK": "P", "KBBK": "BB", "KBNK": "BN", "KQRK": "QR", "KQPK": "QP"}
FLAGSHIP = "kriegbot"
MAX_MOVES, SOON = 50, 25
"""Our moves in a game, and those before the quiet limit of the paper's games if no pawn moves."""
LOWEST_PAWN = 4
"""Lowest rank of a pawn at the start, counted from 0."""


def start(pieces: str, rng: random.Random) -> tuple[chess.Board, BareKing]:
    """Return a board with our pieces and the king on random squares, us to move, and our knowledge of the king."""
    while True:
        board = chess.Board(None)
        squares = rng.sample(chess.SQUARES, len(pieces) + 1)
        for square, symbol in zip(squares, "K" + pieces, strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(symbol))
        ranks = [chess.square_rank(square) for square in board.pieces(chess.PAWN, chess.WHITE)]
        bishops = [(square ^ square >> 3) & 1 for square in board.pieces(chess.BISHOP, chess.WHITE)]
        if all(LOWEST_PAWN <= rank < 7 for rank in ranks) and (len(bishops) != 2 or sum(bishops) == 1):
            known = BareKing.anywhere(chess.WHITE, {s: piece.piece_type for s, piece in board.piece_map().items()})
            board.set_piece_at(rng.choice(list(chess.scan_forward(known.squares))), chess.Piece.from_symbol("k"))
            return board, known


def start_won(pieces: str, rng: random.Random) -> tuple[chess.Board, BareKing]:
    """Return a start that is won if we see the king. The table for that lacks two rooks."""
    while True:
        board, known = start(pieces, rng)
        if pieces == "RR" or is_lost_in_view(known, board.king(chess.BLACK) or 0):
            return board, known


def reached(file: Path) -> Iterator[tuple[chess.Board, BareKing]]:
    """Yield the flagship's first turn against a bare king in each game of a tournament, mirrored if it was Black."""
    with Store.open(file) as store:
        for row in store.game_rows():
            for color, player in ((chess.WHITE, row.white), (chess.BLACK, row.black)):
                if player.partition(":")[0] != FLAGSHIP:
                    continue
                for step in store.record(row.id).replay():
                    known = BareKing.of(step.referee.view(color)) if step.referee.turn == color else None
                    if known is not None and step.referee.end is None:
                        yield seen_from(color, step.referee.board(), known)
                        break


def seen_from(color: chess.Color, board: chess.Board, known: BareKing) -> tuple[chess.Board, BareKing]:
    """Return a board and our knowledge of the king, with us as White."""
    if color == chess.BLACK:
        board = board.mirror()
        men = {chess.square_mirror(square): piece for square, piece in known.men.items()}
        known = replace(known, color=chess.WHITE, men=men, squares=chess.flip_vertical(known.squares))
    return board, known


def defence(board: chess.Board, rng: random.Random) -> chess.Move:
    """Return the defender's move."""
    ours = board.king(chess.WHITE) or 0

    def harm(move: chess.Move) -> tuple[bool, bool, int, float]:
        board.push(move)
        is_mated = any(mates(board, answer) for answer in board.legal_moves if board.gives_check(answer))
        board.pop()
        return not board.is_capture(move), is_mated, -chess.square_distance(move.to_square, ours), rng.random()

    return min(board.legal_moves, key=harm)


def mates(board: chess.Board, move: chess.Move) -> bool:
    """Return True if a move mates."""
    board.push(move)
    is_mate = board.is_checkmate()
    board.pop()
    return is_mate


Start = Callable[[random.Random], tuple[chess.Board, BareKing]]
"""Draw the start of a game, and our knowledge of the king."""


def start_at(board: chess.Board, known: BareKing) -> Start:
    """Return a function that always gives this start."""
    return lambda _: (board, known)


class Game(NamedTuple):
    """A game: its end, our moves, our pieces lost, and the seconds of each turn."""

    end: str
    moves: int
    lost: int
    turns: list[float]


@kb.entry
def moves_to_mate(table: kb.ShortArray, pieces: kb.WordArray, squares: kb.Word) -> float:
    """Return the moves to mate a king in view, averaged over the squares."""
    return mean_cost(kb.pointer(table), pieces_at(kb.pointer(pieces), 0), squares)


def is_lost_in_view(king: BareKing, square: chess.Square) -> bool:
    """Return True if we can mate a king on a square that we see."""
    row, there = pieces_row(king.color, king.men), turned(chess.BB_SQUARES[square], king.color)
    return moves_to_mate(table_in_view(), row, there) < LOST


@cache
def table_in_view() -> kb.ShortArray:
    """Return the moves to mate a king in view, for all endings but that with two rooks."""
    table = no_mates()
    fill_in_view(QUEENS, PAIRS, table)
    return table


def play(begin: Start, rules: str, seconds: float, nodes: int | None, seed: int) -> Game:
    """Play a game."""
    rng = random.Random(seed)
    board, known = begin(rng)
    referee, mating = Referee(RULE_SETS[rules], NO_LIMITS, board.fen()), Mating(seed)
    moves = lost = 0
    turns = [0.0]
    while referee.end is None and moves < MAX_MOVES:
        if referee.turn == chess.BLACK:
            move = defence(referee.board(), rng)
            lost += referee.board().is_capture(move)
            referee.try_move(move)
        else:
            begun = time.perf_counter()
            move = mating.best_try(known, seconds, nodes).move
            turns[-1] += time.perf_counter() - begun
            if referee.try_move(move) is Answer.ACCEPTED:
                moves += 1
                turns.append(0.0)
        known = known.after(referee.view(chess.WHITE).events[-1])
    return Game("moves" if referee.end is None else referee.end.reason.value, moves, lost, turns)


def report(name: str, games: list[Game]) -> None:
    """Print the row of an ending."""
    mated = [game.moves for game in games if game.end == Reason.CHECKMATE.value]
    low, high = wilson_interval(len(mated), len(games))
    stalemates = sum(game.end == Reason.STALEMATE.value for game in games)
    turns = [seconds for game in games for seconds in game.turns]
    print(
        f"{name:6} {len(mated) / len(games):6.1%} ({low:.1%} to {high:.1%}) {sum(mated) / max(len(mated), 1):6.1f} "
        f"{sum(moves <= SOON for moves in mated) / len(games):7.1%} {stalemates:11} "
        f"{sum(game.lost > 0 for game in games):12} {len(games) - len(mated):6} "
        f"{sum(turns) / len(turns):8.3f} s {max(turns):8.2f} s",
        flush=True,
    )


def main() -> None:
    """Play and report."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("endings", nargs="*", default=list(ENDINGS), help=f"of {', '.join(ENDINGS)}")
    parser.add_argument("--games", type=int, default=200, help="per ending")
    parser.add_argument("--seconds", type=float, default=0.2, help="per try")
    parser.add_argument("--nodes", type=int, help="sets visited per try, instead of seconds")
    parser.add_argument("--rules", choices=sorted(RULE_SETS), default="berkeley")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--reached", nargs="+", type=Path, metavar="FILE", help="tournaments to start from instead")
    options = parser.parse_args()
    for name in options.endings:
        if name not in ENDINGS:
            parser.error(f"unknown ending {name!r}. Endings: {', '.join(ENDINGS)}")
    starts: dict[str, list[Start]] = {name: [partial(start_won, ENDINGS[name])] for name in options.endings}
    if options.reached:
        try:
            starts = {"reached": [start_at(*one) for file in options.reached for one in reached(file)]}
        except StoreError as error:
            parser.error(str(error))
        if not starts["reached"]:
            parser.error(f"no bare king in these files. Give tournaments in which {FLAGSHIP} bared one.")
    print(
        "ending  mated                    won in view  moves  by 25  stalemates  pieces lost  draws     turn   longest"
    )
    for name, begins in starts.items():
        numbers = track(range(options.games), name, console=Console(stderr=True))
        seeds = ((number, subseed(options.seed, number)) for number in numbers)
        games = [
            play(begins[number % len(begins)], options.rules, options.seconds, options.nodes, seed)
            for number, seed in seeds
        ]
        report(name, games)


if __name__ == "__main__":
    main()
