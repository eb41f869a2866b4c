"""Quality of the sampled belief: distinct boards, rescues, and whether it ever drops the true position.

    python benchmarks/belief.py --games 200 --particles 50000

Games between rand, overconfident and paranoid players at the paper's limits, half under Berkeley's rules, half under
Wild 16. A tracer outside all players carries the true position through the belief's updates.
"""

import argparse
import itertools
import random
import sys
from collections import Counter
from pathlib import Path

import chess
import numpy as np
from rich.progress import track

from kriegbot.search.settings import Settings

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # tests.tracer holds the truth, which no player may

from measurements import Measurement, add

from kriegbot.belief.belief import Belief
from kriegbot.players.search import search_player
from referee import BERKELEY, PAPER_LIMITS, WILD16, Referee
from tests.tracer import Tracer

PLAYERS = ("rand", "overconfident", "paranoid")
PAIRINGS = [pair for pair in itertools.product(PLAYERS, PLAYERS) if pair != ("rand", "rand")]


class Tally:
    """Counts over all games."""

    def __init__(self) -> None:
        self.turns = self.rich = self.exact = self.inconsistent = self.dropped = self.events = 0
        self.rescues: Counter[str] = Counter()
        self.sizes: list[int] = []

    def play(self, game: int, particles: int) -> None:
        """Play a game and follow both sides' beliefs."""
        rng = random.Random(game)
        names = PAIRINGS[game // 2 % len(PAIRINGS)]
        referee = Referee((BERKELEY, WILD16)[game % 2], PAPER_LIMITS)
        players = {
            color: search_player(Settings(backup=name, depth=1, samples=500, particles=500), game)
            for color, name in zip((chess.WHITE, chess.BLACK), names, strict=True)
            if name != "rand"
        }
        beliefs = {color: Belief(referee.view(color), particles, game) for color in chess.COLORS}
        tracers = [Tracer(referee, color) for color in chess.COLORS]
        while referee.end is None:
            view = referee.view(referee.turn)
            belief = beliefs[referee.turn]
            belief.update(view)
            self.turns += not view.refused
            if not view.refused:
                self.sizes.append(len(belief.particles))
                self.exact += belief.particles.is_exact
                self.inconsistent += not belief.particles.is_consistent
                self.rich += len(belief.particles) >= 1000 and not belief.particles.is_exact
            player = players.get(referee.turn)
            move = player.choose(view).action if player else rng.choice(view.tries())
            assert isinstance(move, chess.Move)
            referee.try_move(move)
            for tracer in tracers:
                tracer.follow(referee)
        self.events += sum(tracer.events for tracer in tracers)
        self.dropped += sum(len(tracer.dropped) for tracer in tracers)
        for belief in beliefs.values():
            self.rescues.update(belief.rescues)


def main() -> None:
    """Play the games and report."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--particles", type=int, default=50_000)
    parser.add_argument("--record", action="store_true", help="add the dropped positions to the table of measurements")
    options = parser.parse_args()
    tally = Tally()
    for game in track(range(options.games), description="games"):
        tally.play(game, options.particles)
    few, half, many = np.quantile(tally.sizes, (0.05, 0.5, 0.95))
    print(f"{options.games} games, {tally.turns} turns, at most {options.particles} particles")
    print(f"distinct boards per turn: 5% {few:.0f}, median {half:.0f}, 95% {many:.0f}")
    enough = (tally.rich + tally.exact) / tally.turns
    print(f"turns with at least 1,000 distinct boards, or all consistent ones: {enough:.2%}")
    print(f"  with all consistent ones: {tally.exact / tally.turns:.2%} of turns")
    for rescue in ("replay", "perturbed", "blind"):
        print(f"turns that needed the rescue {rescue!r}: {tally.rescues[rescue] / tally.turns:.3%}")
    print(f"turns with an inconsistent belief after such a rescue: {tally.inconsistent / tally.turns:.3%}")
    print(f"events at which the true position was dropped: {tally.dropped} of {tally.events}")
    if options.record:
        value, command = (
            f"{tally.dropped:,} of {tally.events:,}",
            f"python benchmarks/belief.py --games {options.games}",
        )
        add([Measurement(key="belief-filter", value=value, games=str(options.games), command=command)])


if __name__ == "__main__":
    main()
