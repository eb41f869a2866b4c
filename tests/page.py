"""The page for tests: a real server in a thread, and a client that talks to its socket."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import chess
import msgspec
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from kriegbot.web.app import BROWSER
from kriegbot.web.registry import LIMITS, Registry, ServerLimits
from kriegbot.web.review import Review
from kriegbot.web.server import PageServer
from referee import GameRecord, View

PATIENCE = 90.0
"""Seconds that anything may take on a busy machine."""
RAND = {"do": "new", "opponent": "rand", "color": "white", "rules": "berkeley", "seed": "3", "clock": None}
E4 = {"do": "try", "text": "e4"}
"""A browser's messages: a game against `rand`, and its first try."""


@contextmanager
def served(folder: Path, host: str = "127.0.0.1", limits: ServerLimits = LIMITS) -> Iterator[PageServer]:
    """Return a server that saves games in a folder; it starts no process before there is a game."""
    registry = Registry(folder, limits=limits)
    for part in (registry.analyst, registry.seats):  # most tests need no kernels
        part.warm = lambda: None  # type: ignore[method-assign]
    server = PageServer(registry, host)
    thread = threading.Thread(target=server.serve_until_stopped)
    thread.start()
    until(lambda: server.started, "the server")
    try:
        yield server
    finally:
        server.should_exit = True
        thread.join()


@contextmanager
def serving(folder: Path) -> Iterator[tuple[Registry, str]]:
    """Return the games of a server, and the address of its page."""
    with served(folder) as server:
        yield server.registry, server.address


def frames_of(record: GameRecord) -> list[dict[str, Any]]:
    """Return the frames of a recorded game."""
    frames: list[dict[str, Any]] = msgspec.to_builtins(Review.of("", record).frames)
    return frames


def until(is_so: Callable[[], object], what: str = "it") -> None:
    """Wait until something is so."""
    deadline = time.monotonic() + PATIENCE
    while not is_so():
        if time.monotonic() > deadline:
            raise AssertionError(f"{what} did not come")
        time.sleep(0.02)


class Client:
    """Talks to the page's socket as the page does.

    Args:
      address: of the page.
      browser: which one; by default there is one for each link to the server.
      settings: of the connection.

    Attributes:
      heard: every message so far, as it came.
    """

    def __init__(self, address: str, browser: str = "", **settings: Any) -> None:
        parts = urlsplit(address)
        cookie = {"Cookie": f"{BROWSER}={browser or parts.path.strip('/')}"}
        settings = {"origin": f"http://{parts.netloc}", "proxy": None, "additional_headers": cookie} | settings
        self._connection = connect(f"ws://{parts.netloc}{parts.path}ws", **settings).__enter__()  # see __exit__
        self.heard: list[str] = []

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def cut(self) -> None:
        """End the connection without a word."""
        self._connection.socket.shutdown(socket.SHUT_RDWR)

    def send(self, message: object) -> None:
        """Send a message; bytes and text as they are."""
        self._connection.send(message if isinstance(message, str | bytes) else json.dumps(message))

    def send_raw_text(self, data: bytes) -> None:
        """Send bytes as a frame of text, whatever they are."""
        with self._connection.send_context():
            self._connection.protocol.send_text(data)

    def receive(self) -> dict[str, Any]:
        """Return the next message."""
        text = self._connection.recv(PATIENCE)
        assert isinstance(text, str)
        self.heard.append(text)
        message: dict[str, Any] = json.loads(text)
        return message

    def until(self, kind: str, **wanted: object) -> dict[str, Any]:
        """Return the next message of a kind, with these values."""
        while True:
            message = self.receive()
            if message["is"] == kind and all(message[name] == value for name, value in wanted.items()):
                return message

    def closing_code(self) -> int | None:
        """Wait until the server closes, and return how it did."""
        try:
            while True:
                self.receive()
        except ConnectionClosed as closed:
            return closed.rcvd.code if closed.rcvd is not None else None


def begun(client: Client, **settings: object) -> str:
    """Begins a game against `rand`, waits until a try is asked for, and returns the game's name."""
    client.send(RAND | settings)
    id_: str = client.until("game")["id"]
    client.until("view", yours=True)
    return id_


def views(record: GameRecord, color: chess.Color) -> Iterator[View]:
    """Return what a side knew, each time that it knew more."""
    last = None
    for step in record.replay():
        view = step.referee.view(color)
        if view != last:
            yield view
        last = view
