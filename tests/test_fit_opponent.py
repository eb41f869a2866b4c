"""`benchmarks/fit_opponent.py`: its gradient is that of the likelihood, it tells players apart, and leaves one out."""

import json
import random
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import chess
import numpy as np
import pytest

from kriegbot.models.features import NAMES
from referee import WILD16, GameRecord, Referee

pytest.importorskip("scipy", reason="models are fitted with scipy")
FIT: Any = import_module("benchmarks.fit_opponent")  # by name: mypy reads scripts as modules of their own
Chooser = Callable[[list[chess.Move]], chess.Move]
ZERO = np.zeros((3, len(NAMES)))


def forward(moves: list[chess.Move]) -> chess.Move:
    """Return the move that goes farthest up the board, as White."""
    return max(moves, key=lambda move: (move.to_square, move.from_square))


def backward(moves: list[chess.Move]) -> chess.Move:
    """Return the move that goes farthest down the board, as White."""
    return min(moves, key=lambda move: (move.to_square, move.from_square))


def sides(choose: Chooser, name: str, games: int, seed: int) -> list[Any]:
    """Return White's sides of games against a player that moves at random."""
    found, rng = [], random.Random(seed)
    for _ in range(games):
        referee = Referee(WILD16)
        while referee.end is None and referee.ply < 40:
            legal = list(referee.board().legal_moves)
            referee.try_move(choose(legal) if referee.turn == chess.WHITE else rng.choice(legal))
        found.append(FIT.sides_of(GameRecord.of(referee), (name, "other"))[0])
    return found


@pytest.mark.slow
def test_the_gradient_is_that_of_the_likelihood() -> None:
    examples = FIT.Examples(sides(forward, "forward", 1, 1))
    weights, start = np.random.default_rng(2).standard_normal((2, len(NAMES))) / 9
    _, gradient = examples.loss(weights, start)
    assert np.abs(gradient).max() > 0.01
    for place in np.argsort(-np.abs(gradient))[:20]:
        step = np.where(np.arange(len(NAMES)) == place, 1e-5, 0.0)
        slope = (examples.loss(weights + step, start)[0] - examples.loss(weights - step, start)[0]) / 2e-5
        assert slope == pytest.approx(gradient[place], rel=1e-3, abs=1e-6)


@pytest.mark.slow
def test_the_fit_distinguishes_players_and_predicts_their_moves() -> None:
    _, *own = FIT.fit_types([*sides(forward, "engine", 8, 1), *sides(backward, "kriegbot", 8, 2)], ZERO)
    for of_type, choose in enumerate((forward, backward)):
        held = FIT.Examples(sides(choose, "held out", 3, 3))
        likely, other = held.likelihood(own[of_type]).mean(), held.likelihood(own[1 - of_type]).mean()
        assert likely > -1.0
        assert likely > other + 1.0


def test_a_type_without_new_games_stays_as_it_was() -> None:
    start = np.random.default_rng(3).standard_normal(ZERO.shape)
    again = FIT.fit_types(sides(forward, "engine", 2, 1), start)
    assert np.array_equal(again[2], start[2])
    assert not np.array_equal(again[1], start[1])


@pytest.mark.slow
def test_one_command_makes_a_fit_without_each_player(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    train = [*sides(forward, "engine", 4, 1), *sides(backward, "hs", 4, 2)]
    held_out = [*sides(forward, "engine", 2, 3), *sides(backward, "hs", 2, 4)]
    monkeypatch.setattr(FIT, "read", lambda *_: (train, held_out, 12))
    monkeypatch.setattr(sys, "argv", ["fit", "games.sqlite", "--leave-one-out", "--out", str(tmp_path / "pool.json")])
    FIT.main()
    models = {file.stem: json.loads(file.read_text(encoding="utf-8")) for file in tmp_path.iterdir()}
    assert set(models) == {"pool", "pool-without-engine", "pool-without-hs"}
    assert {name: set(one["gain"]) for name, one in models.items()} == {
        "pool": {"engine", "hs"},
        "pool-without-engine": {"engine"},
        "pool-without-hs": {"hs"},
    }
    known, strange = (models[name]["gain"]["hs"]["gain"].split()[0] for name in ("pool", "pool-without-hs"))
    assert float(known) > float(strange) + 0.5
    assert set(models["pool"]["weights"]) == set(NAMES)
