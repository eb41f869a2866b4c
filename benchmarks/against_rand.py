"""Overconfident search against rand at the paper's sample sizes and limits, beside the paper's results.

    python benchmarks/against_rand.py --games 100

Half the games with each colour; game i has seed i. EU = 100 (wins - losses) / games, as in Parker, Nau and Subrahmanian
(AAAI 2006), with a 95 % interval from the standard deviation of the results.
"""

import argparse
import math
import statistics
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from functools import partial

import chess
from rich.progress import track

from kriegbot.players.seat import HereSeat
from kriegbot.players.specs import make_player, parse_spec
from referee import BERKELEY, PAPER_LIMITS
from tournaments.match import Played, play_game

PAPER = {
    "overconfident:depth=1,samples=1683": "48/51/1",
    "overconfident:depth=2,samples=321": "50/49/1",
}
"""Wins, draws and losses in percent of 500 games, 30 seconds a move: Figure 2."""


def play(spec: str, game: int) -> Played:
    """Play one game; the searching player has White in even games."""
    names = (spec, "rand") if game % 2 == 0 else ("rand", spec)
    seats = [HereSeat(name, partial(make_player, parse_spec(name))) for name in names]
    return play_game(*seats, rules=BERKELEY, limits=PAPER_LIMITS, seed=game)


def main() -> None:
    """Play and report."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--games", type=int, default=100, help="a player")
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    for spec, paper in PAPER.items():
        with ProcessPoolExecutor(arguments.jobs) as pool:
            results = pool.map(partial(play, spec), range(arguments.games))
            games = list(track(results, total=arguments.games, description=spec))
        report(spec, paper, games)


def report(spec: str, paper: str, games: list[Played]) -> None:
    """Print what became of one player's games."""
    points, reasons, rescues = [], Counter[str](), Counter[str]()
    seconds = []
    for game, played in enumerate(games):
        color = chess.WHITE if game % 2 == 0 else chess.BLACK
        end = played.record.end
        assert end is not None
        points.append(0 if end.winner is None else 1 if end.winner == color else -1)
        reasons[end.reason.value] += 1
        rescues.update(played.statistics(color).rescues)
        seconds.append(played.statistics(color).mean_seconds)
    wins, draws, losses = points.count(1), points.count(0), points.count(-1)
    margin = 196 * statistics.stdev(points) / math.sqrt(len(points))
    print(f"{spec} against rand, {len(games)} games: {wins}/{draws}/{losses} W/D/L; the paper's {paper} %")
    print(f"  EU {100 * statistics.mean(points):.1f} +- {margin:.1f} %; ends: {dict(reasons.most_common())}")
    plies = statistics.mean(len(played.record.turns) for played in games)
    print(f"  mean plies {plies:.0f}, mean seconds a try {statistics.mean(seconds):.3f}, rescues {dict(rescues)}")


if __name__ == "__main__":
    main()
