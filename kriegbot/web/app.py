"""The web application: the page, and a socket for each browser."""

import asyncio
import contextlib
import logging
import mimetypes
import re
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec
import segno
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, HTTPConnection, Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.websockets import WebSocket, WebSocketDisconnect

from kriegbot.request import Refused, rules_of
from kriegbot.web import catalogue, pages, requests
from kriegbot.web.library import MAX_UPLOADED, Library
from kriegbot.web.notices import InProgress, NetworkState, Notice, Refusal, ResultsTable
from kriegbot.web.registry import PageGame, Registry
from kriegbot.web.requests import IS_GUEST
from referee import GameRecord, save_record

STATIC = Path(__file__).parent / "static"
TYPES = {".js": "text/javascript", ".css": "text/css"}  # browsers refuse those that some registries name
TEND_SECONDS = 10.0  # between two looks for games that no browser shows
DRAWING_SECONDS = 120.0  # that one picture of a game may take
MAX_LINK = 200  # characters

BROWSER = "kriegbot-browser"
"""The cookie that recognizes a browser, whichever link it follows, also one on another site: hence SameSite=Lax.

It opens nothing: addresses have tokens, sockets and uploads need our Origin, and no other request changes a
game, but for a download, which marks an unfinished one as seen.
"""
BROWSER_SECONDS = 30 * 24 * 3600  # lifetime of the cookie after the last visit
TOKEN = re.compile(r"[\w-]{22,64}", re.ASCII)

log = logging.getLogger("kriegbot.web")


def make_app(registry: Registry) -> Starlette:
    """Return the application; `kriegbot.web.server.Guard` goes before it."""

    async def tend() -> None:
        while True:
            await asyncio.sleep(TEND_SECONDS)
            registry.tend()

    @contextlib.asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        registry.begin()
        tending = asyncio.create_task(tend())
        yield
        tending.cancel()

    for ending, kind in TYPES.items():
        mimetypes.add_type(kind, ending)
    sockets: set[Socket] = set()
    page = (STATIC / "index.html").read_text(encoding="utf-8")
    parts = {"pieces": catalogue.pieces_svg(), "sets": catalogue.rules_html(), "meanings": catalogue.meanings_html()}
    parts["icons"] = (STATIC / "icons.svg").read_text(encoding="utf-8")
    for place, html in parts.items():
        page = page.replace(f"<!-- {place} -->", html)

    async def index(request: Request) -> Response:
        response = HTMLResponse(page)
        if request.headers.get("sec-fetch-dest", "document") == "document":  # no other site has put it into a frame
            known = request.cookies.get(BROWSER, "")
            name = known if TOKEN.fullmatch(known) else secrets.token_urlsafe(16)
            response.set_cookie(BROWSER, name, BROWSER_SECONDS, httponly=True, samesite="lax")
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

    routes = [
        Route("/", index),
        WebSocketRoute("/ws", socket),
        Mount("/static", StaticFiles(directory=STATIC)),
        Route("/qr.svg", qr_code),
        *file_routes(registry.library, registry.limits.upload_time),
        picture_route(registry),
        *catalogue.learning_routes(registry),
    ]
    return Starlette(routes=routes, lifespan=lifespan, exception_handlers={Refused: _refused})


async def qr_code(request: Request) -> Response:
    """Draw `qr.svg?link=...`, a link of the page."""
    check_host(request)
    link = request.query_params.get("link", "")
    if not link.startswith(("http://", "https://")) or len(link) > MAX_LINK:
        raise Refused(f"A QR code takes a link of at most {MAX_LINK} characters.")
    drawing = segno.make_qr(link).svg_inline(scale=4, light="white")
    return Response(drawing.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1), media_type="image/svg+xml")


async def _refused(request: Request, error: Exception) -> Response:
    return JSONResponse({"error": str(error)}, 400 if request.method == "POST" else 404)


def check_host(connection: HTTPConnection) -> None:
    """Raise Refused if a request or a socket comes by a link to one game."""
    if connection.scope[IS_GUEST]:
        raise Refused("Your link is for one game.")


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
        self._outbox: asyncio.Queue[Notice] = asyncio.Queue(registry.limits.unread)
        self._loop = asyncio.get_running_loop()
        self._tokens, self._since = registry.limits.burst, time.monotonic()
        self._refusals = 0

    async def serve(self) -> None:
        """Exchange messages until either side closes."""
        await self._websocket.accept()
        writing = asyncio.create_task(self._write())
        try:
            self.send(catalogue.hello(is_guest=self._is_guest))
            self.send(self._registry.results_shown())
            self.send(self._registry.network_shown)
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

    def send(self, message: Notice) -> None:
        """Send a message soon; in any thread. Send results and networks only to whoever runs the server."""
        if isinstance(message, ResultsTable | NetworkState) and not self._is_mine:
            return
        with contextlib.suppress(RuntimeError):  # the server has stopped
            self._loop.call_soon_threadsafe(self._put, message)

    def _put(self, message: Notice) -> None:
        try:
            self._outbox.put_nowait(message)
        except asyncio.QueueFull:
            self._refusals = self._registry.limits.refusals
            self._part()

    async def _write(self) -> None:
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):  # the browser has gone
            while True:
                message = await self._outbox.get()
                await self._websocket.send_text(msgspec.json.encode(message).decode())

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
            self.send(Refusal(str(error), None if request is None else requests.tag_of(request)))

    def _spend(self) -> None:
        now, limits = time.monotonic(), self._registry.limits
        self._tokens = min(limits.burst, self._tokens + limits.rate * (now - self._since)) - 1
        self._since = now
        if self._tokens < 0:
            raise Refused("Too many messages. Wait a little.")

    async def _do(self, request: requests.Request) -> None:
        registry = self._registry
        if requests.tag_of(request) in requests.FOR_HOST:
            check_host(self._websocket)
        match request:
            case requests.New():
                await self._add([pages.new_game(registry, request)])
            case requests.Invite():
                await self._add(pages.invited(registry, request))
            case requests.Watch():
                await self._add([pages.watched(registry, request)])
            case requests.WithFile("resume", file):
                await self._add(await asyncio.to_thread(pages.resumed, registry, file))
            case requests.WithFile("open", file):
                await self._add([await asyncio.to_thread(pages.opened, registry, file)])
            case requests.OpenNetwork(address):
                if registry.network is None or not self._is_mine:
                    raise Refused("Only the machine that runs the server can open it, unless --host has done so.")
                await registry.network(address)
            case requests.Act("progress"):
                is_host = not self._is_guest
                self.send(InProgress(await asyncio.to_thread(registry.in_progress, self._browser, is_host=is_host)))
            case requests.Act("library") | requests.WithFile("delete"):
                if isinstance(request, requests.WithFile):
                    registry.library.delete(request.file)
                self.send(await asyncio.to_thread(registry.library.games))
            case requests.WithGame(do, id_, name):
                found = await self._find(id_)
                if do == "visit" and (invitation := found.invitation()):
                    self.send(invitation)
                else:
                    self._join(found, name)
            case requests.Act("privacyscreen"):
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
        self._registry.make_room(len(sides))
        for side in others:
            self._registry.add(side)
        self._registry.add(mine, self._join)

    async def _find(self, id_: str) -> PageGame:
        """Return a game; restore it from its file if an earlier server had it."""
        registry = self._registry
        async with registry.restoring:
            id_ = registry.mended(id_)
            if id_ not in registry.games:
                for side in (sides := await asyncio.to_thread(pages.restored, registry, id_)):
                    if side is sides[0]:
                        await asyncio.to_thread(side.play.check)
                    registry.add(side)
        return registry.get(id_, is_guest=self._is_guest)

    def _join(self, game: PageGame, name: str = "") -> None:
        game.sit_down(self._browser, name, is_host=not self._is_guest)
        self._part()
        self._game = game
        game.is_mine &= self._is_mine
        game.join(self.send)

    def _part(self) -> None:
        if self._game is not None:
            self._game.remove_listener(self.send)
            self._game = None


def file_routes(library: Library, upload_time: float) -> list[Route]:
    """Return the routes `games/NAME`, a file, and `upload?rules=NAME`, which saves one and answers with its name."""
    reading = asyncio.Lock()

    async def download(request: Request) -> Response:
        check_host(request)
        _, path = await asyncio.to_thread(library.open, request.path_params["name"])
        return FileResponse(path, media_type="application/x-chess-pgn", filename=path.name)

    async def upload(request: Request) -> Response:
        check_host(request)
        if "origin" not in request.headers:  # the guard checks its value
            raise Refused("Only the page can upload files.")
        rules = rules_of(request.query_params.get("rules", "berkeley"))
        try:
            data = b""
            async with asyncio.timeout(upload_time):
                async for part in request.stream():
                    data += part
                    if len(data) > MAX_UPLOADED:
                        raise Refused(f"The file is too large. A game has at most {MAX_UPLOADED // 1024} kB.")
            async with reading:  # one at a time: each is replayed
                path = await asyncio.to_thread(library.upload, data, rules, secrets.token_urlsafe(12))
        except (TimeoutError, ClientDisconnect):
            return JSONResponse({"error": "The file took too long to arrive."}, 400, {"Connection": "close"})
        return JSONResponse({"file": path.name})

    return [Route("/games/{name}", download), Route("/upload", upload, methods=["POST"])]


def picture_route(registry: Registry) -> Route:
    """Return the route `pictures/ID`, which draws a finished game as `kriegbot render` does."""
    drawing = asyncio.Lock()  # one at a time

    async def picture(request: Request) -> Response:
        game = registry.get(request.path_params["id"], is_guest=request.scope[IS_GUEST])
        if game.record is None or game.review is None:
            raise Refused("There is a picture of a game after its end.")
        async with drawing:
            data = await asyncio.to_thread(drawn, game.record)
        return Response(data, media_type="image/gif" if data.startswith(b"GIF") else "image/svg+xml")

    return Route("/pictures/{id}", picture)


def drawn(record: GameRecord) -> bytes:
    """Return the gif of a game, or an svg without Pillow and resvg_py; raise Refused. Another process draws it."""
    ending = "gif" if find_spec("PIL") and find_spec("resvg_py") else "svg"
    with tempfile.TemporaryDirectory() as folder:
        saved, out = Path(folder) / "game.pgn", Path(folder) / f"game.{ending}"
        save_record(record, saved)
        command = [sys.executable, "-m", "kriegbot", "render", str(saved), "--out", str(out)]
        try:
            done = subprocess.run(command, capture_output=True, cwd=folder, timeout=DRAWING_SECONDS, check=False)
        except subprocess.TimeoutExpired:
            raise Refused(f"No picture: it takes more than {DRAWING_SECONDS:g} seconds.") from None
        said = done.stderr.decode(errors="replace").strip()
        if done.returncode or not out.exists():
            raise Refused(f"No picture: {said.removeprefix('kriegbot: ') or 'it could not be drawn.'}")
        return out.read_bytes()
