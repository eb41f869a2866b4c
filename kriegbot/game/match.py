"""One game between two seats, turn after turn (`kriegbot.game.turn`).

A player that raises, hangs, dies, answers nonsense or tries for ever loses by forfeit, and the record gives the reason.
A person who leaves, or an interrupt, abandons the game. There is always a record.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, replace
from datetime import date
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from platform import python_version
from typing import Any

import chess

from kriegbot.game.seat import PlayerFailed, Seat
from kriegbot.game.trial import seat_of
from kriegbot.game.turn import Attempt, turn
from kriegbot.report import Report
from referee import BERKELEY, NO_LIMITS, Answer, GameRecord, Limits, Reason, Referee, RuleSet

PACKAGES = ("kriegbot", "chess", "numpy", "numba")
"""Packages whose versions stand in records."""


@dataclass(frozen=True, slots=True)
class PlayerStatistics:
    """Statistics of one player in one game. The player itself reports samples, overruns, rescues and astray.

    Attributes:
      player: its spec.
      turns: moves made.
      tries: tries made, accepted ones included.
      illegal: tries that the referee refused although they were open to the player.
      nonsense: tries that its own view shows to be impossible or repeated, and questions when it may not ask.
      mean_seconds, max_seconds: time of an answer, measured outside the player's process.
      mean_samples: mean number of histories in the answers that drew any.
      overruns: answers that exceeded their time budget.
      rescues: number of times that the belief needed each rescue.
      astray: answers from a belief that contradicts an announcement.
      failure: the reason for which the player forfeited the game, or its failure at the last view; else empty.
      log: the end of the player's output, and the traceback of the failure.
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
        """Return plain values, times to the microsecond."""
        return {name: round(value, 6) if isinstance(value, float) else value for name, value in asdict(self).items()}


@dataclass(frozen=True, slots=True)
class AnswerStats:
    """One answer of a player: its side, the plies played before, its time outside the player's process, its report."""

    color: chess.Color
    ply: int
    seconds: float
    report: Report


@dataclass(frozen=True, slots=True)
class GameResult:
    """A game that has ended in any way.

    Attributes:
      record: the game; it has an end.
      white, black: statistics of the players.
      answers: every answer of both, in order.
      failed: the failure of a player, if any.
      interrupted: True if Ctrl-C ended it.
    """

    record: GameRecord
    white: PlayerStatistics
    black: PlayerStatistics
    answers: tuple[AnswerStats, ...] = ()
    failed: PlayerFailed | None = None
    interrupted: bool = False

    def statistics(self, color: chess.Color) -> PlayerStatistics:
        """Return the statistics of a side."""
        return self.white if color == chess.WHITE else self.black


def play_game(
    white: Seat | str,
    black: Seat | str,
    *,
    rules: RuleSet | str = BERKELEY,
    limits: Limits = NO_LIMITS,
    start: str = chess.STARTING_FEN,
    seed: int = 0,
    event: str = "?",
    begun: GameRecord | None = None,
    keep: Callable[[GameRecord], None] | None = None,
) -> GameResult:
    """Play one game to its end, whatever the players do.

    >>> result = play_game("rand", "rand", limits=Limits(plies=40), seed=1)
    >>> result.record.result, len(result.record.turns), result.white.turns
    ('1/2-1/2', 40, 20)

    Args:
      white: a seat, which stays open for the next game, or a spec such as `kriegbot:samples=50`.
      black: likewise.
      rules: the rule set, or its name.
      limits: the lengths at which the game is drawn.
      start: FEN of the first position.
      seed: seed of both players. Reproducible built-in players play the same game from the same seed. Players from
        outside get random seeds, which the record states.
      event: the tournament or occasion, for the record.
      begun: a game without an end to continue under its own rules and limits. The players take their seats anew and
        learn its course from their views.
      keep: called with the game so far after each try.

    Raises:
      BadStart: no game can begin from that position.
      RecordError: `begun` is not a game that can be continued.
      UnknownRuleSet: no rule set has that name.
      TypeError: a side is neither a seat nor a text.
      BadSpec: a ValueError; a spec names no player, or one that cannot play.
      kriegbot.children.CannotStart: no process can be started for a player.
    """
    referee = Referee(rules, limits, start) if begun is None else resume_referee(begun)
    with ExitStack() as own_seats:
        seats = [_seated(side, referee.rules, own_seats) for side in (white, black)]
        game = _Game(referee, dict(zip(chess.COLORS, seats, strict=True)))
        game.seconds += [] if begun is None else [turn.seconds for turn in begun.turns]

        def record() -> GameRecord:
            return GameRecord.of(referee, game.headers(event, seed), game.seconds)

        interrupted = False
        try:
            game.play(seed, None if keep is None else lambda: keep(record()))
        except KeyboardInterrupt:
            interrupted = True
            if referee.end is None:
                referee.abandon("interrupted")
        answers = tuple(
            AnswerStats(one.view.color, one.view.ply, one.seconds, one.choice.report) for one in game.attempts
        )
        sides = game.statistics(chess.WHITE), game.statistics(chess.BLACK)
        return GameResult(record(), *sides, answers, game.failed, interrupted)


def _seated(side: Seat | str, rules: RuleSet, own_seats: ExitStack) -> Seat:
    """Return a seat as it is, or make one for the player of a spec, which `own_seats` closes."""
    if isinstance(side, Seat):
        return side
    if not isinstance(side, str):
        raise TypeError(f"{type(side).__name__} is no seat; it takes a Seat such as HereSeat, or a spec such as 'rand'")
    return own_seats.enter_context(seat_of(side, rules))


def resume_referee(begun: GameRecord) -> Referee:
    """Return the referee of a game after its last try; raise RecordError if it has ended."""
    *_, last = replace(begun, end=None).replay()
    return last.referee


def without_last_turn(record: GameRecord) -> GameRecord:
    """Return a game before the last move of the side to move and the reply. Its refused tries stay refused."""
    turns = record.turns[:-2]
    return replace(record, turns=turns, left=record.turns[len(turns)].tries, end=None)


def player_seed(seed: int, color: chess.Color) -> int:
    """Return the seed of a built-in player from the seed of the game: below 2**63, and unlike its opponent's."""
    digest = hashlib.sha256(f"{seed} {chess.COLOR_NAMES[color]}".encode()).digest()
    return int.from_bytes(digest[:8]) >> 1


@cache
def versions() -> str:
    """Return the versions of Python and of `PACKAGES`, for records."""
    items = [f"python {python_version()}"]
    for package in PACKAGES:
        try:
            items.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            continue
    return ", ".join(items)


class _Game:
    """A game in progress: the referee, the seats, and every attempt."""

    def __init__(self, referee: Referee, seats: dict[chess.Color, Seat]) -> None:
        self.referee = referee
        self.seconds: list[float | None] = []
        self.attempts: list[Attempt] = []
        self.failed: PlayerFailed | None = None
        self._seats = seats
        self._acting = chess.WHITE  # the side that loses if its player fails now

    def play(self, seed: int, keep: Callable[[], None] | None) -> None:
        """Play to the end; a player that fails forfeits the game. Call `keep` at first and after each try."""
        if keep is not None:
            keep()
        try:
            for self._acting in chess.COLORS:
                left = self._seats[self._acting].begin(player_seed(seed, self._acting))
                if left is not None:
                    self.referee.abandon(left.why)
                    return
            while self.referee.end is None:
                self._turn(keep)
        except PlayerFailed as failed:
            self.failed = failed
            self.referee.forfeit(self._acting, failed.detail)
        self._show_end()

    def _turn(self, keep: Callable[[], None] | None) -> None:
        self._acting = color = self.referee.turn
        seconds = 0.0
        for attempt in turn(self.referee, self._seats[color], self._seats[not color]):
            self.attempts.append(attempt)
            seconds += attempt.seconds
            if attempt.answer is Answer.ACCEPTED:
                self.seconds.append(seconds)
            if keep is not None and self.referee.end is None:
                keep()

    def _show_end(self) -> None:
        """Show players the last view, except one that forfeited the game. A failure now does not change the result.

        An abandoned game may go on later, and in a game without a try the players have seen nothing.
        """
        end = self.referee.end
        if end is None or end.reason is Reason.ABANDONED or not self.attempts:
            return
        for color in [bool(end.winner)] if end.reason is Reason.FORFEIT else chess.COLORS:
            try:
                self._seats[color].end(self.referee.view(color))
            except PlayerFailed as failed:
                if self.failed is None:
                    self.failed, self._acting = failed, color

    def headers(self, event: str, seed: int) -> dict[str, str]:
        """Return the headers of the record."""
        white, black = (self._seats[color] for color in chess.COLORS)
        headers = {
            "Event": event,
            "Date": f"{date.today():%Y.%m.%d}",
            "White": white.name,
            "Black": black.name,
            "Seed": str(seed),
            "Versions": versions(),
        }
        extra = {"RuleSetFile": self.referee.rules.source, "WhiteProgram": white.about, "BlackProgram": black.about}
        return headers | {name: text for name, text in extra.items() if text}

    def statistics(self, color: chess.Color) -> PlayerStatistics:
        """Return the statistics of a side so far."""
        attempts = [one for one in self.attempts if one.view.color == color]
        answers = Counter(one.answer for one in attempts)
        tries = sum(answers.values()) - answers[None] - answers[Answer.YES] - answers[Answer.NO]
        nonsense = sum(one.is_nonsense for one in attempts)
        reports = [one.choice.report for one in attempts]
        seat, failed = self._seats[color], self.failed if color == self._acting else None
        return PlayerStatistics(
            player=seat.name,
            turns=answers[Answer.ACCEPTED],
            tries=tries,
            illegal=tries - answers[Answer.ACCEPTED] - nonsense,
            nonsense=nonsense,
            mean_seconds=_mean([one.seconds for one in attempts]),
            max_seconds=max((one.seconds for one in attempts), default=0.0),
            mean_samples=_mean([report.samples for report in reports if report.samples]),
            overruns=sum(report.overrun for report in reports),
            rescues=dict(sorted(Counter(report.rescue for report in reports if report.rescue).items())),
            astray=sum(report.belief_inconsistent for report in reports),
            failure=failed.detail if failed else "",
            log=seat.log() + (failed.log if failed else ""),
        )


def _mean(numbers: Sequence[float]) -> float:
    return sum(numbers) / len(numbers) if numbers else 0.0
