"""Overconfident search against rand at the paper's sample sizes and limits, beside the paper's results.

    python benchmarks/against_rand.py --games 100

Half the games with each colour; game i has seed i. EU = 100 (wins - losses) / games, as in Parker, Nau and Subrahmanian
(AAAI 2006); the interval is Wilson's. Other players can be named: `... --games 100 paranoid:depth=1,samples=1683`.
"""

import argparse
import statistics
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from functools import partial

import chess
from rich.progress import track

from kriegbot.game.match import Played, play_game
from kriegbot.game.seat import HereSeat
from kriegbot.players.specs import make_player, parse_spec
from referee import BERKELEY, PAPER_LIMITS
from tournaments.statistics import wilson_interval

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
    parser.add_argument("players", nargs="*", type=parse_spec, help="by default the two of the paper")
    parser.add_argument("--games", type=int, default=100, help="a player")
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    for spec in map(str, arguments.players or PAPER):
        with ProcessPoolExecutor(arguments.jobs) as pool:
            results = pool.map(partial(play, spec), range(arguments.games))
            games = list(track(results, total=arguments.games, description=spec))
        report(spec, f"; the paper's {PAPER[spec]} %" if spec in PAPER else "", games)


def report(spec: str, paper: str, games: list[Played]) -> None:
    """Print the results of one player's games."""
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
    low, high = wilson_interval(wins, len(games))
    print(f"{spec} against rand, {len(games)} games: {wins}/{draws}/{losses} W/D/L{paper}")
    print(f"  won {wins / len(games):.1%} (95 %: {low:.1%} to {high:.1%}), EU {100 * statistics.mean(points):.1f} %")
    print(f"  ends: {', '.join(f'{reason} {count}' for reason, count in reasons.most_common())}")
    plies = statistics.mean(len(played.record.turns) for played in games)
    print(f"  mean plies {plies:.0f}, mean seconds a try {statistics.mean(seconds):.3f}, rescues {dict(rescues)}")


if __name__ == "__main__":
    main()
