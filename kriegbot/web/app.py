"""The page and its socket: what a browser may send, how often, and what is done with it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import re
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import chess.svg
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.websockets import WebSocket, WebSocketDisconnect

from kriegbot.players.specs import players
from kriegbot.request import Refused, color_of, program_of, rules_of, seed_of
from kriegbot.web.hosting import Hosted, House
from kriegbot.web.messages import (
    MOST_BYTES,
    Asked,
    BadMessage,
    Hello,
    Join,
    New,
    PlayerOffered,
    Told,
    Watch,
    asked_by,
    refusal,
)
from kriegbot.web.person import PersonGame
from kriegbot.web.watch import watched
from referee import RULE_SETS

STATIC = Path(__file__).parent / "static"
MOST_SOCKETS = 100
MOST_WAITING = 500
"""Messages that a browser may leave unread."""
RATE, BURST = 20.0, 60.0
"""Messages a second that a socket may send in the long run, and in a burst."""
MOST_OFFENCES = 20
"""Messages of one socket that are refused before it is closed."""
TEND_SECONDS = 10.0

log = logging.getLogger("kriegbot.web")


def make_app(house: House) -> Starlette:
    """The app; `kriegbot.web.guard.Guard` goes before it."""

    @contextlib.asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        house.begin()
        tending = asyncio.create_task(_tend(house))
        yield
        tending.cancel()

    sockets: set[Socket] = set()
    page = (STATIC / "index.html").read_text().replace("<!-- men -->", men_svg())

    async def index(_request: Request) -> Response:
        return HTMLResponse(page)

    async def socket(websocket: WebSocket) -> None:
        if len(sockets) >= MOST_SOCKETS:
            log.warning("refused a socket: there are %d, the most there can be", MOST_SOCKETS)
            await websocket.close(1013)
            return
        served = Socket(websocket, house)
        sockets.add(served)
        try:
            await served.serve()
        finally:
            sockets.discard(served)

    routes = [Route("/", index), WebSocketRoute("/ws", socket), Mount("/static", StaticFiles(directory=STATIC))]
    return Starlette(routes=routes, lifespan=lifespan)


class Socket:
    """One browser, which follows at most one game at a time."""

    def __init__(self, websocket: WebSocket, house: House) -> None:
        self._websocket, self._house = websocket, house
        self._hosted: Hosted | None = None
        self._outbox: asyncio.Queue[Told] = asyncio.Queue(MOST_WAITING)
        self._loop = asyncio.get_running_loop()
        self._tokens, self._since = BURST, time.monotonic()
        self._offences = 0

    async def serve(self) -> None:
        """Talks until either side closes."""
        await self._websocket.accept()
        writing = asyncio.create_task(self._write())
        try:
            self.tell(hello())
            self._house.told.add(self.tell)
            if self._house.preparing is not None:
                self.tell(self._house.preparing)
            while self._offences < MOST_OFFENCES:
                self._take(dict(await self._websocket.receive()))
            log.warning("closed a socket: %d messages were refused", self._offences)
        except WebSocketDisconnect as left:
            if left.code == 1009:
                log.warning("closed a socket: a message of more than %d bytes", MOST_BYTES)
        finally:
            self._house.told.discard(self.tell)
            self._part()
            writing.cancel()
            with contextlib.suppress(RuntimeError):  # it is closed already
                await self._websocket.close(1008)

    def tell(self, message: Told) -> None:
        """Sends a message soon; in any thread."""
        with contextlib.suppress(RuntimeError):  # the server has stopped
            self._loop.call_soon_threadsafe(self._put, message)

    def _put(self, message: Told) -> None:
        try:
            self._outbox.put_nowait(message)
        except asyncio.QueueFull:
            self._offences = MOST_OFFENCES
            self._part()

    async def _write(self) -> None:
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):  # the browser has gone
            while True:
                message = await self._outbox.get()
                await self._websocket.send_text(json.dumps(message, separators=(",", ":")))

    def _take(self, event: dict[str, Any]) -> None:
        """One message of the browser, or its end."""
        if event["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(event.get("code", 1005))
        try:
            self._spend()
            self._do(asked_by(event.get("text")))
        except BadMessage as error:
            self._offences += 1
            log.warning("refused a message: %s", error)
            self.tell(refusal(str(error)))

    def _spend(self) -> None:
        now = time.monotonic()
        self._tokens = min(BURST, self._tokens + RATE * (now - self._since)) - 1
        self._since = now
        if self._tokens < 0:
            raise BadMessage("Too many messages; wait a little.")

    def _do(self, asked: Asked) -> None:
        match asked:
            case New():
                self._house.add(new_game(self._house, asked), self._join)
            case Watch():
                self._house.add(watched(self._house, asked), self._join)
            case Join(game):
                self._join(self._house.get(game))
            case _ if self._hosted is not None:
                self._hosted.take(asked)
            case _:
                raise BadMessage("There is no game yet.")

    def _join(self, hosted: Hosted) -> None:
        self._part()
        self._hosted = hosted
        hosted.join(self.tell)

    def _part(self) -> None:
        if self._hosted is not None:
            self._hosted.part(self.tell)
            self._hosted = None


def new_game(house: House, asked: New) -> PersonGame:
    """The game that a person asks for.

    Raises:
      BadMessage: there can be no such game; the message says why.
    """
    try:
        seed = seed_of(asked.seed)
        color, rules = color_of(asked.color, seed), rules_of(asked.rules)
        program = program_of(asked.opponent, is_remote=True)
    except Refused as error:
        raise BadMessage(str(error)) from None
    return PersonGame(house, program, color, rules, seed, is_seed_given=asked.seed is not None)


def hello() -> Hello:
    """What the page offers."""
    known = sorted(players().items(), key=lambda named: named[1].rank)
    offered: list[PlayerOffered] = [
        {
            "name": name,
            "summary": kind.words or kind.summary,
            "options": [
                {"name": option.name, "takes": option.takes, "default": option.usual, "help": option.help}
                for option in kind.options
            ],
        }
        for name, kind in known
        if kind.make is not None
    ]
    return {
        "is": "hello",
        "players": offered,
        "rules": [{"name": rules.name, "title": rules.title} for rules in RULE_SETS.values()],
    }


def men_svg() -> str:
    """The twelve men of python-chess as symbols "wK", "bP" ..., without the style attributes that the policy bars."""
    symbols = []
    for letter, drawing in chess.svg.PIECES.items():
        plain = re.sub(r' ?style="([^"]*)"', lambda style: _attributes(style[1]), drawing)
        plain = re.sub(r' (?:id|class)="[^"]*"', "", plain)
        name = ("w" if letter.isupper() else "b") + letter.upper()
        symbols.append(f'<symbol id="{name}" viewBox="0 0 45 45">{plain}</symbol>')
    return f'<svg width="0" height="0" aria-hidden="true">{"".join(symbols)}</svg>'


def _attributes(style: str) -> str:
    pairs = (part.split(":") for part in style.split(";") if part.strip())
    return "".join(f' {name.strip()}="{value.strip()}"' for name, value in pairs)


async def _tend(house: House) -> None:
    while True:
        await asyncio.sleep(TEND_SECONDS)
        house.tend()
