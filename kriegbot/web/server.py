"""The server of the page: on a free port of this machine, until Ctrl-C; then it abandons and saves all games."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import os
import secrets
import signal
import socket
import sys
import threading
import webbrowser
from pathlib import Path

import platformdirs
import uvicorn

from kriegbot.game.children import signal_handlers
from kriegbot.narration.results import Results
from kriegbot.request import Refused
from kriegbot.web.app import make_app
from kriegbot.web.guard import LOOPBACK, Guard
from kriegbot.web.registry import Registry
from kriegbot.web.requests import MAX_BYTES
from kriegbot.web.watch import ReplayedGame
from referee import GameRecord
from referee.text import quoted

EVERYWHERE = ("0.0.0.0", "::")  # all addresses of this machine
LAST_MESSAGES = 0.2  # seconds for the last messages to reach browsers before their sockets are closed


class PageServer(uvicorn.Server):
    """The server of one page. Games end before sockets, so that browsers get their end. Port 0: any free one."""

    def __init__(self, registry: Registry, host: str = "127.0.0.1", port: int = 0) -> None:
        self.registry = registry
        try:
            self._socket = listening(host, port)
        except OSError as error:
            is_name = isinstance(error, socket.gaierror)  # with error numbers of its own
            why = (error.strerror or str(error) if is_name else os.strerror(error.errno or 0)).lower()
            if is_name or error.errno == errno.EADDRNOTAVAIL:
                raise Refused(f"cannot listen on {quoted(host)}: {why}; give an address of this machine.") from None
            what = f"cannot listen on port {port} of {quoted(host)}: {why}"
            raise Refused(f"{what}; leave out --port to use a free one.") from None
        self.port: int = self._socket.getsockname()[1]
        token = secrets.token_urlsafe(16)
        self.address = f"http://{reached_at(host)}:{self.port}/{token}/"
        super().__init__(
            uvicorn.Config(
                Guard(make_app(registry), token, registry.guest_token, host, self.port),
                loop="asyncio",
                http="h11",
                ws="websockets-sansio",
                ws_max_size=MAX_BYTES,
                ws_per_message_deflate=False,
                lifespan="on",
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=False,
                limit_concurrency=registry.limits.connections,
                timeout_graceful_shutdown=2,
            )
        )

    def serve_until_stopped(self) -> None:
        """Serve until Ctrl-C, SIGTERM or `should_exit`."""
        try:
            self.run(sockets=[self._socket])
        finally:
            self.registry.stop("the server was stopped")
            self._socket.close()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop the games, then the server."""
        await asyncio.to_thread(self.registry.stop, "the server was stopped")
        await asyncio.sleep(LAST_MESSAGES)
        await super().shutdown(sockets)


def serve(
    folder: Path, host: str, port: int, *, has_browser: bool, saved: tuple[GameRecord, str] | None, sandbox: bool
) -> None:
    """Serve the page until Ctrl-C; begin with a saved game and its file, if given."""
    logging.basicConfig(format="kriegbot: %(message)s", level=logging.WARNING)
    memory = platformdirs.user_config_path("kriegbot") / "page.json"
    registry = Registry(folder, memory, Results().path, sandbox=sandbox)
    server = PageServer(registry, host, port)
    address = server.address
    if saved is not None:
        game = ReplayedGame(registry, *saved)
        registry.add(game)
        address += f"#game={game.id}"
    if host not in LOOPBACK:
        print(opened_to(host, registry.library.folder), file=sys.stderr)
    print(f"The page is at {address}\nCtrl-C stops it; games in progress are saved in {folder}.", flush=True)
    if has_browser and _has_screen():
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
    ignored = dict.fromkeys((signal.SIGINT, signal.SIGTERM), lambda *_: None)  # once the server has stopped
    hung_up = {signal.SIGHUP: lambda *_: signal.raise_signal(signal.SIGTERM)}
    with signal_handlers(ignored | hung_up), contextlib.suppress(KeyboardInterrupt):
        server.serve_until_stopped()


def reached_at(host: str) -> str:
    """Return the host in the page's address; for all addresses of this machine, the one that the network knows."""
    if host in EVERYWHERE:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as way_out:
            try:
                way_out.connect(("198.51.100.1", 9))  # an address kept for examples; nothing is sent
                host = way_out.getsockname()[0]
            except OSError:
                host = socket.gethostname()
    return f"[{host}]" if ":" in host else host


def opened_to(host: str, folder: Path) -> str:
    """Return the warning of a server that other machines can reach."""
    where = f"{host}, which is every address of this machine" if host in EVERYWHERE else host
    return (
        f"Warning: other machines can reach this server at {where}. Whoever has the address below can play here, use "
        f"this machine's processors, and read, add and delete saved games in {folder}. Whoever has the link to a game "
        "for two can play that game, and nothing else. Messages are not encrypted: anybody who listens in on the "
        "network can read them, and the address. Other files, and programs that are not installed as players, are out "
        "of reach."
    )


def listening(host: str, port: int) -> socket.socket:
    """Return a socket that listens.

    Unlike `socket.create_server`, it names TCP as its protocol: only then asyncio sends small messages at once, without
    Nagle's algorithm, which may hold them back for 40 ms.

    Raises:
      OSError: the address is not available.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen()
    except OSError:
        listener.close()
        raise
    return listener


def _has_screen() -> bool:
    """True if a browser can open a window; without one, some open in the terminal."""
    return sys.platform == "darwin" or any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))
