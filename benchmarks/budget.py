"""How well time budgets are kept: games of a searching player against rand, by the clock.

    python benchmarks/budget.py --games 4 --time 0.5

Reports the time of a try, from the view to the answer, in percent of the budget: median, 99th percentile,
most, and how many tries took more than 105 %.
"""

import argparse

import chess
import numpy as np
from rich.progress import track

from kriegbot.players.base import Player
from kriegbot.players.rand import RandPlayer
from kriegbot.players.searching import search_player
from kriegbot.search.settings import Settings
from referee import BERKELEY, PAPER_LIMITS, Referee


def shares(depth: int, seconds: float, game: int) -> list[float]:
    """Time of every try of one game, as a share of the budget."""
    referee = Referee(BERKELEY, PAPER_LIMITS)
    color = game % 2 == 0
    players: dict[bool, Player] = {
        color: search_player(Settings(backup="overconfident", depth=depth, extra=seconds, time=seconds), game),
        not color: RandPlayer(game),
    }
    spent = []
    while referee.end is None:
        choice = players[referee.turn].choose(referee.view(referee.turn))
        if referee.turn == color:
            spent.append(choice.report.seconds / seconds)
        if not isinstance(choice.action, chess.Move):
            raise TypeError("these players do not resign")
        referee.try_move(choice.action)
    return spent


def main() -> None:
    """Play and report."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--games", type=int, default=4, help="for each depth")
    parser.add_argument("--time", type=float, default=0.5, help="seconds a try")
    arguments = parser.parse_args()
    for depth in (1, 2, 3, 4):
        games = track(range(arguments.games), description=f"depth {depth}")
        spent = np.array([share for game in games for share in shares(depth, arguments.time, game)])
        half, most_of_them, most = np.quantile(spent, (0.5, 0.99, 1))
        print(
            f"depth {depth}, {arguments.time} s, {len(spent)} tries: median {half:.1%}, p99 {most_of_them:.1%}, "
            f"most {most:.1%}, over 105 %: {int((spent > 1.05).sum())}"
        )


if __name__ == "__main__":
    main()
