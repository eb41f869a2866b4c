"""Figures of a tournament as plain data, computed from its store; `presentation` shows them.

Results of a pairing are those of its first player. A move is one ply of a game, with all the answers (tries) that led
to it. Figures that need games are None without games.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Self

import numpy as np

from kriegbot.players.old_names import with_current_names
from tournaments import statistics
from tournaments.statistics import Decision, Elo, Sprt
from tournaments.store import COLORS, Store, StoredGame
from tournaments.tables import GameRow, IncidentRow, SideRow

PLIES_PER_BIN = 10
SECOND_EDGES = tuple(round(float(edge), 7) for edge in np.geomspace(1e-4, 1e4, 33))
"""Edges of a histogram of times, four to a power of ten. The outer bins take shorter and longer times, too."""


@dataclass(frozen=True, slots=True)
class Histogram:
    """Number of values between each edge and the next; there is one more edge than counts."""

    edges: tuple[float, ...]
    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Standing:
    """Results of some games: EU in percent with its 95% interval, Elo difference, superiority and share of draws."""

    wins: int
    draws: int
    losses: int
    utility: float | None = None
    utility_interval: tuple[float, float] | None = None
    elo: Elo | None = None
    superiority: float | None = None
    draw_ratio: float | None = None

    @property
    def games(self) -> int:
        """Number of games."""
        return self.wins + self.draws + self.losses

    @property
    def counts(self) -> tuple[int, int, int]:
        """Losses, draws and wins, as `tournaments.statistics` counts."""
        return self.losses, self.draws, self.wins

    @classmethod
    def of(cls, losses: int, draws: int, wins: int) -> Self:
        """Compute the figures of these counts."""
        if not losses + draws + wins:
            return cls(0, 0, 0)
        games = losses, draws, wins
        utility = statistics.expected_utility(*games), statistics.expected_utility_interval(*games)
        superiority, draw_ratio = statistics.likelihood_of_superiority(games), draws / sum(games)
        return cls(wins, draws, losses, *utility, statistics.elo(games), superiority, draw_ratio)


@dataclass(frozen=True, slots=True)
class Pairs:
    """Complete pairs of games with one seed and exchanged colours."""

    counts: tuple[int, ...]  # pairs with 0, 1/2, 1, 3/2 and 2 points
    score: float  # of a pair, in [0, 1]
    variance: float  # of a pair
    elo: Elo


@dataclass(frozen=True, slots=True)
class SprtStatus:
    """State of a test of a pairing (`tournaments.statistics.Sprt`). counts: pairs up to the decision, as in `Pairs`."""

    elo0: float
    elo1: float
    alpha: float
    beta: float
    counts: tuple[int, ...]
    ratio: float
    bounds: tuple[float, float]
    decision: Decision


@dataclass(frozen=True, slots=True)
class PairingReport:
    """One pairing. endings: games by the reason of their end, most frequent first. seconds: mean time of a game."""

    first: str
    second: str
    standing: Standing
    as_white: Standing
    as_black: Standing
    pairs: Pairs | None
    endings: dict[str, int]
    mean_plies: float | None
    plies: Histogram
    seconds: float | None
    test: SprtStatus | None


@dataclass(frozen=True, slots=True)
class PlayerReport:
    """One player, in all its games."""

    player: str
    games: int
    points: float
    moves: int
    illegal_a_move: float | None
    mean_samples: float | None  # histories sampled for an answer, of the answers that sampled (AAAI 2006, figure 4)
    move_seconds: tuple[float, float] | None  # median and 99th percentile
    answer_seconds: tuple[float, float] | None  # likewise
    times: Histogram
    overruns: int  # answers that took longer than their budget
    rescues: dict[str, int]  # answers by the gravest rescue that the belief needed
    rescues_a_move: float | None
    inconsistent_a_move: float | None  # answers from a belief that may contradict an announcement
    forfeits: int


@dataclass(frozen=True, slots=True)
class Forfeit:
    """A game that a player forfeited, or after whose end it failed, and how it failed."""

    game: int
    player: str
    color: str
    failure: str


@dataclass(frozen=True, slots=True)
class Incident:
    """A game that died (`schedule.Died`). The third time in a run it is given up."""

    game: int
    at: str
    what: str
    quarantined: bool


@dataclass(frozen=True, slots=True)
class TournamentReport:
    """A tournament."""

    rules: str
    plies: int | None  # limit
    quiet: int | None  # limit of plies without pawn move or capture
    seed: int
    shard: str  # part of the tournament, "1/1" for all of it; `wanted` and `done` count its games
    wanted: int
    done: int
    seconds: float  # playing time of all games together
    versions: dict[str, int]  # games by the versions of kriegbot and its libraries
    players: tuple[PlayerReport, ...]
    pairings: tuple[PairingReport, ...]
    points: tuple[tuple[float | None, ...], ...]  # each against each, in the order of `players`; None: have not met
    forfeits: tuple[Forfeit, ...]
    incidents: tuple[Incident, ...]

    def as_json(self) -> dict[str, Any]:
        """Return plain values for JSON, all finite; the seed is text."""
        return asdict(self) | {"seed": str(self.seed)}


def report_of(store: Store, sprt: Sprt | None = None) -> TournamentReport:
    """Compute all figures of a store, and a test of each pairing if one is given; raise StoreError if it is damaged."""
    store.check_tables()
    settings, versions = store.settings, Counter[str]()
    names = list(dict.fromkeys(name for pairing in settings.pairings for name in (pairing.first, pairing.second)))
    of_pairing: list[list[GameRow]] = [[] for _ in settings.pairings]
    tallies, forfeits = {name: _Tally() for name in names}, []
    for game in store.stored():
        versions[game.row.versions] += 1
        of_pairing[game.row.pairing].append(game.row._replace(record=b""))
        for place, side in enumerate(game.sides):
            player = with_current_names(getattr(game.row, side.color))
            tallies[player].add(game, place)
            if side.failure:
                forfeits.append(Forfeit(side.game, player, side.color, side.failure))
    pairings = tuple(_pairing(store, number, games, sprt) for number, games in enumerate(of_pairing))
    points = _points(pairings, names)
    return TournamentReport(
        rules=settings.rules.name,
        plies=settings.limits.plies,
        quiet=settings.limits.quiet_plies,
        seed=settings.seed,
        shard=str(store.shard),
        wanted=sum(store.shard.has(game) for game in settings.schedule(store.games)),
        done=sum(map(len, of_pairing)),
        seconds=sum(game.seconds for games in of_pairing for game in games),
        versions=_ranked(versions),
        players=tuple(tallies[name].report(name, row) for name, row in zip(names, points, strict=True)),
        pairings=pairings,
        points=points,
        forfeits=tuple(forfeits),
        incidents=tuple(Incident(*row[1:4], bool(row.quarantined)) for row in store.table(IncidentRow)),
    )


@dataclass
class _Tally:
    """Figures of one player, game after game."""

    sides: list[SideRow] = field(default_factory=list)
    forfeits: int = 0
    rescues: Counter[str] = field(default_factory=Counter)
    samples: list[int] = field(default_factory=list)
    answer_seconds: list[float] = field(default_factory=list)
    move_seconds: list[float] = field(default_factory=list)

    def add(self, game: StoredGame, place: int) -> None:
        """Add a game that the player played as COLORS[place]."""
        side, of_ply = game.sides[place], defaultdict[int, float](float)
        self.sides.append(side._replace(log=""))
        has_lost = game.row.reason == "forfeit" and game.row.result == ("0-1", "1-0")[place]
        self.forfeits += has_lost and side.failure != ""
        for answer in game.answers:
            if answer.color == COLORS[place]:
                self.answer_seconds.append(answer.seconds)
                of_ply[answer.ply] += answer.seconds
                self.samples += [answer.samples] * (answer.samples > 0)
                self.rescues.update([answer.rescue] * (answer.rescue != ""))
        self.move_seconds += of_ply.values()

    def report(self, player: str, points: Sequence[float | None]) -> PlayerReport:
        moves = sum(side.turns for side in self.sides)
        return PlayerReport(
            player=player,
            games=len(self.sides),
            points=sum(won or 0 for won in points),
            moves=moves,
            illegal_a_move=sum(side.illegal for side in self.sides) / moves if moves else None,
            mean_samples=_mean(self.samples),
            move_seconds=_quantiles(self.move_seconds),
            answer_seconds=_quantiles(self.answer_seconds),
            times=_histogram(self.move_seconds, SECOND_EDGES),
            overruns=sum(side.overruns for side in self.sides),
            rescues=_ranked(self.rescues),
            rescues_a_move=self.rescues.total() / moves if moves else None,
            inconsistent_a_move=sum(side.astray for side in self.sides) / moves if moves else None,
            forfeits=self.forfeits,
        )


def _ranked(counts: Counter[str]) -> dict[str, int]:
    """Return counts, highest first, of equal ones by name."""
    return dict(sorted(counts.items(), key=lambda one: (-one[1], one[0])))


def decision_of(store: Store, sprt: Sprt, pairing: int = 0) -> Decision:
    """Return the decision of a test of a pairing; raise StoreError if the store is damaged."""
    return _tested(pairs_in_order(store, pairing), sprt).decision


def pairs_in_order(store: Store, pairing: int) -> Iterator[float]:
    """Yield the points, 0 to 2, of a pairing's pairs, up to the first in this file's part that is not complete.

    Short games finish first. Counting every complete pair would favour their results, and a test's decision would
    depend on the number of workers. Incomplete pairs with a game that was given up are skipped.
    """
    points = store.pair_points(pairing)
    given_up = store.given_up()
    for pair in range(max(points, default=-1) + 1):
        games = [store.settings.game(pairing, 2 * pair + half) for half in (0, 1)]
        if pair in points:
            yield points[pair]
        elif store.shard.has(games[0]) and not any(game.id in given_up for game in games):
            return


def _pairing(store: Store, number: int, games: Sequence[GameRow], sprt: Sprt | None) -> PairingReport:
    players = store.settings.pairings[number]
    as_white, as_black = store.results_by_color(number)
    points = store.pair_points(number).values()
    counts = tuple(sum(round(2 * value) == score for value in points) for score in range(5))
    plies = [game.plies for game in games]
    return PairingReport(
        first=players.first,
        second=players.second,
        standing=Standing.of(*map(sum, zip(as_white, as_black, strict=True))),
        as_white=Standing.of(*as_white),
        as_black=Standing.of(*as_black),
        pairs=Pairs(counts, *statistics.mean_and_variance(counts), statistics.elo(counts)) if points else None,
        endings=_ranked(Counter(game.reason for game in games)),
        mean_plies=_mean(plies),
        plies=_histogram(plies, np.arange(0, max(plies, default=0) + PLIES_PER_BIN + 1, PLIES_PER_BIN).tolist()),
        seconds=_mean([game.seconds for game in games]),
        test=_tested(pairs_in_order(store, number), sprt) if sprt else None,
    )


def _tested(points: Iterable[float], sprt: Sprt) -> SprtStatus:
    """Test pair after pair until a decision; later pairs change nothing."""
    counts, decision = [0] * 5, None
    for of_pair in points:
        counts[round(2 * of_pair)] += 1
        if decision := sprt.decision(counts):
            break
    ratio = sprt.log_likelihood_ratio(counts)
    return SprtStatus(sprt.elo0, sprt.elo1, sprt.alpha, sprt.beta, tuple(counts), ratio, sprt.bounds, decision)


def _points(pairings: Sequence[PairingReport], names: Sequence[str]) -> tuple[tuple[float | None, ...], ...]:
    """Return the points of each player (rows) against each."""
    met: dict[tuple[str, str], float] = {}
    for pairing in pairings:
        first, second, standing = pairing.first, pairing.second, pairing.standing
        won = ((first, second), standing.wins), ((second, first), standing.losses)
        for pair, wins in won if standing.games else ():
            met[pair] = met.get(pair, 0.0) + wins + standing.draws / 2
    return tuple(tuple(met.get((row, column)) for column in names) for row in names)


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _quantiles(values: Sequence[float]) -> tuple[float, float] | None:
    return (float(np.quantile(values, 0.5)), float(np.quantile(values, 0.99))) if values else None


def _histogram(values: Sequence[float], edges: Sequence[float]) -> Histogram:
    counts, _ = np.histogram(np.clip(values, edges[0], edges[-1]), edges)
    return Histogram(tuple(edges), tuple(counts.tolist()))
