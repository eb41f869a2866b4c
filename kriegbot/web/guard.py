"""Access to the page: only with its token, and not for other pages in the same browser.

The server listens on this machine alone, but its browser visits other sites, whose scripts may send requests to any
address. They do not know the token, which is in the page's address. They cannot forge the Origin header of a WebSocket.
A foreign name that suddenly resolves to 127.0.0.1 (DNS rebinding) shows in the Host header.
"""

from __future__ import annotations

import ipaddress
import logging
import secrets
import socket

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kriegbot.request import Refused
from referee.text import quoted

IS_GUEST = "kriegbot.guest"  # in the scope of a request: True if it comes by a link to one game
LOOPBACK = ("127.0.0.1", "::1", "localhost")

log = logging.getLogger("kriegbot.web")


def check_host(connection: HTTPConnection) -> None:
    """Raise Refused if a request or a socket comes by a link to one game."""
    if connection.scope[IS_GUEST]:
        raise Refused("Your link is for one game.")


class Guard:
    """ASGI middleware that passes requests on without the token in their path, or refuses and logs them.

    Args:
      app: the guarded application.
      token: first part of the path of whoever runs the server.
      guest_token: first part of the path of people invited to one game.
      host, port: the address that the server is bound to.
    """

    def __init__(self, app: ASGIApp, token: str, guest_token: str, host: str, port: int) -> None:
        self._app = app
        self._token, self._guest_token = token.encode(), guest_token.encode()
        self._host, self._port = host, port

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass one request or connection on, or refuse it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if why := self.refusal(scope):
            client = scope.get("client") or ("?", 0)
            log.warning("refused %s from %s: %s", scope["type"], client[0], why)
            await _refuse(scope, receive, send)
            return
        path = "/" + scope["path"].lstrip("/").partition("/")[2]
        inner = dict(scope) | {"path": path, "raw_path": path.encode(), IS_GUEST: self._has(self._guest_token, scope)}
        host = Headers(scope=scope)["host"]
        await self._app(inner, receive, _with_headers(send, host, is_trusted=self._host in LOOPBACK))

    def refusal(self, scope: Scope) -> str:
        """Return the reason to refuse a request, or an empty string."""
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
        """True if a Host header names this server: by an address, which no foreign name can fake, or as localhost."""
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
    """Return the Content-Security-Policy, which allows only this server's own files and its socket."""
    return (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        f"connect-src 'self' ws://{host}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


def _with_headers(send: Send, host: str, *, is_trusted: bool) -> Send:
    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers["Content-Security-Policy"] = policy(host)
            headers["X-Content-Type-Options"] = "nosniff"
            headers["Referrer-Policy"] = "no-referrer"
            if is_trusted:  # without encryption, browsers ignore it on other hosts, and complain
                headers["Cross-Origin-Opener-Policy"] = "same-origin"
            headers["Cross-Origin-Resource-Policy"] = "same-origin"
            headers["Cache-Control"] = "no-store"
        await send(message)

    return send_with_headers


async def _refuse(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer "Not found" whatever the reason, so that an answer reveals nothing."""
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 1008})
        return
    await PlainTextResponse("Not found.\n", 404, {"Connection": "close"})(scope, receive, send)
