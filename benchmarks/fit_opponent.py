"""Fits the opponent model `fitted` to the games of tournaments: maximum likelihood of each move among the legal ones.

    kriegbot tournament hs overconfident:samples=321 paranoid:samples=321 --games 20 --out pool.sqlite
    python benchmarks/fit_opponent.py pool.sqlite --out kriegbot/opponents/fitted.json

A fifth of the games, drawn at random, is held out: the table compares the mean log-likelihood of its moves, in nats,
under the uniform model and under the fitted one, for each player, with a 95 % interval over games. Moves of `rand`
teach nothing and are left out, and so are those of players named by `--without`.
"""

import argparse
import json
import random
from collections import defaultdict
from pathlib import Path

import chess
import numpy as np
import numpy.typing as npt
from rich.progress import track
from scipy.optimize import minimize

from kriegbot.belief.heard import said
from kriegbot.kernels.position import encode_move, from_board
from kriegbot.opponents.features import NAMES, features_of
from kriegbot.opponents.fitted import FLOOR
from referee import GameRecord
from tournaments.store import Store

PENALTY = 2.0
"""Half of the inverse variance of the weights' prior, a normal distribution around 0."""
HELD_OUT = 0.2


class Moves:
    """The moves of one player of one game: features of all legal moves, and which was made."""

    def __init__(self) -> None:
        self.features: list[npt.NDArray[np.int8]] = []
        self.made: list[int] = []


def moves_of(record: GameRecord) -> dict[chess.Color, Moves]:
    """Both sides' moves of a game."""
    sides, heard = {color: Moves() for color in chess.COLORS}, dict.fromkeys(chess.COLORS, 0)
    board = chess.Board(record.start)
    for ply, turn in enumerate(record.turns):
        moves, features = features_of(from_board(board, ply), heard[not board.turn], heard[board.turn])
        side = sides[board.turn]
        side.features.append(features)
        side.made.append(int(np.flatnonzero(moves == encode_move(turn.move))[0]))
        heard[board.turn] = said(turn.announcement)
        board.push(turn.move)
    return sides


class Likelihood:
    """Log-likelihood of moves as a function of the weights, and its gradient."""

    def __init__(self, games: list[Moves]) -> None:
        features = [one for game in games for one in game.features]
        counts = np.array([len(one) for one in features])
        self.starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
        self.features = np.concatenate(features).astype(np.float32)
        self.made = self.starts + np.array([one for game in games for one in game.made])
        self.of = np.repeat(np.arange(len(counts)), counts)
        self.uniform = -np.log(counts)

    def each(self, weights: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Log-likelihood of each move, without the uniform share."""
        likely: npt.NDArray[np.float64] = np.log(self._shares(weights)[self.made])
        return likely

    def loss(self, weights: npt.NDArray[np.float64]) -> tuple[float, npt.NDArray[np.float64]]:
        """Penalised negative log-likelihood, and its gradient."""
        shares = self._shares(weights)
        gradient = self.features.T @ shares.astype(np.float32) - self.features[self.made].sum(axis=0)
        penalty = PENALTY * float(weights @ weights)
        return penalty - float(np.log(shares[self.made]).sum()), gradient.astype(np.float64) + 2 * PENALTY * weights

    def _shares(self, weights: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        scores = (self.features @ weights.astype(np.float32)).astype(np.float64)
        likely = np.exp(scores - np.maximum.reduceat(scores, self.starts)[self.of])
        shares: npt.NDArray[np.float64] = likely / np.add.reduceat(likely, self.starts)[self.of]
        return shares


def interval(values: list[float]) -> str:
    """Mean of the games' means, with its 95 % interval."""
    return f"{np.mean(values):+.3f} +- {1.96 * np.std(values, ddof=1) / np.sqrt(len(values)):.3f}"


def main() -> None:
    """Read games, fit, compare, and write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("files", type=Path, nargs="+", help="stores of tournaments")
    parser.add_argument("--without", action="append", default=["rand"], help="a player to leave out")
    parser.add_argument("--out", type=Path, help="where the weights go")
    options = parser.parse_args()
    train: list[Moves] = []
    held: dict[str, list[Moves]] = defaultdict(list)
    read, rng = 0, random.Random(0)
    for file in options.files:
        with Store.open(file) as store:
            for game in track(store.game_rows(), description=f"reading {file.name}"):
                read += 1
                is_held = rng.random() < HELD_OUT
                for color, moves in moves_of(store.record(game.id)).items():
                    player = game.white if color == chess.WHITE else game.black
                    if player in options.without or not moves.made:
                        continue
                    if is_held:
                        held[player].append(moves)
                    else:
                        train.append(moves)
    likelihood = Likelihood(train)
    found = minimize(likelihood.loss, np.zeros(len(NAMES)), jac=True, method="L-BFGS-B", options={"maxiter": 300})
    print(f"{len(likelihood.made)} moves of {len(train)} sides; held out, in nats a move:")
    summary = {}
    for player, games in sorted(held.items()):
        uniform, gained = [], []
        for side in games:
            one = Likelihood([side])
            mixed = np.log((1 - FLOOR) * np.exp(one.each(found.x)) + FLOOR * np.exp(one.uniform))
            uniform.append(float(one.uniform.mean()))
            gained.append(float((mixed - one.uniform).mean()))
        summary[player] = {"games": len(games), "uniform": round(float(np.mean(uniform)), 3), "gain": interval(gained)}
        print(f"  uniform {np.mean(uniform):.3f}, fitted {interval(gained)}  of {len(games)} games: {player}")
    if options.out is not None:
        content = {
            "made_by": f"python benchmarks/fit_opponent.py {' '.join(file.name for file in options.files)}",
            "games": read,
            "moves": len(likelihood.made),
            "held_out": summary,
            "weights": {name: round(float(weight), 3) for name, weight in zip(NAMES, found.x, strict=True)},
        }
        options.out.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
