"""The games of one server: their messages to browsers, their limits, and their end."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
import threading
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

import chess

from kriegbot.children import CannotStart
from kriegbot.game.process import try_out
from kriegbot.narration.results import Results, results_rows, results_text
from kriegbot.players.specs import BadSpec, PlayerSpec
from kriegbot.request import Refused, refusing
from kriegbot.web import replies
from kriegbot.web.library import Address, Library, read_private, write_private
from kriegbot.web.replies import Preparing, Refusal, Reply
from kriegbot.web.requests import MAX_CHOICES, Act, Look, Request
from kriegbot.web.review import Analyst, AnalystFailed, Review
from kriegbot.web.seats import SeatPool
from referee import GameRecord, RuleSet
from referee.text import write_file

T = TypeVar("T")


log = logging.getLogger("kriegbot.web")


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerLimits:
    """Bounds on what browsers can make a server do; times are in seconds."""

    connections: int = 500  # open at once; one more gets "503 Service Unavailable"
    sockets: int = 100  # open at once
    unread: int = 500  # messages that may wait for one socket
    rate: float = 20.0  # messages a second from one socket in the long run
    burst: float = 60.0  # messages from one socket at once
    refusals: int = 20  # refused messages of one socket before it is closed
    upload_time: float = 20.0  # for an uploaded file to arrive
    live_games: int = 64
    games: int = 200  # in memory, finished ones included
    unattended_games: int = 8  # live games that no browser shows; each needs a process of some 90 MB
    grace: float = 60.0  # before a game without a browser counts as unattended
    abandon_after: float = 3600.0  # before any game without a browser is abandoned
    stop_time: float = 10.0  # for all games to end when the server stops


LIMITS = ServerLimits()


class LatestRequest(Generic[T]):
    """Runs a coroutine for the latest request only: each request cancels the one before."""

    def __init__(self, work: Callable[[T], Coroutine[Any, Any, None]]) -> None:
        self._work = work
        self._task: asyncio.Task[None] | None = None

    def want(self, request: T) -> None:
        """Start on a request; on the event loop."""
        if self._task is not None:
            self._task.cancel()
        self._task = asyncio.create_task(self._work(request))


class GameThread:
    """A game in a thread of its own; this base class, for games that are over, has no thread."""

    _thread: threading.Thread | None = None

    @property
    def is_live(self) -> bool:
        """True if the game is in progress."""
        return self._thread is not None and self._thread.is_alive()

    def check(self) -> None:
        """Raise Refused if a player from outside cannot play; in any thread."""

    def begin(self) -> None:
        """Start the game, once it is in the registry. Idempotent."""

    def stop(self, why: str) -> None:
        """Abandon the game if it is live; in any thread, without waiting. Idempotent."""

    def wait(self, seconds: float) -> None:
        """Wait for the end of the thread, at most so many seconds."""
        if self._thread is not None:
            self._thread.join(seconds)


class PageGame:
    """One game on the page, as one side plays it, or to watch or review.

    Attributes:
      id: its name in addresses.
      play: the thread of the game.
      record: the game after its end, None before.
      review: the frames that browsers may have; None before the end of a game that a person plays.
      unattended_since: the time when the last browser left, on the monotonic clock.
      is_stopping: True if it is abandoned and about to end.
      is_for_guests: True if its id alone is enough to join.
      is_mine: True if only browsers of whoever runs the server have joined; its result is theirs.
    """

    kind: ClassVar[str]
    replayed: ClassVar[tuple[type[Reply], ...]]
    """The messages of which a new listener gets the last one."""

    def __init__(self, registry: Registry, play: GameThread | None = None) -> None:
        self.id = secrets.token_urlsafe(12)
        self.registry, self.play = registry, play or GameThread()
        self.record: GameRecord | None = None
        self.review: Review | None = None
        self.unattended_since = time.monotonic()
        self.is_stopping = False
        self.is_for_guests, self.is_mine = False, True
        self._last: dict[type[Reply], Reply] = {}
        self._listeners: set[Callable[[Reply], None]] = set()
        self._lock = threading.RLock()
        self._looks, self._turnings = LatestRequest(self._look), LatestRequest(self._send_turning)

    @property
    def has_listeners(self) -> bool:
        """True if a browser shows the game from this side."""
        return bool(self._listeners)

    @property
    def is_unattended(self) -> bool:
        """True if no browser shows the game from any side."""
        return not self.has_listeners

    def invitation(self) -> Reply | None:
        """Return the terms of the game if its seat is free; joining would take it."""
        return None

    def sit_down(self, browser: str, name: str) -> None:
        """Seat a browser; raise Refused if there is no seat for it."""

    def take(self, request: Request) -> None:
        """Carry out a request of a browser; on the event loop."""
        match request:
            case Look(indexes) if self.review is not None:
                self._looks.want(indexes)
            case Act("turning") if self.review is not None and not self.review.is_live:
                self._turnings.want(self.review)
            case _:
                raise Refused("That cannot be done in this game.")

    def publish(self, message: Reply) -> None:
        """Send a message to all listeners; in any thread."""
        with self._lock:
            self._last[type(message)] = message
            for listener in self._listeners:
                listener(message)

    def snapshot(self) -> list[Reply]:
        """Return the messages for a new listener."""
        messages = [self._last[kind] for kind in self.replayed if kind in self._last]
        return messages if self.review is None else [*messages, self.review.message()]

    def join(self, listener: Callable[[Reply], None]) -> None:
        """Add a listener, which must not block, and send it the messages so far."""
        with self._lock:
            for message in self.snapshot():
                listener(message)
            self._listeners.add(listener)

    def part(self, listener: Callable[[Reply], None]) -> None:
        """Remove a listener. Idempotent."""
        with self._lock:
            self._listeners.discard(listener)
            self.unattended_since = time.monotonic()

    def give_up(self, why: str) -> None:
        """Abandon the game because no browser shows it."""
        self.is_stopping = True
        self.play.stop(why)

    async def _look(self, indexes: Sequence[int]) -> None:
        if self.review is None:
            return
        try:
            while indexes:
                analyses = await self.review.look(indexes, self.registry.analyst)
                indexes = indexes[len(analyses) :]
                for analysis in analyses:
                    self.publish(analysis)
        except (IndexError, AnalystFailed) as error:
            log.warning("no analysis of moments %s: %s", indexes, error)
            self.publish(Refusal(f"No analysis: {error}.", "look"))

    async def _send_turning(self, review: Review) -> None:
        try:
            async for turning in review.turning(self.registry.analyst):
                self.publish(turning)
        except AnalystFailed as error:
            log.warning("no turning points: %s", error)
            self.publish(Refusal(f"No turning points: {error}.", "turning"))
            return
        if self.is_mine and self.record is not None and review.you is not None:
            themes = [one["theme"] for one in turning.points if one["side"] == chess.COLOR_NAMES[review.you]]
            await asyncio.to_thread(self.registry.add_review, self.record, themes)


class Registry:
    """All games of one server.

    Args:
      folder: where they are saved.
      memory, results, address: files for the page's choices, the results of whoever runs the server, and the page's
        address; by default in that folder.
      sandbox: False to trust players from outside; True to refuse chess engines, which no sandbox holds.
    """

    def __init__(
        self,
        folder: Path,
        memory: Path | None = None,
        results: Path | None = None,
        address: Path | None = None,
        *,
        sandbox: bool | None = None,
        limits: ServerLimits = LIMITS,
    ) -> None:
        self.library, self.sandbox, self.limits = Library(folder), sandbox, limits
        self.reviews = folder / "reviews"
        self.keeper = ThreadPoolExecutor(1, "keeper")  # saves games in progress
        self.restoring = asyncio.Lock()
        self.is_closing = False
        self._memory = folder / "page.json" if memory is None else memory
        self.results = Results(folder / "results.jsonl" if results is None else results)
        self._address_file = folder / ".address.json" if address is None else address
        self.guest_token = ""
        self.network: Callable[[str | None], Awaitable[None]] | None = None  # opens it; None if that is impossible
        self.network_shown = replies.NetworkState([], None)
        self.seats = SeatPool(self._preparing)
        self.preparing: Preparing | None = None
        self.listeners: set[Callable[[Reply], None]] = set()
        self._games: dict[str, PageGame] = {}
        self._analyst: Analyst | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def analyst(self) -> Analyst:
        """The process that computes beliefs."""
        if self._analyst is None:
            self._analyst = Analyst()
        return self._analyst

    def begin(self) -> None:
        """Start preparations for the first game; on the event loop, when the server starts."""
        self._loop = asyncio.get_running_loop()
        threading.Thread(target=self.warm, name="warm", daemon=True).start()

    def warm(self) -> None:
        """Start the processes that the first review and the first game need, at the same time."""
        self.analyst.warm()
        self.seats.warm()

    def broadcast(self, message: Reply) -> None:
        """Send a message to all sockets; in any thread."""
        for listener in list(self.listeners):
            listener(message)

    def address_at(self, host: str) -> Address:
        """Return the address that the page had at this host; a new one, if it had another host or none."""
        kept = read_private(self._address_file, Address)
        if kept is None or kept.host != host:  # what has crossed a network opens nothing elsewhere
            kept = Address(host)
        self.guest_token = kept.guest_token
        return kept

    def keep_address(self, address: Address) -> None:
        """Store the page's address for the next server."""
        write_private(self._address_file, address)

    @property
    def choices(self) -> str:
        """The choices that the page wants to find again."""
        try:
            return self._memory.read_text(encoding="utf-8")[:MAX_CHOICES]
        except (OSError, ValueError):
            return ""

    def remember(self, choices: str) -> None:
        """Store the page's choices in a file, if it can be written."""
        try:
            self._memory.parent.mkdir(parents=True, exist_ok=True)
            write_file(self._memory, choices.encode(errors="replace"))
        except OSError as error:
            log.warning("cannot remember choices in %s: %s", self._memory, error.strerror or error)

    def results_shown(self, game: str | None = None, text: str = "") -> replies.ResultsTable:
        """Return the results of whoever runs the server, with a sentence on a game that has just ended."""
        results, skills = self.results.all(), self.results.to_practise()
        about, rows = results_text(results), results_rows(results)
        return replies.ResultsTable(rows, about, skills, game, text)

    def add_review(self, record: GameRecord, themes: Sequence[str]) -> None:
        """Store the themes of the turning points of whoever runs the server, and send the new results."""
        try:
            self.results.add_review(record.headers.get("Seed", ""), themes)
        except OSError as error:
            log.warning("cannot store themes of turning points in %s: %s", self.results.path, error.strerror or error)
        self.broadcast(self.results_shown())

    def check(self, players: Iterable[PlayerSpec], rules: RuleSet) -> None:
        """Try out players from outside, and parts; raise Refused if one cannot play."""
        with refusing(BadSpec, CannotStart):
            for spec in players:
                try_out(spec, rules, self._preparing)

    def call_soon(self, function: Callable[[], None]) -> None:
        """Call a function on the event loop, from any thread; do nothing once the server has stopped."""
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(function)

    def add(self, game: PageGame, join: Callable[[PageGame], None] = lambda _: None) -> None:
        """Add a game and start it; call `join` with it before it starts, so that a listener misses no message."""
        limit = self.limits.live_games
        if sum(game.play.is_live and not game.is_stopping for game in self._games.values()) >= limit:
            unattended = self._unattended()
            if not unattended:
                raise Refused(f"{limit} game{'s are' if limit > 1 else ' is'} in progress, the limit. End one first.")
            unattended[0].give_up("nobody came back, and room was needed")
        ended = [id_ for id_, game in self._games.items() if not game.play.is_live]
        for id_ in ended[: max(0, len(self._games) + 1 - self.limits.games)]:
            del self._games[id_]
        self._games[game.id] = game
        join(game)
        game.play.begin()

    def has(self, id_: str) -> bool:
        """Return True if a game has this id."""
        return id_ in self._games

    def get(self, id_: str, *, is_guest: bool = False) -> PageGame:
        """Return the game with this id; raise Refused if there is none, or none for guests."""
        game = self._games.get(id_)
        if game is None or (is_guest and not game.is_for_guests):
            where = "Ask for a new link" if is_guest else "Finished games are under Saved games"
            raise Refused(f"There is no such game here any more. {where}.")
        return game

    def tend(self) -> None:
        """Abandon games that no browser shows: too many of them, or any for too long."""
        now = time.monotonic()
        unattended = [game for game in self._unattended() if now - game.unattended_since > self.limits.grace]
        for number, game in enumerate(reversed(unattended)):
            is_old = now - game.unattended_since > self.limits.abandon_after
            if number >= self.limits.unattended_games or is_old:
                game.give_up("nobody came back")

    def _unattended(self) -> list[PageGame]:
        """Return live games that no browser shows, in the order in which the last one left."""
        live = [game for game in self._games.values() if game.play.is_live and not game.is_stopping]
        return sorted((game for game in live if game.is_unattended), key=lambda game: game.unattended_since)

    def stop(self, why: str) -> None:
        """Abandon all games, wait until they are saved, and end all processes. Idempotent."""
        self.is_closing = True
        deadline = time.monotonic() + self.limits.stop_time
        while (live := [game for game in self._games.values() if game.play.is_live]) and time.monotonic() < deadline:
            for game in live:  # repeatedly, for processes that were about to start
                game.play.stop(why)
            live[0].play.wait(0.1)
        for game in live:
            log.error("game %s did not stop", game.id)
        self.seats.close()
        if self._analyst is not None:
            self._analyst.close()

    def _preparing(self, what: str, done: int, total: int) -> None:
        self.preparing = Preparing(what, done, total)
        self.broadcast(self.preparing)
