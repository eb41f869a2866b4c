"""How surely and how soon a bare king is mated, from random starts where he may be on any square.

    python benchmarks/mating.py --games 200 --seconds 0.2
    python benchmarks/mating.py --games 1000 --reached games.sqlite

Each game starts from our men on random squares, with us to move, and the king on a square of those on which he may
stand, all of which are possible to us. Or it starts where the flagship bared a king in a game of a tournament, knowing
what it knew then. A game that is not won in 50 moves of ours is a draw.

"Won in view" is the share of starts that are won in ordinary chess: a pawn or a piece can be lost at once. Of many men
it asks the strongest alone. "Men lost" counts games, "by 25" those won within 25 moves.

The defender sees the board. He takes a man that hangs. Otherwise he avoids squares on which he could be mated at once,
and of the rest takes the nearest to a man he could take later and to the centre, ties by lot.
"""

import argparse
import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

import chess
from rich.console import Console
from rich.progress import track

from kriegbot import kernels as kb
from kriegbot.endgames import BareKing, Mating
from kriegbot.endgames.chooser import needs_minors
from kriegbot.endgames.king_sets import men_at
from kriegbot.endgames.king_squares import men_row, turned
from kriegbot.endgames.visible_king import HOPELESS, moves_in_view, soonest
from kriegbot.kernels import subseed
from referee import NO_LIMITS, RULE_SETS, Answer, Reason, Referee
from tournaments.store import Store, StoreError

ENDINGS = {"KQK": "Q", "KRRK": "RR", "KRK": "R", "KPK": "P", "KBBK": "BB", "KBNK": "BN", "KQRK": "QR", "KQPK": "QP"}
FLAGSHIP = "kriegbot"
MOST_MOVES, SOON = 50, 25
"""Our moves in a game; and those before the quiet limit of the paper's games, if no pawn moves."""
LOWEST_PAWN = 4
"""Rank of the fifth, counted from 0: pawns start there or beyond."""


def start(men: str, rng: random.Random) -> tuple[chess.Board, BareKing]:
    """Our men and the king on random squares, with us to move, and all that we know of it."""
    while True:
        board = chess.Board(None)
        squares = rng.sample(chess.SQUARES, len(men) + 1)
        for square, symbol in zip(squares, "K" + men, strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(symbol))
        ranks = [chess.square_rank(square) for square in board.pieces(chess.PAWN, chess.WHITE)]
        bishops = [(square ^ square >> 3) & 1 for square in board.pieces(chess.BISHOP, chess.WHITE)]
        if all(LOWEST_PAWN <= rank < 7 for rank in ranks) and (len(bishops) != 2 or sum(bishops) == 1):
            known = BareKing.anywhere(chess.WHITE, {s: man.piece_type for s, man in board.piece_map().items()})
            board.set_piece_at(rng.choice(list(chess.scan_forward(known.squares))), chess.Piece.from_symbol("k"))
            return board, known


def reached(file: Path) -> Iterator[tuple[chess.Board, BareKing]]:
    """Where the flagship first had to move against a bare king, in each game of a tournament; it is White here."""
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
    """The same with us as White."""
    if color == chess.BLACK:
        board = board.mirror()
        men = {chess.square_mirror(square): man for square, man in known.men.items()}
        known = replace(known, color=chess.WHITE, men=men, squares=chess.flip_vertical(known.squares))
    return board, known


def defence(board: chess.Board, rng: random.Random) -> chess.Move:
    """The defender's move."""
    moves = list(board.legal_moves)
    own = [square for square in chess.scan_forward(board.occupied_co[chess.WHITE]) if square != board.king(True)]

    def harm(move: chess.Move) -> tuple[bool, bool, float, float]:
        board.push(move)
        is_mated = any(mates(board, answer) for answer in board.legal_moves if board.gives_check(answer))
        board.pop()
        hunted = [chess.square_distance(move.to_square, s) for s in own if not board.is_attacked_by(chess.WHITE, s)]
        rank, file = chess.square_rank(move.to_square), chess.square_file(move.to_square)
        centre = max(abs(2 * rank - 7), abs(2 * file - 7)) / 2 + abs(rank - 3.5) / 8 + abs(file - 3.5) / 8
        return not board.is_capture(move), is_mated, min(hunted, default=8) + centre, rng.random()

    return min(moves, key=harm)


def mates(board: chess.Board, move: chess.Move) -> bool:
    """Whether a move mates."""
    board.push(move)
    is_mate = board.is_checkmate()
    board.pop()
    return is_mate


Start = Callable[[random.Random], tuple[chess.Board, BareKing]]
"""Where a game starts, and what we know of it."""


def start_at(board: chess.Board, known: BareKing) -> Start:
    """That start whatever the dice say."""
    return lambda _: (board, known)


class Game(NamedTuple):
    """How a game went: its end, our moves, our men lost, and whether we could have won with the king in view."""

    end: str
    moves: int
    lost: int
    is_won: bool


@kb.entry
def moves_to_mate(rows: kb.WordArray, men: kb.WordArray, squares: kb.Word) -> float:
    """Moves to mate if the king were in view, on average over the squares."""
    return moves_in_view(kb.pointer(rows), men_at(kb.pointer(men), 0), squares)


def is_lost_in_view(king: BareKing, square: chess.Square) -> bool:
    """Whether a king on a square could be mated if we saw him; exact for the endings of `full_view`."""
    row, there = men_row(king.color, king.men), turned(chess.BB_SQUARES[square], king.color)
    return moves_to_mate(soonest(needs_minors(king.men)), row, there) < HOPELESS


def play(begin: Start, rules: str, seconds: float, nodes: int | None, seed: int) -> Game:
    """Play a game."""
    rng = random.Random(seed)
    board, known = begin(rng)
    is_won = is_lost_in_view(known, board.king(chess.BLACK) or 0)
    referee, mating = Referee(RULE_SETS[rules], NO_LIMITS, board.fen()), Mating(seed)
    moves = lost = 0
    while referee.end is None and moves < MOST_MOVES:
        if referee.turn == chess.BLACK:
            move = defence(referee.board(), rng)
            lost += referee.board().is_capture(move)
            referee.try_move(move)
        else:
            answer = referee.try_move(mating.best_try(known, seconds, nodes).move)
            moves += answer is Answer.ACCEPTED
        known = known.after(referee.view(chess.WHITE).events[-1])
    return Game("moves" if referee.end is None else referee.end.reason.value, moves, lost, is_won)


def report(name: str, games: list[Game]) -> None:
    """Print the line of an ending."""
    mated = [game.moves for game in games if game.end == Reason.CHECKMATE.value]
    stalemates = sum(game.end == Reason.STALEMATE.value for game in games)
    print(
        f"{name:6} {len(mated) / len(games):6.1%} {sum(game.is_won for game in games) / len(games):12.1%} "
        f"{sum(mated) / max(len(mated), 1):6.1f} {sum(moves <= SOON for moves in mated) / len(games):7.1%} "
        f"{stalemates:11} {sum(game.lost > 0 for game in games):9} {len(games) - len(mated):6}"
    )


def main() -> None:
    """Play and report."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("endings", nargs="*", default=list(ENDINGS), help=f"of {', '.join(ENDINGS)}")
    parser.add_argument("--games", type=int, default=200, help="an ending")
    parser.add_argument("--seconds", type=float, default=0.2, help="a try")
    parser.add_argument("--nodes", type=int, help="sets looked at a try, in place of seconds")
    parser.add_argument("--rules", choices=sorted(RULE_SETS), default="berkeley")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--reached", nargs="+", type=Path, metavar="FILE", help="tournaments to start from instead")
    given = parser.parse_args()
    for name in given.endings:
        if name not in ENDINGS:
            parser.error(f"unknown ending {name!r}: known are {', '.join(ENDINGS)}")
    starts: dict[str, list[Start]] = {name: [partial(start, ENDINGS[name])] for name in given.endings}
    if given.reached:
        try:
            starts = {"reached": [start_at(*found) for file in given.reached for found in reached(file)]}
        except StoreError as error:
            parser.error(str(error))
        if not starts["reached"]:
            parser.error(f"no bare king in these files: it takes tournaments in which {FLAGSHIP} has bared one")
    print("ending  mated  won in view  moves  by 25  stalemates  men lost  draws")
    for name, begins in starts.items():
        numbers = track(range(given.games), name, console=Console(stderr=True))
        seeds = ((number, subseed(given.seed, number)) for number in numbers)
        games = [
            play(begins[number % len(begins)], given.rules, given.seconds, given.nodes, seed) for number, seed in seeds
        ]
        report(name, games)


if __name__ == "__main__":
    main()
