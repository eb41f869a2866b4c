"""The page and its socket: what a browser may send, how often, and what becomes of it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import re
import time
from collections.abc import AsyncIterator
from pathlib import Path

import chess.svg
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.websockets import WebSocket, WebSocketDisconnect

from kriegbot.cli.arguments import color_of, player_of, rules_of, seed_of
from kriegbot.cli.errors import Refused
from kriegbot.players.specs import PLAYERS
from kriegbot.web.hosting import BadMessage, Hosted, House, Message
from kriegbot.web.person import PersonGame
from kriegbot.web.watch import watched
from referee import RULE_SETS

STATIC = Path(__file__).parent / "static"
MOST_SOCKETS = 100
MOST_BYTES = 4096
"""Of a message."""
MOST_WAITING = 500
"""Messages that a browser may leave unread."""
RATE, BURST = 20.0, 60.0
"""Messages a second that a socket may send for long, and at once."""
MOST_OFFENCES = 20
"""Messages of one socket that are refused before it is closed."""
TEND_SECONDS = 60.0
WORDS = {
    "overconfident": "Looks ahead and expects you to move at random; bold",
    "paranoid": "Looks ahead and fears that you see all its men; careful",
    "hs": "Looks ahead as if both of you saw the whole board",
    "rand": "Moves at random; good for learning the rules",
}
"""The programs for people, best first; one that is missing here is described as `kriegbot players` does."""

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
    """One browser: at most one game at a time, out of all there are."""

    def __init__(self, websocket: WebSocket, house: House) -> None:
        self._websocket, self._house = websocket, house
        self._hosted: Hosted | None = None
        self._outbox: asyncio.Queue[Message | None] = asyncio.Queue(MOST_WAITING)
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

    def tell(self, message: Message) -> None:
        """Sends a message soon; in any thread."""
        with contextlib.suppress(RuntimeError):  # the server has stopped
            self._loop.call_soon_threadsafe(self._put, message)

    def _put(self, message: Message | None) -> None:
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

    def _take(self, event: Message) -> None:
        """One message of the browser, or its end."""
        if event["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(event.get("code", 1005))
        try:
            self._spend()
            self._do(parsed(event))
        except BadMessage as error:
            self._offences += 1
            log.warning("refused a message: %s", error)
            self.tell({"is": "refusal", "text": str(error)})

    def _spend(self) -> None:
        now = time.monotonic()
        self._tokens = min(BURST, self._tokens + RATE * (now - self._since)) - 1
        self._since = now
        if self._tokens < 0:
            raise BadMessage("Too many messages; wait a little.")

    def _do(self, message: Message) -> None:
        match message:
            case {"do": "new"}:
                self._house.add(new_game(self._house, message), self._join)
            case {"do": "watch"}:
                self._house.add(watched(self._house, message), self._join)
            case {"do": "join", "game": str(id_)}:
                self._join(self._house.get(id_))
            case _ if self._hosted is not None:
                self._hosted.take(message)
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


def parsed(event: Message) -> Message:
    """A message of a browser as plain values.

    Raises:
      BadMessage: it is not a JSON object.
    """
    text = event.get("text")
    try:
        message = json.loads(text) if text is not None else None
    except (ValueError, RecursionError):
        message = None
    if not isinstance(message, dict):
        raise BadMessage("That message cannot be read.")
    return message


def new_game(house: House, message: Message) -> PersonGame:
    """The game that a person asks for.

    Raises:
      BadMessage: there can be no such game; the message says why.
    """
    match message:
        case {"opponent": str(opponent), "color": str(color), "rules": str(rules), "seed": None | int() as seed}:
            pass
        case _:
            raise BadMessage("A new game takes an opponent, a colour, rules and a seed.")
    try:
        number = seed_of(None if seed is None else str(seed))
        side = color_of(color, number)
        return PersonGame(house, player_of(opponent), side, rules_of(rules), number, is_seed_given=seed is not None)
    except Refused as error:
        raise BadMessage(str(error)) from None


def hello() -> Message:
    """What the page offers."""
    known = sorted((kind for kind in PLAYERS.values() if kind.name != "human"), key=lambda kind: _rank(kind.name))
    players = [
        {
            "name": kind.name,
            "summary": WORDS.get(kind.name, kind.summary),
            "options": [
                {"name": option.name, "takes": option.takes, "default": option.usual, "help": option.help}
                for option in kind.options
            ],
        }
        for kind in known
    ]
    return {
        "is": "hello",
        "players": players,
        "rules": [{"name": rules.name, "title": rules.title} for rules in RULE_SETS.values()],
    }


def _rank(name: str) -> int:
    return list(WORDS).index(name) if name in WORDS else len(WORDS)


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
