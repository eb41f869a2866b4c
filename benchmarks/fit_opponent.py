"""Fits the opponent models `kinds` and `fitted` to the games of tournaments: maximum likelihood of the moves made.

    kriegbot tournament hs overconfident:samples=321 paranoid:samples=321 --games 20 --out pool.sqlite
    python benchmarks/fit_opponent.py pool.sqlite --out kriegbot/models/opponent_types.npz
    python benchmarks/fit_opponent.py new.sqlite --start kriegbot/models/opponent_types.npz --out new.npz
    python benchmarks/fit_opponent.py pool.sqlite --plain --out kriegbot/models/fitted.json

Each player of the tournaments, whatever its settings, becomes a kind, with weights of its own for the features; all
share the vectors of knowledge. With `--plain` all players are one, and there are no vectors. Both are found by AdamW
(Loshchilov and Hutter 2019) on BATCH moves at a time, with dropout (Srivastava et al. 2014) of the hidden layer. With
`--start` they begin with a fitted model of these players and perhaps others, change more slowly, and decay towards it
instead of 0: so what it had from games that are no longer at hand is not forgotten. A player whose moves are not among
the new ones takes the weights of features that the model did not have from the others' mean.

A fifth of the games, chosen by their moves and so always the same, is held out. The table compares the mean
log-likelihood of a side's moves, in nats, under the uniform model and under the fitted one, which is not told who
plays: for each player, with a 95 % interval over sides. A game in several stores counts once. Moves of `rand` teach
nothing and are left out, and so are those of players named by `--without`.
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
from scipy.sparse import csr_matrix

from kriegbot.kernels import MAX_TYPES, encode_announcement, encode_move, from_board
from kriegbot.models.features import FLOOR, NAMES, features_of
from kriegbot.models.knowledge import FACTS, MOST_FACTS, TYPES, VECTORS, WIDTH, knowledge_of
from referee import GameRecord
from tournaments.store import Store

EPOCHS, AGAIN, BATCH = 20, 8, 256
"""Times that all moves are gone through, from nothing and from a model; moves at a time."""
RATES = 0.01, 0.004
"""Of learning, at the most: of the weights and of the vectors. They rise for a fifth of the time, then fall to 0."""
DECAYS = 0.01, 0.3
"""How much of the weights and of the vectors a step takes off, times the rate."""
SLOWER = 0.5
"""What the rates are multiplied by with a model to start from."""
DROPOUT = 0.3
START = 0.1
"""Standard deviation of what the vectors begin with."""
RANDOM_SHARE = 0.1
"""Prior of kind 0, which moves at random and is not fitted; the others share the rest alike."""
HELD_OUT = 0.2
FEWEST = 8
"""Moves of a side below which its game is left out."""
NO_FACT = VECTORS
"""A vector that stays 0."""

Reals: TypeAlias = npt.NDArray[np.float32]
Ints: TypeAlias = npt.NDArray[np.int64]


class Side(NamedTuple):
    """The moves of one player of one game: features and vectors of all legal moves, facts, and which was made."""

    player: str
    features: list[npt.NDArray[np.int8]]
    vectors: list[npt.NDArray[np.int32]]
    facts: list[npt.NDArray[np.int32]]
    made: list[int]


def sides_of(record: GameRecord, players: tuple[str, str]) -> tuple[Side, Side]:
    """Both sides' moves of a game; `players` are White and Black."""
    white, black = (Side(player, [], [], [], []) for player in players)
    heard = dict.fromkeys(chess.COLORS, 0)
    board = chess.Board(record.start)
    for ply, turn in enumerate(record.turns):
        side = white if board.turn == chess.WHITE else black
        position, ours, theirs = from_board(board, ply), heard[not board.turn], heard[board.turn]
        moves, features = features_of(position, ours, theirs)
        facts, vectors = knowledge_of(position, ours, theirs, moves)
        side.features.append(features)
        side.vectors.append(vectors)
        side.facts.append(np.pad(facts[:-1], (0, MOST_FACTS - len(facts)), constant_values=NO_FACT))  # less the kind
        side.made.append(int(np.flatnonzero(moves == encode_move(turn.move))[0]))
        heard[board.turn] = encode_announcement(turn.announcement)
        board.push(turn.move)
    return white, black


class Examples:
    """The moves of some sides, one example each; the rows of its legal moves follow one another."""

    def __init__(self, sides: list[Side]) -> None:
        self.features = np.concatenate([one for side in sides for one in side.features])
        self.vectors = np.concatenate([one for side in sides for one in side.vectors])
        self.facts = np.stack([one for side in sides for one in side.facts])
        self.counts = np.array([len(one) for side in sides for one in side.features])
        self.starts = np.cumsum(self.counts) - self.counts
        self.made = np.array([one for side in sides for one in side.made])
        self.side = np.repeat(np.arange(len(sides)), [len(side.made) for side in sides])


class Batch(NamedTuple):
    """Examples, and what a model finds for each: the hidden layer; for each row features, vectors and probability."""

    starts: Ints
    made: Ints
    of: Ints
    rows: Ints
    facts: Ints
    known: Reals
    features: Reals
    vectors: Reals
    shares: Reals


class Model:
    """Weights [kinds, features], and vectors [VECTORS + 1, width], of which the last is 0."""

    def __init__(self, kinds: int, width: int, rng: np.random.Generator) -> None:
        self.weights = np.zeros((kinds, len(NAMES)), np.float32)
        self.vectors = (START * rng.standard_normal((VECTORS + 1, width))).astype(np.float32)
        self.vectors[TYPES:FACTS] = self.vectors[NO_FACT] = 0.0

    def found(self, examples: Examples, which: Ints, kinds: Ints, kept: Reals | float = 1.0) -> Batch:
        """What this model finds for some examples, each of a kind; the hidden layer is multiplied by `kept`."""
        counts = examples.counts[which]
        starts = np.cumsum(counts) - counts
        of = np.repeat(np.arange(len(which)), counts)
        rows = np.arange(len(of)) + (examples.starts[which] - starts)[of]
        facts = np.column_stack([examples.facts[which], TYPES + 1 + kinds])
        known = np.maximum(self.vectors[facts].sum(axis=1), 0.0) * kept
        features = examples.features[rows].astype(np.float32)
        vectors = self.vectors[examples.vectors[rows]].sum(axis=1)
        scores = np.einsum("ij,ij->i", features, self.weights[kinds][of]) + np.einsum("ij,ij->i", vectors, known[of])
        likely = np.exp(scores - np.maximum.reduceat(scores, starts)[of])
        shares = likely / np.add.reduceat(likely, starts)[of]
        return Batch(starts, starts + examples.made[which], of, rows, facts, known, features, vectors, shares)

    def gradients(self, examples: Examples, which: Ints, kinds: Ints, kept: Reals) -> tuple[Reals, Reals]:
        """Of the mean negative log-likelihood, without the uniform share: of the weights and of the vectors."""
        batch = self.found(examples, which, kinds, kept)
        of_scores = batch.shares.copy()
        of_scores[batch.made] -= 1.0
        of_scores /= len(which)
        of_weights = _summed(
            kinds, len(self.weights), np.add.reduceat(of_scores[:, None] * batch.features, batch.starts)
        )
        of_moves = of_scores[:, None] * batch.known[batch.of]
        of_known = np.add.reduceat(of_scores[:, None] * batch.vectors, batch.starts) * kept * (batch.known > 0.0)
        of_vectors = _summed(examples.vectors[batch.rows], len(self.vectors), of_moves)
        of_vectors += _summed(batch.facts, len(self.vectors), of_known)
        of_vectors[NO_FACT] = 0.0
        return of_weights, of_vectors

    def likelihood(self, examples: Examples, kind: int) -> Reals:
        """Log-likelihood of each move if all players are of one kind, with the uniform share."""
        found = []
        for which in np.array_split(np.arange(len(examples.made)), len(examples.made) // BATCH + 1):
            batch = self.found(examples, which, np.full(len(which), kind))
            found.append(np.log((1 - FLOOR) * batch.shares[batch.made] + FLOOR / examples.counts[which]))
        likelihood: Reals = np.concatenate(found)
        return likelihood


def _summed(places: Ints, count: int, values: Reals) -> Reals:
    """Sums [count, width] of values [N, width], each added at its places [N] or [N, P]."""
    each = places.reshape(len(values), -1)
    ends = np.arange(0, each.size + 1, each.shape[1])
    sums: Reals = csr_matrix((np.ones(each.size, np.float32), each.ravel(), ends), (len(values), count)).T @ values
    return sums


class Start(NamedTuple):
    """A fitted model to go on from: weights [kinds, features], 0 for those that are new [features], and vectors."""

    players: list[str]
    weights: Reals
    vectors: Reals
    new: npt.NDArray[np.bool_]
    about: dict[str, Any]

    @classmethod
    def of(cls, file: Path) -> "Start":
        """The model in a file that this script has written."""
        with np.load(file) as found:
            features, players = found["features"].tolist(), found["players"].tolist()
            weights = np.zeros((len(players), len(NAMES)), np.float32)
            weights[:, [NAMES.index(name) for name in features]] = found["weights"]
            vectors, about = found["vectors"].astype(np.float32), json.loads(str(found["about"]))
        return cls(players, weights, vectors, np.isin(NAMES, features, invert=True), about)


def fit(examples: Examples, kinds: Ints, count: int, width: int, start: Start | None = None) -> Model:
    """The model of examples of known kinds [N], of which there are `count`; see the head of this file."""
    rng = np.random.default_rng(0)
    model = Model(count, width, rng)
    if start is not None:
        model.weights[:], model.vectors[:-1] = start.weights, start.vectors
    fitted = model.weights, model.vectors
    towards = [one.copy() if start is not None else np.zeros_like(one) for one in fitted]
    means, squares = ([np.zeros_like(one) for one in fitted] for _ in range(2))
    epochs, most = (EPOCHS, 1.0) if start is None else (AGAIN, SLOWER)
    steps = epochs * (len(kinds) // BATCH)
    for step in track(range(steps), description="fitting"):
        if step % (steps // epochs) == 0:
            order = rng.permutation(len(kinds))
        which = order[step % (steps // epochs) * BATCH :][:BATCH]
        kept = (rng.random((BATCH, width)) >= DROPOUT).astype(np.float32) / (1 - DROPOUT)
        part = (step + 1) / steps
        pace = most * min(part / 0.2, (1 - part) / 0.8)
        gradients = model.gradients(examples, which, kinds[which], kept)
        for one, gradient, mean, square, rate, decay, goal in zip(
            fitted, gradients, means, squares, RATES, DECAYS, towards, strict=True
        ):
            mean += 0.1 * (gradient - mean)
            square += 0.01 * (gradient**2 - square)
            unbiased = mean / (1 - 0.9 ** (step + 1)), square / (1 - 0.99 ** (step + 1))
            one -= rate * pace * (unbiased[0] / (np.sqrt(unbiased[1]) + 1e-8) + decay * (one - goal))
    if start is not None:
        met = np.isin(np.arange(count), kinds)
        model.weights[np.ix_(~met, start.new)] = model.weights[np.ix_(met, start.new)].mean(axis=0)
    return model


def interval(values: list[float]) -> str:
    """Mean of the sides' means, with its 95 % interval."""
    return f"{np.mean(values):+.3f} +- {1.96 * np.std(values, ddof=1) / np.sqrt(len(values)):.3f}"


def main() -> None:
    """Read games, fit, compare, and write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("files", type=Path, nargs="+", help="stores of tournaments")
    parser.add_argument("--without", action="append", default=["rand"], help="a player to leave out, by its bare name")
    parser.add_argument("--start", type=Path, help="a model of kinds to go on from")
    parser.add_argument("--plain", action="store_true", help="one softmax of features, for `fitted`")
    parser.add_argument("--out", type=Path, help="where the model goes")
    options = parser.parse_args()
    train: list[Side] = []
    held: dict[str, list[Side]] = defaultdict(list)
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
                    if side.player not in options.without and len(side.made) >= FEWEST:
                        (held[side.player] if is_held else train).append(side)
    players = ["anyone"] if options.plain else sorted({side.player for side in train})
    start = Start.of(options.start) if options.start is not None else None
    if start is not None:
        if not set(players) <= set(start.players):
            parser.error(f"players {', '.join(players)}: {options.start} is of {', '.join(start.players)}")
        players = start.players
    if len(players) >= MAX_TYPES or sum(len(side.made) for side in train) < BATCH:
        parser.error(
            f"{len(players)} players, {len(train)} sides: it takes {BATCH} moves of 1 to {MAX_TYPES - 1} players"
        )
    examples = Examples(train)
    of_sides = np.array([0 if options.plain else players.index(side.player) for side in train])
    model = fit(examples, of_sides[examples.side], len(players), 0 if options.plain else WIDTH, start)
    print(f"{len(examples.made)} moves of {len(train)} sides; held out, in nats a move:")
    prior = np.array([RANDOM_SHARE, *((1 - RANDOM_SHARE) / len(players) for _ in players)])
    summary = {}
    for player, sides in sorted(held.items()):
        examples = Examples(sides)
        uniform = -np.log(examples.counts)
        each = [uniform, *(model.likelihood(examples, kind) for kind in range(len(players)))]
        counts = np.bincount(examples.side)
        joint = np.stack([np.bincount(examples.side, one) for one in each], axis=1) + np.log(prior)
        gained = list((np.logaddexp.reduce(joint, axis=1) - np.bincount(examples.side, uniform)) / counts)
        base = float((np.bincount(examples.side, uniform) / counts).mean())
        likeliest = [("random", *players)[kind] for kind in joint.argmax(axis=1)]
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
            "moves": sum(len(side.made) for side in train),
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
