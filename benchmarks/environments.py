"""Random steps per second on one core: batches of games, pyspiel's kriegspiel and PettingZoo's chess, side by side.

    python benchmarks/environments.py

A step is a random open action and its answer, with the observation of the side to move and the mask of its open actions
computed before. pyspiel runs with its observation tensor and without; PettingZoo always computes one. Times are process
times. All take turns, so that a slower machine slows all, and the median of the rounds counts.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
import warnings
from collections.abc import Callable

import numpy as np
import pyspiel
from measurements import Measurement, add

from kriegbot.environments.batch import Batch
from referee import WILD16

SIZES = (1, 64, 4096)
PYSPIEL, PETTINGZOO = "pyspiel kriegspiel", "PettingZoo chess_v6"


def main() -> None:
    """Measure and report."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=1.0, help="per program and round")
    parser.add_argument("--record", action="store_true", help="add the rates to the table of measurements")
    options = parser.parse_args()
    steppers: dict[str, Callable[[], int]] = {
        f"kriegbot, {size:,} game{'s' * (size > 1)}": batch_stepper(size) for size in SIZES
    }
    steppers |= {PYSPIEL: pyspiel_stepper(True), f"{PYSPIEL}, no observation": pyspiel_stepper(False)}
    steppers[PETTINGZOO] = pettingzoo_stepper()
    rates: dict[str, list[float]] = {name: [] for name in steppers}
    for _ in range(options.rounds):
        for name, step in steppers.items():
            begun, steps = time.process_time(), 0
            while (passed := time.process_time() - begun) < options.seconds:
                steps += step()
            rates[name].append(steps / passed)
    medians = {name: statistics.median(each) for name, each in rates.items()}
    if options.record:
        command = f"python benchmarks/environments.py --rounds {options.rounds}"
        keys = {name: f"steps-{name}".replace("-kriegbot", "").replace(",", "").replace(" ", "-") for name in medians}
        add(
            [
                Measurement(keys[name], "steps a second", f"{rate:.0f}", command=command)
                for name, rate in medians.items()
            ]
        )
    print(f"{'steps per second':36}{'':>12}{'x pyspiel':>12}{'x no observation':>20}{'x PettingZoo':>14}")
    for name, rate in medians.items():
        others = [rate / medians[other] for other in (PYSPIEL, f"{PYSPIEL}, no observation", PETTINGZOO)]
        print(f"{name:36}{rate:12,.0f}{others[0]:12.1f}{others[1]:20.1f}{others[2]:14.0f}")


def batch_stepper(games: int) -> Callable[[], int]:
    """Return a function that makes some thousand steps."""
    batch, times = Batch(games, WILD16, seed=1), max(1, 5000 // games)

    def step() -> int:
        for _ in range(times):
            batch.step(batch.random_actions())
        return times * games

    return step


def pyspiel_stepper(observes: bool) -> Callable[[], int]:
    """Return a function that makes a thousand steps."""
    game, rng = pyspiel.load_game("kriegspiel"), random.Random(1)
    state = game.new_initial_state()

    def step() -> int:
        nonlocal state
        for _ in range(1000):
            if state.is_terminal():
                state = game.new_initial_state()
            if observes:
                state.observation_tensor(state.current_player())
            actions = state.legal_actions()
            state.apply_action(actions[int(rng.random() * len(actions))])
        return 1000

    return step


def pettingzoo_stepper() -> Callable[[], int]:
    """Return a function that makes fifty steps."""
    with warnings.catch_warnings():  # PettingZoo advises against its own way of making a game
        warnings.simplefilter("ignore", DeprecationWarning)
        from pettingzoo.classic import chess_v6

    game, rng = chess_v6.env(), random.Random(1)
    game.reset()

    def step() -> int:
        for _ in range(50):
            observation, _, terminated, truncated, _ = game.last()
            if terminated or truncated:
                game.reset()
                observation, *_ = game.last()
            actions = np.flatnonzero(observation["action_mask"])
            game.step(int(actions[int(rng.random() * len(actions))]))
        return 50

    return step


if __name__ == "__main__":
    main()
