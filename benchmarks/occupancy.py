"""How well beliefs know where the enemy's men are: opponent models compared on the games of a tournament.

    python benchmarks/occupancy.py pool.sqlite --watcher kriegbot:samples=150 --models uniform fitted --games 200

Games of the watcher are replayed, and a belief under each model is given its views. At each of its turns every
square without one of its own men is predicted: empty, or an enemy man of one of six kinds. The log-loss (nats a square)
and the Brier score (0 to 2 a square) compare these predictions with the truth, which no belief sees; lower is better. A
chance of less than FLOOR counts as FLOOR. "held" is the share of turns at which the true board is among the belief's,
"astray" that at which the belief fits only what was heard last. Intervals are 95 %, over games. The last table is the
calibration: how often squares held an enemy man, by the chance that the first model gave that.
"""

import argparse
import time
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

import chess
import numpy as np
import numpy.typing as npt
from rich.progress import track

from kriegbot.belief.belief import Belief
from kriegbot.kernels import from_board, without_labels
from kriegbot.models import load_opponent
from referee import GameRecord
from tournaments.store import Store, StoreError

FLOOR = 0.001
BINS = 10


class Scores(NamedTuple):
    """Of one game: means over its turns, and how often each chance was right (see `calibration`)."""

    turns: int
    loss: float
    brier: float
    held: float
    astray: float
    seconds: float
    chances: npt.NDArray[np.float64]


def kinds_on(board: chess.Board, color: chess.Color) -> npt.NDArray[np.int64]:
    """Kind [64] of a side's man on each square: 0 for none, 1 to 6 for pawn to king."""
    kinds = np.zeros(64, np.int64)
    for kind in chess.PIECE_TYPES:
        kinds[list(board.pieces(kind, color))] = kind
    return kinds


def calibration(chance: npt.NDArray[np.float64], is_taken: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
    """Squares, the sum of their chances and those that hold a man, by chance [BINS, 3]."""
    bins = np.minimum((chance * BINS).astype(int), BINS - 1)
    counted = [np.bincount(bins, weights, BINS) for weights in (np.ones(len(bins)), chance, is_taken.astype(float))]
    return np.stack(counted, axis=1)


def watch(record: GameRecord, color: chess.Color, model: str, particles: int) -> Scores:
    """Replay a game before one side's belief."""
    belief, rows, spent = None, [], 0.0
    chances = np.zeros((BINS, 3))
    for step in record.replay():
        referee = step.referee
        if referee.turn != color or referee.end is not None:
            continue
        view, begun = referee.view(color), time.perf_counter()
        if belief is None:
            belief = Belief(view, particles, 0, load_opponent(model))
        else:
            belief.update(view)
        spent += time.perf_counter() - begun
        if view.refused or not len(belief.particles):
            continue
        board = referee.board()
        truth = kinds_on(board, not color)
        free = ~np.isin(np.arange(64), list(view.men))
        chance = np.vstack([np.zeros(64), belief.occupancy(not color)])
        chance[0] = 1.0 - chance[1:].sum(axis=0)
        of_truth = chance[truth, np.arange(64)]
        squared = (chance**2).sum(axis=0) - 2 * of_truth + 1
        is_held = (without_labels(belief.particles.rows) == from_board(board, referee.ply)).all(axis=1).any()
        surprise = -np.log(np.maximum(of_truth, FLOOR))
        rows.append((surprise[free].mean(), squared[free].mean(), is_held, not belief.particles.fits_all))
        chances += calibration(np.clip(1.0 - chance[0][free], 0.0, 1.0), truth[free] > 0)
    loss, brier, held, astray = np.array(rows, float).mean(axis=0) if rows else np.full(4, np.nan)
    return Scores(len(rows), loss, brier, held, astray, spent / max(1, len(rows)), chances)


def report(found: dict[tuple[str, str], list[Scores]]) -> None:
    """Print a line for each opponent and model, and the calibration."""
    print(f"{'games':>5} {'turns':>6} {'log-loss':>16} {'Brier':>16} {'held':>7} {'astray':>7} {'s/turn':>7}")
    for (opponent, model), games in sorted(found.items()):
        texts = []
        for values in ([one.loss for one in games], [one.brier for one in games]):
            width = 1.96 * np.std(values, ddof=1) / np.sqrt(len(values)) if len(values) > 1 else float("nan")
            texts.append(f"{np.mean(values):.4f} +-{width:.4f}")
        turns = sum(one.turns for one in games)
        held, astray, seconds = (
            sum(getattr(one, name) * one.turns for one in games) / turns for name in ("held", "astray", "seconds")
        )
        print(
            f"{len(games):5} {turns:6} {texts[0]:>16} {texts[1]:>16} {held:7.1%} {astray:7.1%} {seconds:7.3f}"
            f"  {model}, against {opponent}"
        )
    first = next(iter(found))[1]
    bins = sum(one.chances for (_, model), games in found.items() if model == first for one in games)
    assert isinstance(bins, np.ndarray)
    print(f"\nsquares by the chance of an enemy man ({first}): mean chance, share that held one")
    for squares, chance, taken in bins:
        if squares:
            print(f"  {squares:8.0f} squares {chance / squares:7.1%} {taken / squares:7.1%}")


def main() -> None:
    """Read games, replay them, and report."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("file", type=Path, help="a tournament's store")
    parser.add_argument("--watcher", required=True, help="the player whose views are used")
    parser.add_argument("--models", nargs="+", default=["uniform", "fitted"], help="opponent models of the beliefs")
    parser.add_argument("--particles", type=int, default=10_000)
    parser.add_argument("--games", type=int, default=20, help="at most, against each opponent")
    options = parser.parse_args()
    found: dict[tuple[str, str], list[Scores]] = defaultdict(list)
    try:
        with Store.open(options.file) as store:
            for game, color in track(store.games_of(options.watcher, options.games), description="games"):
                opponent, record = game.black if color else game.white, store.record(game.id)
                for model in options.models:
                    found[opponent, model].append(watch(record, color, model, options.particles))
    except StoreError as error:
        parser.error(str(error))
    if not found:
        parser.error(f"no game of {options.watcher} in {options.file}")
    report(found)


if __name__ == "__main__":
    main()
