"""A game told try by try, from the views of both sides: what the referee, White and Black see and hear of each try."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import chess

from kriegbot.narration.board import own_men
from kriegbot.narration.diary import Diary, Entry
from referee import Event, GameRecord, OwnQuestion, OwnTry, View

READERS = ("referee", "White", "Black")


@dataclass(frozen=True, slots=True)
class Moment:
    """The game after one try or question.

    Attributes:
      men: the men that each of `READERS` sees.
      news: what is new to each of `READERS`.
      heard: the number of events that each side has heard by now.
      turn: the side to move; None at the end.
      mover: who tried; None before the first try, and if the game ended without one.
      event: the try or question, and its answer.
      seconds: time taken for the turn that the try ended, if it was measured.
    """

    men: Mapping[str, Mapping[chess.Square, chess.Piece]]
    news: Mapping[str, list[Entry]]
    heard: Mapping[chess.Color, int]
    turn: chess.Color | None
    mover: chess.Color | None = None
    event: OwnTry | OwnQuestion | None = None
    seconds: float | None = None

    @property
    def title(self) -> str:
        """What was tried, and the answer."""
        if not self.news["referee"]:
            return "The game begins."
        time = f" ({self.seconds:.1f} s)" if self.seconds is not None else ""
        return self.news["referee"][-1].line() + time

    @property
    def marks(self) -> frozenset[chess.Square]:
        """The square where a man has just fallen."""
        heard = self.event.announcement if isinstance(self.event, OwnTry) else None
        return frozenset() if heard is None or heard.capture is None else frozenset([heard.capture])


class Narrator:
    """Follows a game, told after each try what is new to both sides."""

    def __init__(self) -> None:
        self._diaries = {color: Diary() for color in chess.COLORS}
        self._views: Mapping[chess.Color, View] = {}
        self._men: dict[str, Mapping[chess.Square, chess.Piece]] = {}

    def take(self, views: Mapping[chess.Color, View], seconds: float | None = None) -> Moment:
        """What has happened since the last views, which is one try, or the end of the game."""
        self._views = views
        white, black = (own_men(views[color]) for color in chess.COLORS)
        self._men = {"referee": white | black, "White": white, "Black": black}
        return self._told({color: diary.take(views[color]) for color, diary in self._diaries.items()}, seconds)

    def hear(self, events: Mapping[chess.Color, Sequence[Event]]) -> Moment:
        """What a try has brought that moved no man: nothing but events, those that are new to each side."""
        return self._told(
            {color: diary.hear(events[color], self._views[color]) for color, diary in self._diaries.items()}
        )

    def heard(self, color: chess.Color) -> int:
        """The number of events that a side was told."""
        return self._diaries[color].heard

    def _told(self, new: Mapping[chess.Color, list[Entry]], seconds: float | None = None) -> Moment:
        view = self._views[chess.WHITE]
        turn = None if view.end is not None else view.turn
        heard = {color: self.heard(color) for color in chess.COLORS}
        news = {"referee": new[chess.WHITE], "White": new[chess.WHITE], "Black": new[chess.BLACK]}
        for color, diary in self._diaries.items():
            if new[color] and isinstance(diary.last, OwnTry | OwnQuestion):
                return Moment(self._men, news | {"referee": new[color]}, heard, turn, color, diary.last, seconds)
        return Moment(self._men, news, heard, turn)


def moments(record: GameRecord) -> Iterator[Moment]:
    """A recorded game, before the first try and after each.

    Raises:
      RecordError: the record is not that of a game.
    """
    narrator, ply = Narrator(), -1
    for step in record.replay():
        referee = step.referee
        if referee.ply == ply and isinstance(step.event, OwnTry):  # refused
            yield narrator.hear({color: referee.events(color, narrator.heard(color)) for color in chess.COLORS})
        else:
            ply = referee.ply
            yield narrator.take({color: referee.view(color) for color in chess.COLORS}, step.seconds)
