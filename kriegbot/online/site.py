"""The bot API of kriegspiel.org: the calls that this bot makes, and no others.

`CALLS` lists them. It leaves out what was seen to show a player the opponent's moves, such as `/game/REF/moves` and
`/game/REF/review`; a call that is not listed is never sent.

Questions (GET) are repeated until they are answered, later and later. Of a command (POST, DELETE) that was sent and
not answered nobody knows whether it took effect: that is `Uncertain`, and whoever gave it looks at the state before
anything else. "Too many requests" is waited out for as long as the site asks.

httpx speaks HTTP: of a failed request it says whether it was ever sent, and connections are kept, one client for all
games.
"""

from __future__ import annotations

import json
import random
import re
import threading
from collections.abc import Callable
from typing import Any, TypeAlias

import httpx

from kriegbot.request import Refused
from referee.text import one_line, quoted

Json: TypeAlias = dict[str, Any]

SITE = "https://api.kriegspiel.org"
CALLS = tuple(
    (method, re.compile(path))
    for method, path in (
        ("POST", r"/auth/bots/register"),
        ("GET", r"/auth/me"),
        ("POST", r"/bots/profile"),
        ("POST", r"/game/create"),
        ("GET", r"/game/open"),
        ("POST", r"/game/join/[0-9A-Za-z]{1,40}"),
        ("GET", r"/game/mine/active"),
        ("GET", r"/game/(?!mine/|open/|join/)[0-9A-Za-z]{1,40}/state"),
        ("POST", r"/game/[0-9A-Za-z]{1,40}/(?:move|ask-any|resign)"),
        ("DELETE", r"/game/[0-9A-Za-z]{1,40}"),
    )
)
"""Everything that is ever asked of the site."""
TIMEOUT = 10.0  # seconds until a request counts as lost
FIRST_WAIT, LONGEST_WAIT = 0.25, 15.0  # seconds between two attempts; each wait is up to twice the one before
LONGEST_PAUSE = 120.0  # seconds that the site may ask for with 429
MOST_BYTES = 4_000_000
LEAVING = 5.0  # seconds for what is worth trying at the end
_LOCAL = ("127.0.0.1", "localhost", "::1")


class Refusal(Exception):
    """The site refuses a request, with an HTTP status 4xx and a code such as "NOT_YOUR_TURN", which may be empty."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(f"{code or status}: {message}" if message else code or str(status))
        self.status, self.code = status, code


class Uncertain(Exception):
    """A command was sent, and nobody knows whether it took effect."""


class Stopped(Exception):
    """This program is to end; whatever was waited for no longer matters."""


class Lost(Exception):
    """A request that cannot have taken effect: it never reached the site, or was put off. May be sent again."""

    def __init__(self, what: str, pause: float | None = None) -> None:
        super().__init__(what)
        self.pause = pause


class Site:
    """The site, for one bot, which has no token before it is registered. Used by several threads.

    stop: ends every wait. report: told of trouble, in a line.
    """

    def __init__(
        self, address: str, token: str | None, stop: threading.Event, report: Callable[[str], None] = lambda _: None
    ) -> None:
        self.address, self.stop, self._report = checked_address(address), stop, report
        self._client = httpx.Client(
            base_url=self.address,
            headers={"User-Agent": "kriegbot"} | ({"Authorization": f"Bearer {token}"} if token else {}),
            timeout=TIMEOUT,
            limits=httpx.Limits(max_connections=50),
        )

    def __enter__(self) -> Site:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends all connections."""
        self._client.close()

    def ask(self, path: str) -> Json:
        """The answer to a question, however long it takes; raises Refusal, or Stopped if this program is to end."""
        return self._again(lambda: self._once("GET", path))

    def command(self, method: str, path: str, body: Json | None = None, headers: dict[str, str] | None = None) -> Json:
        """The answer to a command, which is sent again only if it cannot have taken effect.

        Raises Refusal, Uncertain if it may have been done, or Stopped if this program is to end.
        """
        return self._again(lambda: self._once(method, path, body, headers))

    def _again(self, attempt: Callable[[], Json]) -> Json:
        wait = FIRST_WAIT
        while True:
            self.pause(0)
            try:
                return attempt()
            except Lost as lost:
                self._report(f"{lost}; trying again")
                self.pause(wait * random.uniform(0.5, 1) if lost.pause is None else lost.pause)
                wait = min(2 * wait, LONGEST_WAIT)

    def pause(self, seconds: float) -> None:
        """Waits; raises Stopped if this program is to end."""
        if self.stop.wait(seconds):
            raise Stopped

    def _once(self, method: str, path: str, body: Json | None = None, headers: dict[str, str] | None = None) -> Json:
        if not any(method == known and pattern.fullmatch(path) for known, pattern in CALLS):
            raise ValueError(f"{method} {path} is no call that this bot makes")
        unknown = Lost if method == "GET" else Uncertain
        try:
            with self._client.stream(method, path, json=body, headers=headers) as response:
                data = b""
                for part in response.iter_bytes():
                    data += part
                    if len(data) > MOST_BYTES:
                        raise unknown(f"{method} {path}: an answer of more than {MOST_BYTES} bytes")
                status, after = response.status_code, response.headers.get("Retry-After", "")
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout) as error:
            raise Lost(f"no connection to {self.address} ({_why(error)})") from None
        except httpx.HTTPError as error:
            raise unknown(f"{method} {path}: no answer ({_why(error)})") from None
        if status == 429:
            asked = float(after) if re.fullmatch("[0-9]{1,6}", after) else LONGEST_WAIT
            raise Lost(f"{method} {path}: too many requests", min(asked, LONGEST_PAUSE))
        if status >= 500:
            raise unknown(f"{method} {path}: the site failed ({status})")
        try:
            answer = json.loads(data) if data else {}
            if not isinstance(answer, dict):
                raise ValueError
        except (ValueError, RecursionError):
            answer = None
        if status >= 300:
            said = (answer or {}).get("error")
            words = said if isinstance(said, dict) else {}
            raise Refusal(status, *(one_line(str(words.get(name, "")), 200) for name in ("code", "message")))
        if answer is None:
            raise unknown(f"{method} {path}: an answer that is no JSON object")
        return answer


def checked_address(address: str) -> str:
    """An address that a token may be sent to; raises Refused if what is sent to it could be read on the way."""
    try:
        url = httpx.URL(address)
    except (httpx.InvalidURL, TypeError):
        url = httpx.URL("")
    if url.scheme not in ("http", "https") or not url.host or url.userinfo or url.query or url.fragment:
        raise Refused(f"illegal site {quoted(address)}: it takes an address such as {SITE}.")
    if url.scheme == "http" and url.host not in _LOCAL:
        raise Refused(f"illegal site {quoted(address)}: a token is sent by https alone, except to this machine.")
    return str(url).rstrip("/")


def _why(error: Exception) -> str:
    return one_line(str(error) or type(error).__name__, 100)


def in_a_while(seconds: float = LEAVING) -> threading.Event:
    """An event that is set after some seconds, for what is worth trying and not worth waiting for."""
    event = threading.Event()
    timer = threading.Timer(seconds, event.set)
    timer.daemon = True
    timer.start()
    return event
