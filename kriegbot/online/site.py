"""The bot API of kriegspiel.org, the calls in `CALLS` and no others, and the file of the token that it takes.

`CALLS` leaves out the calls that show a player the opponent's moves, such as `/game/REF/moves` and `/game/REF/review`.

Questions (GET) are repeated until the site answers, with growing pauses. A command (POST, DELETE) that was sent but not
answered may have taken effect: it raises `Uncertain`, and the caller must look at the state first. We use httpx because
it tells whether a failed request was ever sent.
"""

from __future__ import annotations

import json
import os
import random
import re
import threading
import time
import zlib
from collections.abc import Callable
from contextlib import ExitStack, suppress
from email.utils import parsedate_to_datetime
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, TypeAlias
from urllib.parse import urlsplit

import httpx

from kriegbot.folders import config_folder
from kriegbot.request import Refused
from referee import RULE_SETS
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
"""All calls that this bot makes."""
TIMEOUT = 10.0  # seconds until a request counts as lost
WHOLE, TICK = 30.0, 0.05  # seconds for a whole answer, and between two looks for it or for our own end
FIRST_WAIT, LONGEST_WAIT = 0.25, 15.0  # seconds between two attempts; each wait is up to twice the one before
LONGEST_PAUSE = 120.0  # greatest pause, in seconds, that the site can demand with 429
MAX_BYTES = 4_000_000
LEAVING = 5.0  # seconds for what is worth trying at the end
TOKEN = re.compile(r"[!-~]{1,500}")
_LOCAL = ("127.0.0.1", "localhost", "::1")

SITE_RULES = {name: RULE_SETS[name] for name in ("berkeley", "wild16", "cincinnati", "berkeley_any", "rand", "english")}
"""The rule sets that the site has, under the names that it shares with us."""


class SiteRefusal(Exception):
    """The site refuses a request, with an HTTP status 4xx and a code such as "NOT_YOUR_TURN", which may be empty."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(f"{code or status}: {message}" if message else code or str(status))
        self.status, self.code = status, code


class Uncertain(Exception):
    """A command may or may not have taken effect."""


class Stopped(Exception):
    """This program ends."""


class Lost(Exception):
    """A request cannot have taken effect: it never reached the site, or the site put it off. It may be sent again."""

    def __init__(self, what: str, pause: float | None = None) -> None:
        super().__init__(what)
        self.pause = pause


class Site:
    """The site, as one bot uses it from several threads. `stop` ends every wait; `report` takes lines about trouble."""

    def __init__(
        self, address: str, token: str | None, stop: threading.Event, report: Callable[[str], None] = lambda _: None
    ) -> None:
        self.address, self.stop, self._report = checked_address(address), stop, report
        self._client = httpx.Client(
            base_url=self.address,
            headers={"User-Agent": "kriegbot", "Accept-Encoding": "gzip"}
            | ({"Authorization": f"Bearer {token}"} if token else {}),
            timeout=TIMEOUT,
            limits=httpx.Limits(max_connections=50),
        )

    def __enter__(self) -> Site:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close all connections."""
        self._client.close()

    def ask(self, path: str) -> Json:
        """Return the answer to a question, however long it takes. Raise SiteRefusal or Stopped."""
        return self.command("GET", path)

    def command(self, method: str, path: str, body: Json | None = None, headers: dict[str, str] | None = None) -> Json:
        """Return the answer to a command. Send it again only if it cannot have taken effect.

        Raise SiteRefusal, Uncertain or Stopped.
        """
        wait = FIRST_WAIT
        while True:
            self.pause(0)
            try:
                return self._once(method, path, body, headers)
            except Lost as lost:
                self._report(f"{lost}; trying again")
                self.pause(wait * random.uniform(0.5, 1) if lost.pause is None else lost.pause)
                wait = min(2 * wait, LONGEST_WAIT)

    def pause(self, seconds: float) -> None:
        """Wait. Raise Stopped if this program ends."""
        if self.stop.wait(seconds):
            raise Stopped

    def _once(self, method: str, path: str, body: Json | None, headers: dict[str, str] | None) -> Json:
        if not any(method == known and pattern.fullmatch(path) for known, pattern in CALLS):
            raise ValueError(f"{method} {path} is not a call that this bot makes")
        unknown = Lost if method == "GET" else Uncertain
        try:
            status, after, data = self._fetched(method, path, body, headers)
        except ValueError as error:
            raise unknown(f"{method} {path}: {error}") from None
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout) as error:
            raise Lost(f"no connection to {self.address} ({_why(error)})") from None
        except httpx.HTTPError as error:
            raise unknown(f"{method} {path}: no answer ({_why(error)})") from None
        if status == 429:
            raise Lost(f"{method} {path}: too many requests", _pause_in(after))
        if status == 503 and after and method == "GET":
            raise Lost(f"{method} {path}: the site is busy", _pause_in(after))
        if status >= 500:
            raise unknown(f"{method} {path}: the site failed ({status})")
        try:
            answer = json.loads(data) if data else {}
            if not isinstance(answer, dict):
                raise ValueError
        except (ValueError, RecursionError):
            answer = None
        if status >= 300:
            details = (answer or {}).get("error")
            texts = details if isinstance(details, dict) else {}
            raise SiteRefusal(status, *(one_line(str(texts.get(name, "")), 200) for name in ("code", "message")))
        if answer is None:
            raise unknown(f"{method} {path}: an answer that is not a JSON object")
        return answer

    def _fetched(
        self, method: str, path: str, body: Json | None, headers: dict[str, str] | None
    ) -> tuple[int, str, bytes]:
        """Return status, Retry-After and text of a whole answer; raise httpx's errors, ValueError or Stopped.

        It waits for a thread, since a site that sends a byte a second could keep this one for ever.
        """
        fetched: SimpleQueue[tuple[int, str, bytes] | Exception] = SimpleQueue()

        def fetch() -> None:
            try:
                with self._client.stream(method, path, json=body, headers=headers) as response:
                    data = b""
                    for part in response.iter_raw():
                        data += part
                        if len(data) > MAX_BYTES or time.monotonic() > deadline:
                            raise ValueError(f"an answer of more than {MAX_BYTES} bytes or {WHOLE:g} seconds")
                    data = _decoded(data, response.headers.get("Content-Encoding", ""))
                    fetched.put((response.status_code, response.headers.get("Retry-After", ""), data))
            except Exception as error:  # noqa: BLE001 - raised where somebody waits
                fetched.put(error)

        deadline = time.monotonic() + WHOLE
        threading.Thread(target=fetch, daemon=True).start()
        while time.monotonic() < deadline:
            self.pause(0)
            with suppress(Empty):
                answer = fetched.get(timeout=TICK)
                if isinstance(answer, Exception):
                    raise answer
                return answer
        raise ValueError(f"no whole answer in {WHOLE:g} seconds")


def _decoded(data: bytes, encoding: str) -> bytes:
    """Return the content of an answer. Raise ValueError if it is too large, or in an encoding other than gzip."""
    if encoding.lower() in ("", "identity"):
        return data
    if encoding.lower() != "gzip":
        raise ValueError(f"an answer in the encoding {quoted(encoding)}; it takes gzip or none")
    try:
        text = zlib.decompressobj(31).decompress(data, MAX_BYTES + 1)
    except zlib.error as error:
        raise ValueError(f"an answer that is not gzip: {error}") from None
    if len(text) > MAX_BYTES:
        raise ValueError(f"an answer of more than {MAX_BYTES} bytes")
    return text


def _pause_in(text: str) -> float:
    """Return the seconds that a header Retry-After demands, as a number or a date, up to `LONGEST_PAUSE`."""
    pause = LONGEST_WAIT
    if re.fullmatch("[0-9]{1,6}", text):
        pause = float(text)
    elif text:
        with suppress(ValueError, OverflowError):
            pause = parsedate_to_datetime(text).timestamp() - time.time()
    return min(max(pause, 0), LONGEST_PAUSE)


def checked_address(address: str) -> str:
    """Return an address to which a token may be sent. Raise Refused if others could read it on the way."""
    try:
        url = httpx.URL(address)
    except (httpx.InvalidURL, TypeError):
        url = httpx.URL("")
    if url.scheme not in ("http", "https") or not url.host or url.userinfo or url.query or url.fragment:
        raise Refused(f"illegal site {quoted(address)}: it takes an address such as {SITE}.")
    if url.scheme == "http" and url.host not in _LOCAL:
        raise Refused(f"illegal site {quoted(address)}: a token goes only by https, except to this machine.")
    return str(url).rstrip("/")


def _why(error: Exception) -> str:
    return one_line(str(error) or type(error).__name__, 100)


def in_a_while(seconds: float = LEAVING) -> threading.Event:
    """Return an event that is set after some seconds, as a limit for attempts."""
    event = threading.Event()
    timer = threading.Timer(seconds, event.set)
    timer.daemon = True
    timer.start()
    return event


def token_path(address: str) -> Path:
    """Return the file of the token for a site."""
    host = re.sub("[^a-z0-9.]+", "-", urlsplit(address).netloc.lower())
    return config_folder() / f"token-{host}"


def check_free(path: Path) -> None:
    """Raise Refused unless a token can be saved there. The site sends a token only once, so check before."""
    if path.exists():
        raise Refused(f"'{path}' already holds a token; remove it to register another bot.")
    _write(path, "")
    path.unlink()


def save_token(path: Path, token: str) -> None:
    """Save a token in a file that only its owner can read. Raise Refused if it is malformed or cannot be saved."""
    if not TOKEN.fullmatch(token):
        raise Refused("illegal token: it takes printable characters without spaces.")
    _write(path, f"{token}\n")


def load_token(path: Path) -> str:
    """Return the token in a file. Raise Refused if there is none or others can read it."""
    try:
        with path.open(encoding="ascii", errors="replace") as file:
            # Windows knows no such modes (docs.python.org/3/library/os.html, os.chmod).
            if os.name == "posix" and os.fstat(file.fileno()).st_mode & 0o077:
                raise Refused(f"'{path}' can be read by others; make it yours alone: chmod 600 '{path}'.")
            token = file.read(1000).strip()
    except FileNotFoundError:
        raise Refused(f"there is no token in '{path}'; `kriegbot online register` gets one.") from None
    except OSError as error:
        raise Refused(f"cannot read the token '{path}': {error.strerror or error}.") from None
    if not TOKEN.fullmatch(token):
        raise Refused(f"'{path}' holds no token; it takes one line, as `kriegbot online register` writes it.")
    return token


def _write(path: Path, text: str) -> None:
    """Write a new file, whole or not at all."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with open(path, "x", opener=partial(os.open, mode=0o600), encoding="ascii") as file, ExitStack() as on_failure:
            on_failure.callback(path.unlink, missing_ok=True)
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
            on_failure.pop_all()
    except OSError as error:
        raise Refused(f"cannot save the token '{path}': {error.strerror or error}.") from None
