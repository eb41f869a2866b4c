"""Fit the cost of a set of king squares for bishop and knight to games (`kriegbot.endgames.leaf`).

    python benchmarks/fit_mating.py --rounds 12 --folder rounds --out kriegbot/endgames/network.npz

A round plays games with the network fitted to all earlier rounds; the first plays without one. If the network rates a
set too well, the search reaches it and the next fit corrects it (fitted policy iteration). The target is the number of
moves left at each of our turns, or FAILED if no mate came. Games start as in `mating.py`, whose defender sees
everything; in half of them some of its moves are random. The result is the network of the round with the most mates,
since rounds differ much. The folder keeps the rounds: run the same command again to resume.
"""

import argparse
import random
from pathlib import Path
from typing import NamedTuple

import chess
import numpy as np
import numpy.typing as npt
from mating import ENDINGS, MAX_MOVES, defence, start
from rich.console import Console
from rich.progress import track

from kriegbot import kernels as kb
from kriegbot.endgames import Mating
from kriegbot.endgames.delayed_information import delayed_tables_for, mean_cost
from kriegbot.endgames.king_sets import pieces_at
from kriegbot.endgames.king_squares import pieces_row
from kriegbot.endgames.leaf import (
    BINARY_INPUTS,
    HIDDEN,
    INPUTS,
    MAX_ACTIVE,
    SQUARES,
    UNIT,
    is_bishop_and_knight,
    list_inputs,
)
from kriegbot.kernels import TABLES, RealArray, subseed
from referee import BERKELEY, NO_LIMITS, Answer, Reason, Referee

LONGEST, FAILED = 70, 100.0
"""Our moves in a game, and the moves counted as left if it ended without mate."""
UNFINISHED = 40.0
"""Moves counted as left at the end of a game of LONGEST moves."""
NOISE = 0.0, 0.0, 0.15, 0.5
"""Shares of random moves of the defender; each game draws one."""
NODES = 3000
"""Sets visited per try."""
PASSES, BATCH, RATE, DECAY = 8, 256, 2e-3, 1e-5
HELD_OUT = 10
"""One game in this many is held out."""

Matrix = npt.NDArray[np.float32]


class Round(NamedTuple):
    """Positions of a round with us to move.

    Attributes:
      inputs: [N, INPUTS] of the network.
      left: [N] moves to mate.
      game: [N] index of the game.
      mated: [games] True if we mated within 50 moves.
      network: the network of this round.
    """

    inputs: Matrix
    left: Matrix
    game: npt.NDArray[np.int64]
    mated: npt.NDArray[np.bool_]
    network: RealArray


class Game(NamedTuple):
    """The inputs and the moves left at each of our turns, and True if we mated within 50 moves."""

    inputs: list[Matrix]
    left: list[float]
    mated: bool


@kb.entry
def inputs_of(
    tables: kb.WordArray,
    pieces: kb.WordArray,
    squares: kb.Word,
    current: kb.ShortArray,
    active: kb.IntArray,
    last: kb.RealArray,
) -> int:
    """Write the indices of inputs that are 1, and the last two inputs; return the number of indices."""
    ours = pieces_at(kb.pointer(pieces), 0)
    if squares == kb.NONE or not is_bishop_and_knight(ours):
        return 0
    last[0] = mean_cost(kb.pointer(current), ours, squares) / UNIT
    last[1] = float(kb.popcount(squares)) / SQUARES
    return list_inputs(kb.pointer(tables), ours, squares, kb.pointer(active))


def inputs_at(men: dict[chess.Square, chess.PieceType], squares: int) -> Matrix:
    """Return the network's inputs for our pieces, as White."""
    row, active, last = pieces_row(chess.WHITE, men), np.zeros(MAX_ACTIVE, np.int64), np.zeros(INPUTS - BINARY_INPUTS)
    count = inputs_of(TABLES, row, squares, delayed_tables_for(row).current, active, last)
    inputs = np.zeros(INPUTS, np.float32)
    inputs[active[:count]] = 1.0
    inputs[BINARY_INPUTS:] = last
    return inputs


def play(seed: int, network: RealArray) -> Game:
    """Play a game."""
    rng = random.Random(seed)
    noise = rng.choice(NOISE)
    board, known = start(ENDINGS["KBNK"], rng)
    referee, mating = Referee(BERKELEY, NO_LIMITS, board.fen()), Mating(seed, network)
    inputs, at, moves, is_lost = [], [], 0, False
    while referee.end is None and moves < LONGEST and not is_lost:
        if referee.turn == chess.BLACK:
            now = referee.board()
            move = rng.choice(list(now.legal_moves)) if rng.random() < noise else defence(now, rng)
            is_lost = now.is_capture(move)
            referee.try_move(move)
        else:
            inputs.append(inputs_at(dict(known.men), known.squares))
            at.append(moves)
            moves += referee.try_move(mating.best_try(known, nodes=NODES).move) is Answer.ACCEPTED
        known = known.after(referee.view(chess.WHITE).events[-1])
    if referee.end is not None and referee.end.reason is Reason.CHECKMATE:
        return Game(inputs, [float(moves - then) for then in at], moves <= MAX_MOVES)
    is_over = is_lost or referee.end is not None
    return Game(inputs, [FAILED if is_over else min(FAILED, LONGEST - then + UNFINISHED) for then in at], False)


def play_round(number: int, games: int, seed: int, network: RealArray) -> Round:
    """Play the games of a round."""
    seeds = [subseed(subseed(seed, number), game) for game in range(games)]
    played = [play(one, network) for one in track(seeds, f"round {number}", console=Console(stderr=True))]
    return Round(
        np.array([row for game in played for row in game.inputs], np.float32),
        np.array([left for game in played for left in game.left], np.float32),
        np.repeat(np.arange(games), [len(game.inputs) for game in played]),
        np.array([game.mated for game in played]),
        network,
    )


def spread(network: list[Matrix], inputs: Matrix) -> tuple[Matrix, Matrix]:
    """Return the hidden sums [N, HIDDEN] and the costs [N], in units."""
    weights, biases, outputs, bias = network
    hidden = inputs @ weights + biases
    return hidden, np.maximum(hidden, 0.0) @ outputs + bias


def fit(rounds: list[Round], seed: int) -> RealArray:
    """Fit a network by Adam (Kingma and Ba 2015) to the mean squared error; print the error, in moves."""
    rng = np.random.default_rng(seed)
    inputs, left = np.concatenate([one.inputs for one in rounds]), np.concatenate([one.left for one in rounds]) / UNIT
    is_held = np.concatenate([one.game % HELD_OUT == 0 for one in rounds])
    fitted, held = np.flatnonzero(~is_held), np.flatnonzero(is_held)
    shapes = (INPUTS, HIDDEN), (HIDDEN,), (HIDDEN,), (1,)
    scales = 0.08, 0.0, HIDDEN**-0.5, 0.0
    network = [(rng.standard_normal(s) * scale).astype(np.float32) for s, scale in zip(shapes, scales, strict=True)]
    network[3] += left.mean()
    means, squares, step = [np.zeros_like(p) for p in network], [np.zeros_like(p) for p in network], 0
    for done in range(PASSES):
        rate, order = RATE * (1 + np.cos(np.pi * done / PASSES)) / 2, rng.permutation(fitted)
        for begin in range(0, len(order), BATCH):
            batch = order[begin : begin + BATCH]
            hidden, costs = spread(network, inputs[batch])
            error = 2 * (costs - left[batch]) / len(batch)
            back = np.outer(error, network[2]) * (hidden > 0)
            slopes = (
                inputs[batch].T @ back + DECAY * network[0],
                back.sum(0),
                np.maximum(hidden, 0.0).T @ error,
                error.sum(keepdims=True),
            )
            step += 1
            for i, slope in enumerate(slopes):
                means[i] = 0.9 * means[i] + 0.1 * slope
                squares[i] = 0.999 * squares[i] + 0.001 * slope**2
                mean, square = means[i] / (1 - 0.9**step), squares[i] / (1 - 0.999**step)
                network[i] -= (rate * mean / (np.sqrt(square) + 1e-8)).astype(np.float32)
    errors = [np.sqrt(np.mean((spread(network, inputs[some])[1] - left[some]) ** 2)) * UNIT for some in (fitted, held)]
    print(f"  fitted to {len(fitted):,} positions: error {errors[0]:.1f} moves, held out {errors[1]:.1f}", flush=True)
    return np.concatenate([part.ravel() for part in network]).astype(np.float64)


def main() -> None:
    """Play rounds, fit, and keep the best network."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--first", type=int, default=1500, help="games of the first round")
    parser.add_argument("--games", type=int, default=400, help="of each further round")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--folder", type=Path, required=True, help="keeps the rounds")
    parser.add_argument("--out", type=Path, required=True, help="file for the network")
    options = parser.parse_args()
    if options.rounds < 2:
        parser.error(f"illegal --rounds {options.rounds}: give 2 or more. The first round has no network.")
    options.folder.mkdir(exist_ok=True)
    rounds: list[Round] = []
    for number in range(options.rounds):
        file = options.folder / f"round-{number}.npz"
        if not file.exists():
            network = fit(rounds, options.seed + number) if rounds else np.zeros(0)
            games = options.games if rounds else options.first
            np.savez_compressed(
                part := file.with_suffix(".part.npz"), **play_round(number, games, options.seed, network)._asdict()
            )
            part.rename(file)
        with np.load(file) as arrays:
            rounds.append(Round(**arrays))
        print(f"round {number}: {rounds[-1].mated.mean():.1%} of {len(rounds[-1].mated)} mated", flush=True)
    best = max(rounds[1:], key=lambda one: float(one.mated.mean()))
    np.savez_compressed(options.out, weights=best.network.astype(np.float32))
    print(f"wrote the network of the round with {best.mated.mean():.1%}: {options.out}")


if __name__ == "__main__":
    main()
