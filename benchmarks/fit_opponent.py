"""Fit the opponent models `opponent_types` and `fitted` to games of tournaments, by maximum likelihood of the moves.

    kriegbot tournament hs overconfident:samples=321 paranoid:samples=321 --games 20 --out pool.sqlite
    python benchmarks/fit_opponent.py pool.sqlite --out kriegbot/models/opponent_types.npz
    python benchmarks/fit_opponent.py new.sqlite --start kriegbot/models/opponent_types.npz --out new.npz
    python benchmarks/fit_opponent.py pool.sqlite --plain --out kriegbot/models/fitted.json

Each player of the tournaments, whatever its settings, becomes an opponent type with its own weights of the features.
All types share the vectors of knowledge. With `--plain` all players are one type, without vectors. The optimiser is
AdamW (Loshchilov and Hutter 2019) on BATCH moves at a time, with dropout (Srivastava et al. 2014) of the hidden layer.

With `--start` the fit begins with a model of these players and perhaps others, changes more slowly, and decays towards
that model instead of 0. So it does not forget games that are no longer at hand. A player without new games gets the
mean of the others' weights for features that the model did not have.

A fifth of the games, chosen by a hash of their moves, is held out. The table compares the mean log-likelihood of a
side's moves, in nats, under the uniform and the fitted model, which does not know the player, with a 95% interval over
sides. A game in several files counts once. Games of `rand` and of players named by `--without` are left out.
"""

import argparse
import json
import zlib
from collections import defaultdict
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import chess
import numpy as np
import numpy.typing as npt
from rich.progress import track

from kriegbot import kernels as kb
from kriegbot.kernels import MAX_TYPES, encode_announcement, encode_move, from_board
from kriegbot.models.features import FLOOR, NAMES, scene_of, score
from kriegbot.models.knowledge import FACTS, MOST_FACTS, TYPES, VECTORS, WIDTH, facts_of, vectors_of
from kriegbot.models.protocol import Announced
from referee import GameRecord
from tournaments.store import Store

EPOCHS, RESTARTED_EPOCHS, BATCH = 20, 8, 256
"""Passes over all moves, from scratch and from a model, and moves per step."""
RATES = 0.01, 0.004
"""Peak learning rates of weights and vectors. They rise for a fifth of the time, then fall to 0."""
DECAYS = 0.01, 0.3
"""Weight decay of weights and vectors, relative to the rate."""
SLOWER = 0.5
"""Factor on the rates with a model to start from."""
DROPOUT = 0.3
START = 0.1
"""Standard deviation of the initial vectors."""
RANDOM_SHARE = 0.1
"""Prior of type 0, which moves at random and is not fitted; the others share the rest equally."""
HELD_OUT = 0.2
FEWEST = 8
"""Least number of moves of a side."""
NO_FACT = VECTORS
"""Index of a vector that stays 0."""

Reals: TypeAlias = npt.NDArray[np.float32]
Ints: TypeAlias = npt.NDArray[np.int64]


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


@kb.entry
def _list_knowledge(
    row: kb.WordArray, announced: Announced, moves: kb.MoveArray, facts: kb.MoveArray, pairs: kb.MoveArray
) -> int:
    position = kb.load(kb.pointer(row), 0)
    for i in range(len(moves)):
        pairs[2 * i], pairs[2 * i + 1] = vectors_of(position, moves[i])
    return facts_of(position, announced, kb.pointer(facts))


def knowledge_of(
    row: kb.WordArray, ours: int, theirs: int, moves: npt.NDArray[np.int32]
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Return the indices of the vectors of a position's facts and moves; arguments as for `features_of`.

    Returns:
      facts [at most MOST_FACTS], and origin and target of each move [M, 2].
    """
    facts, pairs = np.empty(MOST_FACTS, np.int32), np.empty(2 * len(moves), np.int32)
    count = _list_knowledge(row, Announced(ours, theirs), moves, facts, pairs)
    return facts[:count], pairs.reshape(-1, 2)


class Side(NamedTuple):
    """One player's moves in one game: features and vectors of all legal moves, facts, and the index of its move."""

    player: str
    features: list[npt.NDArray[np.int8]]
    vectors: list[npt.NDArray[np.int32]]
    facts: list[npt.NDArray[np.int32]]
    chosen: list[int]


def sides_of(record: GameRecord, players: tuple[str, str]) -> tuple[Side, Side]:
    """Return both sides' moves of a game; `players` are White and Black."""
    white, black = (Side(player, [], [], [], []) for player in players)
    codes = dict.fromkeys(chess.COLORS, 0)
    board = chess.Board(record.start)
    for ply, turn in enumerate(record.turns):
        side = white if board.turn == chess.WHITE else black
        position, ours, theirs = from_board(board, ply), codes[not board.turn], codes[board.turn]
        moves, features = features_of(position, ours, theirs)
        facts, vectors = knowledge_of(position, ours, theirs, moves)
        side.features.append(features)
        side.vectors.append(vectors)
        side.facts.append(np.pad(facts[:-1], (0, MOST_FACTS - len(facts)), constant_values=NO_FACT))  # without the type
        side.chosen.append(int(np.flatnonzero(moves == encode_move(turn.move))[0]))
        codes[board.turn] = encode_announcement(turn.announcement)
        board.push(turn.move)
    return white, black


class Examples:
    """The moves of some sides, one example each, with the rows of all legal moves one after the other."""

    def __init__(self, sides: list[Side]) -> None:
        self.features = np.concatenate([one for side in sides for one in side.features])
        self.vectors = np.concatenate([one for side in sides for one in side.vectors])
        self.facts = np.stack([one for side in sides for one in side.facts])
        self.counts = np.array([len(one) for side in sides for one in side.features])
        self.starts = np.cumsum(self.counts) - self.counts
        self.chosen = np.array([one for side in sides for one in side.chosen])
        self.side = np.repeat(np.arange(len(sides)), [len(side.chosen) for side in sides])


class Batch(NamedTuple):
    """Examples, and a model's output for them: hidden layer; features, vectors and probability of each row."""

    starts: Ints
    chosen: Ints
    of: Ints
    rows: Ints
    facts: Ints
    known: Reals
    features: Reals
    vectors: Reals
    shares: Reals


class Model:
    """Weights [types, features], and vectors [VECTORS + 1, width], the last of them 0."""

    def __init__(self, types: int, width: int, rng: np.random.Generator) -> None:
        self.weights = np.zeros((types, len(NAMES)), np.float32)
        self.vectors = (START * rng.standard_normal((VECTORS + 1, width))).astype(np.float32)
        self.vectors[TYPES:FACTS] = self.vectors[NO_FACT] = 0.0

    def evaluate(self, examples: Examples, which: Ints, types: Ints, kept: Reals | float = 1.0) -> Batch:
        """Evaluate the model on some examples of given types; `kept` multiplies the hidden layer (dropout)."""
        counts = examples.counts[which]
        starts = np.cumsum(counts) - counts
        of = np.repeat(np.arange(len(which)), counts)
        rows = np.arange(len(of)) + (examples.starts[which] - starts)[of]
        facts = np.column_stack([examples.facts[which], TYPES + 1 + types])
        known = np.maximum(self.vectors[facts].sum(axis=1), 0.0) * kept
        features = examples.features[rows].astype(np.float32)
        vectors = self.vectors[examples.vectors[rows]].sum(axis=1)
        scores = np.einsum("ij,ij->i", features, self.weights[types][of]) + np.einsum("ij,ij->i", vectors, known[of])
        likely = np.exp(scores - np.maximum.reduceat(scores, starts)[of])
        shares = likely / np.add.reduceat(likely, starts)[of]
        return Batch(starts, starts + examples.chosen[which], of, rows, facts, known, features, vectors, shares)

    def gradients(self, examples: Examples, which: Ints, types: Ints, kept: Reals) -> tuple[Reals, Reals]:
        """Return the gradients of the mean negative log-likelihood, without the uniform share."""
        batch = self.evaluate(examples, which, types, kept)
        of_scores = batch.shares.copy()
        of_scores[batch.chosen] -= 1.0
        of_scores /= len(which)
        of_weights = _summed(
            types, len(self.weights), np.add.reduceat(of_scores[:, None] * batch.features, batch.starts)
        )
        of_moves = of_scores[:, None] * batch.known[batch.of]
        of_known = np.add.reduceat(of_scores[:, None] * batch.vectors, batch.starts) * kept * (batch.known > 0.0)
        of_vectors = _summed(examples.vectors[batch.rows], len(self.vectors), of_moves)
        of_vectors += _summed(batch.facts, len(self.vectors), of_known)
        of_vectors[NO_FACT] = 0.0
        return of_weights, of_vectors

    def likelihood(self, examples: Examples, opponent_type: int) -> Reals:
        """Return the log-likelihood of each move, with the uniform share, if all players are of one type."""
        parts = []
        for which in np.array_split(np.arange(len(examples.chosen)), len(examples.chosen) // BATCH + 1):
            batch = self.evaluate(examples, which, np.full(len(which), opponent_type))
            parts.append(np.log((1 - FLOOR) * batch.shares[batch.chosen] + FLOOR / examples.counts[which]))
        likelihood: Reals = np.concatenate(parts)
        return likelihood


def _summed(places: Ints, count: int, values: Reals) -> Reals:
    """Sum values [N, width] at their places [N] or [N, P]; return [count, width]."""
    from scipy.sparse import csr_matrix  # here: tests of the features do without scipy

    each = places.reshape(len(values), -1)
    ends = np.arange(0, each.size + 1, each.shape[1])
    sums: Reals = csr_matrix((np.ones(each.size, np.float32), each.ravel(), ends), (len(values), count)).T @ values
    return sums


class Start(NamedTuple):
    """A fitted model to start from: weights [types, features], 0 for features that are new [features], and vectors."""

    players: list[str]
    weights: Reals
    vectors: Reals
    new: npt.NDArray[np.bool_]
    about: dict[str, Any]

    @classmethod
    def of(cls, file: Path) -> "Start":
        """Read a model that this script wrote."""
        with np.load(file) as arrays:
            features, players = arrays["features"].tolist(), arrays["players"].tolist()
            weights = np.zeros((len(players), len(NAMES)), np.float32)
            weights[:, [NAMES.index(name) for name in features]] = arrays["weights"]
            vectors, about = arrays["vectors"].astype(np.float32), json.loads(str(arrays["about"]))
        return cls(players, weights, vectors, np.isin(NAMES, features, invert=True), about)


def fit(examples: Examples, types: Ints, count: int, width: int, start: Start | None = None) -> Model:
    """Fit a model to examples of known types [N], of `count` types."""
    rng = np.random.default_rng(0)
    model = Model(count, width, rng)
    if start is not None:
        model.weights[:], model.vectors[:-1] = start.weights, start.vectors
    fitted = model.weights, model.vectors
    towards = [one.copy() if start is not None else np.zeros_like(one) for one in fitted]
    means, squares = ([np.zeros_like(one) for one in fitted] for _ in range(2))
    epochs, most = (EPOCHS, 1.0) if start is None else (RESTARTED_EPOCHS, SLOWER)
    steps = epochs * (len(types) // BATCH)
    for step in track(range(steps), description="fitting"):
        if step % (steps // epochs) == 0:
            order = rng.permutation(len(types))
        which = order[step % (steps // epochs) * BATCH :][:BATCH]
        kept = (rng.random((BATCH, width)) >= DROPOUT).astype(np.float32) / (1 - DROPOUT)
        part = (step + 1) / steps
        pace = most * min(part / 0.2, (1 - part) / 0.8)
        gradients = model.gradients(examples, which, types[which], kept)
        for one, gradient, mean, square, rate, decay, goal in zip(
            fitted, gradients, means, squares, RATES, DECAYS, towards, strict=True
        ):
            mean += 0.1 * (gradient - mean)
            square += 0.01 * (gradient**2 - square)
            unbiased = mean / (1 - 0.9 ** (step + 1)), square / (1 - 0.99 ** (step + 1))
            one -= rate * pace * (unbiased[0] / (np.sqrt(unbiased[1]) + 1e-8) + decay * (one - goal))
    if start is not None:
        met = np.isin(np.arange(count), types)
        model.weights[np.ix_(~met, start.new)] = model.weights[np.ix_(met, start.new)].mean(axis=0)
    return model


def interval(values: list[float]) -> str:
    """Return the mean of the sides' means, with its 95% interval."""
    return f"{np.mean(values):+.3f} +- {1.96 * np.std(values, ddof=1) / np.sqrt(len(values)):.3f}"


def main() -> None:
    """Read games, fit, compare, and write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("files", type=Path, nargs="+", help="stores of tournaments")
    parser.add_argument("--without", action="append", default=["rand"], help="a player to leave out, by its bare name")
    parser.add_argument("--start", type=Path, help="a model of types to start from")
    parser.add_argument("--plain", action="store_true", help="one softmax of features, for `fitted`")
    parser.add_argument("--out", type=Path, help="file for the model")
    options = parser.parse_args()
    train: list[Side] = []
    held_out: dict[str, list[Side]] = defaultdict(list)
    read = set[str]()
    for file in options.files:
        with Store.open(file) as store:
            for game in track(list(store.game_rows()), description=f"reading {file.name}"):
                record = store.record(game.id)
                if (moves := " ".join(turn.move.uci() for turn in record.turns)) in read:
                    continue
                read.add(moves)
                is_held = zlib.crc32(moves.encode()) < HELD_OUT * 2**32
                for side in sides_of(record, (game.white.split(":")[0], game.black.split(":")[0])):
                    if side.player not in options.without and len(side.chosen) >= FEWEST:
                        (held_out[side.player] if is_held else train).append(side)
    players = ["anyone"] if options.plain else sorted({side.player for side in train})
    start = Start.of(options.start) if options.start is not None else None
    if start is not None:
        if not set(players) <= set(start.players):
            parser.error(f"players {', '.join(players)}: {options.start} is of {', '.join(start.players)}")
        players = start.players
    if len(players) >= MAX_TYPES or sum(len(side.chosen) for side in train) < BATCH:
        parser.error(
            f"{len(players)} players, {len(train)} sides: give at least {BATCH} moves of 1 to {MAX_TYPES - 1} players"
        )
    examples = Examples(train)
    of_sides = np.array([0 if options.plain else players.index(side.player) for side in train])
    model = fit(examples, of_sides[examples.side], len(players), 0 if options.plain else WIDTH, start)
    print(f"{len(examples.chosen)} moves of {len(train)} sides; held out, in nats per move:")
    prior = np.array([RANDOM_SHARE, *((1 - RANDOM_SHARE) / len(players) for _ in players)])
    summary = {}
    for player, sides in sorted(held_out.items()):
        examples = Examples(sides)
        uniform = -np.log(examples.counts)
        each = [uniform, *(model.likelihood(examples, one) for one in range(len(players)))]
        counts = np.bincount(examples.side)
        joint = np.stack([np.bincount(examples.side, one) for one in each], axis=1) + np.log(prior)
        gained = list((np.logaddexp.reduce(joint, axis=1) - np.bincount(examples.side, uniform)) / counts)
        base = float((np.bincount(examples.side, uniform) / counts).mean())
        likeliest = [("random", *players)[one] for one in joint.argmax(axis=1)]
        taken_for = {name: likeliest.count(name) for name in sorted(set(likeliest))}
        summary[player] = {"sides": len(sides), "uniform": round(base, 3), "gain": interval(gained)}
        print(f"  uniform {base:.3f}, fitted {interval(gained)}: {player}, taken for {taken_for}")
    if options.out is not None:
        about = {
            "made_by": f"python benchmarks/fit_opponent.py {' '.join(file.name for file in options.files)}"
            + "".join(f" --without {player}" for player in options.without[1:])
            + f" --start {options.start}" * (start is not None)
            + " --plain" * options.plain,
            "games": len(read),
            "moves": sum(len(side.chosen) for side in train),
            "held_out": summary,
            **({"start": start.about} if start is not None else {}),
        }
        weights, vectors = model.weights.astype(np.float16), model.vectors[:-1].astype(np.float16)
        if options.plain:
            named = {name: round(float(one), 3) for name, one in zip(NAMES, model.weights[0], strict=True)}
            options.out.write_text(json.dumps(about | {"weights": named}, indent=1) + "\n", encoding="utf-8")
        else:
            np.savez_compressed(
                options.out,
                about=json.dumps(about),
                players=players,
                features=NAMES,
                prior=prior,
                weights=weights,
                vectors=vectors,
            )


if __name__ == "__main__":
    main()
