"""Who may talk to the page: nobody without its token, and no other page in the same browser.

The server listens on this machine alone, but a browser on it visits other sites, whose scripts may send requests to any
address. They do not know the token, which is in the page's address; they cannot forge the Origin header of a WebSocket;
and a name of theirs that suddenly stands for 127.0.0.1 (DNS rebinding) shows in the Host header.
"""

from __future__ import annotations

import ipaddress
import logging
import secrets
import socket

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOOPBACK = ("127.0.0.1", "::1", "localhost")

log = logging.getLogger("kriegbot.web")


class Guard:
    """Lets requests through to the app, without the token in their path, or refuses and logs them.

    Args:
      app: the app.
      token: first part of every path.
      host: the address that the server is bound to.
      port: its port.
    """

    def __init__(self, app: ASGIApp, token: str, host: str, port: int) -> None:
        self._app = app
        self._token = token.encode()
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
        inner = dict(scope) | {"path": path, "raw_path": path.encode()}
        await self._app(inner, receive, _with_headers(send, Headers(scope=scope)["host"]))

    def refusal(self, scope: Scope) -> str:
        """Why a request is refused; empty if it is not."""
        headers = Headers(scope=scope)
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        if len(hosts) != 1 or not self.is_host(hosts[0]):
            return f"foreign Host {', '.join(hosts)[:100]!r}"
        if len(origins) > 1 or (origins and origins[0] != f"http://{hosts[0]}"):
            return f"foreign Origin {', '.join(origins)[:100]!r}"
        if scope["type"] == "websocket" and not origins:
            return "no Origin"
        first = scope["path"].lstrip("/").partition("/")[0]
        if not secrets.compare_digest(first.encode(), self._token):
            return "wrong token"
        return ""

    def is_host(self, text: str) -> bool:
        """Whether a Host header names this server: by an address, which no foreign name stands for, or as localhost."""
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


def _with_headers(send: Send, host: str) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers["Content-Security-Policy"] = policy(host)
            headers["X-Content-Type-Options"] = "nosniff"
            headers["Referrer-Policy"] = "no-referrer"
            headers["Cross-Origin-Opener-Policy"] = "same-origin"
            headers["Cross-Origin-Resource-Policy"] = "same-origin"
            headers["Cache-Control"] = "no-store"
        await send(message)

    return sending


async def _refuse(scope: Scope, receive: Receive, send: Send) -> None:
    """Not found, whatever the reason was: who does not know the address learns nothing."""
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 1008})
        return
    await PlainTextResponse("Not found.\n", 404)(scope, receive, send)
