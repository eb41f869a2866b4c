"""Figure 4 of Parker, Nau and Subrahmanian (AAAI 2006): how many histories a search folds in, by time and depth.

Positions of seeded games are searched against the clock. Histories are drawn one at a time, with replacement, from a
belief that is ready, as in the paper's statistical sampling; so only drawing and search are measured.
"""

import csv
import time
from collections.abc import Iterator
from pathlib import Path

import chess
import numpy as np

from evaluators import load_evaluator
from kriegbot.belief.belief import Belief
from kriegbot.kernels import subseed, uniforms
from kriegbot.players.rand import RandPlayer
from kriegbot.search.information_set import InformationSet
from kriegbot.search.rules.overconfident import overconfident
from kriegbot.search.search import search_tries
from kriegbot.search.settings import Method
from referee import BERKELEY, PAPER_LIMITS, Referee, View
from tournaments.paper import LONG, PARTICLES, SAMPLES, SHORT
from tournaments.presentation import NOTHING, Table

POSITIONS = 10
STUDENT_95 = 2.262157  # half width of a 95 % interval in standard errors, of a mean over all positions
SECONDS = (1, 30)
DEPTHS = (1, 2, 3)
FIRST_PLY, PLIES_APART = 10, 12  # where in its game each position comes from; the last is at ply 118
A_TIME = 50_000  # histories drawn at a time, more than depth 3 folds in within a minute
COLUMNS = ("position", "depth", "seconds", "histories")

Sizes = dict[tuple[int, int, int], int]  # position, depth and seconds -> histories


def positions(seed: int) -> Iterator[View]:
    """Views of random games, White to move, one of each game, from early in the first to late in the last."""
    for number in range(POSITIONS):
        wanted, attempt, found = FIRST_PLY + PLIES_APART * number, 0, None
        while found is None:  # a game may end earlier
            referee, player = Referee(BERKELEY, PAPER_LIMITS), RandPlayer(subseed(seed, 1000 * number + attempt))
            while referee.end is None and referee.ply < wanted:
                move = player.choose(referee.view(referee.turn)).action
                assert isinstance(move, chess.Move)
                referee.try_move(move)
            found, attempt = None if referee.end else referee.view(referee.turn), attempt + 1
        yield found


def sample_size(view: View, depth: int, seconds: float, seed: int) -> int:
    """How many histories overconfident search to a depth folds in within `seconds`."""
    belief = Belief(view, PARTICLES, seed)
    rows, weights = belief.particles.rows, belief.particles.weights
    bounds = np.cumsum(weights) / weights.sum()
    method, histories, draws = Method(depth, overconfident, load_evaluator("ks")), 0, 0
    begun = time.perf_counter()
    while (left := seconds - (time.perf_counter() - begun)) > 0:
        drawn = rows[np.minimum(np.searchsorted(bounds, uniforms(subseed(seed, draws), A_TIME)), len(rows) - 1)]
        found = search_tries(InformationSet.of(view, drawn, np.ones(A_TIME)), method, left)
        histories += found.boards if found.depth == depth else 0
        draws += 1
    return histories


def measured(path: Path) -> Sizes:
    """The contents of a file of measurements, nothing if there is none; raises ValueError if it holds anything else."""
    if not path.exists():
        return {}
    try:
        columns, *rows = csv.reader(path.read_text(encoding="utf-8").splitlines())
        if tuple(columns) != COLUMNS:
            raise ValueError("other columns")
        return {(n, depth, seconds): size for n, depth, seconds, size in (map(int, row) for row in rows)}
    except (ValueError, csv.Error) as error:
        raise ValueError(f"'{path}' does not hold measurements of Figure 4 ({error})") from None


def measure(path: Path, seed: int) -> Iterator[tuple[int, int]]:
    """Measure what a file lacks, adding to it line by line; yields how many are done, and how many there are."""
    sizes = measured(path)
    wanted = [(n, depth, seconds) for seconds in SECONDS for depth in DEPTHS for n in range(POSITIONS)]
    views = list(positions(seed))
    with path.open("a", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        if not sizes and file.tell() == 0:
            writer.writerow(COLUMNS)
        for number, (position, depth, seconds) in enumerate(wanted, 1):
            if (position, depth, seconds) not in sizes:
                size = sample_size(views[position], depth, seconds, subseed(seed, position))
                writer.writerow((position, depth, seconds, size))
                file.flush()
            yield number, len(wanted)


def table_of(sizes: Sizes) -> Table:
    """Mean sample sizes with 95 % intervals, beside the paper's in 30 and 90 seconds."""
    rows = []
    for depth in DEPTHS:
        row = [str(depth)]
        for seconds in SECONDS:
            values = [size for (_, plies, time), size in sizes.items() if (plies, time) == (depth, seconds)]
            if len(values) < POSITIONS:
                row.append(NOTHING)
                continue
            error = STUDENT_95 * float(np.std(values, ddof=1)) / POSITIONS**0.5
            row.append(f"{np.mean(values):,.0f} ± {error:,.0f}")
        rows.append((*row, *(str(SAMPLES[seconds, depth]) for seconds in (SHORT, LONG))))
    headings = ("depth", *(f"in {seconds} s" for seconds in SECONDS), "paper in 30 s", "in 90 s")
    return Table("Figure 4: mean sample size of overconfident search", headings, rows)
