"""Sample sizes as Figure 4 of Parker, Nau and Subrahmanian (AAAI 2006) gives them: histories by time and depth.

The belief is ready, and histories are sampled from it with replacement, as in the paper. So only sampling and search
count.
"""

import csv
import time
from collections.abc import Iterator
from pathlib import Path

import chess
import numpy as np

from evaluators import load_evaluator
from kriegbot import kernels as kb
from kriegbot.belief.belief import Belief
from kriegbot.players.rand import RandPlayer
from kriegbot.search.backup import overconfident
from kriegbot.search.information_set import InformationSet
from kriegbot.search.search import search_tries
from kriegbot.search.settings import Method
from referee import BERKELEY, PAPER_LIMITS, Referee, View
from tournaments.presentation import NOTHING, Table
from tournaments.reproduce import LONG, PARTICLES, SAMPLES, SHORT

POSITIONS = 10
STUDENT_95 = 2.262157  # half width of a 95% interval in standard errors, of a mean over all positions
SECONDS = (1, 30)
DEPTHS = (1, 2, 3)
FIRST_PLY, PLIES_APART = 10, 12  # ply of the first position measured, and plies to the next
BATCH = 50_000  # histories sampled at a time, more than a search to depth 3 needs for a minute
COLUMNS = ("position", "depth", "seconds", "histories")

Sizes = dict[tuple[int, int, int], int]  # position, depth and seconds -> histories


def positions(seed: int) -> Iterator[View]:
    """Yield views of random games with White to move, one of each game, later and later in the game."""
    for index in range(POSITIONS):
        wanted, attempt, view = FIRST_PLY + PLIES_APART * index, 0, None
        while view is None:  # a game may end earlier
            referee, player = Referee(BERKELEY, PAPER_LIMITS), RandPlayer(kb.subseed(seed, 1000 * index + attempt))
            while referee.end is None and referee.ply < wanted:
                move = player.choose(referee.view(referee.turn)).action
                assert isinstance(move, chess.Move)
                referee.try_move(move)
            view, attempt = None if referee.end else referee.view(referee.turn), attempt + 1
        yield view


def sample_size(view: View, depth: int, seconds: float, seed: int) -> int:
    """Return the number of histories that overconfident search to a depth takes in within `seconds`."""
    belief = Belief(view, PARTICLES, seed)
    rows, weights = belief.particles.rows, belief.particles.weights
    bounds = np.cumsum(weights) / weights.sum()
    method, histories, draws = Method(depth, overconfident, load_evaluator("ks")), 0, 0
    begun = time.perf_counter()
    while (left := seconds - (time.perf_counter() - begun)) > 0:
        drawn = np.searchsorted(bounds, kb.random_numbers(kb.subseed(seed, draws), BATCH))
        sample = rows[np.minimum(drawn, len(rows) - 1)]
        result = search_tries(InformationSet.of(view, sample, np.ones(BATCH)), method, left)
        histories += result.boards if result.depth == depth else 0
        draws += 1
    return histories


def read_sizes(path: Path) -> Sizes:
    """Read a file of measurements, which need not exist; raise ValueError if it holds anything else."""
    if not path.exists() or not path.stat().st_size:  # a kill may have come before its first line
        return {}
    try:
        columns, *rows = csv.reader(path.read_text(encoding="utf-8").splitlines())
        if tuple(columns) != COLUMNS:
            raise ValueError("other columns")
        return {(n, depth, seconds): size for n, depth, seconds, size in (map(int, row) for row in rows)}
    except (ValueError, csv.Error) as error:
        raise ValueError(f"'{path}' does not hold measurements of Figure 4 ({error})") from None


def measure_sizes(path: Path, seed: int) -> Iterator[tuple[int, int]]:
    """Measure what a file lacks and add it line by line. Yield the number done and the number in all."""
    sizes = read_sizes(path)
    wanted = [(n, depth, seconds) for seconds in SECONDS for depth in DEPTHS for n in range(POSITIONS)]
    views = list(positions(seed))
    with path.open("a", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        if not sizes and file.tell() == 0:
            writer.writerow(COLUMNS)
        for done, (position, depth, seconds) in enumerate(wanted, 1):
            if (position, depth, seconds) not in sizes:
                size = sample_size(views[position], depth, seconds, kb.subseed(seed, position))
                writer.writerow((position, depth, seconds, size))
                file.flush()
            yield done, len(wanted)


def sizes_table(sizes: Sizes) -> Table:
    """Return mean sample sizes with 95% intervals, once all positions are measured, beside the paper's."""
    rows = []
    for depth in DEPTHS:
        row = [str(depth)]
        for seconds in SECONDS:
            values = [size for (_, *cell), size in sizes.items() if cell == [depth, seconds]]
            if len(values) < POSITIONS:
                row.append(NOTHING)
                continue
            error = STUDENT_95 * float(np.std(values, ddof=1)) / POSITIONS**0.5
            row.append(f"{np.mean(values):,.0f} ± {error:,.0f}")
        rows.append((*row, *(str(SAMPLES[seconds, depth]) for seconds in (SHORT, LONG))))
    headings = ("depth", *(f"in {seconds} s" for seconds in SECONDS), "paper in 30 s", "in 90 s")
    return Table("Figure 4: mean sample size of overconfident search", headings, rows)
