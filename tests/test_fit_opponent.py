"""`benchmarks/fit_opponent.py`: its gradients are those of the likelihood, and it tells players apart."""

import random
from collections.abc import Callable
from importlib import import_module
from typing import Any

import chess
import numpy as np
import pytest

from kriegbot.models.features import NAMES
from referee import WILD16, GameRecord, Referee

pytest.importorskip("scipy", reason="models are fitted with scipy")
FIT: Any = import_module("benchmarks.fit_opponent")  # by name: mypy reads scripts as modules of their own
Chooser = Callable[[list[chess.Move]], chess.Move]


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


def test_the_gradients_are_those_of_the_likelihood() -> None:
    examples = FIT.Examples(sides(forward, "forward", 1, 1))
    rng = np.random.default_rng(2)
    model, which = FIT.Model(2, 5, rng), np.arange(12)
    model.weights, model.vectors = rng.standard_normal(model.weights.shape) / 9, model.vectors.astype(np.float64)
    kinds, kept = which % 2, (rng.random((12, 5)) < 0.7) / 0.7

    def loss() -> float:
        batch = model.evaluate(examples, which, kinds, kept)
        return float(-np.log(batch.shares[batch.chosen]).mean())

    for fitted, gradient in zip(
        (model.weights, model.vectors), model.gradients(examples, which, kinds, kept), strict=True
    ):
        steepest = np.argsort(-np.abs(gradient), axis=None)[:20]
        assert np.abs(gradient).max() > 0.01
        for place in (np.unravel_index(one, gradient.shape) for one in steepest):
            value = fitted[place]
            fitted[place] = value + 1e-5
            above = loss()
            fitted[place] = value - 1e-5
            assert (above - loss()) / 2e-5 == pytest.approx(gradient[place], rel=1e-3, abs=1e-6)
            fitted[place] = value


@pytest.mark.slow
def test_the_fit_distinguishes_players_and_predicts_their_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FIT, "EPOCHS", 30)
    train = [*sides(forward, "forward", 20, 1), *sides(backward, "backward", 20, 2)]
    examples = FIT.Examples(train)
    model = FIT.fit(examples, np.repeat([0, 1], [20, 20])[examples.side], 2, 16)
    for kind, choose in enumerate((forward, backward)):
        held = FIT.Examples(sides(choose, "held out", 3, 3))
        own, other = model.likelihood(held, kind), model.likelihood(held, 1 - kind)
        assert own.mean() > -1.0
        assert own.sum() > other.sum() + 1.0


@pytest.mark.slow
def test_going_on_from_a_model_learns_new_games_and_forgets_no_player(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FIT, "EPOCHS", 30)
    monkeypatch.setattr(FIT, "RESTARTED_EPOCHS", 30)
    train = [*sides(forward, "forward", 20, 1), *sides(backward, "backward", 20, 2)]
    examples = FIT.Examples(train)
    model = FIT.fit(examples, np.repeat([0, 1], [20, 20])[examples.side], 2, 16)
    new = FIT.Examples(sides(lambda moves: min(moves, key=lambda move: move.to_square % 8), "leftward", 20, 4))
    is_new = np.arange(len(NAMES)) == 0
    start = FIT.Start(["forward", "backward"], model.weights, model.vectors[:-1], is_new, {})
    again = FIT.fit(new, np.ones(len(new.chosen), np.int64), 2, 16, start)
    assert again.likelihood(new, 1).mean() > model.likelihood(new, 1).mean() + 0.3
    assert np.array_equal(again.weights[0], np.where(is_new, again.weights[1], model.weights[0]))
    held = FIT.Examples(sides(forward, "held out", 3, 3))
    assert again.likelihood(held, 0).mean() > model.likelihood(held, 0).mean() - 0.2
