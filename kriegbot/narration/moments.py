"""A game try by try, as the referee, White and Black see and hear it."""

import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import chess

from kriegbot.narration.diary import Diary, Entry, score_name, side_name
from kriegbot.narration.glance import Men, own_men, plain_board
from referee import Event, GameRecord, OwnQuestion, OwnTry, View
from referee.text import counted

READERS = ("referee", "White", "Black")


@dataclass(frozen=True, slots=True)
class Moment:
    """The game after one try or question, at its beginning, or after an end that no move brought."""

    men: Mapping[str, Mapping[chess.Square, chess.Piece]]  # the pieces that each of `READERS` sees
    news: Mapping[str, list[Entry]]  # the new entries for each of `READERS`
    event_counts: Mapping[chess.Color, int]  # of the events that each side knows by now
    turn: chess.Color | None  # None at the end
    mover: chess.Color | None = None  # None before the first try, and if the game ended without one
    event: OwnTry | OwnQuestion | None = None
    seconds: float | None = None  # thinking time of the turn that the try ended, if it was measured

    @property
    def title(self) -> str:
        """The try and its answer, as a line."""
        if not self.news["referee"]:
            return "The game begins."
        time = f" ({self.seconds:.1f} s)" if self.seconds is not None else ""
        return self.news["referee"][-1].line() + time

    @property
    def name(self) -> str:
        """The try as on a score sheet; empty if there was none."""
        if self.event is None:
            return ""
        name = re.split(r"[?:]", self.news["referee"][0].text)[0]
        announcement = self.event.announcement if isinstance(self.event, OwnTry) else None
        return name if announcement is None else score_name(name, announcement)

    @property
    def marks(self) -> frozenset[chess.Square]:
        """The square of a capture in this try."""
        announcement = self.event.announcement if isinstance(self.event, OwnTry) else None
        capture = None if announcement is None else announcement.capture
        return frozenset() if capture is None else frozenset([capture])


class Narrator:
    """Makes a `Moment` of each try of a game."""

    def __init__(self) -> None:
        self._diaries = {color: Diary() for color in chess.COLORS}
        self._views: Mapping[chess.Color, View] = {}
        self._men: dict[str, Mapping[chess.Square, chess.Piece]] = {}

    def tell(self, views: Mapping[chess.Color, View], seconds: float | None = None) -> Moment:
        """Return the moment since the last views: the beginning, one try or question, or the end."""
        self._views = views
        white, black = (own_men(views[color]) for color in chess.COLORS)
        self._men = {"referee": white | black, "White": white, "Black": black}
        return self._moment({color: diary.take(views[color]) for color, diary in self._diaries.items()}, seconds)

    def tell_events(self, events: Mapping[chess.Color, Sequence[Event]]) -> Moment:
        """Return the moment of a try that moved nothing, from the new events of each side."""
        return self._moment({color: one.add(events[color], self._views[color]) for color, one in self._diaries.items()})

    def event_counts(self) -> dict[chess.Color, int]:
        """Return the number of events that each side knows."""
        return {color: len(diary.entries) for color, diary in self._diaries.items()}

    def _moment(self, new: Mapping[chess.Color, list[Entry]], seconds: float | None = None) -> Moment:
        view = self._views[chess.WHITE]
        turn, counts = None if view.end is not None else view.turn, self.event_counts()
        news = {"referee": new[chess.WHITE], "White": new[chess.WHITE], "Black": new[chess.BLACK]}
        for color, entries in new.items():
            if entries and isinstance(event := entries[-1].event, OwnTry | OwnQuestion):
                return Moment(self._men, news | {"referee": entries}, counts, turn, color, event, seconds)
        return Moment(self._men, news, counts, turn)


def moments(record: GameRecord) -> Iterator[Moment]:
    """Yield the moments of a recorded game, before the first try and after each step; raise RecordError."""
    narrator, ply = Narrator(), -1
    for step in record.replay():
        referee = step.referee
        if referee.ply == ply and isinstance(step.event, OwnTry):  # refused
            known = narrator.event_counts()
            yield narrator.tell_events({color: referee.events(color, known[color]) for color in chess.COLORS})
        else:
            ply = referee.ply
            yield narrator.tell({color: referee.view(color) for color in chess.COLORS}, step.seconds)


COLUMN = 40


def playthrough(record: GameRecord, notes: Mapping[int, Sequence[str]] | None = None) -> Iterator[str]:
    """Yield a game line by line, with notes after the moves of plies, counted from 0; raise RecordError."""
    yield from heading(record)
    news: dict[chess.Color, list[str]] = {color: [] for color in chess.COLORS}
    moment, ply = None, -1
    for moment in moments(record):
        for color, lines in news.items():
            lines += [entry.line() for entry in moment.news[side_name(color)]]
        if moment.event is None or moment.turn != moment.mover:
            yield from _both(moment.men, [news[color] for color in chess.COLORS])
            for lines in news.values():
                lines.clear()
            if notes and ply in notes:
                yield from ["", *notes[ply]]
            ply += 1
    if moment is not None:
        yield from ["", "The board at the end:", *plain_board(moment.men["referee"])]
    yield from ["", ending(record)]


def heading(record: GameRecord) -> Iterator[str]:
    """Yield the players and the seed, the rules and the limits, and an unusual start."""
    for name in ("White", "Black", "Seed"):
        if name in record.headers:
            yield f"{name}: {record.headers[name]}"
    yield f"Rules: {record.rules.title}"
    limits = {"plies": record.limits.plies, "plies without pawn move or capture": record.limits.quiet_plies}
    parts = [f"{number} {what}" for what, number in limits.items() if number is not None]
    yield f"Limits: {'draw after ' + ', or after '.join(parts) if parts else 'none'}"
    if record.start != chess.STARTING_FEN:
        yield f"Start: {record.start}"


def ending(record: GameRecord) -> str:
    """Return the result as a line: "0-1: checkmate, Black wins, after 57 plies"."""
    how = record.end.text() if record.end is not None else "the game is unfinished"
    return f"{record.result}: {how}, after {counted(len(record.turns), 'ply', 'plies')}"


def _both(men: Mapping[str, Men], news: list[list[str]]) -> Iterator[str]:
    columns = []
    for name, lines in zip(("White", "Black"), news, strict=True):
        wrapped = [part for line in lines for part in textwrap.wrap(line, COLUMN - 2, subsequent_indent="  ")]
        columns.append([*wrapped, *plain_board(men[name])])
    height = max(map(len, columns))
    yield ""
    yield "White".ljust(COLUMN) + "Black"
    padded = [[""] * (height - len(column)) + column for column in columns]
    for left, right in zip(*padded, strict=True):
        yield (left.ljust(COLUMN) + right).rstrip()
