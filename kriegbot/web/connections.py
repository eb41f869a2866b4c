"""Connections of the page: those that bring no request are closed, saving keeps descriptors, and logs do not repeat."""

import asyncio
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

SILENT_SECONDS = 10.0  # that a connection may bring no request
MAX_SILENT, MAX_ALL_SILENT = 32, 128  # connections without a request: of one address, and of all
RESERVED = 3  # descriptors
MAX_REMEMBERED = 1000  # lines of the log

_logged = set[str]()


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
    """The protocol of a connection. It ends after at most `SILENT_SECONDS` without a request, sooner if too many wait.

    The oldest that waits makes room, so that whoever asks at once is always answered.
    """

    _silent_since: float | None = None  # the loop's time since which it waits for a request

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for a request, and end a connection that has waited longest if there are too many."""
        super().connection_made(transport)
        self._note_silence()
        ours = [one for one in self.connections if isinstance(one, Requests)]
        silent = {one: one._silent_since for one in ours if one._silent_since is not None}
        mine = [one for one in silent if self.client and one.client and one.client[0] == self.client[0]]
        for waiting, most in ((mine, MAX_SILENT), (silent, MAX_ALL_SILENT)):
            if len(waiting) > most:
                oldest = min(waiting, key=silent.__getitem__)
                oldest._end(silent[oldest])

    def handle_events(self) -> None:
        """Take what has arrived."""
        super().handle_events()
        self._note_silence()

    def _note_silence(self) -> None:
        is_upgraded = self not in self.connections  # by a socket, which has a protocol of its own
        if is_upgraded or (self.cycle is not None and not self.cycle.response_complete):
            self._silent_since = None
        elif self._silent_since is None:
            self._silent_since = self.loop.time()
            self.loop.call_later(SILENT_SECONDS, self._end, self._silent_since)

    def _end(self, silent_since: float) -> None:
        """End the connection if it has brought no request since then."""
        if self._silent_since == silent_since:
            self._silent_since = None
            self.transport.abort()


class Reserve:
    """Descriptors that are held for saving games, since connections may have taken all others."""

    def __init__(self) -> None:
        self._held: list[int] = []
        with self.lent():  # none yet; it holds them after that
            pass

    @contextmanager
    def lent(self) -> Iterator[None]:
        """Lend the descriptors, and hold them again after that."""
        while self._held:
            os.close(self._held.pop())
        try:
            yield
        finally:
            with suppress(OSError):
                while len(self._held) < RESERVED:
                    self._held.append(os.open(os.devnull, os.O_RDONLY))


def is_new(record: logging.LogRecord) -> bool:
    """Return True for a text that was not logged lately: a full disk or too many connections would fill a terminal."""
    text = record.getMessage()
    if text in _logged:
        return False
    if len(_logged) == MAX_REMEMBERED:
        _logged.clear()
    _logged.add(text)
    return True
