"""The games of the page: what each tells its listeners, how many there may be, and how they are stopped."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
import threading
import time
from collections.abc import Callable, Coroutine, Iterable, Sequence
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

import chess

from kriegbot.game.children import CannotStart
from kriegbot.game.trial import try_out
from kriegbot.narration.results import Results, results_rows, results_text
from kriegbot.players.specs import BadSpec, PlayerSpec
from kriegbot.request import Refused, refusing
from kriegbot.web import replies
from kriegbot.web.library import Library
from kriegbot.web.replies import Preparing, Reply, refusal
from kriegbot.web.requests import MAX_CHOICES, FindTurning, Look, Request
from kriegbot.web.review import Analyst, AnalystFailed, Review
from kriegbot.web.seats import SeatPool
from referee import GameRecord, RuleSet
from referee.text import write_file

T = TypeVar("T")

MAX_LIVE, MAX_KEPT = 64, 200  # games at once, and games kept in memory, including those that have ended
MAX_DROPPED = 8  # live games without a listener for a while; each holds a process of some 90 MB
DROPPED_SECONDS, LONELY_SECONDS = 60.0, 3600.0
"""Seconds without a listener after which a game counts as dropped, and after which it is abandoned in any case."""
STOP_SECONDS = 10.0  # seconds that games may take to stop at the end

log = logging.getLogger("kriegbot.web")


class LatestRequest(Generic[T]):
    """Works on the newest request only: it overtakes the one before."""

    def __init__(self, work: Callable[[T], Coroutine[Any, Any, None]]) -> None:
        self._work = work
        self._task: asyncio.Task[None] | None = None

    def want(self, what: T) -> None:
        """On the event loop: replaces whatever was requested before."""
        if self._task is not None:
            self._task.cancel()
        self._task = asyncio.create_task(self._work(what))


class GameThread:
    """What is played, in a thread of its own; as it stands, nothing."""

    _thread: threading.Thread | None = None

    @property
    def is_live(self) -> bool:
        """Whether the game is in progress."""
        return self._thread is not None and self._thread.is_alive()

    def check(self) -> None:
        """Before the registry takes it in: refused if a player from outside cannot play; in any thread."""

    def begin(self) -> None:
        """Starts the game, once the registry has taken it in. Idempotent."""

    def stop(self, why: str) -> None:
        """Abandons the game if it is live; in any thread, returns at once. Idempotent."""

    def wait(self, seconds: float) -> None:
        """Waits for the end of the game's thread, up to a timeout in seconds."""
        if self._thread is not None:
            self._thread.join(seconds)


class PageGame:
    """One game of the page, as it is played from one side, watched or reviewed.

    Attributes:
      id: its name in addresses.
      play: what is played.
      record: the game after its end, None before.
      review: its frames, as far as the browser may have them; None before the end of a game that a person plays.
      lonely_since: when the last listener left, on the monotonic clock.
      is_stopping: whether it was given up, and is about to end.
      is_for_guests: whether its id alone is enough to join.
      is_mine: whether no browser but those of whoever runs the server has joined; then its result is theirs.
    """

    kind: ClassVar[str]
    kept: ClassVar[tuple[str, ...]] = ("game", "view", "heat", "over")
    """Kinds of messages of which a new listener gets the last."""

    def __init__(self, registry: Registry, play: GameThread | None = None) -> None:
        self.id = secrets.token_urlsafe(12)
        self.registry, self.play = registry, play or GameThread()
        self.record: GameRecord | None = None
        self.review: Review | None = None
        self.lonely_since = time.monotonic()
        self.is_stopping = False
        self.is_for_guests, self.is_mine = False, True
        self._last: dict[str, Reply] = {}
        self._listeners: set[Callable[[Reply], None]] = set()
        self._lock = threading.RLock()
        self._looks, self._turnings = LatestRequest(self._look), LatestRequest(self._tell_turning)

    @property
    def has_listeners(self) -> bool:
        """Whether any browser is connected."""
        return bool(self._listeners)

    @property
    def is_lonely(self) -> bool:
        """Whether no browser is connected to the game."""
        return not self.has_listeners

    def sit_down(self, browser: str) -> None:
        """A browser comes to the game; refused if there is no seat for it."""

    def take(self, request: Request) -> None:
        """Does what a browser asks for, on the event loop."""
        match request:
            case Look(indexes) if self.review is not None:
                self._looks.want(indexes)
            case FindTurning() if self.review is not None and not self.review.is_live:
                self._turnings.want(self.review)
            case _:
                raise Refused("That cannot be done in this game.")

    def publish(self, message: Reply) -> None:
        """Sends a message to all listeners, in any thread."""
        with self._lock:
            self._last[message["is"]] = message
            for listener in self._listeners:
                listener(message)

    def snapshot(self) -> list[Reply]:
        """Everything that a new listener is told."""
        told = [self._last[kind] for kind in self.kept if kind in self._last]
        return told if self.review is None else [*told, self.review.message()]

    def join(self, listener: Callable[[Reply], None]) -> None:
        """Adds a listener, which must not block, and tells it what there is."""
        with self._lock:
            for message in self.snapshot():
                listener(message)
            self._listeners.add(listener)

    def part(self, listener: Callable[[Reply], None]) -> None:
        """Removes a listener. Idempotent."""
        with self._lock:
            self._listeners.discard(listener)
            self.lonely_since = time.monotonic()

    def give_up(self, why: str) -> None:
        """Abandons the game because it has no listener."""
        self.is_stopping = True
        self.play.stop(why)

    async def _look(self, indexes: Sequence[int]) -> None:
        """Answers moment by moment."""
        if self.review is None:
            return
        try:
            while indexes:
                found = await self.review.look(indexes, self.registry.analyst)
                indexes = indexes[len(found) :]
                for one in found:
                    self.publish(one)
        except (IndexError, AnalystFailed) as error:
            log.warning("no analysis of moments %s: %s", indexes, error)
            self.publish(refusal(f"No analysis: {error}.", Look))

    async def _tell_turning(self, review: Review) -> None:
        try:
            told = await review.turning(self.registry.analyst)
        except AnalystFailed as error:
            log.warning("no turning points: %s", error)
            self.publish(refusal(f"No turning points: {error}.", FindTurning))
            return
        self.publish(told)
        if self.is_mine and self.record is not None and review.you is not None:
            themes = [one["theme"] for one in told["points"] if one["side"] == chess.COLOR_NAMES[review.you]]
            await asyncio.to_thread(self.registry.add_review, self.record, themes)


class Registry:
    """All games of one server, and the folder where they are saved.

    Args:
      memory: the file in which the page's choices are kept; by default one in that folder.
      results: the file of results of whoever runs the server; by default one in that folder.
      sandbox: whether to keep players from outside away from the rest of the machine, where possible.
    """

    def __init__(
        self, folder: Path, memory: Path | None = None, results: Path | None = None, *, sandbox: bool = True
    ) -> None:
        self.library, self.sandbox = Library(folder), sandbox
        self._memory = folder / "page.json" if memory is None else memory
        self.results = Results(folder / "results.jsonl" if results is None else results)
        self.guest_token = secrets.token_urlsafe(16)
        self.seats = SeatPool(self._preparing)
        self.preparing: Preparing | None = None
        self.told: set[Callable[[Reply], None]] = set()
        self._games: dict[str, PageGame] = {}
        self._analyst: Analyst | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def analyst(self) -> Analyst:
        """The process that computes beliefs, started with the first question."""
        if self._analyst is None:
            self._analyst = Analyst()
        return self._analyst

    def begin(self) -> None:
        """On the event loop, when the server starts: prepares for the first game while the page is shown."""
        self._loop = asyncio.get_running_loop()
        threading.Thread(target=self.warm, name="warm", daemon=True).start()

    def warm(self) -> None:
        """Starts the processes that the first game and the first heat map need."""
        self.seats.warm()
        self.analyst.warm()

    @property
    def choices(self) -> str:
        """What the page has asked to be remembered."""
        try:
            return self._memory.read_text(encoding="utf-8")[:MAX_CHOICES]
        except (OSError, ValueError):
            return ""

    def remember(self, choices: str) -> None:
        """Keeps what was chosen on the page, in a file, if one can be written."""
        try:
            self._memory.parent.mkdir(parents=True, exist_ok=True)
            write_file(self._memory, choices.encode(errors="replace"))
        except OSError as error:
            log.warning("cannot remember choices in %s: %s", self._memory, error.strerror or error)

    def results_shown(self, game: str | None = None, text: str = "") -> replies.ResultsTable:
        """The results of whoever runs the server, and what a game that has just ended means for them."""
        found, skills = self.results.all(), self.results.to_practise()
        about = results_text(found)
        rows = results_rows(found)
        return {"is": "results", "rows": rows, "about": about, "practise": skills, "game": game, "text": text}

    def add_review(self, record: GameRecord, themes: Sequence[str]) -> None:
        """Keeps what the turning points of whoever runs the server were about in a game, and tells their browsers."""
        try:
            self.results.add_review(record.headers.get("Seed", ""), themes)
        except OSError as error:
            log.warning("what to train cannot be kept in %s: %s", self.results.path, error.strerror or error)
        for listener in list(self.told):
            listener(self.results_shown())

    def check(self, players: Iterable[PlayerSpec], rules: RuleSet) -> None:
        """Has players from outside, and parts, do what they do in a game; what is ours takes no time."""
        with refusing(BadSpec, CannotStart):
            for spec in players:
                try_out(spec, rules, self._preparing)

    def call_soon(self, function: Callable[[], None]) -> None:
        """Calls a function on the event loop, from any thread; not once the server has stopped."""
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(function)

    def add(self, game: PageGame, join: Callable[[PageGame], None] = lambda _: None) -> None:
        """Takes in a game and starts it; `join` is called with it before, so that nothing is missed."""
        if len([game for game in self._games.values() if game.play.is_live and not game.is_stopping]) >= MAX_LIVE:
            lonely = self._lonely()
            if not lonely:
                raise Refused(f"{MAX_LIVE} games are being played, the most there can be; end one first.")
            lonely[0].give_up("nobody came back, and room was needed")
        ended = [id_ for id_, game in self._games.items() if not game.play.is_live]
        for id_ in ended[: max(0, len(self._games) + 1 - MAX_KEPT)]:
            del self._games[id_]
        self._games[game.id] = game
        join(game)
        game.play.begin()

    def get(self, id_: str, *, is_guest: bool = False) -> PageGame:
        """The game of this name."""
        game = self._games.get(id_)
        if game is None or (is_guest and not game.is_for_guests):
            raise Refused("There is no such game here any more; games that ended are saved as files.")
        return game

    def tend(self) -> None:
        """Abandons games without a listener: all but the last `MAX_DROPPED` soon, those after an hour."""
        now = time.monotonic()
        dropped = [game for game in self._lonely() if now - game.lonely_since > DROPPED_SECONDS]
        for number, game in enumerate(reversed(dropped)):
            if number >= MAX_DROPPED or now - game.lonely_since > LONELY_SECONDS:
                game.give_up("nobody came back")

    def _lonely(self) -> list[PageGame]:
        """Live games without a listener, those alone for longest first."""
        games = [game for game in self._games.values() if game.play.is_live and game.is_lonely and not game.is_stopping]
        return sorted(games, key=lambda game: game.lonely_since)

    def stop(self, why: str) -> None:
        """Abandons every game, waits until they are saved, and ends all processes. Idempotent."""
        deadline = time.monotonic() + STOP_SECONDS
        while (live := [game for game in self._games.values() if game.play.is_live]) and time.monotonic() < deadline:
            for game in live:  # repeatedly: a process that was just about to start has to end, too
                game.play.stop(why)
            live[0].play.wait(0.1)
        for game in live:
            log.error("game %s did not stop", game.id)
        self.seats.close()
        if self._analyst is not None:
            self._analyst.close()

    def _preparing(self, what: str, done: int, total: int) -> None:
        self.preparing = {"is": "preparing", "what": what, "done": done, "total": total}
        for listener in list(self.told):
            listener(self.preparing)
