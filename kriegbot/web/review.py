"""A game to look back at: its frames, and for each of them, when somebody looks, what both sides believed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import chess

from kriegbot.cli.moments import Moment, moments
from kriegbot.web.analyst import Analyst, Method
from kriegbot.web.frames import Frame, frame_of
from referee import GameRecord, View


class Review:
    """The frames of a game, which may grow while it goes on.

    Args:
      key: of the game.
      players: their specs, which say how their tries are valued.
    """

    def __init__(self, key: str, players: Mapping[chess.Color, str]) -> None:
        self.key, self.players = key, players
        self.frames: list[Frame] = []
        self.is_live = False
        self._views: Mapping[chess.Color, View] = {}
        self._heard: list[dict[chess.Color, int]] = []

    @classmethod
    def of(cls, key: str, record: GameRecord) -> Review:
        """All of a recorded game.

        Raises:
          RecordError: the record is not that of a game.
        """
        review = cls(key, {chess.WHITE: record.headers["White"], chess.BLACK: record.headers["Black"]})
        for moment in moments(record):
            review.add(moment)
        return review

    def add(self, moment: Moment) -> None:
        """One frame more."""
        self._views = moment.views
        self._heard.append({color: len(view.events) for color, view in moment.views.items()})
        self.frames.append(frame_of(moment))

    def message(self, start: int = 0) -> dict[str, Any]:
        """The frames from one on, for the page."""
        return {"is": "frames", "from": start, "frames": self.frames[start:], "live": self.is_live}

    async def look(self, index: int, analyst: Analyst) -> dict[str, Any]:
        """What both sides believed in a frame, and what the mover's tries were worth, for the page.

        Raises:
          IndexError: there is no such frame.
          AnalystFailed: there is no answer.
        """
        if not 0 <= index < len(self.frames):
            raise IndexError(f"there is no moment {index}; the last one is {len(self.frames) - 1}")
        heard, mover = self._heard[index], self.frames[index]["turn"]
        method = Method.of(self.players[mover != "black"])
        sides = {color: (view, heard[color]) for color, view in self._views.items()}
        return {"is": "analysis", "index": index, **await analyst.look(self.key, sides, method)}
