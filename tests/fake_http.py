"""`tests.fake_site` at a port of this machine, with faults.

    python tests/fake_http.py --port 8017          # for a try: then set site = "http://127.0.0.1:8017" in the settings

Faults come from the site's seed. A request may be dropped before it takes effect or after, fail with 500 before or
after, be put off with 429, be carried out twice, be answered late, or get a state of some moments ago.
"""

from __future__ import annotations

import argparse
import json
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # as a script

from tests.fake_site import KEY, FakeSite

Json = dict[str, Any]

FAULTS = ("drop before", "drop after", "500 before", "500 after", "429", "twice", "late", "stale")


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    server: Server

    def do_GET(self) -> None:
        """Answers, or fails to."""
        site = self.server.site
        length = int(self.headers.get("Content-Length") or 0)
        data = self.rfile.read(length)
        if len(data) < length:  # who asked is gone
            return self.drop()
        body = json.loads(data or b"{}")
        request = self.command, self.path, dict(self.headers), body
        with site.lock:
            if site.forced:
                fault = site.forced.pop(0)
            else:
                fault = site.rng.choice(FAULTS) if site.rng.random() < site.faults else ""
            site.counts[fault or "requests"] += 1
        if fault == "drop before":
            return self.drop()
        if fault == "500 before":
            return self.reply(500, {"detail": "Internal Server Error"})
        if fault == "429":
            return self.reply(429, {"error": {"code": "RATE_LIMITED", "message": "", "details": {}}}, retry=1)
        site.received(self.path, body)
        answer = site.serve(*request)
        if fault == "twice":
            answer = site.serve(*request)
        elif fault == "late":
            time.sleep(site.late)
        elif fault == "stale" and self.path.endswith("/state"):
            game = site.games.get(self.path.split("/")[2])
            answer = (200, game.before) if game is not None and game.before is not None else answer
        if fault == "drop after":
            return self.drop()
        if fault == "500 after":
            return self.reply(500, {"detail": "Internal Server Error"})
        return self.reply(*answer)

    do_POST = do_DELETE = do_GET  # noqa: N815 - the names that http.server calls

    def drop(self) -> None:
        """Close the connection in the middle of an answer."""
        self.close_connection = True

    def reply(self, status: int, body: Json, retry: int | None = None) -> None:
        """Send an answer."""
        data = b"" if status == 204 else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        if retry is not None:
            self.send_header("Retry-After", str(retry))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Says nothing."""


class Server(ThreadingHTTPServer):
    """The site at a port of this machine."""

    daemon_threads = True

    def __init__(self, site: FakeSite, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.site = site
        site.address = f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore clients that have gone away: that is no error of the site."""
        del request, client_address
        if not isinstance(sys.exception(), ConnectionError):
            self.site.wrong.append(f"the fake failed: {sys.exception()!r}")


@contextmanager
def serving(site: FakeSite) -> Iterator[FakeSite]:
    """Serve the site in a thread."""
    with Server(site) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield site
        finally:
            server.shutdown()
            thread.join()


def main() -> None:
    """Serve until Ctrl-C."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--port", type=int, default=8017)
    parser.add_argument("--faults", type=float, default=0.05)
    parser.add_argument("--delay", type=float, default=3.0)
    parser.add_argument("--challenges", type=float, default=0.05)
    given = parser.parse_args()
    site = FakeSite(faults=given.faults, delay=given.delay, challenges=given.challenges)
    with Server(site, given.port) as server:
        print(f"{site.address}; the registration key is {KEY!r}; Ctrl-C to end", flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print(f"\n{site.counts}; what the bot must not do: {site.wrong or 'nothing'}")


if __name__ == "__main__":
    main()
