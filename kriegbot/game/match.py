"""One game between two seats: the loop from try to try, and what happens when a player fails.

A player that raises, hangs, dies, answers nonsense or tries for ever loses by forfeit, and the game's record says why;
a person who leaves, or an interrupt, abandons the game. Whatever happens, there is a record.
"""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from datetime import date
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from platform import python_version
from typing import Any

import chess

from kriegbot.game.seat import Failure, PlayerFailed, Seat
from kriegbot.players.base import DrawAgreed, OutOfTime, PlayerLeft, Report
from referee import BERKELEY, NO_LIMITS, Answer, AskAny, GameRecord, Limits, Referee, Resign, RuleSet

MOST_NONSENSE = 20
"""Impossible or repeated tries and questions in one turn, before a player counts as trying for ever."""
VERSIONS = ("kriegbot", "chess", "numpy", "numba")


@dataclass(frozen=True, slots=True)
class PlayerStatistics:
    """What one player did in one game.

    Attributes:
      player: its spec.
      turns: moves made.
      tries: answers given to the referee, including the moves made.
      illegal: tries that were illegal, though open to the player.
      nonsense: tries that were impossible on its own board, or repeated in a turn; and questions at the wrong time.
      mean_seconds: time for an answer, as this side of the player measures it.
      max_seconds: the longest.
      mean_samples: histories drawn for an answer, as the player reports; over the answers that drew any.
      overruns: answers that missed their time budget, as the player reports.
      rescues: how often each rescue of the belief was needed, as the player reports.
      astray: answers from a belief that no longer fitted everything heard, as the player reports.
      failure: why the player forfeited the game; empty if it did not.
      log: the traceback of the failure, and the end of the player's output.
    """

    player: str
    turns: int = 0
    tries: int = 0
    illegal: int = 0
    nonsense: int = 0
    mean_seconds: float = 0.0
    max_seconds: float = 0.0
    mean_samples: float = 0.0
    overruns: int = 0
    rescues: dict[str, int] = field(default_factory=dict)
    astray: int = 0
    failure: str = ""
    log: str = ""

    def as_json(self) -> dict[str, Any]:
        """The same as plain values, times to the microsecond."""
        return {name: round(value, 6) if isinstance(value, float) else value for name, value in asdict(self).items()}


@dataclass(frozen=True, slots=True)
class Thought:
    """One answer of a player to the referee.

    Attributes:
      color: whose.
      ply: plies played before, so answers of one ply are the tries of one turn.
      seconds: time for it, as this side of the player measures it.
      report: what the player reports of it.
    """

    color: chess.Color
    ply: int
    seconds: float
    report: Report


@dataclass(frozen=True, slots=True)
class Played:
    """A game that was played, at least in part.

    Attributes:
      record: the game; it has an end.
      white: what White did.
      black: what Black did.
      thoughts: every answer of both, in order.
      failed: how a player failed, if one did.
      interrupted: whether Ctrl-C ended it.
    """

    record: GameRecord
    white: PlayerStatistics
    black: PlayerStatistics
    thoughts: tuple[Thought, ...] = ()
    failed: PlayerFailed | None = None
    interrupted: bool = False

    def statistics(self, color: chess.Color) -> PlayerStatistics:
        """What one side did."""
        return self.white if color == chess.WHITE else self.black


def play_game(
    white: Seat,
    black: Seat,
    *,
    rules: RuleSet = BERKELEY,
    limits: Limits = NO_LIMITS,
    start: str = chess.STARTING_FEN,
    seed: int = 0,
    event: str = "?",
    begun: GameRecord | None = None,
) -> Played:
    """Plays one game to its end, whatever the players do.

    Args:
      white: where White sits; seats stay open, for the next game.
      black: where Black sits.
      rules: the rule set.
      limits: when the game is drawn.
      start: FEN of the first position.
      seed: from which both players get theirs; with reproducible players of ours, a seed is a game. Players from
        outside have random seeds, which the record states.
      event: what the game is part of, for its record.
      begun: a game without an end, which is played on under its own rules and limits; the players sit down anew, and
        learn what has happened from their views.

    Raises:
      BadStart: no game can begin from that position.
      RecordError: the game begun is none.
      kriegbot.game.children.CannotStart: no process can be started for a player.
    """
    referee = Referee(rules, limits, start) if begun is None else played_on(begun)
    game = _Game(referee, {chess.WHITE: white, chess.BLACK: black})
    game.seconds += [] if begun is None else [turn.seconds for turn in begun.turns]
    interrupted = False
    try:
        with game.judged():
            game.begin(seed)
            while game.referee.end is None:
                game.turn()
    except KeyboardInterrupt:
        interrupted = True
        if game.referee.end is None:
            game.referee.abandon("interrupted")
    headers = {
        "Event": event,
        "Date": f"{date.today():%Y.%m.%d}",
        "White": white.name,
        "Black": black.name,
        "Seed": str(seed),
        "Versions": versions(),
    } | {f"{color}Program": seat.about for color, seat in (("White", white), ("Black", black)) if seat.about}
    record = GameRecord.of(game.referee, headers, game.seconds)
    statistics = game.statistics(chess.WHITE), game.statistics(chess.BLACK)
    return Played(record, *statistics, tuple(game.thoughts), game.failed, interrupted)


def played_on(begun: GameRecord) -> Referee:
    """The referee of a game without an end, after its last try.

    Raises:
      RecordError: there is no such game, or it has ended.
    """
    *_, last = replace(begun, end=None).replay()
    return last.referee


def player_seed(seed: int, color: chess.Color) -> int:
    """The seed of a player of ours, from the seed of the match: below 2**63, and unlike its opponent's."""
    digest = hashlib.sha256(f"{seed} {chess.COLOR_NAMES[color]}".encode()).digest()
    return int.from_bytes(digest[:8]) >> 1


@cache
def versions() -> str:
    """What the game was played with."""
    found = [f"python {python_version()}"]
    for package in VERSIONS:
        try:
            found.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            continue
    return ", ".join(found)


@dataclass(slots=True)
class _Tally:
    """Counts of what one player did."""

    turns: int = 0
    answers: Counter[Answer] = field(default_factory=Counter)
    nonsense: int = 0


class _Game:
    """A game in progress: the referee, the seats, and the counts."""

    def __init__(self, referee: Referee, seats: dict[chess.Color, Seat]) -> None:
        self.referee = referee
        self.seconds: list[float | None] = []
        self.thoughts: list[Thought] = []
        self.failed: PlayerFailed | None = None
        self._seats = seats
        self._tallies = {color: _Tally() for color in chess.COLORS}
        self._judged = chess.WHITE

    @contextmanager
    def judged(self) -> Iterator[None]:
        """Within, a player that fails forfeits the game and one that leaves abandons it."""
        try:
            yield
        except PlayerFailed as failed:
            self.failed = failed
            self.referee.forfeit(self._judged, failed.detail)
        except PlayerLeft as left:
            self.referee.abandon(str(left))
        except DrawAgreed:
            self.referee.agree()
        except OutOfTime:
            self.referee.forfeit(self._judged, "lost on time")

    def begin(self, seed: int) -> None:
        """Seats both players."""
        for self._judged in chess.COLORS:
            self._seats[self._judged].begin(player_seed(seed, self._judged))

    def turn(self) -> None:
        """One turn: view -> player -> try -> referee -> views, until a try is accepted or the game ends."""
        referee, color = self.referee, self.referee.turn
        self._judged = color
        seconds, nonsense = 0.0, 0
        while referee.turn == color and referee.end is None:
            view = referee.view(color)
            self._seats[not color].wait(referee.view(not color))
            begun = time.perf_counter()
            choice = self._seats[color].ask(view)
            took = time.perf_counter() - begun
            seconds += took
            self.thoughts.append(Thought(color, view.ply, took, choice.report))
            match choice.action:
                case Resign():
                    referee.resign(color)
                    return
                case AskAny():
                    is_nonsense = not view.may_ask
                    answer = referee.ask_any()
                case move:
                    is_nonsense = not view.is_open(move)
                    answer = referee.try_move(move)
            self._tallies[color].answers[answer] += 1
            if is_nonsense:
                nonsense += 1
                self._tallies[color].nonsense += 1
                if nonsense == MOST_NONSENSE:
                    what = f"tried for ever: {nonsense} impossible or repeated tries in one turn"
                    raise PlayerFailed(Failure.STUBBORN, what)
        self.seconds.append(seconds)
        self._tallies[color].turns += 1

    def statistics(self, color: chess.Color) -> PlayerStatistics:
        """What a side did so far."""
        tally, seat = self._tallies[color], self._seats[color]
        tries = sum(tally.answers.values()) - tally.answers[Answer.YES] - tally.answers[Answer.NO]
        failed = self.failed if color == self._judged else None
        thoughts = [thought for thought in self.thoughts if thought.color == color]
        reports = [thought.report for thought in thoughts]
        seconds = [thought.seconds for thought in thoughts]
        return PlayerStatistics(
            player=seat.name,
            turns=tally.turns,
            tries=tries,
            illegal=tries - tally.answers[Answer.ACCEPTED] - tally.nonsense,
            nonsense=tally.nonsense,
            mean_seconds=_mean(seconds),
            max_seconds=max(seconds, default=0.0),
            mean_samples=_mean([report.samples for report in reports if report.samples]),
            overruns=sum(report.overrun for report in reports),
            rescues=dict(sorted(Counter(report.rescue for report in reports if report.rescue).items())),
            astray=sum(report.astray for report in reports),
            failure=failed.detail if failed else "",
            log="".join(part for part in (seat.log(), failed.log if failed else "") if part),
        )


def _mean(numbers: list[float] | list[int]) -> float:
    return sum(numbers) / len(numbers) if numbers else 0.0
