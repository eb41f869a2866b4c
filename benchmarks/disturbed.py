"""Check that a disturbed tournament ends with the games of an undisturbed one, byte for byte.

    python benchmarks/disturbed.py --games 500

Plays the same tournament four times: undisturbed; disturbed at random moments, and started again until it has all
games; by Dask; and as three shards, merged. The disturbances: Ctrl-C, kill -9 of the main process, workers and players,
no more memory for a worker or player (ulimit), an emptied file of compiled kernels, and everything suspended for 20
seconds. Says what the disturbed tournament reports: nobody may have lost a game by forfeit. Linux only.
"""

import argparse
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from rich.progress import Progress

from kriegbot.folders import cache_folder
from tournaments.report import report_of
from tournaments.store import Store

PLAYERS = ("rand", "overconfident:depth=1,samples=1683,resample=112,particles=20000")
MEMORY, CACHE, SUSPENSION = "no more memory", "an emptied cache file", "suspended"
DISTURBANCES = (
    *("Ctrl-C", "kill -9 of the main process", "kill -9 of a worker", "kill -9 of a player"),
    *(MEMORY, CACHE, SUSPENSION),
)
SUSPENDED, ADDRESSES = 20.0, 64 * 2**20  # seconds; bytes of addresses that a process without memory may have


def command(*arguments: object) -> list[str]:
    """Return the command line that runs kriegbot with this Python."""
    return [sys.executable, "-c", "from kriegbot.cli.main import main; raise SystemExit(main())", *map(str, arguments)]


def children(process: int) -> list[int]:
    """Return the processes that a process has started; none if it has ended."""
    lists = Path("/proc").glob(f"{process}/task/*/children")  # a worker is the child of a thread
    try:
        return [int(child) for each in lists for child in each.read_text(encoding="utf-8").split()]
    except OSError:
        return []


def disturb(process: int, kind: str, rng: random.Random) -> bool:
    """Disturb once; return False if there was nothing to disturb."""
    workers = children(process)
    players = [player for worker in workers for player in children(worker)]
    mortal = {"kill -9 of a worker": workers, "kill -9 of a player": players, MEMORY: [*workers, *players]}
    targets = mortal.get(kind, [process])
    if not targets:
        return False
    try:
        if kind == CACHE:
            rng.choice([*cache_folder().glob("kernels-*/*.nbc")]).write_bytes(b"")
        elif kind == MEMORY:
            resource.prlimit(rng.choice(targets), resource.RLIMIT_AS, (ADDRESSES, ADDRESSES))
        elif kind == SUSPENSION:
            for number in (signal.SIGSTOP, signal.SIGCONT):
                for one in (process, *workers, *players):
                    with suppress(ProcessLookupError):
                        os.kill(one, number)
                time.sleep(SUSPENDED if number == signal.SIGSTOP else 0.0)
        else:
            os.kill(rng.choice(targets), signal.SIGINT if kind == "Ctrl-C" else signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True


def play_disturbed(
    arguments: list[object], pause: float, seed: int, disturbances: Sequence[str]
) -> tuple[Counter[str], int]:
    """Play a tournament to its end, disturbed after pauses of this mean length in seconds.

    A run that has given a game up is followed by another, as a person would do. The last argument is the tournament's
    file. Return the number of disturbances of each kind, and the last exit code.
    """
    rng, counts = random.Random(seed), Counter[str]()
    while True:
        with tempfile.TemporaryFile() as output:
            main = subprocess.Popen(command(*arguments), stdout=output, stderr=output)
            while main.poll() is None:
                try:
                    main.wait(rng.expovariate(1 / pause))
                except subprocess.TimeoutExpired:
                    rarest_first = sorted(disturbances, key=lambda kind: (counts[kind], rng.random()))
                    kind = next((kind for kind in rarest_first if disturb(main.pid, kind, rng)), None)
                    if kind is not None:
                        counts[kind] += 1
                    time.sleep(0.5 if kind in DISTURBANCES[:2] else 0)
            output.seek(0)
            text = output.read().decode()
        if main.returncode in (0, 1) and "Results" in text:
            with Store.open(str(arguments[-1])) as store:
                if not store.missing():
                    return counts, main.returncode
            continue
        was_starting = text.rstrip().endswith("KeyboardInterrupt")  # Ctrl-C before kriegbot was imported
        if main.returncode not in (130, -signal.SIGINT, -signal.SIGKILL) and not was_starting:
            raise SystemExit(f"kriegbot ended with {main.returncode}:\n{text}")


def games(path: Path) -> list[tuple[object, ...]]:
    """Return everything that must be equal."""
    with Store.open(path) as store:
        return [(*game._replace(finished="", seconds=0.0), store.pgn(game.id)) for game in store.game_rows()]


def main() -> None:
    """Play and compare."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("players", nargs="*", default=PLAYERS)
    parser.add_argument("--games", type=int, default=500)
    parser.add_argument("--pause", type=float, default=10.0, help="mean seconds between two disturbances")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limits", default="paper")
    parser.add_argument("--disturbances", nargs="*", choices=DISTURBANCES, default=DISTURBANCES)
    options = parser.parse_args()
    common = ["tournament", *options.players, "--games", options.games, "--limits", options.limits, "--seed", 1]
    with tempfile.TemporaryDirectory() as name, Progress(disable=not sys.stderr.isatty()) as progress:
        task = progress.add_task("undisturbed", total=4)
        folder = Path(name)

        def run(*arguments: object) -> None:
            finished = subprocess.run(command(*arguments), capture_output=True, encoding="utf-8", check=False)
            if finished.returncode:
                raise SystemExit(
                    f"kriegbot {' '.join(map(str, arguments))} ended with {finished.returncode}:\n{finished.stderr}"
                )

        run(*common, "--jobs", 2, "--out", folder / "undisturbed.sqlite")
        progress.update(task, advance=1, description="disturbed")
        disturbed = [*common, "--jobs", 3, "--out", folder / "disturbed.sqlite"]
        counts, code = play_disturbed(disturbed, options.pause, options.seed, options.disturbances)
        with Store.open(folder / "disturbed.sqlite") as store:
            report = report_of(store)
        progress.update(task, advance=1, description="dask")
        run(*common, "--jobs", 2, "--executor", "dask", "--out", folder / "dask.sqlite")
        progress.update(task, advance=1, description="three shards")
        shards = [folder / f"shard{part}.sqlite" for part in (1, 2, 3)]
        for part, shard in enumerate(shards, 1):
            run(*common, "--jobs", 2, "--shard", f"{part}/3", "--out", shard)
        run("merge", folder / "merged.sqlite", *shards)
        progress.update(task, advance=1)
        undisturbed = games(folder / "undisturbed.sqlite")
        same = {way: games(folder / f"{way}.sqlite") == undisturbed for way in ("disturbed", "dask", "merged")}
    print(f"{len(undisturbed)} games; disturbed by {', '.join(f'{count} x {kind}' for kind, count in counts.items())}")
    print(f"  disturbed: exit code {code}, {len(report.forfeits)} forfeits, {len(report.incidents)} incidents:")
    print(*sorted(f"    game {incident.game}: {incident.what}" for incident in report.incidents), sep="\n")
    for way, is_same in same.items():
        print(f"  {way}: {'the same games, byte for byte' if is_same else 'OTHER GAMES'}")
    if not all(same.values()) or len(undisturbed) != options.games or report.forfeits:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
