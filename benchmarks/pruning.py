"""Savings by pruning: alpha-beta in paranoid search, and a bound on E in overconfident search.

    python benchmarks/pruning.py

Beliefs come from games of search against `rand`, HS and itself, at first and later tries of a turn.

Paranoid: the full search and alpha-beta side by side; both must find the same best tries.

Overconfident, depth 2: a try can be cut only if its bound, E after the try plus the most that a reply can add to E, is
below the best try. The figure is the share of tries that remain, weighted by their probability of being legal, if the
best try is known beforehand.
"""

import argparse
import time
from dataclasses import replace
from functools import partial
from typing import Any
from unittest.mock import patch

import numpy as np
from measurements import Measurement, add
from rich.progress import track

from evaluators import load_evaluator
from evaluators.ks import QUEEN, Weights
from kriegbot.game.match import play_game
from kriegbot.game.seat import HereSeat
from kriegbot.kernels import prepare
from kriegbot.players.making import make_player
from kriegbot.players.specs import parse_spec
from kriegbot.search import sampled
from kriegbot.search.backup import load_backup
from kriegbot.search.information_set import InformationSet
from kriegbot.search.search import TryValues, search_tries
from kriegbot.search.settings import Method
from referee import BERKELEY, PAPER_LIMITS

PLAYER = "overconfident:depth=1,samples=321,particles=5000"
OPPONENTS = ("rand", "hs:depth=2,samples=50", PLAYER)
MAX_PIECES = 15
SHARPEST = 40
"""Most that a reply adds in practice, in centipawns: a piece that walks into an attack by pieces that it protected."""


def most_added() -> int:
    """Return the most that a reply can add to KS: every piece newly protected and threatened, and no check any more."""
    weights = Weights()
    return MAX_PIECES * (weights.protected + QUEEN * weights.threat // 100) + weights.check


def searched_beliefs(games: int) -> list[InformationSet]:
    """Return the information sets that some games search."""
    seen: list[InformationSet] = []

    def recording(histories: InformationSet, *arguments: Any) -> TryValues:
        seen.append(replace(histories, rows=histories.rows.copy(), weights=histories.weights.copy()))
        return search_tries(histories, *arguments)

    with patch.object(sampled, "search_tries", recording):
        for game in track(range(games), "Games"):
            names = [PLAYER, OPPONENTS[game // 2 % len(OPPONENTS)]]
            seats = [HereSeat(name, partial(make_player, parse_spec(name))) for name in names[:: 1 - 2 * (game % 2)]]
            play_game(*seats, rules=BERKELEY, limits=PAPER_LIMITS, seed=game)
    return seen


def paranoid(beliefs: list[InformationSet], depth: int, histories: int) -> float:
    """Compare the full search with alpha-beta on the same beliefs; return how many times faster that is."""
    seconds, leaves = np.zeros(2), np.zeros(2)
    method = Method(depth, load_backup("paranoid"), load_evaluator("ks"))
    for one in track(beliefs, f"Paranoid, depth {depth}"):
        results = []
        for way, may_prune in enumerate((False, True)):
            begun = time.perf_counter()
            results.append(search_tries(one.first(histories), method, may_prune=may_prune))
            seconds[way] += time.perf_counter() - begun
            leaves[way] += results[-1].leaves
        if results[0].best() != results[1].best() or results[0].values.max() != results[1].values.max():
            raise SystemExit("alpha-beta found other tries")
    times = float(seconds[0] / seconds[1])
    print(
        f"paranoid, depth {depth}, {len(beliefs)} beliefs, {histories} histories: {times:.1f} times "
        f"faster, {leaves[1] / leaves[0]:.1%} of the leaves, the same tries"
    )
    return times


def overconfident(beliefs: list[InformationSet], histories: int) -> float:
    """Return the share of tries left by the bound on E at depth 2, and report it."""
    left: dict[int, list[float]] = {most_added(): [], SHARPEST: []}
    methods = [Method(depth, load_backup("overconfident"), load_evaluator("ks")) for depth in (1, 2)]
    for belief in track(beliefs, "Overconfident"):
        one, two = (search_tries(belief.first(histories), method) for method in methods)
        for most, shares in left.items():
            stays = one.values + most * one.legal >= two.values.max()
            shares.append((one.legal * stays).sum() / one.legal.sum())
    mean = ", ".join(f"{np.mean(shares):.0%} with {most}" for most, shares in left.items())
    print(f"overconfident, depth 2, {len(beliefs)} beliefs, {histories} histories: not cut are {mean} centipawns")
    return float(np.mean(left[most_added()]))


def main() -> None:
    """Play, search and report."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--games", type=int, default=12)
    parser.add_argument("--beliefs", type=int, default=1000)
    parser.add_argument("--record", action="store_true", help="add the figures to the table of measurements")
    options = parser.parse_args()
    prepare()
    seen = searched_beliefs(options.games)
    some = [seen[i] for i in np.linspace(0, len(seen) - 1, min(options.beliefs, len(seen))).astype(int)]
    times = {"2": paranoid(some, 2, 321), "3": paranoid(some, 3, 20)}
    paranoid(some[:: max(1, len(some) // 50)], 3, 67)
    share = overconfident(some, 321)
    if options.record:
        command = f"python benchmarks/pruning.py --games {options.games} --beliefs {options.beliefs}"
        rows = [
            Measurement(f"pruning-depth-{depth}", "times faster", f"{value:.1f}", unit="times", command=command)
            for depth, value in times.items()
        ]
        add([*rows, Measurement("pruning-Eq.-2", "tries that stay", f"{share:.0%}", command=command)])


if __name__ == "__main__":
    main()
