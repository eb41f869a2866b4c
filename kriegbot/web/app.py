"""The page and its socket: what a browser may send, how often, and what is done with it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import re
import secrets
import time
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import chess.svg
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.websockets import WebSocket, WebSocketDisconnect

from kriegbot.request import Refused, rules_of
from kriegbot.web import requests
from kriegbot.web.catalogue import hello, invited, meanings_html, new_game, opened, resumed, rules_html, watched
from kriegbot.web.guard import IS_GUEST, check_host
from kriegbot.web.lesson import lesson_routes
from kriegbot.web.library import MAX_UPLOADED
from kriegbot.web.registry import PageGame, Registry
from kriegbot.web.replies import Reply, refusal

STATIC = Path(__file__).parent / "static"
MAX_SOCKETS = 100
MAX_WAITING = 500  # messages that a browser may leave unread
RATE, BURST = 20.0, 60.0  # messages a second that a socket may send in the long run, and in a burst
MAX_OFFENCES = 20  # messages of one socket that are refused before it is closed
TEND_SECONDS = 10.0

BROWSER = "kriegbot-browser"  # the cookie by which a browser is known again, whichever link it follows
BROWSER_SECONDS = 30 * 24 * 3600  # for which it is

log = logging.getLogger("kriegbot.web")


def make_app(registry: Registry) -> Starlette:
    """The app; `kriegbot.web.guard.Guard` goes before it."""

    @contextlib.asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        registry.begin()
        tending = asyncio.create_task(_tend(registry))
        yield
        tending.cancel()

    sockets: set[Socket] = set()
    page = (STATIC / "index.html").read_text()
    for place, made in (("men", men_svg()), ("sets", rules_html()), ("meanings", meanings_html())):
        page = page.replace(f"<!-- {place} -->", made)

    async def index(request: Request) -> Response:
        response = HTMLResponse(page)
        if BROWSER not in request.cookies:
            response.set_cookie(BROWSER, secrets.token_urlsafe(16), BROWSER_SECONDS, httponly=True, samesite="strict")
        return response

    async def socket(websocket: WebSocket) -> None:
        if len(sockets) >= MAX_SOCKETS:
            log.warning("refused a socket: there are %d, the most there can be", MAX_SOCKETS)
            await websocket.close(1013)
            return
        served = Socket(websocket, registry)
        sockets.add(served)
        try:
            await served.serve()
        finally:
            sockets.discard(served)

    static = Mount("/static", StaticFiles(directory=STATIC))
    routes = [Route("/", index), WebSocketRoute("/ws", socket), static, *file_routes(registry), *lesson_routes()]
    return Starlette(routes=routes, lifespan=lifespan, exception_handlers={Refused: _refused})


async def _refused(request: Request, error: Exception) -> Response:
    return JSONResponse({"error": str(error)}, 400 if request.method == "POST" else 404)


class Socket:
    """One browser, which follows at most one game at a time."""

    def __init__(self, websocket: WebSocket, registry: Registry) -> None:
        self._websocket, self._registry = websocket, registry
        self._is_guest: bool = websocket.scope[IS_GUEST]
        ends = [websocket.scope[end] for end in ("client", "server")]
        is_near = all(ends) and ends[0][0] == ends[1][0]  # on the machine that the server runs on
        self._is_mine: bool = is_near and not self._is_guest
        self._browser = websocket.cookies.get(BROWSER) or secrets.token_urlsafe(16)
        self._game: PageGame | None = None
        self._outbox: asyncio.Queue[Reply] = asyncio.Queue(MAX_WAITING)
        self._loop = asyncio.get_running_loop()
        self._tokens, self._since = BURST, time.monotonic()
        self._offences = 0

    async def serve(self) -> None:
        """Talks until either side closes."""
        await self._websocket.accept()
        writing = asyncio.create_task(self._write())
        try:
            self.tell(hello(self._registry.choices, is_guest=self._is_guest))
            self.tell(self._registry.results_shown())
            self._registry.told.add(self.tell)
            if self._registry.preparing is not None:
                self.tell(self._registry.preparing)
            while self._offences < MAX_OFFENCES:
                await self._take(dict(await self._websocket.receive()))
            log.warning("closed a socket: %d messages were refused", self._offences)
        except WebSocketDisconnect as left:
            if left.code == 1009:
                log.warning("closed a socket: a message of more than %d bytes", requests.MAX_BYTES)
        finally:
            self._registry.told.discard(self.tell)
            self._part()
            writing.cancel()
            with contextlib.suppress(RuntimeError, WebSocketDisconnect):  # it is closed already
                await self._websocket.close(1008)

    def tell(self, message: Reply) -> None:
        """Sends a message soon; in any thread. Results are for whoever runs the server."""
        if message["is"] == "results" and not self._is_mine:
            return
        with contextlib.suppress(RuntimeError):  # the server has stopped
            self._loop.call_soon_threadsafe(self._put, message)

    def _put(self, message: Reply) -> None:
        try:
            self._outbox.put_nowait(message)
        except asyncio.QueueFull:
            self._offences = MAX_OFFENCES
            self._part()

    async def _write(self) -> None:
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):  # the browser has gone
            while True:
                message = await self._outbox.get()
                await self._websocket.send_text(json.dumps(message, separators=(",", ":")))

    async def _take(self, event: dict[str, Any]) -> None:
        """One message of the browser, or its end."""
        if event["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(event.get("code", 1005))
        request: requests.Request | None = None
        try:
            self._spend()
            request = requests.read_request(event.get("text"))
            await self._do(request)
        except Refused as error:
            self._offences += 1
            log.warning("refused a message: %s", error)
            self.tell(refusal(str(error), request))

    def _spend(self) -> None:
        now = time.monotonic()
        self._tokens = min(BURST, self._tokens + RATE * (now - self._since)) - 1
        self._since = now
        if self._tokens < 0:
            raise Refused("Too many messages; wait a little.")

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
                self.tell({"is": "library", "folder": str(registry.library.folder), "games": registry.library.games()})
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
        """Takes in the sides of a game whose players can play; the first is that of whoever asks."""
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
        game.join(self.tell)

    def _part(self) -> None:
        if self._game is not None:
            self._game.part(self.tell)
            self._game = None


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


async def _tend(registry: Registry) -> None:
    while True:
        await asyncio.sleep(TEND_SECONDS)
        registry.tend()


UPLOAD_SECONDS = 20.0  # that an upload may take to arrive


def file_routes(registry: Registry) -> list[Route]:
    """`games/NAME` answers with a file; `upload?rules=NAME` takes one, and answers with the name of the saved game."""
    reading = asyncio.Lock()

    async def download(request: Request) -> Response:
        check_host(request)
        _, path = await asyncio.to_thread(registry.library.open, request.path_params["name"])
        return FileResponse(path, media_type="application/x-chess-pgn", filename=path.name)

    async def upload(request: Request) -> Response:
        check_host(request)
        if "origin" not in request.headers:  # the guard has checked one that is there
            raise Refused("Files are taken from the page only.")
        rules = rules_of(request.query_params.get("rules", "berkeley"))
        try:
            async with asyncio.timeout(UPLOAD_SECONDS):
                data = await _body(request)
            async with reading:  # one at a time: a referee plays it again
                path = await asyncio.to_thread(registry.library.upload, data, rules, secrets.token_urlsafe(12))
        except (TimeoutError, ClientDisconnect):
            return JSONResponse({"error": "The file took too long to arrive."}, 400, {"Connection": "close"})
        return JSONResponse({"file": path.name})

    return [Route("/games/{name}", download), Route("/upload", upload, methods=["POST"])]


async def _body(request: Request) -> bytes:
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > MAX_UPLOADED:
            raise Refused(f"The file is too large; a game takes at most {MAX_UPLOADED // 1024} kB.")
        parts.append(part)
    return b"".join(parts)
