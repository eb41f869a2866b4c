"""Connections of the page: those that bring no request are closed, saving keeps descriptors, and logs do not repeat."""

from __future__ import annotations

import asyncio
import errno
import logging
import os
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

SILENT_SECONDS = 10.0  # that a connection may bring no request
MAX_SILENT, MAX_ALL_SILENT = 32, 128  # connections without a request: of one address, and of all
RESERVED = 3  # descriptors
MAX_REMEMBERED = 1000  # lines of the log

T = TypeVar("T")


class Messages(WebSocketsSansIOProtocol):
    """The protocol of a socket. A text that is not UTF-8 is refused in a line, like any message that cannot be read."""

    def send_receive_event_to_app(self) -> None:
        """Pass a text on; as bytes, which the page refuses, if it is not UTF-8."""
        try:
            b"".join(self.frames).decode()
        except UnicodeDecodeError:
            self.curr_msg_data_type = "bytes"
        super().send_receive_event_to_app()


class Requests(H11Protocol):
    """The protocol of a connection. It ends after `SILENT_SECONDS` without a request, and sooner if too many wait.

    The oldest that waits makes room, so that whoever asks at once is always answered.
    """

    _silent: asyncio.TimerHandle | None = None  # ends the connection

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for a request, and end a connection that has waited longest if there are too many."""
        super().connection_made(transport)
        self._expect_request()
        silent = [one for one in self.connections if isinstance(one, Requests) and one._silent is not None]
        silent.sort(key=lambda one: one._silent.when() if one._silent is not None else 0.0)
        mine = [one for one in silent if self.client is not None and one.client and one.client[0] == self.client[0]]
        for waiting, most in ((mine, MAX_SILENT), (silent, MAX_ALL_SILENT)):
            if len(waiting) > most:
                waiting[0]._end()

    def data_received(self, data: bytes) -> None:
        """Take a piece of a request."""
        super().data_received(data)
        if self._is_answering:
            self._expect_nothing()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        super().on_response_complete()
        if not self._is_answering:
            self._expect_request()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._expect_nothing()
        super().connection_lost(exc)

    @property
    def _is_answering(self) -> bool:
        is_upgraded = self not in self.connections  # by a socket, which has a protocol of its own
        return is_upgraded or (self.cycle is not None and not self.cycle.response_complete)

    def _expect_request(self) -> None:
        self._expect_nothing()
        self._silent = self.loop.call_later(SILENT_SECONDS, self._end)

    def _expect_nothing(self) -> None:
        if self._silent is not None:
            self._silent.cancel()
            self._silent = None

    def _end(self) -> None:
        self._expect_nothing()
        self.transport.abort()


class Reserve:
    """Descriptors that are held for saving games when connections have taken all others."""

    def __init__(self) -> None:
        self._held: list[int] = []
        self._refill()

    def __call__(self, act: Callable[[], T]) -> T:
        """Return the result of `act`; try again with the reserve if no descriptor was left."""
        try:
            return act()
        except OSError as error:
            if error.errno not in (errno.EMFILE, errno.ENFILE):
                raise
        while self._held:
            os.close(self._held.pop())
        try:
            return act()
        finally:
            self._refill()

    def _refill(self) -> None:
        with suppress(OSError):
            while len(self._held) < RESERVED:
                self._held.append(os.open(os.devnull, os.O_RDONLY))


class Once(logging.Filter):
    """Let each text pass once: a full disk or too many connections would fill a terminal."""

    def __init__(self) -> None:
        super().__init__()
        self._seen: set[str] = set()

    def filter(self, record: logging.LogRecord) -> bool:
        """Return True for a new text."""
        text = record.getMessage()
        if text in self._seen:
            return False
        if len(self._seen) == MAX_REMEMBERED:
            self._seen.clear()
        self._seen.add(text)
        return True
