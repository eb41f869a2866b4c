"""A game told try by try, from the views of both sides: what the referee, White and Black see and hear of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import chess

from kriegbot.cli.diary import Diary, Entry
from referee import GameRecord, OwnTry, View

READERS = ("referee", "White", "Black")


@dataclass(frozen=True, slots=True)
class Moment:
    """The game after one try.

    Attributes:
      views: what each side knows.
      news: what is new to each of `READERS`.
      mover: who tried; None before the first try, and if the game ended without one.
      event: the try and its answer.
      seconds: time taken for the turn that the try ended, if it was measured.
    """

    views: Mapping[chess.Color, View]
    news: Mapping[str, list[Entry]]
    mover: chess.Color | None = None
    event: OwnTry | None = None
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
        heard = self.event.announcement if self.event is not None else None
        return frozenset() if heard is None or heard.capture is None else frozenset([heard.capture])

    def men(self) -> dict[str, dict[chess.Square, chess.Piece]]:
        """The men that each of `READERS` sees."""
        white, black = (own_men(self.views[color]) for color in chess.COLORS)
        return {"referee": white | black, "White": white, "Black": black}


class Narrator:
    """Follows a game, shown the views of both sides after each try."""

    def __init__(self) -> None:
        self._diaries = {color: Diary() for color in chess.COLORS}

    def take(self, views: Mapping[chess.Color, View], seconds: float | None = None) -> Moment:
        """What has happened since the last views, which is one try, or the end of the game."""
        new = {color: diary.take(views[color]) for color, diary in self._diaries.items()}
        for color in chess.COLORS:
            event = views[color].events[-1] if new[color] else None
            if isinstance(event, OwnTry):
                news = {"referee": new[color], "White": new[chess.WHITE], "Black": new[chess.BLACK]}
                return Moment(views, news, color, event, seconds)
        news = {"referee": new[chess.WHITE], "White": new[chess.WHITE], "Black": new[chess.BLACK]}
        return Moment(views, news)


def moments(record: GameRecord) -> Iterator[Moment]:
    """A recorded game, before the first try and after each.

    Raises:
      RecordError: the record is not that of a game.
    """
    narrator = Narrator()
    for step in record.replay():
        yield narrator.take({color: step.referee.view(color) for color in chess.COLORS}, step.seconds)


def own_men(view: View) -> dict[chess.Square, chess.Piece]:
    """The men of a view."""
    return {square: chess.Piece(kind, view.color) for square, kind in view.men.items()}
