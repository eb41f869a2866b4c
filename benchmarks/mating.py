"""Mates against a bare king: share and speed, from random starts with the king on any possible square.

    python benchmarks/mating.py KRK --against chases looks --games 200

Each game starts from random squares of our pieces, with us to move and the king on a random square of those it can
stand on; we know none of them from the others. Pawns start on ranks five to seven. A start is drawn again if no mate is
proved of a king whose square we know, but for two rooks. `defenders.py` has defenders; without `--against` each plays.

"Proved" is the share of the king's squares in the largest part with a proof, in the mean over the starts.
"Within 50" moves of ours is the share mated, with its 95% interval, "in all" the share within `--moves`, "by 25" that
within 25. "Lost" counts games with a piece lost. The last columns are the mean and the longest time of a turn.
"""

import argparse
import csv
import math
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

import chess
from defenders import DEFENDERS, Defender, tries
from measurements import Measurement, add
from rich.console import Console
from rich.progress import track

from kriegbot.endgames import BareKing, Mating, probe_king
from kriegbot.kernels import subseed
from referee import NO_LIMITS, RULE_SETS, Reason, Referee
from tournaments.statistics import wilson_interval

ENDINGS = {"KQK": "Q", "KRRK": "RR", "KRK": "R", "KPK": "P", "KBBK": "BB", "KBNK": "BN", "KQRK": "QR", "KQPK": "QP"}
FIFTY, SOON = 50, 25
"""Our moves of the fifty-move rule, and those before the quiet limit of the paper's games if no pawn moves."""


def start(pieces: str, rng: random.Random, lowest_pawn: int = 4) -> tuple[chess.Board, BareKing]:
    """Return a board with our pieces and the king on random squares, us to move, and our knowledge of the king.

    Pawns stand on a rank from `lowest_pawn` on, counted from 0.
    """
    while True:
        board = chess.Board(None)
        squares = rng.sample(chess.SQUARES, len(pieces) + 1)
        for square, symbol in zip(squares, "K" + pieces, strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(symbol))
        ranks = [chess.square_rank(square) for square in board.pieces(chess.PAWN, chess.WHITE)]
        bishops = [(square ^ square >> 3) & 1 for square in board.pieces(chess.BISHOP, chess.WHITE)]
        if all(lowest_pawn <= rank < 7 for rank in ranks) and (len(bishops) != 2 or sum(bishops) == 1):
            known = BareKing.anywhere(chess.WHITE, {s: piece.piece_type for s, piece in board.piece_map().items()})
            board.set_piece_at(rng.choice(list(chess.scan_forward(known.squares))), chess.Piece.from_symbol("k"))
            return board, known


def start_won(pieces: str, rng: random.Random) -> tuple[chess.Board, BareKing]:
    """Return a start with a proved mate of a king whose square we know; with two rooks, any."""
    while True:
        board, known = start(pieces, rng)
        if pieces == "RR" or is_lost_in_view(known, board.king(chess.BLACK) or 0):
            return board, known


def is_lost_in_view(king: BareKing, square: chess.Square) -> bool:
    """Return True if mate is proved of a king on a square that we know, by our queen if there is one."""
    men, there = king.men, chess.BB_SQUARES[square]
    if chess.QUEEN in men.values():
        men = {one: piece for one, piece in men.items() if piece in (chess.QUEEN, chess.KING)}
    return probe_king(replace(king, men=men, squares=there)) is not None


class Game(NamedTuple):
    """A game: its end, our moves, our pieces lost, and the seconds of a turn, on average and at most.

    `proved` is the share of the king's squares at the start in the largest part with a proof.
    """

    end: str
    moves: int
    lost: int
    turn: float
    longest: float
    proved: float

    @property
    def is_mate(self) -> bool:
        """True if the king was mated."""
        return self.end == Reason.CHECKMATE.value


def play(pieces: str, defend: Defender, options: argparse.Namespace, seed: int) -> Game:
    """Play a game."""
    rng, rules, mating = random.Random(seed), RULE_SETS[options.rules], Mating(seed)
    board, known = start_won(pieces, rng)
    known, referee = replace(known, rules=rules), Referee(rules, NO_LIMITS, board.fen())
    moves, turns, proved = 0, list[float](), mating.best_try(known).proved
    for _, is_accepted, seconds in tries(referee, known, mating, defend, rng):
        if len(turns) == moves:
            turns.append(0.0)
        turns[-1] += seconds
        moves += is_accepted
        if moves == options.moves:
            break
    lost = len(known.men) - chess.popcount(referee.board().occupied_co[chess.WHITE])
    end = "moves" if referee.end is None else referee.end.reason.value
    return Game(end, moves, lost, round(fmean(turns), 5), round(max(turns), 5), round(proved, 5))


def games_of(name: str, defender: str, options: argparse.Namespace) -> Iterator[Game]:
    """Yield the games of an ending against a defender. Those in the file are not played again."""
    found = stored(options.out)
    for number in track(range(options.games), f"{name} {defender}", console=Console(stderr=True)):
        key = name, defender, options.rules, str(options.seed), str(number)
        if key not in found:
            found[key] = play(ENDINGS[name], DEFENDERS[defender], options, subseed(options.seed, number))
            if options.out:
                with options.out.open("a", newline="", encoding="utf-8") as file:
                    csv.writer(file).writerow([*key, *found[key]])
        yield found[key]


def stored(file: Path | None) -> dict[tuple[str, ...], Game]:
    """Return the games of a file by ending, defender, rule set, seed and number."""
    if file is None or not file.exists():
        return {}
    with file.open(newline="", encoding="utf-8") as lines:
        rows = [(tuple(row[:5]), row[5:]) for row in csv.reader(lines)]
    return {
        key: Game(end, int(moves), int(lost), *map(float, times_and_share))
        for key, (end, moves, lost, *times_and_share) in rows
    }


def report(name: str, defender: str, games: list[Game]) -> None:
    """Print the row of an ending against a defender."""
    mated = [game.moves for game in games if game.is_mate]
    within = [sum(moves <= limit for moves in mated) for limit in (SOON, FIFTY, math.inf)]
    low, high = wilson_interval(within[1], len(games))
    stalemates = sum(game.end == Reason.STALEMATE.value for game in games)
    losses = sum(game.lost > 0 for game in games)
    turn, longest = 1000 * fmean(game.turn for game in games), 1000 * max(game.longest for game in games)
    print(
        f"{name:7} {defender:8} {within[1] / len(games):6.1%} ({low:6.1%} to {high:6.1%}) "
        f"{within[2] / len(games):6.1%} {within[0] / len(games):6.1%} {fmean(mated or [0]):6.1f} {stalemates:10} "
        f"{losses:4} {fmean(game.proved for game in games):6.1%} {turn:8.1f} {longest:7.0f}",
        flush=True,
    )


def measured(name: str, played: dict[str, list[Game]], options: argparse.Namespace) -> Iterator[Measurement]:
    """Yield the shares mated within 50 moves, that of the worst defender first, within all, and the share proved."""
    command = f"python benchmarks/mating.py {name}" + f" --rules {options.rules}" * (options.rules != "berkeley")
    command += f" --against {' '.join(played)}" * (len(played) < len(DEFENDERS)) + f" --games {options.games}"
    for limit, what in ((FIFTY, "mated"), (options.moves, f"mated within {options.moves}")):
        counts = {one: sum(game.moves <= limit for game in games if game.is_mate) for one, games in played.items()}
        worst = min(counts, key=lambda one: counts[one])
        for what_, one in ((what, worst), *((f"{what} against {one}", one) for one in counts)):
            share, low, high = (f"{100 * value:.1f}" for value in interval(counts[one], len(played[one])))
            games, seed, note = str(len(played[one])), str(options.seed), f"against {one}"
            yield Measurement(name, what_, share, low, high, "%", games, command=command, seed=seed, note=note)
    starts = [game.proved for game in next(iter(played.values()))]
    share = f"{100 * fmean(starts):.1f}"
    yield Measurement(name, "proved share", share, unit="%", games=str(len(starts)), command=command)


def interval(count: int, games: int) -> tuple[float, float, float]:
    """Return a share and its 95% interval."""
    return count / games, *wilson_interval(count, games)


def main() -> None:
    """Play and report."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("endings", nargs="*", default=list(ENDINGS), help=f"of {', '.join(ENDINGS)}")
    parser.add_argument("--against", nargs="+", choices=sorted(DEFENDERS), default=list(DEFENDERS), help="defenders")
    parser.add_argument("--games", type=int, default=200, help="per ending and defender")
    parser.add_argument("--moves", type=int, default=100, help="our moves in a game, at most")
    parser.add_argument("--rules", choices=sorted(RULE_SETS), default="berkeley")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, metavar="FILE", help="CSV of games; continues one")
    parser.add_argument("--add", action="store_true", help="add the shares to log/measurements.csv")
    options = parser.parse_args()
    for name in options.endings:
        if name not in ENDINGS:
            parser.error(f"unknown ending {name!r}. Endings: {', '.join(ENDINGS)}")
    print("ending  defender within 50 (95% interval)    in all  by 25  moves stalemates lost proved  turn/ms longest")
    for name in options.endings:
        played = {one: list(games_of(name, one, options)) for one in options.against}
        for defender, games in played.items():
            report(name, defender, games)
        if options.add:
            add(measured(name, played, options))


if __name__ == "__main__":
    main()
