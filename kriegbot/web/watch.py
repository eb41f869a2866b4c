"""Games without a person on the page: two programs at play, saved games, and games between others."""

from __future__ import annotations

import logging
import threading
import time

from kriegbot.narration.moments import Narrator, both_named
from kriegbot.request import PERSON
from kriegbot.web.registry import GameThread, PageGame, Registry
from kriegbot.web.replies import NotYet, PaceSet
from kriegbot.web.requests import Act, Request, SetPace, Switch
from kriegbot.web.review import Review
from referee import GameRecord, View

log = logging.getLogger("kriegbot.web")


class WatchedGame(PageGame):
    """Two programs at play. The page sees everything, try by try; `pace` is the least time between tries in seconds."""

    kind = "watch"

    def __init__(self, registry: Registry, play: GameThread, pace: float) -> None:
        super().__init__(registry, play)
        self._narrator = Narrator()
        self._waiting: View | None = None
        self._shown, self._why = 0.0, ""
        self._changed = threading.Condition()
        self.review = Review(self.id)
        self.review.is_live = True
        self._set_pace(pace, is_paused=False)

    def leave(self, why: str) -> None:
        """End the game, which no longer waits for the page."""
        with self._changed:
            self._why = why
            self._changed.notify_all()

    def take(self, request: Request) -> None:
        """Carry out a request of a browser; on the event loop."""
        match request:
            case Switch("pause", is_paused):
                self._set_pace(self._pace, is_paused=is_paused)
            case SetPace(seconds):
                self._set_pace(seconds, is_paused=self._is_paused)
            case Act("leave"):
                self.play.stop("broken off")
            case _:
                super().take(request)

    def _set_pace(self, seconds: float, *, is_paused: bool) -> None:
        with self._changed:
            self._pace, self._is_paused = seconds, is_paused
            self._changed.notify_all()
        self.publish(PaceSet(seconds, is_paused))

    def see(self, view: View) -> None:
        """Add a frame before a program's turn. The waiting program has just received its view, too."""
        if self.review is None or self._waiting is None:
            return
        views = {view.color: view, self._waiting.color: self._waiting}
        index = len(self.review.frames)
        self.review.add(self._narrator.tell(views), views)
        self.publish(self.review.message(index))
        self._shown = time.monotonic()

    def wait(self, view: View) -> None:
        """Hold the game back until the next try may come."""
        self._waiting = view
        with self._changed:
            while not self._why:
                left = self._shown + self._pace - time.monotonic()
                if not self._is_paused and left <= 0:
                    return
                self._changed.wait(None if self._is_paused else left)


class ReplayedGame(PageGame):
    """A saved game and the path of its file; raises RecordError if it cannot be replayed.

    With the id of a page of the game, it is for people who had this page, and shows no path.
    """

    kind = "replay"

    def __init__(self, registry: Registry, record: GameRecord, path: str | None, id_: str | None = None) -> None:
        super().__init__(registry, id_=id_)
        if id_ is not None:
            self.is_for_guests = record.headers["White"] == record.headers["Black"] == PERSON
        self.introduce(both_named(record.headers), record.rules, record.headers.get("Seed"))
        self.finish(record, Review.of(self.id, record, registry.reviews), path)


class SpectatorGame(PageGame):
    """A game between two people, for others who have a link: nothing of it before its end, then all of it.

    Before the end it has no access to any view.
    """

    kind = "replay"

    def __init__(self, registry: Registry, id_: str | None) -> None:
        super().__init__(registry, id_=id_)
        self.is_for_guests = True
        self.publish(NotYet("The game is still on. You can see it here as soon as it has ended."))

    def finish(self, record: GameRecord, review: Review | None, saved: str | None = None, trouble: str = "") -> None:  # noqa: ARG002 - for other pages
        """Publish the end; without a review as long as the game may be continued."""
        if review is None:
            self.publish(NotYet("The game was broken off, and may be continued. You can see it when it has ended."))
            return
        with self._lock:
            del self._last[NotYet]
            self.introduce(both_named(record.headers), record.rules, None)
            super().finish(record, review)
