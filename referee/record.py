"""Records of games: every try, answer and announcement, and the time of each turn.

`GameRecord.replay` plays through a new `Referee` and compares, so a record that replays is a game of Kriegspiel.
"""

import math
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import chess

from referee.announcement import Announcement, End, Reason
from referee.referee import BadStart, GameIsOver, Referee
from referee.rules import NO_LIMITS, RULE_SETS, KriegspielError, Limits, RuleSet
from referee.text import quoted
from referee.view import Answer, GameOver, OwnQuestion, OwnTry

ROSTER = {"Event": "?", "Site": "?", "Date": "????.??.??", "Round": "?", "White": "?", "Black": "?"}
"""Headers that PGN requires, with their "unknown" values. The record itself writes the seventh, Result."""

RESERVED = frozenset(
    {"Result", "SetUp", "FEN", "Variant", "KriegspielRecord", "RuleSet", "PlyLimit", "QuietLimit"}
    | {"Termination", "TerminationDetails"}
)
"""Headers that the record writes itself, and Variant, which could keep chess programs from opening it."""

_HEADER_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_]*")


class RecordError(KriegspielError, ValueError):
    """A file or a text is not a record of a Kriegspiel game, or a game cannot be written as one."""


def place(ply: int) -> str:
    """Return the place of a game after `ply` moves, for messages."""
    return f"at ply {ply + 1}"


@dataclass(frozen=True, slots=True)
class Turn:
    """One move with its announcement, the refused tries and questions before it, and its time if that was measured."""

    move: chess.Move
    announcement: Announcement
    tries: tuple[OwnTry | OwnQuestion, ...] = ()
    seconds: float | None = None

    def __post_init__(self) -> None:
        if self.seconds is not None:
            if not (math.isfinite(self.seconds) and self.seconds >= 0):
                raise RecordError(f"illegal time: {quoted(self.seconds)} seconds; it takes a number from 0")
            object.__setattr__(self, "seconds", round(float(self.seconds), 3))

    @property
    def events(self) -> tuple[OwnTry | OwnQuestion, ...]:
        """All tries and questions in order, the accepted try last."""
        return *self.tries, OwnTry(self.move, Answer.ACCEPTED, self.announcement)


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a replay: a try or question of the side `color`, an end that no move brought, or the beginning.

    `referee` is the same object at every step. `seconds` is the time of the turn that ended.
    """

    referee: Referee
    event: OwnTry | OwnQuestion | GameOver | None = None
    color: chess.Color | None = None
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class GameRecord:
    """A game of Kriegspiel, finished or not.

    Attributes:
      left: refused tries and questions after the last move.
      headers: PGN headers except those in `RESERVED`: the `ROSTER`, then players' specs, seed, program and so on.
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
            if not isinstance(name, str) or not _HEADER_NAME.fullmatch(name) or name in RESERVED:
                takes = "letters, digits and _, and none of " + ", ".join(sorted(RESERVED))
                raise RecordError(f"illegal header: {quoted(name)}; it takes {takes}")
            if not isinstance(value, str):
                raise RecordError(f"illegal header {name}: {quoted(value)}; it takes text")
            for char in value:
                if unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp"):
                    why = f"{quoted(value)} holds {char!r}; it takes one printable line"
                    raise RecordError(f"illegal header {name}: {why}")
        object.__setattr__(self, "headers", {**ROSTER, **self.headers})

    @classmethod
    def of(
        cls, referee: Referee, headers: Mapping[str, str] | None = None, seconds: Sequence[float | None] = ()
    ) -> "GameRecord":
        """Return the record of a game so far, with the time of each move made, or none."""
        if seconds and len(seconds) != referee.ply:
            raise RecordError(f"illegal times: {len(seconds)} given for {referee.ply} moves; it takes one a move")
        turns: list[Turn] = []
        tries: list[OwnTry | OwnQuestion] = []
        for event in referee.log:
            if isinstance(event, OwnQuestion) or event.announcement is None:
                tries.append(event)
                continue
            time = seconds[len(turns)] if seconds else None
            turns.append(Turn(event.move, event.announcement, tuple(tries), time))
            tries.clear()
        return cls(referee.rules, referee.limits, referee.start, tuple(turns), tuple(tries), referee.end, headers or {})

    @property
    def result(self) -> str:
        """The result as PGN writes it; * if there is none yet."""
        return "*" if self.end is None else self.end.result

    @property
    def has_times(self) -> bool:
        """True if the time of any turn was measured."""
        return any(turn.seconds is not None for turn in self.turns)

    def check(self) -> None:
        """Raise RecordError unless the record replays, or if its rules have the name of other, known ones."""
        if self.rules.name in RULE_SETS and self.rules != RULE_SETS[self.rules.name]:
            raise RecordError(f"illegal rule set: {quoted(self.rules.name)} is not the known one of that name")
        for _ in self.replay():
            pass

    def replay(self) -> Iterator[Step]:
        """Yield a step for the beginning, each try or question, and an end without a move. Raises RecordError."""
        replay = Replay(self.rules, self.limits, self.start)
        referee = replay.referee
        yield Step(referee)
        events = [(event, turn.seconds) for turn in self.turns for event in turn.events]
        for event, seconds in (*events, *((event, None) for event in self.left)):
            color = referee.turn
            replay.repeat(event)
            yield Step(referee, event, color, seconds if event.answer is Answer.ACCEPTED else None)
        if referee.end is None and self.end is not None:
            replay.stop(self.end)
            yield Step(referee, GameOver(self.end))
        if referee.end != self.end:
            recorded, true = (end.text() if end else "no end" for end in (self.end, referee.end))
            raise RecordError(f"illegal end: recorded as {recorded!r}, but the game has {true!r}")

    def referee(self) -> Referee:
        """Return the referee of the game as it stands. Raises RecordError as `replay`."""
        *_, last = self.replay()
        return last.referee


class Replay:
    """A referee that replays a recorded game, and its true board. Raises RecordError where the game is impossible."""

    def __init__(self, rules: RuleSet, limits: Limits = NO_LIMITS, start: str = chess.STARTING_FEN) -> None:
        try:
            self.referee = Referee(rules, limits, start)
        except BadStart as error:
            raise RecordError(str(error)) from None
        self.board = self.referee.board()

    @property
    def here(self) -> str:
        """The place in the game, for messages."""
        return place(self.referee.ply)

    def repeat(self, event: OwnTry | OwnQuestion) -> None:
        """Replay a recorded try or question. The referee must give the recorded answer and announcement."""
        here, name = self.here, event.move.uci() if isinstance(event, OwnTry) else '"Any?"'
        answer = self._try(event.move, name) if isinstance(event, OwnTry) else self.ask_any()
        if answer is not event.answer:
            why = f"{name} is recorded as {event.answer.value}, but the referee says {answer.value}, {here}"
            raise RecordError(f"illegal answer: {why}")
        if event != self.referee.last:
            recorded, true = (
                one.announcement.code() if isinstance(one, OwnTry) and one.announcement else "nothing"
                for one in (event, self.referee.last)
            )
            why = f"{name} is recorded with {recorded!r}, but the referee says {true!r}, {here}"
            raise RecordError(f"illegal announcement: {why}")

    def ask_any(self) -> Answer:
        """Ask "Any?" and return the answer."""
        try:
            return self.referee.ask_any()
        except GameIsOver:
            raise RecordError(f'illegal question: "Any?" after the end of the game, {self.here}') from None

    def move_san(self, san: str) -> Announcement:
        """Replay a move, in SAN, and return its announcement."""
        try:
            move = self.board.parse_san(san)
        except ValueError:
            move = chess.Move.null()
        if not move:
            raise RecordError(f"illegal move: {quoted(san)}, {self.here}")
        return self.move(move, san)

    def move(self, move: chess.Move, name: str) -> Announcement:
        """Replay an accepted move, called `name` in messages, and return its announcement."""
        here = self.here
        answer, last = self._try(move, name), self.referee.last
        if not isinstance(last, OwnTry) or last.announcement is None:
            raise RecordError(f"illegal move: {quoted(name)}, {here}; the referee says {answer.value}")
        return last.announcement

    def refuse(self, move: chess.Move, name: str) -> Answer:
        """Replay a refused try, called `name` in messages, and return its answer."""
        here = self.here
        answer = self._try(move, name)
        if answer is Answer.ACCEPTED:
            raise RecordError(f"illegal try: {quoted(name)} is recorded as refused, but is a legal move, {here}")
        return answer

    def stop(self, end: End) -> None:
        """End the game, if no move is needed for such an end."""
        match end.reason:
            case Reason.RESIGNATION:
                self.referee.resign(end.winner == chess.BLACK)
            case Reason.FORFEIT:
                self.referee.forfeit(end.winner == chess.BLACK, end.detail)
            case Reason.AGREEMENT:
                self.referee.agree()
            case Reason.ABANDONED:
                self.referee.abandon(end.detail)

    def _try(self, move: chess.Move, name: str) -> Answer:
        try:
            answer = self.referee.try_move(move)
        except GameIsOver as error:
            _, _, why = str(error).partition(": ")
            takes = "it takes the rules and limits under which it went on"
            raise RecordError(f"illegal move: {quoted(name)}, {self.here}: {why}; {takes}") from None
        if answer is Answer.ACCEPTED:
            self.board.push(move)
        return answer
