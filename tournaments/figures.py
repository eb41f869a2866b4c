"""The figures of a tournament, as plain data: what `tournaments.report` computes from a store.

Results of a pairing are those of its first player. A move is one ply of a game, with all the answers (tries) that led
to it. Figures that need games are None where there are none; every other number is finite.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from tournaments.sprt import Decision
from tournaments.statistics import (
    Elo,
    draw_ratio,
    elo,
    expected_utility,
    expected_utility_interval,
    likelihood_of_superiority,
)


@dataclass(frozen=True, slots=True)
class Histogram:
    """How many values lie between each edge and the next; there is one more edge than counts."""

    edges: tuple[float, ...]
    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Standing:
    """Results of some games.

    Attributes:
      wins: games won; likewise draws, losses.
      utility: EU, 100 (wins - losses) / games, in percent.
      utility_interval: its 95 % interval.
      elo: Elo difference, from games.
      superiority: LOS, in [0, 1].
      draw_ratio: share of games drawn.
    """

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
        """All games."""
        return self.wins + self.draws + self.losses

    @classmethod
    def of(cls, losses: int, draws: int, wins: int) -> Standing:
        """The figures of these counts."""
        if not losses + draws + wins:
            return cls(0, 0, 0)
        games = losses, draws, wins
        return cls(
            wins,
            draws,
            losses,
            expected_utility(*games),
            expected_utility_interval(*games),
            elo(games),
            likelihood_of_superiority(games),
            draw_ratio(*games),
        )


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pairs of games with one seed and exchanged colours, both played.

    Attributes:
      counts: how many pairs scored 0, 1/2, 1, 3/2 and 2 points.
      score: mean, in [0, 1].
      variance: of a pair's score in [0, 1].
      elo: Elo difference, with its error from pairs.
    """

    counts: tuple[int, ...]
    score: float
    variance: float
    elo: Elo


@dataclass(frozen=True, slots=True)
class Tested:
    """Where a sequential test of a pairing stands, or ended.

    Attributes:
      elo0: hypothesis H0, in normalized Elo; likewise elo1.
      alpha: probability of accepting H1 where H0 holds; beta: of accepting H0 where H1 holds.
      counts: pairs used, as in `Pairs`; those after its decision do not count.
      ratio: log-likelihood ratio of H1 to H0.
      bounds: the ratios at which H0 and H1 are accepted.
      decision: "H0", "H1", or None if more games are needed.
    """

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
    """One pairing.

    Attributes:
      first: spec of the player whose results these are.
      second: spec of the other.
      standing: of all games.
      as_white: of those in which the first had White.
      as_black: of the others.
      pairs: complete pairs; None if there are none.
      endings: reason -> games, most frequent first.
      mean_plies: length of a game.
      plies: lengths of the games.
      seconds: mean playing time of a game.
      test: the sequential test, if one was asked for.
    """

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
    test: Tested | None


@dataclass(frozen=True, slots=True)
class PlayerReport:
    """One player, in all its games.

    Attributes:
      player: its spec.
      games: games played.
      points: in these games.
      moves: moves made.
      illegal_a_move: illegal tries per move.
      mean_samples: histories drawn for an answer, of the answers that drew any (AAAI 2006, figure 4).
      move_seconds: median and 99th percentile of a move's time, with all its answers.
      answer_seconds: the same for an answer.
      times: of moves, in seconds.
      overruns: answers that missed their time budget.
      rescues: rescue of the belief -> how often.
      rescues_a_move: all rescues, per move.
      astray_a_move: answers from a belief that did not fit everything heard, per move.
      forfeits: games forfeited.
    """

    player: str
    games: int
    points: float
    moves: int
    illegal_a_move: float | None
    mean_samples: float | None
    move_seconds: tuple[float, float] | None
    answer_seconds: tuple[float, float] | None
    times: Histogram
    overruns: int
    rescues: dict[str, int]
    rescues_a_move: float | None
    astray_a_move: float | None
    forfeits: int


@dataclass(frozen=True, slots=True)
class Forfeit:
    """A game that a player forfeited, and what it did."""

    game: int
    player: str
    color: str
    failure: str


@dataclass(frozen=True, slots=True)
class Incident:
    """A process that died during a game through no player's fault; after the third time the game is given up."""

    game: int
    at: str
    what: str
    quarantined: bool


@dataclass(frozen=True, slots=True)
class Report:
    """A tournament.

    Attributes:
      rules: name of the rule set.
      plies: limit of plies; None for none.
      quiet: limit of plies without pawn move or capture; None for none.
      seed: of the tournament.
      shard: which part of it this is, "1/1" for all.
      wanted: games of this part.
      done: games played.
      seconds: playing time of all games together.
      versions: what they were played with -> games.
      players: in the order of the pairings.
      pairings: in their order.
      points: of each player against each, None where they have not met; in the order of `players`.
      forfeits: all of them.
      incidents: all of them.
    """

    rules: str
    plies: int | None
    quiet: int | None
    seed: int
    shard: str
    wanted: int
    done: int
    seconds: float
    versions: dict[str, int]
    players: tuple[PlayerReport, ...]
    pairings: tuple[PairingReport, ...]
    points: tuple[tuple[float | None, ...], ...]
    forfeits: tuple[Forfeit, ...]
    incidents: tuple[Incident, ...]

    def as_json(self) -> dict[str, Any]:
        """The same as plain values, fit for `json.dumps(..., allow_nan=False)`; the seed as text, as in all JSON."""
        return asdict(self) | {"seed": str(self.seed)}
