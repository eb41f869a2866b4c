"""Games a second of a tournament on one process and on two, the share that is not search or belief, processor time.

    python benchmarks/throughput.py --games 200

The same games are played both times, in three alternating parts, so that a machine that slows down slows both. The
clock runs while every worker is busy: from when as many games have ended as there are workers (players take a second to
start) until fewer games are left than workers. Whatever is not within a searching player's answer counts as outside
search and belief: rand, the referee, messages between processes, the store. Processor seconds are those of all
processes, from their start to their end.
"""

import argparse
import os
import tempfile
import time
from pathlib import Path

from rich.progress import Progress

from kriegbot.players.specs import parse_spec
from referee import BERKELEY, PAPER_LIMITS
from tournaments.run import LocalExecutor, run
from tournaments.schedule import Finished, Outcome, Pairing, ScheduledGame, TournamentSettings
from tournaments.store import Store

PARTS = 3


class Clock:
    """Seconds, games and seconds of thought while every worker is busy; processor seconds of all games."""

    def __init__(self, jobs: int) -> None:
        self.jobs = jobs
        self.seconds, self.games, self.thought, self.processor = 0.0, 0, 0.0, 0.0

    def time(self, path: Path, settings: TournamentSettings, games: list[ScheduledGame], progress: Progress) -> None:
        """Play games into a new store."""
        begun, ended, before = 0.0, 0, sum(os.times()[:4])

        def count(outcome: Outcome) -> None:
            nonlocal begun, ended
            progress.advance(progress.task_ids[0])
            ended += 1
            now = time.perf_counter()
            if ended == self.jobs:
                begun = now
            elif self.jobs < ended <= len(games) - self.jobs + 1 and isinstance(outcome, Finished):
                self.games += 1
                self.thought += sum(thought.report.seconds for thought in outcome.thoughts)
                self.seconds += now - begun
                begun = now

        with Store.writing(path, settings, len(games)) as store:
            run(store, games, LocalExecutor(self.jobs), count)
        self.processor += sum(os.times()[:4]) - before


def main() -> None:
    """Play and report."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("players", nargs="*", default=["overconfident:depth=1,samples=1683", "rand"])
    parser.add_argument("--games", type=int, default=200)
    options = parser.parse_args()
    pairing = Pairing(*(str(parse_spec(player)) for player in options.players))
    settings = TournamentSettings((pairing,), BERKELEY, PAPER_LIMITS, 1)
    games = settings.schedule(options.games)
    clocks = [Clock(1), Clock(2)]
    with tempfile.TemporaryDirectory() as place, Progress() as progress:
        progress.add_task("games", total=2 * len(games))
        for part in range(PARTS):
            for clock in clocks:
                clock.time(Path(place) / f"{clock.jobs}-{part}.sqlite", settings, games[part::PARTS], progress)
    for clock in clocks:
        outside = 1 - clock.thought / (clock.jobs * clock.seconds)
        name = "process  " if clock.jobs == 1 else "processes"
        speed, processor = clock.games / clock.seconds, clock.processor / len(games)
        print(
            f"{clock.jobs} {name} {speed:.2f} games/s, {outside:.1%} outside search and belief, "
            f"{processor:.2f} processor seconds a game"
        )
    print(f"ratio {clocks[1].games / clocks[1].seconds / (clocks[0].games / clocks[0].seconds):.2f}")


if __name__ == "__main__":
    main()
