"""Who may talk to the page: nobody without its token, and no other page in the same browser.

The server listens on this machine alone, but its browser visits other sites, whose scripts may send requests to any
address. They do not know the token, which is in the page's address; they cannot forge the Origin header of a WebSocket;
and a foreign name that suddenly resolves to 127.0.0.1 (DNS rebinding) shows in the Host header.
"""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import secrets
import socket

import h11
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from kriegbot.request import Refused
from referee.text import quoted

IS_GUEST = "kriegbot.guest"  # in the scope of a request: whether it comes by a link to one game
LOOPBACK = ("127.0.0.1", "::1", "localhost")
REQUEST_SECONDS = 5.0  # how long a connection may take to send a whole request, from its start or from the last answer
MAX_WAITING = 100  # connections that may wait without a whole request; beyond that, the oldest are closed

log = logging.getLogger("kriegbot.web")


class Connection(H11Protocol):
    """One connection; a silent one does not keep others out.

    A browser sends its request at once, so a connection that waits has nothing to say or wants to hold a place. It is
    closed after `REQUEST_SECONDS`, or as soon as more than `MAX_WAITING` wait and it is the oldest.
    """

    waiting_since: float | None = None
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as in uvicorn
        """A connection is made."""
        super().connection_made(transport)
        self._wait()
        waiting = [other for other in self.connections if isinstance(other, Connection) and other.waiting_since]
        if len(waiting) > MAX_WAITING:
            min(waiting, key=lambda other: other.waiting_since or 0.0).give_up()

    def data_received(self, data: bytes) -> None:
        """A piece of a request, or all of it."""
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:
            self._stop_waiting()

    def on_response_complete(self) -> None:
        """The next request may come."""
        super().on_response_complete()
        if not self.transport.is_closing():
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """The connection is closed."""
        self._stop_waiting()
        super().connection_lost(exc)

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """The connection is a socket from now on, and no longer waits."""
        self._stop_waiting()
        super().handle_websocket_upgrade(event)

    def give_up(self) -> None:
        """Closes the connection: it has waited too long."""
        self._stop_waiting()
        self.transport.abort()

    def _wait(self) -> None:
        self._stop_waiting()
        self.waiting_since = self.loop.time()
        self._deadline = self.loop.call_later(REQUEST_SECONDS, self.give_up)

    def _stop_waiting(self) -> None:
        self.waiting_since = None
        if self._deadline is not None:
            self._deadline.cancel()


def check_host(connection: HTTPConnection) -> None:
    """Raises Refused if a request or a socket comes by a link to one game."""
    if connection.scope[IS_GUEST]:
        raise Refused("Your link is for one game.")


class Guard:
    """Lets requests through to the app, without the token in their path, or refuses and logs them.

    A token is the first part of every path: one of the host, whose server this is, one of those who are invited to one
    game. The server is bound to an address and a port.
    """

    def __init__(self, app: ASGIApp, token: str, guest_token: str, host: str, port: int) -> None:
        self._app = app
        self._token, self._guest_token = token.encode(), guest_token.encode()
        self._host, self._port = host, port

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request or connection."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        why = self.refusal(scope)
        if why:
            client = scope.get("client") or ("?", 0)
            log.warning("refused %s from %s: %s", scope["type"], client[0], why)
            await _refuse(scope, receive, send)
            return
        path = "/" + scope["path"].lstrip("/").partition("/")[2]
        inner = dict(scope) | {"path": path, "raw_path": path.encode(), IS_GUEST: self._has(self._guest_token, scope)}
        sending = _with_headers(send, Headers(scope=scope)["host"], is_trusted=self._host in LOOPBACK)
        await self._app(inner, receive, sending)

    def refusal(self, scope: Scope) -> str:
        """Why a request is refused; empty if it is not."""
        headers = Headers(scope=scope)
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        if len(hosts) != 1 or not self.is_host(hosts[0]):
            return f"foreign Host {quoted(', '.join(hosts))}"
        if len(origins) > 1 or (origins and origins[0] != f"http://{hosts[0]}"):
            return f"foreign Origin {quoted(', '.join(origins))}"
        if scope["type"] == "websocket" and not origins:
            return "no Origin"
        if not (self._has(self._token, scope) or self._has(self._guest_token, scope)):
            return "wrong token"
        return ""

    def _has(self, token: bytes, scope: Scope) -> bool:
        first = scope["path"].lstrip("/").partition("/")[0]
        return secrets.compare_digest(first.encode(), token)

    def is_host(self, text: str) -> bool:
        """Whether a Host header names this server: by an address, which no foreign name can fake, or as localhost."""
        name, colon, port = text.rpartition(":")
        if not colon or text.endswith("]"):
            name, port = text, "80"
        if port != str(self._port):
            return False
        name = name.lower()
        if name == self._host:
            return True
        bare = name.removeprefix("[").removesuffix("]")
        if self._host in LOOPBACK:
            return bare in LOOPBACK
        return _is_address(bare) or bare == socket.gethostname().lower()


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def policy(host: str) -> str:
    """The Content-Security-Policy: nothing but this server's own files, and its socket."""
    return (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        f"connect-src 'self' ws://{host}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


def _with_headers(send: Send, host: str, *, is_trusted: bool) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers["Content-Security-Policy"] = policy(host)
            headers["X-Content-Type-Options"] = "nosniff"
            headers["Referrer-Policy"] = "no-referrer"
            if is_trusted:  # over a network without encryption browsers ignore it, and complain
                headers["Cross-Origin-Opener-Policy"] = "same-origin"
            headers["Cross-Origin-Resource-Policy"] = "same-origin"
            headers["Cache-Control"] = "no-store"
        await send(message)

    return sending


async def _refuse(scope: Scope, receive: Receive, send: Send) -> None:
    """Not found, whatever the reason: without the address nothing can be learned."""
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 1008})
        return
    await PlainTextResponse("Not found.\n", 404, {"Connection": "close"})(scope, receive, send)
