"""The server of the page: on its last port, or a free one, until Ctrl-C; then it abandons and saves all games.

By default it listens on this machine alone, but its browser visits other sites, whose scripts may send requests to any
address. They do not know the token in the page's address, and cannot forge the Origin header of a WebSocket. A foreign
name that suddenly resolves to 127.0.0.1 (DNS rebinding) shows in the Host header. `Guard` checks all three.
"""

import asyncio
import contextlib
import errno
import ipaddress
import logging
import os
import re
import secrets
import signal
import socket
import sys
import threading
import webbrowser
from collections.abc import Mapping
from html import escape
from pathlib import Path
from types import FrameType
from typing import Literal
from urllib.parse import unquote

import msgspec
import platformdirs
import uvicorn
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kriegbot.children import HUNG_UP, signal_handlers
from kriegbot.folders import config_folder
from kriegbot.narration.results import Results
from kriegbot.request import Refused, refusing
from kriegbot.web.app import make_app
from kriegbot.web.connections import Messages, Requests, is_new
from kriegbot.web.library import Address, read_private, write_private
from kriegbot.web.notices import NetworkState
from kriegbot.web.pages import ReplayedGame
from kriegbot.web.registry import Registry
from kriegbot.web.requests import BROKEN_LINK, IS_GUEST, MAX_BYTES
from referee import GameRecord
from referee.text import quoted, write_secret

LOOPBACK = ("127.0.0.1", "::1", "localhost")
PROBES = ("198.51.100.1", "100.100.100.100")  # reserved for examples; Tailscale's own
EVERYWHERE = ("0.0.0.0", "::", "0")  # all addresses of this machine
MAX_LOGGED = 20  # refused requests
BACKLOG = 64  # connections accepted at once, before the first ones are closed if there are too many
LAST_MESSAGES = 0.2  # seconds for the last messages to reach browsers before their sockets are closed
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self' ws://{host}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}

log = logging.getLogger("kriegbot.web")


class PageServer(uvicorn.Server):
    """The server of one page. Port 0: the last, or a free one.

    Games end before sockets, so browsers get the end of those that cannot go on.
    """

    def __init__(self, registry: Registry, host: str = "127.0.0.1", port: int = 0) -> None:
        self.registry = registry
        kept = read_private(registry.address_file, Address)  # what has crossed a network opens nothing elsewhere
        self.kept = Address(host) if kept is None or kept.host != host else kept
        registry.guest_token = self.kept.guest_token
        try:
            self._socket = listening(host, port or self.kept.port, or_any=not port)
        except OSError as error:
            is_name = isinstance(error, socket.gaierror)
            why = (error.strerror or str(error)).partition(" (while")[0].lower()
            if is_name or error.errno == errno.EADDRNOTAVAIL:
                raise Refused(f"cannot listen on {quoted(host)}: {why}; give an address of this machine.") from None
            place = f"port {port} of {quoted(host)}"
            raise Refused(f"cannot listen on {place}: {why}; leave out --port to use a free one.") from None
        self.port: int = self._socket.getsockname()[1]
        token = self.kept.token
        if port or not self.kept.port:  # another server may have the usual port for now
            self.kept.port = self.port
        write_private(registry.address_file, msgspec.json.encode(self.kept))
        self._app = make_app(registry)
        self._network_server: uvicorn.Server | None = None  # for guests in a network
        if host in LOOPBACK:
            registry.network = self.open_network
            registry.network_shown = NetworkState(addresses_here(), None)
        shown = next(iter(addresses_here()), socket.gethostname()) if host in EVERYWHERE else host
        self.address = f"http://{f'[{shown}]' if ':' in shown else shown}:{self.port}/{token}/"
        super().__init__(self._config({token: False, registry.guest_token: True}, host, "on"))

    def _config(self, tokens: Mapping[str, bool], host: str, lifespan: Literal["on", "off"]) -> uvicorn.Config:
        return uvicorn.Config(
            Guard(self._app, tokens, host),
            loop="asyncio",
            http=Requests,
            ws=Messages,
            backlog=BACKLOG,
            ws_max_size=MAX_BYTES,
            ws_per_message_deflate=False,
            lifespan=lifespan,
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            limit_concurrency=self.registry.limits.connections,
            timeout_graceful_shutdown=2,
        )

    def serve_until_stopped(self) -> None:
        """Serve until Ctrl-C, SIGTERM or `should_exit`."""
        try:
            self.run(sockets=[self._socket])
        finally:
            self.registry.stop("the server was stopped")
            self._socket.close()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and let guests in again if one's game is unfinished and this machine is in the same network."""
        await super().startup(sockets)
        library, address = self.registry.library, self.kept.network
        games = await asyncio.to_thread(library.games)
        waiting = [game for game in games.games if game.resumable and library.seatings.is_for_two(game.file)]
        if waiting and address in await asyncio.to_thread(addresses_here):
            with contextlib.suppress(Refused):
                await self.open_network(address)
                print(f"Guests can reach their games at {self.registry.network_shown.open}.", flush=True)

    async def open_network(self, address: str | None) -> None:
        """Let guests in at an address of this machine, where the guard takes only their token; None: no longer."""
        addresses = await asyncio.to_thread(addresses_here)
        if address is not None and address not in addresses:
            raise Refused("This machine no longer has that address. Restart kriegbot to see those that it has.")
        await self._close_network()
        origin = None
        if address is not None:
            with refusing(OSError, beginning=f"Cannot listen on {address}: "):
                listener = listening(address, self.port, or_any=True)
            port = listener.getsockname()[1]
            config = self._config({self.registry.guest_token: True}, address, "off")
            config.load()
            self._network_server = uvicorn.Server(config)
            self._network_server.lifespan = config.lifespan_class(config)
            await self._network_server.startup([listener])
            origin = f"http://{address}:{port}"
        self.kept.network = address
        write_private(self.registry.address_file, msgspec.json.encode(self.kept))
        self.registry.network_shown = NetworkState(addresses, origin)
        self.registry.broadcast(self.registry.network_shown)

    async def _close_network(self) -> None:
        if self._network_server is not None:
            server, self._network_server = self._network_server, None
            await server.shutdown()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:  # noqa: ARG002 - signals give both
        """Stop the server. A second Ctrl-C changes nothing: stopping takes seconds, and saves all games."""
        self.should_exit = True

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop the games, then the server."""
        await asyncio.to_thread(self.registry.stop, "the server was stopped")
        await asyncio.sleep(LAST_MESSAGES)
        await self._close_network()
        await super().shutdown(sockets)


def serve(
    folder: Path, host: str, port: int, *, has_browser: bool, saved: tuple[GameRecord, str] | None, sandbox: bool | None
) -> None:
    """Serve the page until Ctrl-C; begin with a saved game and its file, if given."""
    handler = logging.StreamHandler()
    handler.addFilter(is_new)
    logging.basicConfig(format="kriegbot: %(message)s", level=logging.WARNING, handlers=[handler])
    registry = Registry(folder, config_folder(), Results(), sandbox=sandbox)
    server = PageServer(registry, host, port)
    if host not in LOOPBACK:
        print(opened_to(host, folder), file=sys.stderr)
    address = server.address
    if saved is not None:
        game = ReplayedGame(registry, *saved)
        registry.add(game)
        address += f"#game={game.id}"
    print(f"The page is at {address}\nCtrl-C stops it; games in progress are saved in {folder}.", flush=True)
    opener = opener_in(folder)
    has_screen = sys.platform in ("darwin", "win32") or any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY")))
    if has_browser and has_screen:
        threading.Thread(target=webbrowser.open, args=(page_to(address, opener),), daemon=True).start()
    ignored = dict.fromkeys((signal.SIGINT, signal.SIGTERM), lambda *_: None)  # once the server has stopped
    hung_up = dict.fromkeys(HUNG_UP, lambda *_: signal.raise_signal(signal.SIGTERM))
    with signal_handlers(ignored | hung_up), contextlib.suppress(KeyboardInterrupt):
        server.serve_until_stopped()
    with contextlib.suppress(OSError):
        opener.unlink()


def opener_in(games: Path) -> Path:
    """Return the file that leads the browser to the page: in a snap or flatpak it sees no hidden folder and no /tmp."""
    if sys.platform == "linux":
        with contextlib.suppress(RuntimeError):  # no home
            for folder in (platformdirs.user_downloads_path(), Path.home()):
                is_hidden = any(part.startswith(".") for part in folder.parts)
                if folder.is_dir() and os.access(folder, os.W_OK) and not is_hidden:
                    return folder / "kriegbot-page.html"
    return games / ".open.html"


def page_to(address: str, file: Path) -> str:
    """Return the URL of a private file that leads to an address: every user can read the arguments of a browser."""
    text = f'<!doctype html><meta http-equiv="refresh" content="0; url={escape(address)}"><title>Kriegspiel</title>'
    write_secret(file, text.encode())
    return file.absolute().as_uri()


def addresses_here() -> list[str]:
    """Return this machine's IPv4 addresses in networks: towards the internet, in Tailscale's, and those of its name."""
    found = []
    for target in PROBES:
        with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.connect((target, 9))  # sends nothing
            found.append(str(probe.getsockname()[0]))
    with contextlib.suppress(OSError):
        found += socket.gethostbyname_ex(socket.gethostname())[2]
    return [one for one in dict.fromkeys(found) if not ipaddress.ip_address(one).is_loopback]


def opened_to(host: str, folder: Path) -> str:
    """Return the warning of a server that other machines can reach."""
    where = f"{host}, which is every address of this machine" if host in EVERYWHERE else host
    return (
        f"Warning: other machines can reach this server at {where}. Whoever has the address below can play here, use "
        f"this machine's processors, and read, add and delete saved games in {folder}. Whoever has the link to a game "
        "for two can play that game, and reaches no other. Messages are not encrypted: anybody who listens in on the "
        "network can read them, and the address. Other files, and programs that are not installed as players, are out "
        "of reach. If a firewall asks whether Python may be reached, allow it in private networks."
    )


def listening(host: str, port: int, *, or_any: bool = False) -> socket.socket:
    """Return a socket that listens, with `or_any` on any free port if this one is taken; raise OSError.

    Unlike `socket.create_server`, it names TCP as its protocol: only then asyncio sends small messages at once, without
    Nagle's algorithm, which may hold them back for 40 ms.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    is_dual = family == socket.AF_INET6 and socket.has_dualstack_ipv6()
    try:
        plain = socket.create_server((host, port), family=family, dualstack_ipv6=is_dual)
    except OSError:
        if not (or_any and port):
            raise
        return listening(host, 0)
    return socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP, plain.detach())


class Guard:
    """ASGI middleware that refuses and logs requests from elsewhere.

    `tokens` are valid first parts of the path; True for people invited to one game. The server is at `host`.
    """

    def __init__(self, app: ASGIApp, tokens: Mapping[str, bool], host: str) -> None:
        self._app, self._tokens, self._host = app, tokens, host
        self._refused = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass one request or connection on without its token, or refuse it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        link = whole_link(scope["path"])
        if scope["type"] == "http" and link and not self.refusal({**scope, "path": link.partition("#")[0]}):
            await RedirectResponse(link)(scope, receive, send)
            return
        if why := self.refusal(scope):
            client = scope.get("client") or ("?", 0)
            self._refused += 1  # an old tab tries for ever
            if self._refused <= MAX_LOGGED:
                log.warning("refused %s from %s: %s", scope["type"], client[0], why)
            if self._refused == MAX_LOGGED:
                log.warning("further refusals are not shown")
            await _refuse(scope, receive, send)
            return
        path = "/" + scope["path"].lstrip("/").partition("/")[2]
        inner = dict(scope) | {"path": path, "raw_path": path.encode(), IS_GUEST: self._is_guest(scope)}
        host = Headers(scope=scope)["host"]

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(HEADERS | {"Content-Security-Policy": POLICY.format(host=host)})
                if self._host in LOOPBACK:  # without encryption, browsers ignore it on other hosts, and complain
                    headers["Cross-Origin-Opener-Policy"] = "same-origin"
            await send(message)

        await self._app(inner, receive, send_with_headers)

    def refusal(self, scope: Scope) -> str:
        """Return the reason to refuse a request, or an empty text."""
        headers = Headers(scope=scope)
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        if len(hosts) != 1 or not self.is_host(hosts[0]):
            return f"foreign Host {quoted(', '.join(hosts))}"
        forwarded = headers.getlist("x-forwarded-host")  # by a tunnel; no script of another site can set it
        own = {f"http://{hosts[0]}", *(f"https://{name}" for name in forwarded)}
        if len(origins) > 1 or not own.issuperset(origins):
            return f"foreign Origin {quoted(', '.join(origins))}"
        if scope["type"] == "websocket" and not origins:
            return "no Origin"
        return "wrong token" if self._is_guest(scope) is None else ""

    def _is_guest(self, scope: Scope) -> bool | None:
        """Return what the request's token stands for; None if it is wrong."""
        first = scope["path"].lstrip("/").partition("/")[0].encode()
        known = [is_guest for token, is_guest in self._tokens.items() if secrets.compare_digest(first, token.encode())]
        return known[0] if known else None

    def is_host(self, text: str) -> bool:
        """Return True if a Host header names this server, at any port: routers, ssh and VS Code forward other ports.

        On loopback: one of `LOOPBACK`. Else: the host's or this machine's name, or an IP address, which no DNS rebinds.
        """
        name = re.sub(":[0-9]*$", "", text.lower()).removeprefix("[").removesuffix("]")
        if self._host in LOOPBACK:
            return name in LOOPBACK
        with contextlib.suppress(ValueError):
            return bool(ipaddress.ip_address(name))
        return name in (self._host, socket.gethostname().lower())


def whole_link(path: str) -> str | None:
    """Return the address that a path was meant to be, if a chat program has cut, wrapped or encoded a link."""
    token, rest = re.findall(r"(?s)^/*([\w-]*)(.*)", unquote(path))[0]
    game = re.search(r"game=([\w-]+)", rest)
    if rest == "/" or (game is None and re.match(r"/\w", rest)):
        return None
    return f"/{token}/" + (f"#{game[0]}" if game else "")


async def _refuse(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer the same whatever the reason, so that an answer reveals nothing."""
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 1008})
        return
    await PlainTextResponse(f"{BROKEN_LINK}\n", 404, {"Connection": "close"})(scope, receive, send)
