"""A game under review: its frames and, for each on request, what both sides believed."""

from __future__ import annotations

from collections.abc import Mapping

import chess

from kriegbot.narration.moments import Moment, moments
from kriegbot.web.analysis_settings import Method
from kriegbot.web.analyst import Analyst
from kriegbot.web.frames import frame_of
from kriegbot.web.replies import Analysis, Frame, Frames
from referee import GameRecord, View


class Review:
    """The frames of a game, which may grow while it is played.

    Args:
      key: of the game.
      players: their specs, which say how their tries are valued.

    Attributes:
      frames: all so far.
      is_live: whether more will come.
      views: what both sides know by the last of them.
    """

    def __init__(self, key: str, players: Mapping[chess.Color, str]) -> None:
        self.key, self.players = key, players
        self.frames: list[Frame] = []
        self.is_live = False
        self.views: Mapping[chess.Color, View] = {}
        self._heard: list[Mapping[chess.Color, int]] = []

    @classmethod
    def of(cls, key: str, record: GameRecord) -> Review:
        """All of a recorded game.

        Raises:
          RecordError: the record is not that of a game.
        """
        review = cls(key, {chess.WHITE: record.headers["White"], chess.BLACK: record.headers["Black"]})
        for moment in moments(record):
            review.add(moment, {})
        *_, last = record.replay()
        review.views = {color: last.referee.view(color) for color in chess.COLORS}
        return review

    def add(self, moment: Moment, views: Mapping[chess.Color, View]) -> None:
        """Adds a frame, and what both sides know by then."""
        self.views = views
        self._heard.append(moment.heard)
        self.frames.append(frame_of(moment))

    def message(self, start: int = 0) -> Frames:
        """The frames from one on, for the page."""
        return {"is": "frames", "start": start, "frames": self.frames[start:], "live": self.is_live}

    async def look(self, index: int, analyst: Analyst) -> Analysis:
        """What both sides believed in a frame, and what the mover's tries were worth, for the page.

        Raises:
          IndexError: there is no such frame.
          AnalystFailed: there is no answer.
        """
        if not 0 <= index < len(self.frames):
            raise IndexError(f"there is no moment {index}; the last one is {len(self.frames) - 1}")
        heard, mover = self._heard[index], self.frames[index]["turn"]
        method = Method.of(self.players[mover != "black"])
        sides = {color: (view, heard[color]) for color, view in self.views.items()}
        return {"is": "analysis", "index": index, **await analyst.look(self.key, sides, method)}
