"""Fits the opponent models `fitted` and `kinds` to the games of tournaments: maximum likelihood of the moves made.

    kriegbot tournament hs overconfident:samples=321 paranoid:samples=321 --games 20 --out pool.sqlite
    python benchmarks/fit_opponent.py pool.sqlite --out kriegbot/models/fitted.json
    python benchmarks/fit_opponent.py pool.sqlite --kinds 5 --out kriegbot/models/kinds.json

With several kinds, a player of a game is of one kind throughout, and which is not known: expectation maximisation
(Dempster, Laird and Rubin 1977) finds the kinds and how likely each is. It begins at random and takes ROUNDS.

A fifth of the games, drawn at random, is held out: the table compares the mean log-likelihood of its moves, in nats,
under the uniform model and under the fitted one, for each player, with a 95 % interval over games. Moves of `rand`
teach nothing and are left out, and so are those of players named by `--without`.
"""

import argparse
import json
import random
from collections import defaultdict
from pathlib import Path
from typing import TypeAlias

import chess
import numpy as np
import numpy.typing as npt
from rich.progress import track
from scipy.optimize import minimize

from kriegbot.kernels import encode_move, from_board, said
from kriegbot.models.features import FLOOR, NAMES, features_of
from referee import GameRecord
from tournaments.store import Store

ROUNDS, STEPS = 8, 40
"""Of expectation maximisation, and of the optimiser in each; with one kind, one round takes as long as it needs."""
RANDOM_SHARE = 0.1
"""Prior of kind 0, which moves at random and is not fitted."""
PENALTY = 2.0
"""Half of the inverse variance of the weights' prior, a normal distribution around 0."""
HELD_OUT = 0.2
FEWEST = 8
"""Moves of a side below which its game is left out."""


Reals: TypeAlias = npt.NDArray[np.float64]


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
    """Log-likelihood of the moves of some sides as a function of the weights of one kind."""

    def __init__(self, sides: list[Moves]) -> None:
        features = [one for side in sides for one in side.features]
        counts = np.array([len(one) for one in features])
        self.starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
        self.features = np.concatenate(features).astype(np.float32)
        self.made = self.starts + np.array([one for side in sides for one in side.made])
        self.of = np.repeat(np.arange(len(counts)), counts)
        self.side = np.repeat(np.arange(len(sides)), [len(side.made) for side in sides])
        self.uniform = -np.log(counts)

    def each(self, weights: Reals) -> Reals:
        """Log-likelihood of each move, with the uniform share."""
        likely: Reals = np.log((1 - FLOOR) * self._shares(weights)[self.made] + FLOOR * np.exp(self.uniform))
        return likely

    def of_sides(self, kinds: Reals) -> Reals:
        """Log-likelihood [sides, kinds] of all moves of each side, from weights [kinds, features]."""
        return np.stack([np.bincount(self.side, self.each(weights)) for weights in kinds], axis=1)

    def fitted(self, weights: Reals, chances: Reals, steps: int) -> Reals:
        """Weights that make the moves likelier, those of each side counted with its chance [sides]."""
        counted = chances[self.side]
        of_rows, made = counted[self.of], counted.astype(np.float32) @ self.features[self.made]

        def loss(weights: Reals) -> tuple[float, Reals]:
            """Penalised negative log-likelihood, without the uniform share, and its gradient."""
            shares = self._shares(weights)
            gradient = self.features.T @ (of_rows * shares).astype(np.float32) - made
            penalty = PENALTY * float(weights @ weights)
            value = penalty - float(counted @ np.log(shares[self.made]))
            return value, gradient.astype(np.float64) + 2 * PENALTY * weights

        found: Reals = minimize(loss, weights, jac=True, method="L-BFGS-B", options={"maxiter": steps}).x
        return found

    def _shares(self, weights: Reals) -> Reals:
        scores = (self.features @ weights.astype(np.float32)).astype(np.float64)
        likely = np.exp(scores - np.maximum.reduceat(scores, self.starts)[self.of])
        shares: Reals = likely / np.add.reduceat(likely, self.starts)[self.of]
        return shares


def fit(sides: list[Moves], count: int) -> tuple[Reals, Reals]:
    """The weights [count, features] of each kind and its share [count]; see the head of this file."""
    likelihood = Likelihood(sides)
    kinds, shares = np.zeros((count, len(NAMES))), np.full(count, 1 / count)
    chances = np.random.default_rng(0).dirichlet(np.full(count, 0.3), len(sides))
    for _ in track(range(ROUNDS if count > 1 else 1), description="fitting"):
        steps = STEPS if count > 1 else 300
        kinds = np.stack([likelihood.fitted(one, of, steps) for one, of in zip(kinds, chances.T, strict=True)])
        joint = likelihood.of_sides(kinds) + np.log(shares)
        chances = np.exp(joint - np.logaddexp.reduce(joint, axis=1, keepdims=True))
        shares = (chances.sum(axis=0) + 1) / (len(sides) + count)
    return kinds, shares


def interval(values: list[float]) -> str:
    """Mean of the games' means, with its 95 % interval."""
    return f"{np.mean(values):+.3f} +- {1.96 * np.std(values, ddof=1) / np.sqrt(len(values)):.3f}"


def main() -> None:
    """Read games, fit, compare, and write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("files", type=Path, nargs="+", help="stores of tournaments")
    parser.add_argument("--without", action="append", default=["rand"], help="a player to leave out")
    parser.add_argument("--kinds", type=int, default=1, help="of opponents")
    parser.add_argument("--games", type=int, help="of each store at most, drawn at random")
    parser.add_argument("--out", type=Path, help="where the weights go")
    options = parser.parse_args()
    train: list[Moves] = []
    held: dict[str, list[Moves]] = defaultdict(list)
    read, rng = 0, random.Random(0)
    for file in options.files:
        with Store.open(file) as store:
            games = list(store.game_rows())
            rng.shuffle(games)
            for game in track(games[: options.games], description=f"reading {file.name}"):
                read += 1
                is_held = rng.random() < HELD_OUT
                for color, moves in moves_of(store.record(game.id)).items():
                    player = game.white if color == chess.WHITE else game.black
                    if player in options.without or len(moves.made) < FEWEST:
                        continue
                    if is_held:
                        held[player].append(moves)
                    else:
                        train.append(moves)
    kinds, shares = fit(train, options.kinds)
    made = sum(len(side.made) for side in train)
    print(f"{made} moves of {len(train)} sides; held out, in nats a move, and how many sides are of each kind:")
    summary = {}
    for player, sides in sorted(held.items()):
        likelihood = Likelihood(sides)
        counts = np.bincount(likelihood.side)
        uniform = np.bincount(likelihood.side, likelihood.uniform) / counts
        joint = likelihood.of_sides(kinds) + np.log(shares)
        gained = list(np.logaddexp.reduce(joint, axis=1) / counts - uniform)
        of_kinds = np.bincount(joint.argmax(axis=1), minlength=options.kinds).tolist()
        summary[player] = {"games": len(sides), "uniform": round(float(uniform.mean()), 3), "gain": interval(gained)}
        print(f"  uniform {uniform.mean():.3f}, fitted {interval(gained)}, {of_kinds} of {len(sides)} games: {player}")
    if options.out is not None:
        named = [{name: round(float(w), 3) for name, w in zip(NAMES, one, strict=True)} for one in kinds]
        prior = [RANDOM_SHARE, *(round(float(share), 4) for share in (1 - RANDOM_SHARE) * shares)]
        files = " ".join(file.name for file in options.files)
        settings = f" --games {options.games}" * bool(options.games) + f" --kinds {options.kinds}" * (options.kinds > 1)
        content = {
            "made_by": f"python benchmarks/fit_opponent.py {files}{settings}",
            "games": read,
            "moves": made,
            "held_out": summary,
            **({"prior": prior, "kinds": named} if options.kinds > 1 else {"weights": named[0]}),
        }
        options.out.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
