"""Random games in front of our referee and that of kriegspiel.org, the PyPI package `kriegspiel`, side by side.

    python benchmarks/referees.py --games 2000 rand english

Every answer, every announcement and every list of tries is compared, as in tests/test_kriegspiel_org.py, which knows
where the two differ on purpose. Says how many tries were compared and how the games ended; another difference ends it.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

from rich.progress import track

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # tests.test_kriegspiel_org

from referee import rule_set
from tests.test_kriegspiel_org import THEIR_RULES, compare


def main() -> None:
    """Compares."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument(
        "rules", nargs="*", default=[rules.name for rules in THEIR_RULES], help="rule sets; all of theirs by default"
    )
    parser.add_argument("--games", type=int, default=2000, help="of each rule set")
    parser.add_argument("--plies", type=int, default=120, help="after which a game is left")
    options = parser.parse_args()
    for name in options.rules:
        ends, tries = Counter[str](), 0
        for seed in track(range(options.games), description=name):
            compared, referee = compare(seed, rule_set(name), options.plies)
            tries += compared
            ends[referee.end.text() if referee.end else "left"] += 1
        told = ", ".join(f"{count} {end}" for end, count in sorted(ends.items()))
        print(f"{name}: {options.games} games, {tries} tries alike; {told}", flush=True)


if __name__ == "__main__":
    main()
