"""The games of one server: their messages to browsers, their limits, and their end."""

import asyncio
import contextlib
import logging
import secrets
import threading
import time
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import chess

from kriegbot.children import awake_time
from kriegbot.narration.results import Results, results_rows, results_text
from kriegbot.request import Refused
from kriegbot.web import notices
from kriegbot.web.connections import Reserve
from kriegbot.web.library import Library, logged
from kriegbot.web.notices import GameEnded, GameInfo, Kept, Notice, Preparing, Refusal
from kriegbot.web.requests import BROKEN_LINK, Act, Look, Request
from kriegbot.web.review import Analyst, AnalystFailed, Review
from kriegbot.web.seats import SeatPool
from referee import GameRecord

log = logging.getLogger("kriegbot.web")


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerLimits:
    """Bounds on what browsers can make a server do; times are in seconds."""

    connections: int = 500  # open at once, of which the last gets "503 Service Unavailable"
    sockets: int = 100  # open at once
    unread: int = 500  # messages that may wait for one socket
    rate: float = 20.0  # messages a second from one socket in the long run
    burst: float = 60.0  # messages from one socket at once
    refusals: int = 20  # refused messages of one socket before it is closed
    upload_time: float = 20.0  # for an uploaded file to arrive
    live_games: int = 64  # a game between two people counts twice
    games: int = 200  # sides and pages in memory, those of finished games included
    unattended_games: int = 8  # live games that no browser shows; one with a program needs a process of 100 to 200 MB
    claim_after: float = 60.0  # that a person must be away before the other may claim the game
    grace: float = 60.0  # before `tend` counts a game without a browser
    abandon_after: float = 3600.0  # before any game without a browser is abandoned
    stop_time: float = 10.0  # for all games to end when the server stops


LIMITS = ServerLimits()
SHORTEST_ID = 13  # characters of a game's id, of 16, that a link must still have


class GameThread(threading.Thread):
    """The thread of a game; this base class, for games that are over, is never started."""

    is_stopping = False  # True if the game is abandoned and about to end

    def check(self) -> None:
        """Raise Refused if a player from outside cannot play; in any thread."""

    def begin(self) -> None:
        """Start the game, once it is in the registry. Idempotent."""

    def stop(self, why: str) -> None:
        """Abandon the game if it is live; in any thread, without waiting. Idempotent."""


class PageGame:
    """One game on the page, as one side plays it, or to watch or review."""

    kind: ClassVar[str]
    color: chess.Color | None = None  # the side that a person plays here
    may_invite = False  # True for the host's side of a game between two people

    def __init__(self, registry: "Registry", play: GameThread | None = None, id_: str | None = None) -> None:
        self.id = id_ or secrets.token_urlsafe(12)  # its name in addresses
        self.registry, self.play = registry, play or GameThread()
        self.record: GameRecord | None = None  # after its end
        self.review: Review | None = None  # what browsers may have; None before the end of a game that a person plays
        self.unattended_since = awake_time()  # when the last browser left
        self.is_for_guests = False  # True if its id alone is enough to join
        self.browser: str | None = None  # which has joined it, the latest or the only one
        self.is_mine = True  # True if only browsers of whoever runs the server have joined; its result is theirs
        self._last: dict[type[Notice], Notice] = {}
        self._listeners: set[Callable[[Notice], None]] = set()
        self._lock = threading.RLock()
        self._tasks: dict[str, asyncio.Task[None]] = {}

    @property
    def is_unattended(self) -> bool:
        """True if no browser shows the game from any side."""
        return not self._listeners

    def invitation(self) -> Notice | None:
        """Return the terms of the game if its seat is free; joining would take it."""
        return None

    def sit_down(self, browser: str, name: str, *, is_host: bool) -> None:  # noqa: ARG002 - for people
        """Seat a browser; raise Refused if there is no seat for it."""
        self.browser = browser

    def leave(self, why: str) -> None:
        """Let the game end without this page."""

    def take(self, request: Request) -> None:
        """Carry out a request of a browser, on the event loop; raise Refused if this page cannot."""
        match request:
            case Look(indexes) if self.review is not None:
                self.work("look", "analysis", self._look, self.review, indexes)
            case Act("turning") if self.review is not None and not self.review.is_live:
                self.work("turning", "turning points", self._send_turning, self.review)
            case _:
                raise Refused("That cannot be done in this game.")

    def work(self, name: str, what: str, function: Callable[..., Coroutine[Any, Any, None]], *args: object) -> None:
        """Start a coroutine that asks the analyst, in place of the last one of this name; publish why it fails."""

        async def run() -> None:
            try:
                await function(*args)
            except (IndexError, AnalystFailed) as error:
                if not self.registry.is_closing:
                    log.warning("no %s: %s", what, error)
                self.publish(Refusal(f"No {what}: {error}.", name))

        if name in self._tasks:
            self._tasks[name].cancel()
        self._tasks[name] = asyncio.create_task(run())

    def publish(self, message: Notice) -> None:
        """Send a message to all listeners; in any thread."""
        with self._lock:
            self._last[type(message)] = message
            for listener in self._listeners:
                listener(message)

    def introduce(self, players: Sequence[str], rules: str, seed: str | int | None, **more: Any) -> None:
        """Publish the introduction to the game; `more` has other fields of it."""
        white, black = players
        self.called = " – ".join(players)  # noqa: RUF001
        text = None if seed is None else str(seed)
        self.publish(GameInfo(self.id, self.kind, white, black, rules, text, **more))

    def finish(self, record: GameRecord, review: Review | None, saved: str | None = None, trouble: str = "") -> None:
        """Publish the end; without a review as long as the game may be continued."""
        text = record.end.text() if record.end is not None else "the game is unfinished"
        winner = None if record.end is None else record.end.winner
        over = GameEnded(
            record.result,
            f"{text[0].upper()}{text[1:]}.{trouble}",
            saved,
            None if review is None else record.headers.get("Seed"),
            None if winner is None or self.color is None else winner == self.color,
            resumable=review is None,
        )
        with self._lock:
            self.record = record
            self.publish(over)
            if review is not None:
                self.review = review
                self.publish(review.message())

    def snapshot(self) -> list[Notice]:
        """Return the messages for a new listener."""
        messages = [self._last[kind] for kind in Kept.__subclasses__() if kind in self._last]
        return messages if self.review is None else [*messages, self.review.message()]

    def join(self, listener: Callable[[Notice], None]) -> None:
        """Add a listener, which must not block, and send it the messages so far."""
        with self._lock:
            for message in self.snapshot():
                listener(message)
            self._listeners.add(listener)

    def remove_listener(self, listener: Callable[[Notice], None]) -> None:
        """Remove a listener. Idempotent."""
        with self._lock:
            self._listeners.discard(listener)
            self.unattended_since = awake_time()

    async def _look(self, review: Review, indexes: Sequence[int]) -> None:
        for index in indexes:
            self.publish(await review.look(index, self.registry.analyst))

    async def _send_turning(self, review: Review) -> None:
        async for turning in review.turning(self.registry.analyst):
            self.publish(turning)
        if self.is_mine and self.record is not None and review.you is not None:
            themes = [one["theme"] for one in turning.points if one["side"] == chess.COLOR_NAMES[review.you]]
            await asyncio.to_thread(self.registry.add_review, self.record, themes)


class Registry:
    """All games of one server, saved in a folder.

    The page's address is in the folder `config`, by default the same. `sandbox` is False to trust players from outside,
    and True to refuse chess engines, which no sandbox holds.
    """

    def __init__(
        self,
        folder: Path,
        config: Path | None = None,
        results: Results | None = None,
        *,
        sandbox: bool | None = None,
        limits: ServerLimits = LIMITS,
    ) -> None:
        self.library, self.sandbox, self.limits = Library(folder), sandbox, limits
        self.reviews = folder / "reviews"
        self.saver, self.reserve = ThreadPoolExecutor(1, "saver"), Reserve()  # of games in progress
        self.restoring = asyncio.Lock()
        self.is_closing = False
        self.results = results or Results(folder / "results.jsonl")
        self.address_file = folder / ".address.json" if config is None else config / "address.json"
        self.guest_token = ""
        self.network: Callable[[str | None], Awaitable[None]] | None = None  # opens it; None if that is impossible
        self.network_shown = notices.NetworkState([], None)
        self.seats = SeatPool(self.report_progress)
        self.preparing: Preparing | None = None
        self.listeners: set[Callable[[Notice], None]] = set()
        self.games: dict[str, PageGame] = {}
        self.analyst = Analyst()
        self._loop: asyncio.AbstractEventLoop | None = None

    def begin(self) -> None:
        """Start preparations for the first game, or analyse a saved one; on the event loop, when the server starts."""
        self._loop = asyncio.get_running_loop()
        self.analyst.warm()
        for game in self.games.values():
            game.take(Act("turning"))
        if not self.games:
            threading.Thread(target=self.seats.warm, daemon=True).start()

    def broadcast(self, message: Notice) -> None:
        """Send a message to all sockets; in any thread."""
        for listener in list(self.listeners):
            listener(message)

    def results_shown(self, game: str | None = None, text: str = "") -> notices.ResultsTable:
        """Return the results of whoever runs the server, with a sentence on a game that has just ended."""
        results = self.results.all()
        about, skills, puzzles = results_text(results), self.results.to_practise(), self.results.puzzles_text()
        return notices.ResultsTable(results_rows(results), about, skills, puzzles, game, text)

    def add_review(self, record: GameRecord, themes: Sequence[str]) -> None:
        """Store the themes of the turning points of whoever runs the server, and send the new results."""
        with logged("store themes of turning points in", self.results.path):
            self.results.add_review(record.headers.get("Seed", ""), themes)
        self.broadcast(self.results_shown())

    def call_soon(self, function: Callable[[], None]) -> None:
        """Call a function on the event loop, from any thread; do nothing once the server has stopped."""
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(function)

    def add(self, game: PageGame, join: Callable[[PageGame], None] = lambda _: None) -> None:
        """Add a game and start it; call `join` with it before, for listeners to miss nothing. Raise Refused if full."""
        self.make_room(1)
        ended = [id_ for id_, game in self.games.items() if not game.play.is_alive()]
        for id_ in ended[: max(0, len(self.games) + 1 - self.limits.games)]:
            del self.games[id_]
        self.games[game.id] = game
        join(game)
        game.play.begin()

    def make_room(self, count: int) -> None:
        """Stop unattended games until there is room for so many more; raise Refused if there is not."""
        limit = self.limits.live_games
        while len(self._live()) + count > limit:
            if not (unattended := self._unattended()):
                raise Refused(f"{limit} game{'s are' if limit > 1 else ' is'} in progress, the limit. End one first.")
            unattended[0].play.stop("nobody came back, and room was needed")

    def get(self, id_: str, *, is_guest: bool = False) -> PageGame:
        """Return the game with this id; raise Refused if there is none, or none for guests."""
        game = self.games.get(id_)
        if game is None or (is_guest and not game.is_for_guests):
            raise Refused(BROKEN_LINK)
        return game

    def mended(self, text: str) -> str:
        """Return the id that a link names, though a chat program has cut its end or added to it."""
        known = {*self.games, *(id_ for seating in [*self.library.seatings.values()] for id_ in seating.ids.values())}
        near = [id_ for id_ in known if id_.startswith(text[: len(id_)]) and len(text) >= SHORTEST_ID]
        return near[0] if len(near) == 1 else text

    def in_progress(self, browser: str, *, is_host: bool) -> dict[str, str]:
        """Return the games in progress that belong to a browser, also those that an earlier server left, by id."""
        mine = [game for game in self._live() if browser == game.browser or (is_host and game.may_invite)]
        plays = [game.play for game in mine]  # two people at one screen, who have both seats, have to leave their game
        return {one.id: one.called for one in mine if plays.count(one.play) == 1} | self.library.waiting(browser)

    def tend(self) -> None:
        """Abandon games that no browser shows: too many of them, or any for too long."""
        now = awake_time()
        unattended = [game for game in self._unattended() if now - game.unattended_since > self.limits.grace]
        for number, game in enumerate(reversed(unattended)):
            is_old = now - game.unattended_since > self.limits.abandon_after
            if number >= self.limits.unattended_games or is_old:
                game.play.stop("nobody came back")

    def _live(self) -> list[PageGame]:
        return [game for game in self.games.values() if game.play.is_alive() and not game.play.is_stopping]

    def _unattended(self) -> list[PageGame]:
        """Return live games that no browser shows, in the order in which the last one left."""
        return sorted((game for game in self._live() if game.is_unattended), key=lambda game: game.unattended_since)

    def stop(self, why: str) -> None:
        """Abandon all games, wait until they are saved, at most `stop_time`, and end all processes. Idempotent."""
        self.is_closing = True
        deadline = time.monotonic() + self.limits.stop_time
        while (live := [game for game in self.games.values() if game.play.is_alive()]) and time.monotonic() < deadline:
            for game in live:  # repeatedly, for processes that were about to start
                game.play.stop(why)
            time.sleep(0.05)
        for game in live:
            log.error("game %s did not stop", game.id)
        self.seats.close()
        self.analyst.close()

    def report_progress(self, what: str, done: int, total: int) -> None:
        """Send the progress of compiling kernels to all sockets; in any thread."""
        self.preparing = Preparing(what, done, total)
        self.broadcast(self.preparing)
