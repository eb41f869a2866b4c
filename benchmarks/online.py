"""Games of `kriegbot online run` against a fake kriegspiel.org that loses, repeats, delays and refuses requests.

    python benchmarks/online.py --games 100 --faults 0.1 --kill 400 --player rand

The bot's process is killed after every --kill requests or so, and started again. Printed are how the games ended, and
everything that was not as it should be: a game that did not end, a record that does not say so, a try that was sent
twice, a call that is none of the bot's. tests/test_online_play.py plays a few such games.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from functools import partial
from pathlib import Path

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # tests.online_games

from tests.fake_site import FakeSite
from tests.online_games import play_out


def main() -> None:
    """Plays, and says how it went."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--at-once", type=int, default=8)
    parser.add_argument("--faults", type=float, default=0.1, help="share of requests")
    parser.add_argument("--kill", type=int, default=400, help="requests between two kills, on average")
    parser.add_argument("--player", default="rand")
    parser.add_argument("--long", type=int, default=150, help="plies after which opponents resign")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--patience", type=float, default=3600.0, help="seconds for everything")
    given = parser.parse_args()
    site = FakeSite(given.seed, given.faults, challenges=0.3, late=0.5, most=given.games, long=given.long)
    settings = {"player": given.player, "games": given.at_once, "join": True}
    columns = BarColumn(), MofNCompleteColumn(), TextColumn("games over,"), TimeElapsedColumn()
    with tempfile.TemporaryDirectory() as folder, Progress(*columns) as progress:
        watch = partial(progress.update, progress.add_task("", total=given.games))
        outcome = play_out(site, Path(folder), given.kill, given.patience, lambda n: watch(completed=n), **settings)
    print(f"{site.begun()} games in {outcome.seconds:.0f} s, the bot killed {outcome.kills} times")
    print("ends:", ", ".join(f"{end} {count}" for end, count in outcome.ends().most_common()))
    print("requests:", ", ".join(f"{what} {count}" for what, count in site.counts.most_common()))
    print(f"flags fallen: {outcome.flags()}")
    print("not as it should be:", *(outcome.faults() or ["nothing"]), sep="\n  ")
    print(f"lines of trouble with players or states: {outcome.trouble()}")


if __name__ == "__main__":
    main()
