"""Calibration of the flagship's belief: its expectations of the opponent beside the truth, on games of tournaments.

    kriegbot tournament kriegbot:samples=200 metaposition mcts --games 16 --out pool.sqlite
    python benchmarks/seeing.py pool.sqlite --plot docs/king.svg
    python benchmarks/seeing.py pool.sqlite --belief-model uniform --json
    python benchmarks/seeing.py pool.sqlite --record KEY           adds the figures of `RECORDED` to measurements.csv

The script rebuilds the belief of the watched side event by event, with the player's own seed: with `samples=200` it is
the belief of the game. At each turn, with the boards before the accepted try, it counts

    covered          after a capture by a piece (on boards where it is legal), the opponent can recapture
    taken at once    the opponent recaptures: expected by the model's replies; true if it did
    attacked         our pieces, and the squares around our king including its own, that the opponent attacks
    mating reply     after our move, the opponent has a mate in one
    true board       after ply 10, opponent types together: share of turns that have it, and its mean weight
    king's square    after ply 10, squares on which the king stands with a probability in tenths, and from SURE on;
                     `--plot` draws the tenths

Of all tries: those from an inconsistent belief; after ply 20, those from few boards (types together, not exact).
Of the opponent's moves, in nats: the likelihood of the announcement under belief and model (at least FLOOR),
and that of the true move on the true board under the model. Intervals are 95%, by bootstrap over games.

Sums of each game of pool.sqlite are kept in pool.watched.jsonl, so that a run that was interrupted goes on.
"""

import argparse
import json
from collections import defaultdict
from io import StringIO
from pathlib import Path
from typing import Any, TypeAlias

import chess
import measurements
import numpy as np
from measurements import Measurement
from rich.console import Console
from rich.progress import track

from kriegbot import kernels as kb
from kriegbot.belief.belief import Belief
from kriegbot.belief.filter import AnnouncedMove, matches_of
from kriegbot.belief.particles import Particles, merged
from kriegbot.game.match import player_seed
from kriegbot.kernels.position import type_ids
from kriegbot.models import load_opponent
from kriegbot.models.protocol import Announced, Opponent, chances_of, prior_of
from kriegbot.players.kriegbot import FLAGSHIP, particles_beside
from referee import Answer, GameRecord, OwnTry, View
from tournaments.leaves_examined import plotting
from tournaments.plots import LINE
from tournaments.store import Store, StoreError

EXPECTED, TRUE = BOTH = ("expected", "true")
FLOOR, DRAWS = 1e-4, 2000
OPENING, EARLY, POOR, FEW = 10, 20, 50, 300
SURE = 0.95
KING = "king's square: from {}"
INCONSISTENT, HELD, SURELY = "tries from an inconsistent belief", "true board: held", KING.format(SURE)
RECORDED = {
    "inconsistent tries": (INCONSISTENT, "true"),
    "true board held": (HELD, "true"),
    "king's square, believed": (SURELY, "expected"),
    "king's square, seen": (SURELY, "true"),
}
"""Figures for the table of measurements, in percent: ours by their names there."""
Figures: TypeAlias = dict[str, dict[str, list[float]]]
"""Mean, its interval and the count of each figure, expected and true."""
Sums: TypeAlias = defaultdict[tuple[str, str], list[float]]
"""Of each figure, expected and true: its sum over a game, and its count."""


@kb.entry
def attacks_on_us(tables: kb.WordArray, rows: kb.Rows, pieces: kb.RealArray, near: kb.RealArray) -> None:
    """Count the attacked pieces [N] and attacked squares around the king [N] of the side to move on N boards."""
    for i in range(len(rows)):
        position = kb.load(kb.pointer(rows), i)
        side = kb.side_to_move(position)
        own, other = kb.pieces_of(position, side)
        attacked = kb.attacked_by(kb.pointer(tables), position, 1 - side, own | other)
        king = position.kings & own
        pieces[i] = kb.popcount(attacked & own)
        near[i] = kb.popcount(attacked & (king | kb.king_attacks(kb.pointer(tables), kb.lsb(king))))


@kb.entry
def look_ahead(
    tables: kb.WordArray,
    rows: kb.Rows,
    move: int,
    theirs: int,
    rules: kb.KernelRules,
    opponent: Opponent,
    found: tuple[kb.RealArray, kb.RealArray, kb.RealArray, kb.RealArray],
    scratch: tuple[kb.MoveArray, kb.RealArray],
) -> None:
    """Write for a try on N boards: is it legal, can the opponent recapture, with which probability, and mate."""
    legal, covered, taken, mated = found
    listed, weights = kb.pointer(scratch[0]), kb.pointer(scratch[1])
    replies, target = kb.advance(listed, kb.MAX_MOVES), move >> 6 & 63
    for i in range(len(rows)):
        position = kb.load(kb.pointer(rows), i)
        legal[i], covered[i], taken[i], mated[i] = 0.0, 0.0, 0.0, 0.0
        if not kb.is_legal_try(kb.pointer(tables), position, move):
            continue
        legal[i] = 1.0
        after, captured = kb.make_move(kb.pointer(tables), position, move)
        code = kb.announcement(kb.pointer(tables), position, after, captured, rules, replies)
        if kb.announced_end(code) != 0:
            continue
        count = kb.legal_moves(kb.pointer(tables), after, listed)
        is_weighted = opponent(kb.pointer(tables), after, Announced(code, theirs), listed, count, weights)
        quiet, total = kb.quiet_info(kb.pointer(tables), after, rules), 0.0
        for j in range(count):
            weight = weights[j] if is_weighted else 1.0
            total += weight
            if listed[j] >> 6 & 63 == target:
                covered[i] = 1.0
                taken[i] += weight
            if mated[i] == 0.0 and not kb.is_quiet(quiet, after, listed[j]):
                again, _ = kb.make_move(kb.pointer(tables), after, listed[j])
                checkers, pinned = kb.check_info(kb.pointer(tables), again)
                if kb.is_won(kb.game_end(kb.pointer(tables), again, checkers, pinned, rules, replies)):
                    mated[i] = 1.0
        taken[i] /= total


class Watch:
    """The figures of one side of a game."""

    def __init__(self, record: GameRecord, color: chess.Color, seed: int, particles: int, model: Opponent) -> None:
        self.record, self.color, self.model = record, color, model
        self.sums: Sums = defaultdict(lambda: [0.0, 0])
        self.scratch = np.empty(2 * kb.MAX_MOVES, np.int32), np.empty(kb.MAX_MOVES)
        steps = record.replay()
        referee = next(steps).referee
        self.view, self.truth = referee.view(color), kb.from_board(referee.board(), 0).reshape(1, 8)
        self.belief = Belief(self.view, particles, seed, model, recovery_attempts=FLAGSHIP.recovery_attempts)
        for step in steps:
            if isinstance(step.event, OwnTry) and step.color == color:
                self.our_try(step.event)
            elif isinstance(step.event, OwnTry) and step.event.answer is Answer.ACCEPTED:
                self.their_move(step.event.move, referee.view(color))
            self.view = referee.view(color)
            self.belief.update(self.view)
            self.truth = kb.from_board(referee.board(), referee.ply).reshape(1, 8)
        self.add("games inconsistent at the end", TRUE, not self.belief.particles.is_consistent)

    def add(self, name: str, column: str, value: Any) -> None:
        """Add a number to a figure."""
        self.sums[name, column][0] += float(value)
        self.sums[name, column][1] += 1

    def our_try(self, event: OwnTry) -> None:
        """Add the expectations before a try of ours."""
        held, ply = self.belief.particles, self.view.ply
        bare = merged(kb.without_type_ids(held.rows), held.weights.copy(), held.is_exact, held.is_consistent)
        weight = float(bare.weights[(bare.rows == self.truth).all(axis=1)].sum())
        self.add(INCONSISTENT, TRUE, not held.is_consistent)
        if ply >= EARLY:
            size = np.inf if held.is_exact else len(bare)
            self.add(f"tries from fewer than {POOR} boards", TRUE, size < POOR)
            self.add(f"tries from fewer than {FEW} boards", TRUE, size < FEW)
            if size < POOR:
                self.add(f"true board: absent from fewer than {POOR}", TRUE, weight == 0.0)
        if event.announcement is None:
            return
        if ply >= OPENING:
            self.add(HELD, TRUE, weight > 0.0)
            self.add("true board: weight", TRUE, weight)
            if len(held):
                self.king_square()
        truth = Particles(self.truth, np.ones(1), is_exact=False)
        for column, boards in ((EXPECTED, bare), (TRUE, truth)):
            if len(boards):
                pieces, near = np.empty((2, len(boards)))
                attacks_on_us(kb.TABLES, boards.rows, pieces, near)
                self.add("attacked: our pieces", column, boards.weights @ pieces)
                self.add("attacked: squares around our king", column, boards.weights @ near)
        if ply + 1 < len(self.record.turns):
            self.replies(event, held, truth)

    def king_square(self) -> None:
        """Add the probabilities of squares of the opponent's king, by size, and on how many of these it stands."""
        chances = self.belief.occupancy(not self.color)[chess.KING - 1]
        is_king = np.arange(64) == kb.to_board(self.truth[0]).king(not self.color)
        tenths = np.minimum(10 * chances, 9).astype(int)
        sizes = {KING.format(tenth / 10): tenths == tenth for tenth in range(10)}
        for name, those in (sizes | {SURELY: chances >= SURE}).items():
            for column, values in ((EXPECTED, chances), (TRUE, is_king)):
                self.sums[name, column][0] += float(values[those].sum())
                self.sums[name, column][1] += int(those.sum())

    def replies(self, event: OwnTry, held: Particles, truth: Particles) -> None:
        """Add the expectations of the opponent's reply to an accepted move."""
        answer = self.record.turns[self.view.ply + 1].move
        was_taken = answer.to_square == event.move.to_square
        is_capture = event.announcement is not None and event.announcement.capture is not None
        is_piece = self.view.men[event.move.from_square] not in (chess.PAWN, chess.KING)
        _, theirs = kb.last_announcements(self.view, len(self.view.events))
        for column, boards in ((EXPECTED, held), (TRUE, truth)):
            legal, covered, taken, mated = np.empty((4, len(boards)))
            found, move = (legal, covered, taken, mated), kb.encode_move(event.move)
            look_ahead(kb.TABLES, boards.rows, move, theirs, self.belief.filter.rules, self.model, found, self.scratch)
            weights = boards.weights * legal
            if weights.sum() == 0.0:
                return
            weights /= weights.sum()
            taking = float(was_taken) if column == TRUE else weights @ taken
            if is_capture and is_piece:
                self.add("captures by pieces: covered", column, weights @ covered)
                self.add("captures by pieces: taken at once", column, taking)
            elif not is_capture:
                self.add("quiet moves: taken at once", column, taking)
            self.add("mating reply", column, weights @ mated)

    def their_move(self, move: chess.Move, view: View) -> None:
        """Add the likelihoods of a move of the opponent and of its announcement; `view` is the one after it."""
        held, index = self.belief.particles, len(self.view.events)
        event = AnnouncedMove(
            kb.encode_announcement(self.record.turns[self.view.ply].announcement),
            kb.turn_history(view, index),
            *kb.last_announcements(view, index),
        )
        matches, types = matches_of(held.rows, event, self.belief.filter.rules, self.model), len(prior_of(self.model))
        chance = float(held.weights @ (matches.matching_weight / matches.total_weight))
        self.add("likelihood of the announcement, nats", TRUE, np.log(max(FLOOR, chance)))
        shares = np.bincount(type_ids(held.rows), held.weights, types)
        rows, announced = kb.with_type_ids(self.truth[0], types), Announced(event.ours, event.theirs)
        if len(held):
            moves = np.array([kb.encode_move(move)], np.int32)
            found = float(shares @ chances_of(moves, rows, announced, self.model)[:, 0])
            self.add("likelihood of the true move, nats", TRUE, np.log(found))


def means(games: list[Sums]) -> Figures:
    """Return the figures of some games."""
    drawn = np.random.default_rng(0).multinomial(len(games), np.full(len(games), 1 / len(games)), DRAWS)
    figures: Figures = defaultdict(dict)
    for name in sorted({name for sums in games for name, _ in sums}):
        for column in BOTH:
            totals, counts = np.array([sums[name, column] for sums in games]).T
            if counts.sum() > 0:
                again = drawn @ counts
                ends = np.quantile((drawn @ totals)[again > 0] / again[again > 0], (0.025, 0.975))
                figures[name][column] = [float(totals.sum() / counts.sum()), *map(float, ends), int(counts.sum())]
    return figures


def plot_of(results: dict[str, Figures]) -> str:
    """Draw how often the king stands on squares that the belief gives some probability, by opponent, as SVG."""
    from matplotlib.figure import Figure

    with plotting():
        figure = Figure(figsize=(5, 4.4), layout="constrained")
        axes = figure.subplots()
        axes.spines[["top", "right"]].set_visible(False)
        axes.plot((0, 1), (0, 1), color=LINE, linewidth=0.8)
        for opponent, figures in results.items():
            points = [figures[name] for name in map(KING.format, np.arange(10) / 10) if name in figures]
            expected, true = (np.array([one[column][:3] for one in points]).T for column in BOTH)
            errors = np.abs(true[1:] - true[0])
            axes.errorbar(expected[0], true[0], yerr=errors, fmt="o-", capsize=3, label=opponent.split(":")[0])
        axes.set_xlabel("probability of the opponent's king on a square")
        axes.set_ylabel("how often it stands there, with 95% interval")
        axes.legend(frameon=False)
        out = StringIO()
        figure.savefig(out, format="svg", metadata={"Date": None, "Title": "Where the belief expects the king"})
        return out.getvalue()


def watched(file: Path, watcher: str, most: int | None, particles: int, model: str) -> dict[str, list[Sums]]:
    """Return the figures of watched games by opponent, `most` of each; those of earlier runs are read."""
    found: dict[str, list[Sums]] = defaultdict(list)
    kept, opponent_model = Kept(file.with_suffix(".watched.jsonl")), load_opponent(model)
    with Store.open(file) as store:
        for game in track(store.game_rows(), f"watching {file.name}", console=Console(stderr=True)):
            players = {chess.WHITE: game.white, chess.BLACK: game.black}
            for color, player in players.items():
                games = found[players[not color]]
                if player.startswith(watcher) and (most is None or len(games) < most):
                    name = f"{game.id} {chess.COLOR_NAMES[color]} {particles} {model}"
                    if name not in kept.sums:
                        seed = player_seed(game.seed, color)
                        kept.add(name, Watch(store.record(game.id), color, seed, particles, opponent_model).sums)
                    games.append(kept.sums[name])
    return {opponent: games for opponent, games in found.items() if games}


class Kept:
    """The sums of watched games in a file, a line each: its name, and figure, column, sum and count of each."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.sums: dict[str, Sums] = {}
        for line in path.read_text("utf-8").splitlines() if path.exists() else ():
            name, figures = json.loads(line)
            self.sums[name] = defaultdict(lambda: [0.0, 0])
            self.sums[name].update({(figure, column): sums for figure, column, *sums in figures})

    def add(self, name: str, sums: Sums) -> None:
        """Add the sums of a game."""
        self.sums[name] = sums
        with self.path.open("a", encoding="utf-8") as file:
            print(json.dumps([name, [[*key, *value] for key, value in sums.items()]]), file=file)


def measured(
    key: str, file: Path, watcher: str, results: dict[str, Figures], games: dict[str, int]
) -> list[Measurement]:
    """Return the figures of `RECORDED` as rows of the table of measurements, a key for each opponent."""
    with Store.open(file) as store:
        settings = store.settings
    rows = []
    for opponent, figures in results.items():
        for what, (name, column) in RECORDED.items():
            value, low, high, count = figures[name][column]
            row = Measurement(
                key=f"{key}-{opponent.partition(':')[0]}",
                what=what,
                value=f"{100 * value:.1f}",
                low=f"{100 * low:.1f}",
                high=f"{100 * high:.1f}",
                unit="%",
                games=str(games[opponent]),
                player=watcher,
                opponent=opponent,
                setting=f"{settings.rules.name}; {settings.limits}",
                command=f"python benchmarks/measure.py FOLDER {key}",
                seed=str(settings.seed),
                note=f"of {count}",
            )
            rows.append(row)
    return rows


def main() -> None:
    """Read games, follow beliefs, and report."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("file", type=Path, help="the store of a tournament")
    parser.add_argument("--watcher", default="kriegbot", help="first letters of the watched players' specs")
    parser.add_argument("--samples", type=int, default=200, help="of the player; sets the size of its belief")
    parser.add_argument("--belief-model", default=FLAGSHIP.belief_model, help="opponent model of belief and replies")
    parser.add_argument("--games", type=int, help="maximum per opponent")
    parser.add_argument("--plot", type=Path, help="file for an SVG of the king's squares")
    parser.add_argument("--json", action="store_true", help="one object: mean, low, high and count of each figure")
    parser.add_argument("--record", metavar="KEY", help="add figures to the table of measurements")
    options = parser.parse_args()
    particles = particles_beside(options.samples)
    try:
        found = watched(options.file, options.watcher, options.games, particles, options.belief_model)
    except StoreError as error:
        parser.error(str(error))
    if not found:
        parser.error(f"no game of a player whose spec begins with {options.watcher!r} in {options.file}")
    results = {opponent: means(watches) for opponent, watches in found.items()}
    if options.plot:
        options.plot.write_text(plot_of(results), encoding="utf-8")
    if options.record:
        games = {opponent: len(watches) for opponent, watches in found.items()}
        measurements.add(measured(options.record, options.file, options.watcher, results, games))
    if options.json:
        print(json.dumps(results, indent=1))
        return
    for opponent, figures in results.items():
        print(f"\n{options.watcher} against {opponent}, {len(found[opponent])} games, model {options.belief_model}")
        print(f"  {'':<40}{'expected':^26}{'true':^26}{'of':>7}")
        for name, columns in figures.items():
            cells = ["{:8.3f} [{:.3f}, {:.3f}]".format(*columns[one]) if one in columns else "" for one in BOTH]
            print(f"  {name:<40}{cells[0]:<26}{cells[1]:<26}{columns[TRUE][3]:>7}")


if __name__ == "__main__":
    main()
