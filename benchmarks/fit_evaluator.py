"""Fits corrections to the evaluator `sound` to results of games: logistic regression of who wins from a position.

    kriegbot tournament kriegbot:samples=200 metaposition shuffler mcts --games 20 --rules wild16 --out pool.sqlite
    python benchmarks/fit_evaluator.py pool.sqlite --out corrections.json

    P(we win | board) = 1 / (1 + exp(-(a + b * (sound + exchange + corrections) / 400 + our skill - their skill)))

Corrections are linear in TERMS, ours less theirs. Boards are the true ones with us to move, as a leaf two plies deep
has them; `exchange` is what we win back on the square of their last capture. A draw is half a win. Without the skills,
one for each player, a board would seem good because strong players get it. The corrections' prior is a normal
distribution around none, in which each term moves positions by SPREAD centipawns where b is 1. Positions of a game
depend on each other: PER_GAME count as one.

At most EACH positions of a side are drawn from a game, and count for less the further one side is ahead, for a leaf
must be right where games are decided. A fifth of the games, drawn at random, is held out; the table compares the mean
log-loss of their positions, in nats, with 95 % intervals over games. Games of players named by `--without` are left
out. docs/strength.md says what came of it.
"""

import argparse
import json
import random
from pathlib import Path
from typing import NamedTuple, TypeAlias

import chess
import numpy as np
import numpy.typing as npt
from rich.progress import track
from scipy.optimize import minimize

from evaluators.sound import passers, sound
from kriegbot.kernels import (
    TABLES,
    WHITE,
    IntArray,
    Position,
    RealArray,
    Reals,
    Rows,
    Word,
    WordArray,
    advance,
    attacked_by,
    entry,
    exchange,
    from_board,
    kernel,
    load,
    men_of,
    pointer,
    popcount,
    side_to_move,
    word,
    words,
)
from referee import GameRecord
from tournaments.store import Store

Vector: TypeAlias = npt.NDArray[np.float64]

TERMS = (
    "pawns",
    "knights",
    "bishops",
    "rooks",
    "queens",
    "covered pawns",
    "covered pieces",
    "pawns on the fourth rank",
    "pawns on the fifth rank",
    "pawns on the sixth rank",
    "pawns on the seventh rank",
    "passed pawns on the third rank or before",
    "passed pawns on the fourth rank",
    "passed pawns on the fifth rank",
    "passed pawns on the sixth rank",
    "passed pawns on the seventh rank",
)
"""Corrections for others (men that can be taken, squares attacked, kings, development) foretold nothing more."""
FIRST_RANK, WHITE_EARLY, BLACK_EARLY = words(0xFF, 0xFFFFFF, 0xFFFFFF << 40)
EACH, FIRST = 40, 6
"""Positions of a side in a game at most, and the ply of the first."""
LOPSIDED, UNIT = 800.0, 400.0
"""Centipawns: at that lead a position counts half; b is a logit for so many."""
SPREAD, PER_GAME, HELD_OUT = 20.0, 75.0, 0.2
LEAST_GAMES = 4


class Positions(NamedTuple):
    """Positions [N] of some games.

    Attributes:
      counts: of TERMS, ours less theirs, [N, len(TERMS)].
      known: `sound`, and the exchange on the square of the last capture, [N, 2].
      result: 1 for a win of the side to move, 0.5 for a draw.
      game: of each.
      players: the side to move and the other, [N, 2].
    """

    counts: Vector
    known: Vector
    result: Vector
    game: npt.NDArray[np.int64]
    players: npt.NDArray[np.int64]

    def of(self, chosen: npt.NDArray[np.bool_]) -> "Positions":
        """Some of them."""
        counts, known, result, game, players = self
        return Positions(counts[chosen], known[chosen], result[chosen], game[chosen], players[chosen])

    def weights(self) -> Vector:
        """How much each counts."""
        return 1 / (1 + (self.known[:, 0] / LOPSIDED) ** 2)


@kernel
def count_terms(position: Position, side: int, attacked: Word, sign: float, counts: Reals) -> None:
    """Add `sign` times the TERMS of one side, which attacks some squares, to counts [len(TERMS)]."""
    own, other = men_of(position, side)
    queens = position.diagonals & position.orthogonals & own
    pawns, covered = position.pawns & own, attacked & own & ~position.kings
    passed = passers(position, own, other, side)
    counts[0] += sign * popcount(pawns)
    counts[1] += sign * popcount(position.knights & own)
    counts[2] += sign * popcount(position.diagonals & own ^ queens)
    counts[3] += sign * popcount(position.orthogonals & own ^ queens)
    counts[4] += sign * popcount(queens)
    counts[5] += sign * popcount(covered & pawns)
    counts[6] += sign * popcount(covered & ~pawns)
    counts[11] += sign * popcount(passed & (WHITE_EARLY if side == WHITE else BLACK_EARLY))
    for i in range(4):
        rank = FIRST_RANK << word(8 * (3 + i) if side == WHITE else 8 * (4 - i))
        counts[7 + i] += sign * popcount(pawns & rank)
        counts[12 + i] += sign * popcount(passed & rank)


@entry
def _measure(tables: WordArray, rows: Rows, squares: IntArray, counts: RealArray, known: RealArray) -> None:
    """Add to counts [N * len(TERMS)] and known [N * 2] of rows [N]."""
    size = len(counts) // max(1, len(rows))
    for i in range(len(rows)):
        position = load(pointer(rows), i)
        side, men, own = side_to_move(position), position.white | position.black, advance(pointer(counts), size * i)
        count_terms(position, side, attacked_by(pointer(tables), position, side, men), 1.0, own)
        count_terms(position, 1 - side, attacked_by(pointer(tables), position, 1 - side, men), -1.0, own)
        known[2 * i] = float(sound(pointer(tables), position, side))
        if squares[i] >= 0:
            known[2 * i + 1] = float(exchange(pointer(tables), position, squares[i]))


def measured(rows: Rows, squares: IntArray) -> tuple[Vector, Vector]:
    """TERMS [N, len(TERMS)] and known values [N, 2] of positions [N, 8], each after a capture on a square, or -1."""
    counts, known = np.zeros(len(rows) * len(TERMS)), np.zeros(len(rows) * 2)
    _measure(TABLES, np.ascontiguousarray(rows), squares, counts, known)
    return counts.reshape(-1, len(TERMS)), known.reshape(-1, 2)


class Drawn(NamedTuple):
    """A position of a game: row, square of the capture just before or -1, the mover's result, and who it is."""

    row: WordArray
    square: int
    result: float
    turn: chess.Color


def positions_of(record: GameRecord, rng: random.Random) -> list[Drawn]:
    """Positions drawn from a game."""
    chosen: set[int] = set()
    for first in (FIRST, FIRST + 1):
        plies = range(first, len(record.turns), 2)
        chosen.update(rng.sample(plies, min(EACH, len(plies))))
    found: list[Drawn] = []
    board, square = chess.Board(record.start), -1
    white = {"1-0": 1.0, "0-1": 0.0}.get(record.result, 0.5)
    for ply, turn in enumerate(record.turns):
        if ply in chosen:
            found.append(Drawn(from_board(board, ply), square, white if board.turn else 1 - white, board.turn))
        square = -1 if turn.announcement.capture is None else turn.announcement.capture
        board.push(turn.move)
    return found


def read(files: list[Path], without: list[str]) -> Positions:
    """Positions of the games of some stores."""
    rng, numbers = random.Random(0), dict[str, int]()
    drawn: list[Drawn] = []
    of: list[int] = []
    players: list[tuple[int, int]] = []
    for file in files:
        with Store.open(file) as store:
            for game in track(list(store.game_rows()), description=f"reading {file.name}"):
                if game.white in without or game.black in without:
                    continue
                found = positions_of(store.record(game.id), rng)
                white, black = (numbers.setdefault(name, len(numbers)) for name in (game.white, game.black))
                of += [of[-1] + 1 if of else 0] * len(found)
                players += [(white, black) if one.turn else (black, white) for one in found]
                drawn += found
    counts, known = measured(
        np.array([one.row for one in drawn], np.uint64).reshape(-1, 8),
        np.array([one.square for one in drawn], np.int64),
    )
    return Positions(counts, known, np.array([one.result for one in drawn]), np.array(of), np.array(players))


class Regression(NamedTuple):
    """What was fitted: a, b, the corrections' coefficients [len(TERMS)] in logits, and the players' skills."""

    a: float
    b: float
    coefficients: Vector
    skills: Vector

    def logits(self, positions: Positions) -> Vector:
        """Of winning, one for each position."""
        ours, theirs = positions.players.T
        value: Vector = self.a + self.b * positions.known.sum(axis=1) / UNIT + positions.counts @ self.coefficients
        value += self.skills[ours] - self.skills[theirs]
        return value

    def losses(self, positions: Positions) -> Vector:
        """Log-loss of each position."""
        logits = self.logits(positions)
        losses: Vector = np.logaddexp(0, logits) - positions.result * logits
        return losses

    def weights(self) -> Vector:
        """The corrections in centipawns."""
        return self.coefficients / self.b * UNIT


def fit(positions: Positions, players: int, has_corrections: bool = True, has_score: bool = True) -> Regression:
    """The likeliest regression; see the head of this file."""
    size, counted = len(TERMS), positions.weights()
    ours, theirs = positions.players.T
    scores = positions.known.sum(axis=1) / UNIT * has_score
    counts = positions.counts * has_corrections
    spreads = SPREAD / UNIT / np.maximum(positions.counts.std(axis=0), 1e-3)
    ridge = np.concatenate([[0, 0], PER_GAME / spreads**2, np.full(players, PER_GAME)])

    def loss(at: Vector) -> tuple[float, Vector]:
        """Penalised negative log-likelihood and its gradient."""
        skills = at[2 + size :]
        logits = at[0] + at[1] * scores + counts @ at[2 : 2 + size] + skills[ours] - skills[theirs]
        value = counted @ (np.logaddexp(0, logits) - positions.result * logits)
        off: Vector = counted * (1 / (1 + np.exp(-logits)) - positions.result)
        of_skills = np.bincount(ours, off, players) - np.bincount(theirs, off, players)
        slope = np.concatenate([[off.sum(), off @ scores], off @ counts, of_skills])
        return float(value + ridge @ at**2 / 2), slope + ridge * at

    found: Vector = minimize(loss, np.zeros(len(ridge)), jac=True, method="L-BFGS-B", options={"maxiter": 500}).x
    return Regression(float(found[0]), float(found[1]), found[2 : 2 + size], found[2 + size :])


def compared(losses: Vector, others: Vector, positions: Positions) -> str:
    """Mean of `losses`, and how far below `others` it is, with a 95 % interval over games."""
    counted = positions.weights()
    total = counted.sum()
    gain = counted @ (others - losses) / total
    of_games = np.bincount(positions.game, counted * (others - losses - gain))
    error = 1.96 * np.sqrt(of_games @ of_games) / total
    return f"{counted @ losses / total:.4f}, {gain:+.4f} +- {error:.4f}"


def main() -> None:
    """Read games, fit, compare, and write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("files", type=Path, nargs="+", help="stores of tournaments")
    parser.add_argument("--without", action="append", default=["rand"], help="a player whose games to leave out")
    parser.add_argument("--out", type=Path, help="where the weights go")
    options = parser.parse_args()
    positions = read(options.files, options.without)
    games, players = len(np.unique(positions.game)), int(positions.players.max(initial=0)) + 1
    if games < LEAST_GAMES or positions.result.min() == positions.result.max():
        parser.error(f"{games} games found; it takes {LEAST_GAMES} or more, of which some were won")
    held = np.random.default_rng(0).random(games) < HELD_OUT
    train, test = positions.of(~held[positions.game]), positions.of(held[positions.game])
    skills = fit(train, players, has_corrections=False, has_score=False).losses(test)
    sound_alone = fit(train, players, has_corrections=False).losses(test)
    found = fit(train, players)
    table = {
        "skills alone, and their gain over 0.5": compared(skills, np.full(len(skills), np.log(2)), test),
        "sound, over skills": compared(sound_alone, skills, test),
        "fitted, over sound": compared(found.losses(test), sound_alone, test),
    }
    print(f"{len(positions.game)} positions of {games} games; log-loss on {len(test.game)} of {held.sum()} held out:")
    for name, line in table.items():
        print(f"  {name}: {line}")
    last = fit(positions, players)
    weights = {name: round(float(value), 1) for name, value in zip(TERMS, last.weights(), strict=True)}
    print("corrections, in centipawns:", *(f"  {value:+7.1f} {name}" for name, value in weights.items()), sep="\n")
    if options.out is not None:
        files = " ".join(file.name for file in options.files)
        without = "".join(f" --without {name}" for name in options.without[1:])
        content = {
            "made_by": f"python benchmarks/fit_evaluator.py {files}{without}",
            "games": games,
            "positions": len(positions.game),
            "held_out": table,
            "logit of 400 centipawns": round(last.b, 3),
            "weights": weights,
        }
        options.out.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
