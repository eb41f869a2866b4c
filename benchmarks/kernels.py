"""Speed on one core of kernels, belief and search, and of the same search in plain Python on python-chess.

    python benchmarks/kernels.py            a table
    python benchmarks/kernels.py --json     one object, millions per second

Absolute figures drift with the machine; compare ratios of the same minute. Figures are medians of several runs in
processor time, but for one run on python-chess. perft counts leaves, with every move made, 6 plies from the start and 4
from Kiwipete. make_evaluate lists, makes and evaluates (KS, and whether the game is over) all legal moves of 1,000
positions. filter makes a random legal move on 10,000 boards and keeps the boards with the right announcement.
search_leaves_depthN counts the positions evaluated by overconfident search.
"""

import argparse
import json
import random
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import chess
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # tests.plain_search, for the plain search

from measurements import Measurement, add

from evaluators import load_evaluator
from evaluators.protocol import Evaluator
from kriegbot.belief.belief import Belief
from kriegbot.kernels import (
    GAMMA,
    MAX_MOVES,
    TABLES,
    IntArray,
    KernelRules,
    MoveArray,
    Rows,
    Word,
    WordArray,
    advance,
    announcement,
    check_info,
    encode_announcement,
    entry,
    from_board,
    game_end,
    legal_moves,
    load,
    make_move,
    mix64,
    pointer,
    side_to_move,
    store,
    to_board,
    word,
)
from kriegbot.search.backup import load_backup
from kriegbot.search.information_set import InformationSet
from kriegbot.search.search import search_tries
from kriegbot.search.settings import Method
from referee import BERKELEY, PAPER_LIMITS, OpponentMoved, Referee
from tests import plain_search
from tests.perft import perft
from tests.plain_evaluators import ks as plain_ks
from tests.plain_search import Knowledge, PlainSearch

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
SPEED = "times the histories a second of the same search on python-chess"
PAPER_SAMPLES = {1: 1683, 2: 321, 3: 67}
"""Histories in 30 seconds, Figure 4 of Parker, Nau and Subrahmanian (AAAI 2006)."""


@entry
def make_evaluate(
    tables: WordArray, rows: Rows, rules: KernelRules, evaluate: Evaluator, moves: MoveArray, total: IntArray
) -> int:
    """Evaluate the position after every legal move of every row; return the number of moves."""
    listed = pointer(moves)
    scratch = advance(listed, MAX_MOVES)
    count = 0
    for i in range(len(rows)):
        position = load(pointer(rows), i)
        side = side_to_move(position)
        legal = legal_moves(pointer(tables), position, listed)
        for j in range(legal):
            after, _ = make_move(pointer(tables), position, listed[j])
            checkers, pinned = check_info(pointer(tables), after)
            if game_end(pointer(tables), after, checkers, pinned, rules, scratch) == 0:
                total[0] += evaluate(pointer(tables), after, side)
        count += legal
    return count


@entry
def filter_random(
    tables: WordArray, rows: Rows, code: int, rules: KernelRules, seed: Word, target: Rows, moves: MoveArray
) -> int:
    """Make a random legal move on every board; keep those with this announcement and return their number."""
    listed = pointer(moves)
    scratch = advance(listed, MAX_MOVES)
    count, state = 0, seed
    for i in range(len(rows)):
        position = load(pointer(rows), i)
        legal = legal_moves(pointer(tables), position, listed)
        if legal == 0:
            continue
        state += GAMMA
        choice = ((mix64(state) >> word(32)) * word(legal)) >> word(32)
        after, captured = make_move(pointer(tables), position, listed[choice])
        if announcement(pointer(tables), position, after, captured, rules, scratch) == code:
            store(pointer(target), count, after)
            count += 1
    return count


def rate(work: Callable[[], int], runs: int = 5) -> float:
    """Return millions per second of the count that `work` returns: the median of runs of 0.25 s processor time."""
    work()  # warm up
    rates = []
    for _ in range(runs):
        begun, count, spent = time.process_time(), 0, 0.0
        while spent < 0.25:
            count += work()
            spent = time.process_time() - begun
        rates.append(count / spent / 1e6)
    return statistics.median(rates)


def counted(row: WordArray, depth: int, expected: int) -> int:
    """Run perft; raise ValueError if it counts wrong."""
    count = perft(row, depth)
    if count != expected:
        raise ValueError(f"perft {depth} counts {count:,}, not {expected:,}")
    return count


def midgame_positions(count: int) -> WordArray:
    """Return positions [count, 8] from random legal play, 20 to 59 plies deep, not over."""
    rng = random.Random(2006)
    rows: list[WordArray] = []
    while len(rows) < count:
        board = chess.Board()
        for _ in range(rng.randrange(20, 60)):
            moves = list(board.legal_moves)
            if not moves:
                break
            board.push(rng.choice(moves))
        if not board.is_game_over():
            rows.append(from_board(board))
    return np.array(rows)


def midgame_belief(particles: int) -> tuple[Referee, Belief]:
    """Return the referee and White's belief after a black move at least 20 plies into a game of random tries.

    It is the first turn before which the belief was nine tenths full and after which it is at least half full.
    """
    for game in range(100):
        rng = random.Random(game)
        referee = Referee(BERKELEY, PAPER_LIMITS)
        belief = Belief(referee.view(chess.WHITE), particles)
        while referee.end is None:
            view = referee.view(referee.turn)
            if referee.turn == chess.WHITE:
                belief.update(view)
                before, after = len(belief.before_opponent_moved.particles), len(belief.particles)
                if view.ply >= 20 and not view.refused and before > 0.9 * particles and after > 0.5 * particles:
                    return referee, belief
            referee.try_move(rng.choice(view.tries()))
    raise RuntimeError(f"no turn of a hundred games has {particles} boards")


def last_code(referee: Referee) -> int:
    """Return the announcement of Black's last move, encoded."""
    event = referee.view(chess.WHITE).events[-1]
    if not isinstance(event, OpponentMoved):
        raise TypeError(f"the last event is {event}, not a move of Black")
    return encode_announcement(event.announcement)


def kernel_rates() -> dict[str, float]:
    """Return the rates of the kernels, in millions per second."""
    moves, total, ks = np.empty(4 * MAX_MOVES, np.int32), np.zeros(1, np.int64), load_evaluator("ks")
    midgame = midgame_positions(1000)
    start, kiwipete = from_board(chess.Board()), from_board(chess.Board(KIWIPETE))
    referee, belief = midgame_belief(20_000)
    boards = np.ascontiguousarray(belief.before_opponent_moved.particles.rows[:10_000])
    target, code = np.empty_like(boards), last_code(referee)

    def filter_boards() -> int:
        filter_random(TABLES, boards, code, belief.filter.rules, 12345, target, moves)
        return len(boards)

    return {
        "perft_start": rate(lambda: counted(start, 6, 119_060_324)),
        "perft_kiwipete": rate(lambda: counted(kiwipete, 4, 4_085_603)),
        "make_evaluate": rate(lambda: make_evaluate(TABLES, midgame, belief.filter.rules, ks, moves, total)),
        "filter": rate(filter_boards),
    }


def search_rates(histories: dict[int, int]) -> tuple[dict[int, float], dict[int, float]]:
    """Return leaves (millions) and histories per second of overconfident search of a midgame belief, by depth."""
    referee, belief = midgame_belief(20_000)
    ks, view = load_evaluator("ks"), referee.view(chess.WHITE)
    leaves, speeds = {}, {}
    for depth, count in histories.items():
        drawn_set = InformationSet.of(view, *belief.particles.draw(count, seed=depth))
        method = Method(depth, load_backup("overconfident"), ks)

        def work(histories: InformationSet = drawn_set, method: Method = method) -> int:
            return search_tries(histories, method).leaves

        leaves[depth] = rate(work)
        speeds[depth] = count / (work() / (leaves[depth] * 1e6))
    return leaves, speeds


def plain_histories(histories: dict[int, int]) -> dict[int, float]:
    """Return histories per second of the same search in plain Python on python-chess, with the same leaves."""
    referee, belief = midgame_belief(20_000)
    knowledge = Knowledge.of(referee.view(chess.WHITE))
    speeds = {}
    for depth, count in histories.items():
        rows, weights = belief.particles.draw(count, seed=depth)
        positions = [(to_board(row), float(weight)) for row, weight in zip(rows, weights, strict=True)]
        begun = time.process_time()
        PlainSearch(plain_search.overconfident, plain_ks).try_values(positions, knowledge, depth)
        speeds[depth] = count / (time.process_time() - begun)
    return speeds


def belief_turn_seconds() -> tuple[float, int]:
    """Return the processor seconds of one update for an opponent's move in the midgame, and the boards before it."""
    referee, belief = midgame_belief(100_000)
    before, view = belief.before_opponent_moved, referee.view(chess.WHITE)
    times = []
    for seed in range(5):
        begun = time.process_time()
        replace(belief.filter, seed=seed).after_event(before.particles, view, before.event)
        times.append(time.process_time() - begun)
    return statistics.median(times), len(before.particles)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--json", action="store_true", help="one object, in millions per second")
    parser.add_argument("--record", action="store_true", help="add the times to the table of measurements")
    options = parser.parse_args()
    rates = kernel_rates()
    leaves, speeds = search_rates({1: 5000, 2: 500, 3: 100})
    rates |= {f"search_leaves_depth{depth}": value for depth, value in leaves.items()}
    if options.json:
        print(json.dumps({name: round(value, 3) for name, value in rates.items()}))
        return
    for name, value in rates.items():
        print(f"{name:24}{value:10.2f} M/s")
    print("\nhistories per second        kriegbot  python-chess    times     in 30 s  paper's")
    plain = plain_histories({1: 200, 2: 10, 3: 1})
    for depth, value in speeds.items():
        print(
            f"  overconfident depth {depth}{value:14,.0f}{plain[depth]:14.2f}{value / plain[depth]:9,.0f}"
            f"{30 * value:12,.0f}{PAPER_SAMPLES[depth]:9,}"
        )
    if options.record:
        times = [value / plain[depth] for depth, value in speeds.items()]
        span = f"{min(times):,.0f} to {max(times):,.0f}"
        add([Measurement(key="search-speed", value=span, unit=SPEED, command="python benchmarks/kernels.py")])
    seconds, boards = belief_turn_seconds()
    print(f"\none move of the opponent, {boards:,} boards in the midgame: {seconds:.3f} s")


if __name__ == "__main__":
    main()
