"""The web application: the page, and a socket for each browser."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import secrets
import time
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.websockets import WebSocket, WebSocketDisconnect

from kriegbot.request import Refused
from kriegbot.web import requests
from kriegbot.web.catalogue import (
    hello,
    invited,
    meanings_html,
    men_svg,
    new_game,
    opened,
    resumed,
    rules_html,
    watched,
)
from kriegbot.web.guard import IS_GUEST, check_host
from kriegbot.web.lesson import lesson_routes
from kriegbot.web.library import file_routes
from kriegbot.web.registry import PageGame, Registry
from kriegbot.web.replies import Reply, refusal

STATIC = Path(__file__).parent / "static"
TEND_SECONDS = 10.0  # between two looks for games that no browser shows

BROWSER = "kriegbot-browser"  # cookie that recognizes a browser, whichever link it follows
BROWSER_SECONDS = 30 * 24 * 3600  # lifetime of the cookie

log = logging.getLogger("kriegbot.web")


def make_app(registry: Registry) -> Starlette:
    """Return the application; `kriegbot.web.guard.Guard` goes before it."""

    @contextlib.asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        registry.begin()
        tending = asyncio.create_task(_tend(registry))
        yield
        tending.cancel()

    sockets: set[Socket] = set()
    page = (STATIC / "index.html").read_text()
    for place, html in (("men", men_svg()), ("sets", rules_html()), ("meanings", meanings_html())):
        page = page.replace(f"<!-- {place} -->", html)

    async def index(request: Request) -> Response:
        response = HTMLResponse(page)
        if BROWSER not in request.cookies:
            response.set_cookie(BROWSER, secrets.token_urlsafe(16), BROWSER_SECONDS, httponly=True, samesite="strict")
        return response

    async def socket(websocket: WebSocket) -> None:
        if len(sockets) >= registry.limits.sockets:
            log.warning("refused a socket: %d are open, the limit", registry.limits.sockets)
            await websocket.close(1013)
            return
        served = Socket(websocket, registry)
        sockets.add(served)
        try:
            await served.serve()
        finally:
            sockets.discard(served)

    static = Mount("/static", StaticFiles(directory=STATIC))
    routes = [
        Route("/", index),
        WebSocketRoute("/ws", socket),
        static,
        *file_routes(registry.library, registry.limits.upload_time),
        *lesson_routes(),
    ]
    return Starlette(routes=routes, lifespan=lifespan, exception_handlers={Refused: _refused})


async def _refused(request: Request, error: Exception) -> Response:
    return JSONResponse({"error": str(error)}, 400 if request.method == "POST" else 404)


class Socket:
    """The connection of one browser, which shows at most one game at a time."""

    def __init__(self, websocket: WebSocket, registry: Registry) -> None:
        self._websocket, self._registry = websocket, registry
        self._is_guest: bool = websocket.scope[IS_GUEST]
        ends = [websocket.scope[end] for end in ("client", "server")]
        is_near = all(ends) and ends[0][0] == ends[1][0]  # on the machine that the server runs on
        self._is_mine: bool = is_near and not self._is_guest
        self._browser = websocket.cookies.get(BROWSER) or secrets.token_urlsafe(16)
        self._game: PageGame | None = None
        self._outbox: asyncio.Queue[Reply] = asyncio.Queue(registry.limits.unread)
        self._loop = asyncio.get_running_loop()
        self._tokens, self._since = registry.limits.burst, time.monotonic()
        self._refusals = 0

    async def serve(self) -> None:
        """Exchange messages until either side closes."""
        await self._websocket.accept()
        writing = asyncio.create_task(self._write())
        try:
            self.send(hello(self._registry.choices, is_guest=self._is_guest))
            self.send(self._registry.results_shown())
            self._registry.listeners.add(self.send)
            if self._registry.preparing is not None:
                self.send(self._registry.preparing)
            while self._refusals < self._registry.limits.refusals:
                await self._take(dict(await self._websocket.receive()))
            log.warning("closed a socket: %d messages were refused", self._refusals)
        except WebSocketDisconnect as left:
            if left.code == 1009:
                log.warning("closed a socket: a message of more than %d bytes", requests.MAX_BYTES)
        finally:
            self._registry.listeners.discard(self.send)
            self._part()
            writing.cancel()
            with contextlib.suppress(RuntimeError, WebSocketDisconnect):  # it is closed already
                await self._websocket.close(1008)

    def send(self, message: Reply) -> None:
        """Send a message soon; in any thread. Send results only to whoever runs the server."""
        if message["is"] == "results" and not self._is_mine:
            return
        with contextlib.suppress(RuntimeError):  # the server has stopped
            self._loop.call_soon_threadsafe(self._put, message)

    def _put(self, message: Reply) -> None:
        try:
            self._outbox.put_nowait(message)
        except asyncio.QueueFull:
            self._refusals = self._registry.limits.refusals
            self._part()

    async def _write(self) -> None:
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):  # the browser has gone
            while True:
                message = await self._outbox.get()
                await self._websocket.send_text(json.dumps(message, separators=(",", ":")))

    async def _take(self, event: dict[str, Any]) -> None:
        """Handle one message of the browser, or its leaving."""
        if event["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(event.get("code", 1005))
        request: requests.Request | None = None
        try:
            self._spend()
            request = requests.read_request(event.get("text"))
            await self._do(request)
        except Refused as error:
            self._refusals += 1
            log.warning("refused a message: %s", error)
            self.send(refusal(str(error), request))

    def _spend(self) -> None:
        now = time.monotonic()
        limits = self._registry.limits
        self._tokens = min(limits.burst, self._tokens + limits.rate * (now - self._since)) - 1
        self._since = now
        if self._tokens < 0:
            raise Refused("Too many messages. Wait a little.")

    async def _do(self, request: requests.Request) -> None:
        registry = self._registry
        if request.is_for_host:
            check_host(self._websocket)
        match request:
            case requests.New():
                await self._add([new_game(registry, request)])
            case requests.Invite():
                await self._add(invited(registry, request))
            case requests.Watch():
                await self._add([watched(registry, request)])
            case requests.Resume(file):
                await self._add(resumed(registry, file))
            case requests.Open(file):
                await self._add([opened(registry, file)])
            case requests.Remember(choices):
                registry.remember(choices)
            case requests.ListGames() | requests.Delete():
                if isinstance(request, requests.Delete):
                    registry.library.delete(request.file)
                self.send({"is": "library", "folder": str(registry.library.folder), "games": registry.library.games()})
            case requests.Join(id_):
                self._join(registry.get(id_, is_guest=self._is_guest))
            case requests.PrivacyScreen():
                game = self._game
                self._part()
                if game is not None:  # else the connection is a new one, with the screen up already
                    game.take(request)
            case _ if self._game is not None:
                self._game.take(request)
            case _:
                raise Refused("There is no game yet.")

    async def _add(self, sides: Sequence[PageGame]) -> None:
        """Add the sides of a new game, once its players can play; join the first."""
        mine, *others = sides
        await asyncio.to_thread(mine.play.check)
        for side in others:
            self._registry.add(side)
        self._registry.add(mine, self._join)

    def _join(self, game: PageGame) -> None:
        game.sit_down(self._browser)
        self._part()
        self._game = game
        game.is_mine &= self._is_mine
        game.join(self.send)

    def _part(self) -> None:
        if self._game is not None:
            self._game.part(self.send)
            self._game = None


async def _tend(registry: Registry) -> None:
    while True:
        await asyncio.sleep(TEND_SECONDS)
        registry.tend()
