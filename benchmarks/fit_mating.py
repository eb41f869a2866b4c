"""Fit the networks that estimate sets of king squares (`kriegbot.endgames.leaf`) to games.

    python benchmarks/fit_mating.py --out kriegbot/endgames/networks.npz

In each game we make the try of the least estimated cost, one move ahead, with the network as it is. After the game the
network learns each of our turns by gradient descent. Its target is half the moves that followed, by TD(lambda) (Sutton
1988), and half the cost of the try that we made, as estimated then. The last FINE of the games have a smaller rate. The
result is a running mean of the weights.

The defender sees the board. In 45% of the games it goes away from our king, as in `mating.py`; in the others it steps
at random, to the centre, to where mate takes longest if we see it, or towards our pieces. In 40% of the games some of
its moves are random. Some games start as in `mating.py`; in the others we know more, or mate is near.
"""

import argparse
import random
import time
from pathlib import Path
from typing import NamedTuple

import chess
import numpy as np
import numpy.typing as npt
from mating import ENDINGS, moves_to_mate, start, table_in_view

from kriegbot import kernels as kb
from kriegbot.endgames.delayed_information import (
    SCALE,
    DelayedTables,
    delayed_tables_for,
    placement,
    transformed,
)
from kriegbot.endgames.king_sets import (
    MATED,
    MAX_OUTCOMES,
    OUR_TURN,
    OUTCOME,
    REFUSED,
    KingSet,
    Pieces,
    after_try,
    all_pieces,
    attacks_of,
    list_tries,
    outcomes_of,
    refusing,
    set_at,
    steps_from,
    with_same_checks,
)
from kriegbot.endgames.king_squares import pieces_row
from kriegbot.endgames.leaf import (
    BINARY_INPUTS,
    HIDDEN,
    INPUTS,
    MOST,
    SIZE,
    UNIT,
    Network,
    correction,
    estimate,
    list_inputs,
)
from kriegbot.kernels.random import GAMMA, mix64, random_number

FITTED = "KRK", "KBBK", "KBNK"
LONGEST, TURNS = 55, 400
"""Our moves, and our tries, in a game."""
UNFINISHED, DRAWN = 50.0, 120.0
"""Cost of a game that was not over, at its end, and of a try that draws."""
WORST = 0.2
"""Weight of the worst answer to a try."""
TRACE = 0.8
"""The lambda of TD(lambda)."""
CHUNK, POOL = 250, 4000
"""Games between two changes of the rate, and starts to draw from."""
RATE, FINE_RATE, LAST_RATE = 0.01, 0.004, 0.0002
"""Rates of gradient descent: of the first games, and of the first and the last of the FINE games."""
FINE = 0.5
JITTER = 0.5, 0.1
"""Most that is added to the cost of a try by lot, in moves, in the two parts."""
AWAY, RANDOM, CENTRE, LATE, NEAR = range(5)
"""Aims of the defender."""
TESTS = 300
HISTORY = 9
"""Words of a turn: our pieces (5), the king's squares, `KingSet.before`, our moves so far, estimated cost * 1024."""


class Learner(NamedTuple):
    """The network and tables, and scratch: tries, outcomes, turns of a game; counts of games mated and lost."""

    network: Network
    no_network: Network
    tables: DelayedTables
    moves: kb.MoveArray
    outcomes: kb.WordArray
    history: kb.WordArray
    ended: kb.IntArray

    @classmethod
    def of(cls, ending: str, seed: int) -> "Learner":
        """Return a learner whose network corrects nothing yet."""
        row = pieces_row(chess.WHITE, start(ENDINGS[ending], random.Random(seed))[1].men)
        rng, weights = np.random.default_rng(seed), np.zeros(SIZE)
        weights[: BINARY_INPUTS * HIDDEN] = rng.standard_normal(BINARY_INPUTS * HIDDEN) * 0.08
        weights[(INPUTS + 1) * HIDDEN : -1] = rng.standard_normal(HIDDEN) * 0.5 * HIDDEN**-0.5
        return cls(
            Network.of(weights),
            Network.of(np.zeros(0)),
            delayed_tables_for(row),
            np.zeros(kb.MAX_MOVES, np.int32),
            np.zeros(MAX_OUTCOMES * OUTCOME, np.uint64),
            np.zeros(HISTORY * TURNS, np.uint64),
            np.zeros(2, np.int64),
        )


@kb.kernel
def learn(tables: kb.Words, learner: Learner, node: KingSet, target: float, rate: float) -> None:
    """Make a step of gradient descent towards a cost."""
    network, ours, squares = learner.network, node.pieces, node.squares
    output = correction(tables, network, learner.tables.current, ours, squares)
    error = (target - estimate(tables, learner.tables, learner.no_network, node)) / UNIT - output
    step = rate * max(min(error, 1.0), -1.0)
    active, real, hidden = network.active, network.real, network.hidden
    count = list_inputs(tables, learner.tables.current, ours, squares, active, real)
    last, biases = kb.advance(network.weights, BINARY_INPUTS * HIDDEN), kb.advance(network.weights, INPUTS * HIDDEN)
    outputs = kb.advance(biases, HIDDEN)
    outputs[HIDDEN] += step
    for h in range(HIDDEN):
        slope = step * outputs[h] if hidden[h] > 0.0 else 0.0
        outputs[h] += step * max(hidden[h], 0.0)
        hidden[h] = slope
        biases[h] += slope
        last[h] += slope * real[0]
        last[HIDDEN + h] += slope * real[1]
    for i in range(count):
        row = kb.advance(network.weights, HIDDEN * active[i])
        for h in range(HIDDEN):
            row[h] += hidden[h]


@kb.kernel
def estimate_cost(tables: kb.Words, learner: Learner, node: KingSet, move: int, worst_share: float) -> float:
    """Return the estimated cost of a try, the worst answer with this share; -1 if every board refuses it."""
    outcomes, total, worst = learner.outcomes, 0.0, 0.0
    count = outcomes_of(tables, node.pieces, node.squares, move, outcomes)
    for j in range(count):
        kind, cost = kb.number(outcomes[OUTCOME * j + 7]), DRAWN
        if kind == MATED:
            cost = 1.0
        elif kind <= OUR_TURN:
            after = estimate(tables, learner.tables, learner.network, set_at(outcomes, j))
            cost = after if kind == REFUSED else 1.0 + after
        total += cost * float(kb.number(outcomes[OUTCOME * j + 6]))
        worst = max(worst, cost)
    if count == 0:
        return -1.0
    return (1.0 - worst_share) * total / float(kb.popcount(node.squares)) + worst_share * worst


@kb.kernel
def mated_next(tables: kb.Words, ours: Pieces, moves: kb.Moves) -> kb.Word:
    """Return the squares on which we can mate the king at once."""
    squares = kb.NONE
    for i in range(list_tries(tables, ours, moves)):
        attacked = attacks_of(tables, after_try(ours, moves[i])).all
        squares |= attacked & ~steps_from(~attacked) & ~refusing(tables, ours, moves[i])
    return squares


@kb.inlined
def distance(first: int, second: int) -> int:
    """Return the king steps between two squares."""
    return max(abs((first & 7) - (second & 7)), abs((first >> 3) - (second >> 3)))


@kb.kernel
def defend(tables: kb.Words, learner: Learner, ours: Pieces, king: int, aim: int, state: kb.Word) -> int:
    """Return the square to which the defender goes; -1 if it cannot move."""
    targets = kb.king_attacks(tables, king) & ~attacks_of(tables, ours).all
    if aim != RANDOM:
        targets = targets & all_pieces(ours) or targets
        targets = targets & ~mated_next(tables, ours, learner.moves) or targets
    best, place, chosen = 1e9, placement(ours), -1
    while targets:
        square = kb.lsb(targets)
        state += GAMMA
        harm = 1e-3 * random_number(state)
        if aim == AWAY:
            harm -= float(distance(square, kb.lsb(ours.king)))
        elif aim == CENTRE:
            harm += abs(float(square & 7) - 3.5) + abs(float(square >> 3) - 3.5)
        elif aim == LATE:
            harm -= float(learner.tables.current[(place >> 7) * 64 + transformed(square, place & 127)]) / SCALE
        elif aim == NEAR:
            others, near = all_pieces(ours) & ~ours.king, 8
            while others:
                near = min(near, distance(square, kb.lsb(others)))
                others &= others - kb.ONE
            harm += float(near)
        if harm < best:
            best, chosen = harm, square
        targets &= targets - kb.ONE
    return chosen


@kb.kernel
def learn_game(tables: kb.Words, learner: Learner, turns: int, final: float, rate: float) -> None:
    """Learn the turns of a game whose last turn cost `final`."""
    target = final
    for turn in range(turns - 1, -1, -1):
        row = kb.advance(learner.history, HISTORY * turn)
        node = KingSet(Pieces(row[0], row[1], row[2], row[3], row[4]), row[5], row[6])
        estimated = min(float(kb.number(row[8])) / 1024.0, MOST)
        learn(tables, learner, node, (target + estimated) / 2.0, rate)
        now = estimate(tables, learner.tables, learner.network, node)
        if turn > 0:
            moves = kb.number(row[7]) - kb.number(kb.advance(row, -HISTORY)[7])
            target = min(float(moves) + TRACE * target + (1.0 - TRACE) * now, MOST)


@kb.entry
def play(
    tables_: kb.WordArray,
    learner_: Learner,
    starts: kb.WordArray,
    seed: kb.Word,
    aims: bool,
    rate: float,
    jitter: float,
) -> None:
    """Play games from starts (our pieces, the king's squares, its square) and learn from them if `rate` is above 0.

    The defender goes away from our king unless `aims` mixes its aims.
    """
    tables, learner, state = kb.pointer(tables_), kb.pointers(learner_), mix64(seed)
    for game in range(len(starts) // 7):
        begin = kb.advance(kb.pointer(starts), 7 * game)
        ours = Pieces(begin[0], begin[1], begin[2], begin[3], begin[4])
        squares, king, before, aim, noise = begin[5], kb.number(begin[6]), kb.NONE, AWAY, 0.0
        if aims:
            state += kb.word(2) * GAMMA
            drawn, share = random_number(state), random_number(state - GAMMA)
            aim = AWAY if drawn < 0.45 else RANDOM + int((drawn - 0.45) / 0.55 * 4.0)
            noise = 0.0 if share < 0.6 else 0.15 if share < 0.85 else 0.5
        turns, moves, final = 0, 0, 0.0
        while final == 0.0:
            if moves == LONGEST or turns == TURNS:
                final = UNFINISHED
                break
            best, chosen, node = 1e9, -1, KingSet(ours, squares, before)
            for i in range(list_tries(tables, ours, learner.moves)):
                cost = estimate_cost(tables, learner, node, learner.moves[i], WORST)
                state += GAMMA
                if cost >= 0.0 and cost + jitter * random_number(state) < best:
                    best, chosen = cost + jitter * random_number(state), learner.moves[i]
            row = kb.advance(learner.history, HISTORY * turns)
            row[0], row[1], row[2], row[3], row[4] = (
                ours.pawns,
                ours.knights,
                ours.diagonals,
                ours.orthogonals,
                ours.king,
            )
            row[5], row[6], row[7] = squares, before, kb.word(moves)
            row[8] = kb.word(int(1024.0 * estimate_cost(tables, learner, node, chosen, 0.0)))
            turns += 1
            illegal = refusing(tables, ours, chosen)
            if illegal & kb.bit(king):
                squares, before = squares & illegal, kb.NONE
                continue
            moves += 1
            ours = after_try(ours, chosen)
            attacks = attacks_of(tables, ours)
            before = with_same_checks(squares & ~illegal & steps_from(~attacks.all), kb.bit(king), attacks)
            squares = steps_from(before) & ~attacks.all & ~all_pieces(ours)
            state += kb.word(16) * GAMMA
            going = defend(tables, learner, ours, king, RANDOM if random_number(state) < noise else aim, state + GAMMA)
            state += kb.word(16) * GAMMA
            if going < 0:
                final = 1.0 if attacks.all & kb.bit(king) else MOST
            elif kb.bit(going) & all_pieces(ours):
                final = MOST
            king = going
        if final == 1.0 and moves <= 50:
            learner.ended[0] += 1
        if final == MOST:
            learner.ended[1] += 1
        if rate > 0.0:
            learn_game(tables, learner, turns, final, rate)


def draw_starts(ending: str, rng: random.Random, count: int, *, is_test: bool) -> npt.NDArray[np.uint64]:
    """Return starts [count, 7]. Those of tests are those of `mating.py`."""
    starts: list[list[int]] = []
    while len(starts) < count:
        board, known = start(ENDINGS[ending], rng)
        row, king, squares = pieces_row(chess.WHITE, known.men), board.king(chess.BLACK) or 0, known.squares
        if not is_test and rng.random() < 0.6:
            most, table = rng.uniform(1, 20), table_in_view()
            soon = [s for s in chess.SquareSet(squares) if moves_to_mate(table, row, chess.BB_SQUARES[s]) <= most]
            if not soon:
                continue
            king, near = rng.choice(soon), rng.randint(0, 3)
            squares = chess.SquareSet(
                s for s in chess.SquareSet(squares) if chess.square_distance(s, king) <= near
            ).mask
        starts.append([*map(int, row), squares, king])
    return np.array(starts, np.uint64)


def fit(ending: str, games: int, seed: int) -> npt.NDArray[np.float16]:
    """Fit the network of an ending; print the share mated within 50 moves, one move ahead, as it goes."""
    rng, learner = random.Random(seed), Learner.of(ending, seed)
    tests, pool = (
        draw_starts(ending, rng, count, is_test=is_test) for count, is_test in ((TESTS, True), (POOL, False))
    )
    mean, begun = learner.network.weights.copy(), time.process_time()
    first_fine = round((1 - FINE) * games / CHUNK) * CHUNK
    for done in range(0, games, CHUNK):
        rate, part = RATE, int(done >= first_fine)
        if done == first_fine:
            learner.network.weights[:] = mean
        if part == 1:
            left = (1 + np.cos(np.pi * (done - first_fine) / (games - first_fine))) / 2
            rate = LAST_RATE + (FINE_RATE - LAST_RATE) * left
        starts = pool[rng.choices(range(POOL), k=CHUNK)].ravel()
        play(kb.TABLES, learner, starts, kb.subseed(seed, done), True, rate, JITTER[part])
        mean += 0.05 * (learner.network.weights - mean)
        if (done + CHUNK) % 10_000 == 0 or done + CHUNK >= games:
            learner.ended[:] = 0
            tested = learner._replace(network=learner.network._replace(weights=mean))
            play(kb.TABLES, tested, tests.ravel(), kb.subseed(seed), False, 0.0, JITTER[1])
            mated, lost = learner.ended / TESTS
            seconds = time.process_time() - begun
            print(f"{ending} {done + CHUNK:,} games, {seconds:.0f} s: mated {mated:.1%}, drawn {lost:.1%}", flush=True)
    return mean.astype(np.float16)


def main() -> None:
    """Fit networks and write them, beside those of other endings in the file."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("endings", nargs="*", default=list(FITTED), help=f"of {', '.join(FITTED)}")
    parser.add_argument("--games", type=int, default=160_000, help="per ending")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, required=True, help="file for the networks")
    options = parser.parse_args()
    for ending in options.endings:
        if ending not in FITTED:
            parser.error(f"unknown ending {ending!r}. Endings: {', '.join(FITTED)}")
        networks = dict(np.load(options.out)) if options.out.exists() else {}
        networks[ending] = fit(ending, options.games, options.seed)
        np.savez_compressed(options.out, **networks)


if __name__ == "__main__":
    main()
