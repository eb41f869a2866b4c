"""Play a hundred games and plot the results, cell by cell as in a notebook.

    pip install matplotlib
    python examples/hundred_games.py

Writes hundred-games.sqlite, which `kriegbot report` and `kriegbot replay` read, and hundred-games.svg.
"""

import argparse
from pathlib import Path

import matplotlib.pyplot as plt

from kriegbot import run_tournament


def main() -> None:
    """Play, print and plot."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("players", nargs="*", default=["overconfident:depth=1,samples=100", "rand"])
    parser.add_argument("--games", type=int, default=100, help="an even number; 100 take about two minutes")
    parser.add_argument("--out", type=Path, default=Path("hundred-games"), help="files without their suffix")
    options = parser.parse_args()

    # Play. Run this again to resume; stored games are not played again.
    report = run_tournament(options.out.with_suffix(".sqlite"), options.players, options.games, seed=1, jobs=2)

    # The result.
    pairing = report.pairings[0]
    won, drawn, lost = pairing.standing.wins, pairing.standing.draws, pairing.standing.losses
    print(f"{pairing.first} against {pairing.second}: {won} won, {drawn} drawn, {lost} lost")

    # Plot endings and lengths of the games.
    figure, (ends, lengths) = plt.subplots(1, 2, figsize=(9, 3.5), layout="constrained")
    ends.barh(list(pairing.endings), list(pairing.endings.values()))
    ends.set_xlabel("games")
    lengths.stairs(pairing.plies.counts, pairing.plies.edges, fill=True)
    lengths.set_xlabel("plies")
    figure.savefig(options.out.with_suffix(".svg"))


if __name__ == "__main__":
    main()
