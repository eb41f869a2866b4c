"""Fit the opponent types of `kriegbot.models` to games of tournaments, by maximum likelihood of the moves.

    kriegbot tournament kriegbot:samples=60 engine:nodes=1000 hs paranoid:samples=321 --games 20 --out pool.sqlite
    python benchmarks/fit_opponent.py pool.sqlite --out kriegbot/models/opponent_types.json
    python benchmarks/fit_opponent.py new.sqlite --start kriegbot/models/opponent_types.json --out new.json
    python benchmarks/fit_opponent.py pool.sqlite --leave-one-out --out pool.json

The type `fitted` is all players together; those of OWN have a type of their own. With `--start` the weights decay
towards those of a model instead of 0, so the fit keeps what it learnt from games that are no longer at hand; a type
without new games stays as it was. With `--leave-one-out` there is one more fit for each player, without its games, in
a file of its name beside `--out`: it shows how well the model predicts a stranger.

A fifth of the games, chosen by a hash of their moves, is held out. The table compares the mean log-likelihood of a
side's moves, in nats, under the uniform and the fitted model, which does not know the player, with a 95% interval over
sides. A game in several files counts once. Moves of `rand` and of players named by `--without` are left out, and sides
of fewer than FEWEST moves.
"""

import argparse
import json
import zlib
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import chess
import numpy as np
import numpy.typing as npt
from rich.progress import track

from kriegbot import kernels as kb
from kriegbot.kernels import encode_announcement, encode_move, from_board
from kriegbot.models.features import FLOOR, NAMES, scene_of, score
from kriegbot.models.protocol import Announced
from referee import GameRecord
from tournaments.store import Store

POOLED, OWN = "fitted", ("engine", "kriegbot")
TYPES = (POOLED, *OWN)
PRIOR = (0.1, 0.5, 0.25, 0.15)
"""Prior of random moves, and of the types (trial 94)."""
DECAY, PASSES = 1e-4, 200
"""Price of a squared weight, in nats a move, and most steps of the optimiser."""
HELD_OUT = 0.2
FEWEST = 8
"""Least number of moves of a side."""

Reals: TypeAlias = npt.NDArray[np.float64]


@kb.entry
def _list_features(
    tables: kb.WordArray,
    row: kb.WordArray,
    announced: Announced,
    moves: kb.MoveArray,
    units: kb.RealArray,
    values: kb.RealArray,
) -> int:
    position, features = kb.load(kb.pointer(row), 0), len(units)
    listed, unit = kb.pointer(moves), kb.pointer(units)
    count = kb.legal_moves(kb.pointer(tables), position, listed)
    scene, scratch = scene_of(kb.pointer(tables), position, announced), kb.advance(listed, kb.MAX_MOVES // 2)
    for feature in range(features):
        unit[feature] = 1.0
        for i in range(count):
            values[i * features + feature] = score(kb.pointer(tables), position, scene, listed[i], unit, scratch)
        unit[feature] = 0.0
    return count


def features_of(row: kb.WordArray, ours: int, theirs: int) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int8]]:
    """Return the features of all legal moves of a position, each computed with a weight of 1 for it alone.

    Args:
      row: uint64[8], the opponent to move.
      ours: announcement of our last move, encoded.
      theirs: announcement of the opponent's move before that.

    Returns:
      moves [M] as kernels encode them, and features [M, len(NAMES)].
    """
    moves, values = np.empty(kb.MAX_MOVES, np.int32), np.empty(kb.MAX_MOVES * len(NAMES))
    count = _list_features(kb.TABLES, row, Announced(ours, theirs), moves, np.zeros(len(NAMES)), values)
    return moves[:count].copy(), values[: count * len(NAMES)].reshape(count, -1).astype(np.int8)


class Side(NamedTuple):
    """One player's moves in one game: features of all legal moves, and the index of its move."""

    player: str
    opponent: str
    features: list[npt.NDArray[np.int8]]
    chosen: list[int]


def sides_of(record: GameRecord, players: tuple[str, str]) -> tuple[Side, Side]:
    """Return both sides' moves of a game; `players` are White and Black."""
    white, black = (Side(*pair, [], []) for pair in (players, players[::-1]))
    codes = dict.fromkeys(chess.COLORS, 0)
    board = chess.Board(record.start)
    for ply, turn in enumerate(record.turns):
        side = white if board.turn == chess.WHITE else black
        moves, features = features_of(from_board(board, ply), codes[not board.turn], codes[board.turn])
        side.features.append(features)
        side.chosen.append(int(np.flatnonzero(moves == encode_move(turn.move))[0]))
        codes[board.turn] = encode_announcement(turn.announcement)
        board.push(turn.move)
    return white, black


class Examples:
    """The moves of some sides, one example each, with the rows of all legal moves one after the other."""

    def __init__(self, sides: list[Side]) -> None:
        from scipy.sparse import csr_matrix  # here: tests of the features do without scipy

        every = [one for side in sides for one in side.features]
        self.features = csr_matrix(np.concatenate(every), dtype=np.float64)
        self.counts = np.array([len(one) for one in every])
        self.starts = np.cumsum(self.counts) - self.counts
        self.chosen = self.starts + [one for side in sides for one in side.chosen]
        self.side = np.repeat(np.arange(len(sides)), [len(side.chosen) for side in sides])

    def shares(self, weights: Reals) -> Reals:
        """Return the softmax of every row, without the uniform share."""
        scores = self.features @ weights
        likely = np.exp(scores - np.repeat(np.maximum.reduceat(scores, self.starts), self.counts))
        shares: Reals = likely / np.repeat(np.add.reduceat(likely, self.starts), self.counts)
        return shares

    def loss(self, weights: Reals, start: Reals) -> tuple[float, Reals]:
        """Return the mean negative log-likelihood with the price of distance to `start`, and its gradient."""
        shares, away = self.shares(weights), weights - start
        value = -np.log(shares[self.chosen]).mean() + DECAY * (away @ away)
        shares[self.chosen] -= 1.0
        return float(value), self.features.T @ shares / len(self.chosen) + 2 * DECAY * away

    def likelihood(self, weights: Reals) -> Reals:
        """Return the log-likelihood of each move, with the uniform share."""
        likelihood: Reals = np.log((1 - FLOOR) * self.shares(weights)[self.chosen] + FLOOR / self.counts)
        return likelihood


def fit(sides: list[Side], start: Reals) -> Reals:
    """Return the weights [features] of one type; `start` without sides."""
    from scipy.optimize import minimize

    if not sides:
        return start
    examples = Examples(sides)
    weights: Reals = minimize(
        examples.loss, start, (start,), jac=True, method="L-BFGS-B", options={"maxiter": PASSES}
    ).x
    return weights


def fit_types(sides: list[Side], start: Reals) -> Reals:
    """Return the weights [TYPES, features] of all types."""
    of_types = [sides, *([side for side in sides if side.player == own] for own in OWN)]
    return np.stack([fit(some, of_start) for some, of_start in zip(of_types, start, strict=True)])


def interval(values: list[float]) -> str:
    """Return the mean of the sides' means, with its 95% interval."""
    return f"{np.mean(values):+.3f} +- {1.96 * np.std(values, ddof=1) / np.sqrt(len(values)):.3f}"


def gain(sides: list[Side], weights: Reals) -> dict[str, Any]:
    """Return the number of sides, their log-likelihood if all moves are alike, and the gain with types told apart."""
    examples = Examples(sides)
    uniform = -np.log(examples.counts)
    each = [uniform, *(examples.likelihood(one) for one in weights)]
    counts = np.bincount(examples.side)
    joint = np.stack([np.bincount(examples.side, one) for one in each], axis=1) + np.log(PRIOR)
    gained = list((np.logaddexp.reduce(joint, axis=1) - np.bincount(examples.side, uniform)) / counts)
    base = float((np.bincount(examples.side, uniform) / counts).mean())
    return {"sides": len(sides), "uniform": round(base, 3), "gain": interval(gained)}


def read(files: list[Path], without: list[str]) -> tuple[list[Side], list[Side], int]:
    """Return the sides to fit to, those held out, and the number of games."""
    parts: tuple[list[Side], list[Side]] = [], []
    found = set[str]()
    for file in files:
        with Store.open(file) as store:
            for game in track(list(store.game_rows()), description=f"reading {file.name}"):
                record = store.record(game.id)
                if (moves := " ".join(turn.move.uci() for turn in record.turns)) in found:
                    continue
                found.add(moves)
                is_held = zlib.crc32(moves.encode()) < HELD_OUT * 2**32
                for side in sides_of(record, (game.white.split(":")[0], game.black.split(":")[0])):
                    if side.player not in without and len(side.chosen) >= FEWEST:
                        parts[is_held].append(side)
    return *parts, len(found)


def write(file: Path, about: dict[str, Any], weights: Reals) -> None:
    """Write a model as `kriegbot.models.built_in` reads it, one feature a line."""
    head = json.dumps({**about, "types": TYPES, "prior": PRIOR}, indent=1).removesuffix("\n}")
    lines = (f"  {json.dumps(name)}: {one.round(3).tolist()}" for name, one in zip(NAMES, weights.T, strict=True))
    file.write_text(f'{head},\n "weights": {{\n' + ",\n".join(lines) + "\n }\n}\n", encoding="utf-8")


def main() -> None:
    """Read games, fit, compare, and write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("files", type=Path, nargs="+", help="stores of tournaments")
    parser.add_argument("--without", action="append", default=["rand"], help="a player to leave out, by its bare name")
    parser.add_argument("--start", type=Path, help="a model to start from")
    parser.add_argument("--leave-one-out", action="store_true", help="one more fit for each player, without its games")
    parser.add_argument("--out", type=Path, required=True, help="file for the model")
    options = parser.parse_args()
    train, held_out, games = read(options.files, options.without)
    if not train:
        parser.error(f"no side of these games has {FEWEST} moves or more")
    start = np.zeros((len(TYPES), len(NAMES)))
    if options.start is not None:
        before = json.loads(options.start.read_text(encoding="utf-8"))["weights"]
        start = np.array([before.get(name, [0.0] * len(TYPES)) for name in NAMES]).T
    about = {"made_by": f"python benchmarks/fit_opponent.py {' '.join(file.name for file in options.files)}"}
    about["made_by"] += f" --start {options.start}" * (options.start is not None)
    about["made_by"] += "".join(f" --without {player}" for player in options.without[1:])
    players = sorted({side.player for side in [*train, *held_out]})
    for left_out in ["", *players] if options.leave_one_out else [""]:
        kept = [side for side in train if left_out not in (side.player, side.opponent)]
        strange = [side for side in [*train, *held_out] if side.player == left_out]
        weights = fit_types(kept, start)
        tested = (
            {left_out: strange}
            if left_out
            else {player: [side for side in held_out if side.player == player] for player in players}
        )
        summary = {player: gain(sides, weights) for player, sides in tested.items() if len(sides) > 1}
        for player, one in summary.items():
            print(f"  {'without' if left_out else 'with'} {player}: uniform {one['uniform']:.3f}, {one['gain']}")
        moves = sum(len(side.chosen) for side in kept)
        file = options.out.with_stem(f"{options.out.stem}-without-{Path(left_out).stem}") if left_out else options.out
        write(file, {**about, "games": games, "moves": moves, "gain": summary}, weights)


if __name__ == "__main__":
    main()
