"""Kriegspiel in front of our referee and of OpenSpiel, side by side; and games of our bot at OpenSpiel's table.

    python benchmarks/openspiel.py --games 2000
    python benchmarks/openspiel.py --bots grabber rand --games 200

Without bots every answer, announcement and view of random games is compared, as in tests/test_openspiel.py, which knows
where the two differ on purpose; another difference ends it. With bots each plays both sides in turn: says how
the games ended. OpenSpiel itself refuses an action that is not legal there, so games that end had none.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from pathlib import Path

import pyspiel
from rich.progress import track

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # tests.test_openspiel

from kriegbot.environments.openspiel import OpenSpielBot
from tests.test_openspiel import compare


def main() -> None:
    """Compares, or plays."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--bots", nargs=2, metavar="SPEC", help="players; by default random tries are compared")
    options = parser.parse_args()
    begun, tries, ends = time.perf_counter(), 0, Counter[str]()
    for seed in track(range(options.games), description="games"):
        if options.bots is None:
            compared, end = compare(seed)
        else:
            compared, end = played(options.bots, seed)
        tries += compared
        ends[end] += 1
    told = ", ".join(f"{count} {end}" for end, count in sorted(ends.items()))
    print(f"{options.games} games, {tries} tries in {time.perf_counter() - begun:.0f} s: {told}")


def played(players: list[str], seed: int) -> tuple[int, str]:
    """One game at OpenSpiel's table; how many tries it took, and who won."""
    white = players[seed % 2]
    bots = [OpenSpielBot(players[1 - seed % 2], 0, seed), OpenSpielBot(white, 1, seed)]
    state = pyspiel.load_game("kriegspiel").new_initial_state()
    while not state.is_terminal():
        player = state.current_player()
        action = bots[player].step(state)
        if action not in state.legal_actions():
            raise SystemExit(f"illegal action {action} in {state}")
        state.apply_action(action)
    for bot in bots:
        bot.close()
    result = state.returns()[1]
    winner = white if result > 0 else players[1 - seed % 2]
    return len(state.history()), "drawn" if result == 0 else f"won by {winner}"


if __name__ == "__main__":
    main()
