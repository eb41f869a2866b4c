"""Games without a person on the page: two programs at play, saved games, and games between others."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import chess

from kriegbot.narration.moments import Narrator, both_named
from kriegbot.request import PERSON
from kriegbot.web.registry import GameThread, PageGame, Registry
from kriegbot.web.replies import GameEnded, GameInfo, NotYet, PaceSet
from kriegbot.web.requests import Act, Pause, Request, SetPace
from kriegbot.web.review import Review
from kriegbot.web.seats import PooledSeat
from referee import GameRecord, RuleSet, View

log = logging.getLogger("kriegbot.web")


class WatchedGame(PageGame):
    """Two programs at play. The page sees everything, try by try; `pace` is the least time between tries in seconds."""

    kind = "watch"
    replayed = (GameInfo, PaceSet, GameEnded)

    def __init__(self, registry: Registry, play: GameThread, pace: float) -> None:
        super().__init__(registry, play)
        self._narrator = Narrator()
        self._waiting: View | None = None
        self._pace, self._shown = pace, 0.0
        self._is_paused, self._why = False, ""
        self._changed = threading.Condition()
        self.review = Review(self.id)
        self.review.is_live = True
        self._publish_pace()

    def watch(self, seat: PooledSeat) -> None:
        """Show the views of a seat on the page."""
        seat.on_ask, seat.on_wait = self._see, self._wait

    def leave(self, why: str) -> None:
        """End the game, which no longer waits for the page."""
        with self._changed:
            self._why = why
            self._changed.notify_all()

    def take(self, request: Request) -> None:
        """Carry out a request of a browser; on the event loop."""
        match request:
            case Pause(is_paused):
                self._set_pace(self._pace, is_paused)
            case SetPace(seconds):
                self._set_pace(seconds, self._is_paused)
            case Act("leave"):
                self.play.stop("broken off")
            case _:
                super().take(request)

    def _set_pace(self, seconds: float, is_paused: bool) -> None:
        with self._changed:
            self._pace, self._is_paused = seconds, is_paused
            self._changed.notify_all()
        self._publish_pace()

    def _see(self, view: View) -> None:
        """Add a frame before a program's turn. The waiting program has just received its view, too."""
        if self.review is None or self._waiting is None:
            return
        views = {view.color: view, self._waiting.color: self._waiting}
        index = len(self.review.frames)
        self.review.add(self._narrator.tell(views), views)
        self.publish(self.review.message(index))
        self._shown = time.monotonic()

    def _wait(self, view: View) -> None:
        self._waiting = view
        with self._changed:
            while not self._why:
                left = self._shown + self._pace - time.monotonic()
                if not self._is_paused and left <= 0:
                    return
                self._changed.wait(None if self._is_paused else left)

    def finish(self, record: GameRecord, saved: Path | None, trouble: str, review: Review) -> None:
        """Publish the end and the whole review."""
        self.record, self.review = record, review
        self.publish(review.message())
        over = over_message(record, None if saved is None else str(saved))
        over.text += trouble
        self.publish(over)

    def _publish_pace(self) -> None:
        self.publish(PaceSet(self._pace, self._is_paused))


class ReplayedGame(PageGame):
    """A saved game and the path of its file; raises RecordError if it cannot be replayed.

    With the id of a page of the game, it is for people who had this page, and shows no path.
    """

    kind = "replay"
    replayed = (GameInfo, GameEnded)

    def __init__(self, registry: Registry, record: GameRecord, path: str | None, id_: str | None = None) -> None:
        super().__init__(registry)
        if id_ is not None:
            self.id = id_
            self.is_for_guests = record.headers["White"] == record.headers["Black"] == PERSON
        self.record = record
        self.review = Review.of(self.id, record, registry.reviews)
        self.publish(game_message(self, both_named(record.headers), record.rules, record.headers.get("Seed")))
        self.publish(over_message(record, path))


class SpectatorGame(PageGame):
    """A game between two people, for others who have a link: nothing of it before its end, then all of it.

    Before the end it has no access to any view.
    """

    kind = "replay"
    replayed = (NotYet, GameInfo, GameEnded)

    def __init__(self, registry: Registry, id_: str | None) -> None:
        super().__init__(registry)
        self.id = id_ or self.id
        self.is_for_guests = True
        self.publish(NotYet("The game is still on. You can see it here as soon as it has ended."))

    def finish(self, record: GameRecord, review: Review | None) -> None:
        """Publish the end; without a review as long as the game may be continued."""
        if review is None:
            self.publish(NotYet("The game was broken off, and may be continued. You can see it when it has ended."))
            return
        with self._lock:
            del self._last[NotYet]
            self.record, self.review = record, review
            self.publish(game_message(self, both_named(record.headers), record.rules, None))
            self.publish(over_message(record, None))
            self.publish(review.message())


def game_message(
    game: PageGame, players: Sequence[str], rules: RuleSet, seed: str | int | None, **more: Any
) -> GameInfo:
    """Return the message that introduces a game; `more` has other fields of it."""
    white, black = players
    return GameInfo(game.id, game.kind, white, black, rules.title, None if seed is None else str(seed), **more)


def over_message(record: GameRecord, saved: str | None, you: chess.Color | None = None) -> GameEnded:
    """Return the message on the end of a game."""
    text = record.end.text() if record.end is not None else "the game is unfinished"
    winner = None if record.end is None else record.end.winner
    won = None if winner is None or you is None else winner == you
    return GameEnded(record.result, f"{text[0].upper()}{text[1:]}.", saved, record.headers.get("Seed"), won)
