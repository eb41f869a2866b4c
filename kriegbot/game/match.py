"""One game between two seats, turn after turn (`kriegbot.game.turn`), and what happens when a player fails.

A player that raises, hangs, dies, answers nonsense or tries for ever loses by forfeit, and the game's record says why;
a person who leaves, or an interrupt, abandons the game. Whatever happens, there is a record.
"""

import hashlib
from collections import Counter
from collections.abc import Sequence
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
      failure: why the player forfeited the game, or how it failed when told of the end; empty if it did neither.
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
class AnswerStats:
    """One answer of a player to the referee, and what it reports of it.

    ply: plies played before, so answers of one ply are the tries of one turn. seconds: time for it, as this side of the
    player measures it.
    """

    color: chess.Color
    ply: int
    seconds: float
    report: Report


@dataclass(frozen=True, slots=True)
class GameResult:
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
    thoughts: tuple[AnswerStats, ...] = ()
    failed: PlayerFailed | None = None
    interrupted: bool = False

    def statistics(self, color: chess.Color) -> PlayerStatistics:
        """What one side did."""
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
) -> GameResult:
    """Plays one game to its end, whatever the players do.

    Args:
      white: where White sits, or a spec such as `kriegbot:samples=50`, whose player sits down for this game alone, as
        `seat_of` seats it; seats stay open, for the next game.
      black: the same for Black.
      rules: the rule set, or its name.
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
      UnknownRuleSet: no rule set has that name.
      TypeError: a seat is none, and no text.
      BadSpec: a ValueError; a spec names no player, or one that cannot play.
      kriegbot.game.children.CannotStart: no process can be started for a player.
    """
    referee = Referee(rules, limits, start) if begun is None else resume_referee(begun)
    with ExitStack() as made:
        seats = [_seated(given, referee.rules, made) for given in (white, black)]
        game = _Game(referee, dict(zip(chess.COLORS, seats, strict=True)))
        game.seconds += [] if begun is None else [turn.seconds for turn in begun.turns]
        interrupted = False
        try:
            game.play(seed)
        except KeyboardInterrupt:
            interrupted = True
            if referee.end is None:
                referee.abandon("interrupted")
        record = GameRecord.of(referee, game.headers(event, seed), game.seconds)
        thoughts = tuple(
            AnswerStats(tried.view.color, tried.view.ply, tried.seconds, tried.choice.report) for tried in game.tried
        )
        sides = game.statistics(chess.WHITE), game.statistics(chess.BLACK)
        return GameResult(record, *sides, thoughts, game.failed, interrupted)


def _seated(given: Seat | str, rules: RuleSet, made: ExitStack) -> Seat:
    """A seat as it was given, or one for the player of a spec, closed with `made`."""
    if isinstance(given, Seat):
        return given
    if not isinstance(given, str):
        raise TypeError(
            f"illegal seat {type(given).__name__}: it takes a Seat such as HereSeat, or a spec such as 'rand'"
        )
    return made.enter_context(seat_of(given, rules))


def resume_referee(begun: GameRecord) -> Referee:
    """The referee of a game after its last try; raises RecordError if there is no such game, or it has ended."""
    *_, last = replace(begun, end=None).replay()
    return last.referee


def without_last_turn(record: GameRecord) -> GameRecord:
    """A game before the last move of the side to try and the reply; tries refused in that turn stay refused."""
    turns = record.turns[:-2]
    return GameRecord(
        record.rules, record.limits, record.start, turns, record.turns[len(turns)].tries, None, record.headers
    )


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


class _Game:
    """A game in progress: the referee, the seats, and every try."""

    def __init__(self, referee: Referee, seats: dict[chess.Color, Seat]) -> None:
        self.referee = referee
        self.seconds: list[float | None] = []
        self.tried: list[Attempt] = []
        self.failed: PlayerFailed | None = None
        self._seats = seats
        self._judged = chess.WHITE

    def play(self, seed: int) -> None:
        """Play to the end; a player that fails forfeits the game."""
        try:
            for self._judged in chess.COLORS:
                left = self._seats[self._judged].begin(player_seed(seed, self._judged))
                if left is not None:
                    self.referee.abandon(left.why)
                    return
            while self.referee.end is None:
                self._turn()
        except PlayerFailed as failed:
            self.failed = failed
            self.referee.forfeit(self._judged, failed.detail)
        self._tell_end()

    def _tell_end(self) -> None:
        """Tells players how the game ended, save who forfeited it; if one then fails, the result stays.

        A game that was abandoned may be played on, and nothing was asked of anybody in one without a try.
        """
        end = self.referee.end
        if end is None or end.reason is Reason.ABANDONED or not self.tried:
            return
        for color in [bool(end.winner)] if end.reason is Reason.FORFEIT else chess.COLORS:
            try:
                self._seats[color].end(self.referee.view(color))
            except PlayerFailed as failed:
                if self.failed is None:
                    self.failed, self._judged = failed, color

    def _turn(self) -> None:
        self._judged = color = self.referee.turn
        seconds = 0.0
        for tried in turn(self.referee, self._seats[color], self._seats[not color]):
            self.tried.append(tried)
            seconds += tried.seconds
            if tried.answer is Answer.ACCEPTED:
                self.seconds.append(seconds)

    def headers(self, event: str, seed: int) -> dict[str, str]:
        """What the record says of the game besides its moves."""
        white, black = (self._seats[color] for color in chess.COLORS)
        headers = {
            "Event": event,
            "Date": f"{date.today():%Y.%m.%d}",
            "White": white.name,
            "Black": black.name,
            "Seed": str(seed),
            "Versions": versions(),
        }
        headers |= {"RuleSetFile": self.referee.rules.source} if self.referee.rules.source else {}
        return headers | {
            f"{color}Program": seat.about for color, seat in (("White", white), ("Black", black)) if seat.about
        }

    def statistics(self, color: chess.Color) -> PlayerStatistics:
        """What a side did so far."""
        tried = [one for one in self.tried if one.view.color == color]
        answers = Counter(one.answer for one in tried)
        tries = sum(answers.values()) - answers[None] - answers[Answer.YES] - answers[Answer.NO]
        nonsense = sum(one.is_nonsense for one in tried)
        reports = [one.choice.report for one in tried]
        seat, failed = self._seats[color], self.failed if color == self._judged else None
        return PlayerStatistics(
            player=seat.name,
            turns=answers[Answer.ACCEPTED],
            tries=tries,
            illegal=tries - answers[Answer.ACCEPTED] - nonsense,
            nonsense=nonsense,
            mean_seconds=_mean([one.seconds for one in tried]),
            max_seconds=max((one.seconds for one in tried), default=0.0),
            mean_samples=_mean([report.samples for report in reports if report.samples]),
            overruns=sum(report.overrun for report in reports),
            rescues=dict(sorted(Counter(report.rescue for report in reports if report.rescue).items())),
            astray=sum(report.astray for report in reports),
            failure=failed.detail if failed else "",
            log=seat.log() + (failed.log if failed else ""),
        )


def _mean(numbers: Sequence[float]) -> float:
    return sum(numbers) / len(numbers) if numbers else 0.0
