"""The record of a game: everything that was tried, answered, announced and how long it took.

A `GameRecord` is data; `replay` plays it through a fresh `Referee` and compares every answer and
announcement with the recorded one, so that a record which replays is a game of Kriegspiel. Its text form is
PGN, in `referee.pgn`.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import chess

from referee.announcement import Announcement, End, Reason
from referee.errors import BadStart, GameIsOver, RecordError
from referee.referee import Referee
from referee.rules import NO_LIMITS, Limits, RuleSet
from referee.text import quoted
from referee.view import Answer, GameOver, OwnQuestion, OwnTry

ROSTER = {"Event": "?", "Site": "?", "Date": "????.??.??", "Round": "?", "White": "?", "Black": "?"}
"""The tags that PGN requires and their "unknown" values; the record itself writes the seventh, Result."""

RESERVED = frozenset(
    {"Result", "SetUp", "FEN", "Variant", "KriegspielRecord", "RuleSet", "PlyLimit", "QuietLimit"}
    | {"Termination", "TerminationDetails"}
)
"""Tags that the record writes itself, and Variant, which would keep chess programs from opening it."""

_HEADER_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True)
class Turn:
    """One move, what was tried and asked before it, and what was announced.

    Attributes:
      move: the accepted move.
      announcement: what both sides heard then.
      tries: the refused tries and the questions of this turn, in order.
      seconds: time taken for the turn, to the millisecond; None if it was not measured.
    """

    move: chess.Move
    announcement: Announcement
    tries: tuple[OwnTry | OwnQuestion, ...] = ()
    seconds: float | None = None

    def __post_init__(self) -> None:
        if self.seconds is not None:
            if not (math.isfinite(self.seconds) and self.seconds >= 0):
                raise RecordError(f"illegal time: {quoted(self.seconds)} seconds; it takes a number from 0")
            object.__setattr__(self, "seconds", round(float(self.seconds), 3))


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a replay.

    Attributes:
      referee: the game after this step; the same object at every step.
      event: the try or question and its answer, the end that no move brought, or None at the first step.
      color: who tried; None at other steps.
      seconds: time taken for the turn that this step ended, if it was measured.
    """

    referee: Referee
    event: OwnTry | OwnQuestion | GameOver | None = None
    color: chess.Color | None = None
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class GameRecord:
    """A game of Kriegspiel, finished or not.

    Attributes:
      rules: the rule set.
      limits: when the game is drawn.
      start: FEN of the first position.
      turns: one for each move made.
      left: refused tries and questions after the last move.
      end: how the game ended; None if it has not.
      headers: PGN tags except those in `RESERVED`: the `ROSTER`, then players' specs, seed, program and so on.
    """

    rules: RuleSet
    limits: Limits = NO_LIMITS
    start: str = chess.STARTING_FEN
    turns: tuple[Turn, ...] = ()
    left: tuple[OwnTry | OwnQuestion, ...] = ()
    end: End | None = None
    headers: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, value in self.headers.items():
            _check_header(name, value)
        if self.end is not None:
            _check_text("TerminationDetails", self.end.detail)
        object.__setattr__(self, "headers", {**ROSTER, **self.headers})

    @classmethod
    def of(
        cls, referee: Referee, headers: Mapping[str, str] | None = None, seconds: Sequence[float | None] = ()
    ) -> GameRecord:
        """The record of a referee's game so far.

        Args:
          referee: the game.
          headers: PGN tags, such as White, Black, Seed.
          seconds: time taken for each move made, or nothing if it was not measured.
        """
        if seconds and len(seconds) != referee.ply:
            raise RecordError(f"illegal times: {len(seconds)} given for {referee.ply} moves; it takes one a move")
        turns: list[Turn] = []
        tries: list[OwnTry | OwnQuestion] = []
        for event in referee.log:
            if isinstance(event, OwnQuestion) or event.announcement is None:
                tries.append(event)
                continue
            took = seconds[len(turns)] if seconds else None
            turns.append(Turn(event.move, event.announcement, tuple(tries), took))
            tries.clear()
        return cls(referee.rules, referee.limits, referee.start, tuple(turns), tuple(tries), referee.end, headers or {})

    @property
    def result(self) -> str:
        """The result as PGN writes it; * if there is none yet."""
        return "*" if self.end is None else self.end.result

    @property
    def has_times(self) -> bool:
        """Whether any turn's time was measured."""
        return any(turn.seconds is not None for turn in self.turns)

    def check(self) -> None:
        """Raises RecordError unless the game can have gone as recorded."""
        for _ in self.replay():
            pass

    def replay(self) -> Iterator[Step]:
        """Plays the game again, one step for each try or question, checking every answer and announcement.

        Raises:
          RecordError: the game cannot have gone as recorded.
        """
        try:
            referee = Referee(self.rules, self.limits, self.start)
        except BadStart as error:
            raise RecordError(str(error)) from None
        yield Step(referee)
        for turn in self.turns:
            for event in turn.tries:
                yield _retry(referee, event)
            step = _retry(referee, OwnTry(turn.move, Answer.ACCEPTED, turn.announcement))
            yield Step(referee, step.event, step.color, turn.seconds)
        for event in self.left:
            yield _retry(referee, event)
        if referee.end is None and self.end is not None:
            _stop(referee, self.end)
            yield Step(referee, GameOver(self.end))
        if referee.end != self.end:
            recorded, true = (end.text() if end else "no end" for end in (self.end, referee.end))
            raise RecordError(f"illegal end: recorded as {recorded!r}, but the game has {true!r}")


def place(ply: int) -> str:
    """Where in a game, for messages."""
    return f"at ply {ply + 1}"


def _retry(referee: Referee, event: OwnTry | OwnQuestion) -> Step:
    """Puts one recorded try or question to the referee again."""
    ply, color = referee.ply, referee.turn
    name = event.move.uci() if isinstance(event, OwnTry) else '"Any?"'
    try:
        answer = referee.try_move(event.move) if isinstance(event, OwnTry) else referee.ask_any()
    except GameIsOver as error:
        raise RecordError(f"illegal try: {error}, {place(ply)}") from None
    if answer is not event.answer:
        raise RecordError(
            f"illegal answer: {name} is recorded as {event.answer.value}, but the referee says "
            f"{answer.value}, {place(ply)}"
        )
    recorded, true = _code_of(event), _code_of(referee.last)
    if recorded != true:
        raise RecordError(
            f"illegal announcement: {name} is recorded with {recorded!r}, but the referee says {true!r}, {place(ply)}"
        )
    return Step(referee, event, color)


def _code_of(event: OwnTry | OwnQuestion | None) -> str:
    """What was announced; a number of pawn tries and "some" are different codes, although 1 == True."""
    return event.announcement.code() if isinstance(event, OwnTry) and event.announcement else "nothing"


def _stop(referee: Referee, end: End) -> None:
    """Ends the game again as recorded, if no move did."""
    if end.reason is Reason.RESIGNATION and end.winner is not None:
        referee.resign(not end.winner)
    elif end.reason is Reason.FORFEIT and end.winner is not None:
        referee.forfeit(not end.winner, end.detail)
    elif end.reason is Reason.AGREEMENT:
        referee.agree()
    elif end.reason is Reason.ABANDONED:
        referee.abandon(end.detail)


def _check_header(name: str, value: str) -> None:
    if not isinstance(name, str) or not _HEADER_NAME.fullmatch(name) or name in RESERVED:
        takes = "letters, digits and _, and none of " + ", ".join(sorted(RESERVED))
        raise RecordError(f"illegal header: {quoted(name)}; it takes {takes}")
    _check_text(name, value)


def _check_text(name: str, value: str) -> None:
    if not isinstance(value, str):
        raise RecordError(f"illegal header {name}: {quoted(value)}; it takes text")
    for char in value:
        if unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp"):
            raise RecordError(f"illegal header {name}: {quoted(value)} holds {char!r}; it takes one printable line")
