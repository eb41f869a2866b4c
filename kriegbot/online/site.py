"""The bot API of kriegspiel.org, and the file of the token that it takes.

`CALLS` leaves out the calls that show a player the opponent's moves, such as `/game/REF/moves` and `/game/REF/review`.

Questions (GET) are repeated until the site answers, with growing pauses. A command (POST, DELETE) that was sent but not
answered may have taken effect: it raises `Uncertain`, and the caller must look at the state first.
"""

import json
import os
import random
import re
import threading
import time
import zlib
from collections.abc import Callable
from concurrent.futures import Future, wait
from contextlib import suppress
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import urlsplit

import httpx

from kriegbot.folders import config_folder
from kriegbot.request import Refused, refusing
from referee import RULE_SETS
from referee.text import one_line, quoted, write_secret

Json: TypeAlias = dict[str, Any]
Reply: TypeAlias = tuple[int, str, bytes]  # status, Retry-After and content

SITE = "https://api.kriegspiel.org"
CALLS = (
    "POST /auth/bots/register",
    "GET /auth/me",
    "POST /bots/profile",
    "POST /game/create",
    "GET /game/open",
    "POST /game/join/[0-9A-Za-z]{1,40}",
    "GET /game/mine/active",
    "GET /game/(?!mine/|open/|join/)[0-9A-Za-z]{1,40}/state",
    "POST /game/[0-9A-Za-z]{1,40}/(?:move|ask-any|resign)",
    "DELETE /game/[0-9A-Za-z]{1,40}",
)
"""All calls that this bot makes, as regular expressions."""
TIMEOUT = 10.0  # seconds without progress until a request counts as lost
WHOLE, TICK = 30.0, 0.05  # seconds for a whole answer, and between two looks for it or for our own end
FIRST_WAIT, LONGEST_WAIT = 0.25, 15.0  # most seconds between two attempts: at first, doubled each time, and at last
LONGEST_PAUSE = 120.0  # greatest pause, in seconds, that the site can demand by Retry-After
MAX_BYTES = 4_000_000
LEAVING = 1.0  # seconds for what is worth trying at the end
DENIED = (401, 403)  # HTTP status of a request that lacks a key or a right
TOKEN = re.compile(r"[!-~]{1,500}")

SITE_RULES = {name: RULE_SETS[name] for name in ("berkeley", "wild16", "cincinnati", "berkeley_any", "rand", "english")}
"""The rule sets that the site has, under the names that it shares with us."""


class SiteRefusal(Exception):
    """The site refuses a request with HTTP status 3xx or 4xx and a code such as "NOT_YOUR_TURN", which may be empty."""

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
        self.address, self.stop, self._report = address_of(address), stop, report
        headers = {"User-Agent": "kriegbot", "Accept-Encoding": "gzip"}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        self._client = httpx.Client(base_url=self.address, headers=headers, timeout=TIMEOUT)
        self._awaited: set[Future[Reply]] = set()

    def close(self) -> None:
        """Close all connections."""
        wait(tuple(self._awaited), LEAVING / 2)  # httpx would not close one that is being made
        self._client.close()

    def ask(self, path: str) -> Json:
        """Return the answer to a question, however long it takes. Raise SiteRefusal or Stopped."""
        return self.command("GET", path)

    def command(self, method: str, path: str, body: Json | None = None, headers: dict[str, str] | None = None) -> Json:
        """Return the answer; repeat a request that had no effect. Raise SiteRefusal, Uncertain or Stopped."""
        seconds = FIRST_WAIT
        while True:
            self.pause(0)
            try:
                return self._once(method, path, body, headers)
            except Lost as lost:
                self._report(f"{lost}; trying again")
                self.pause(seconds * random.uniform(0.5, 1) if lost.pause is None else lost.pause)
                seconds = min(2 * seconds, LONGEST_WAIT)

    def pause(self, seconds: float) -> None:
        """Wait. Raise Stopped if this program ends."""
        if self.stop.wait(seconds):
            raise Stopped

    def _once(self, method: str, path: str, body: Json | None, headers: dict[str, str] | None) -> Json:
        if not any(re.fullmatch(call, f"{method} {path}") for call in CALLS):
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
        if status == 429 or (status == 503 and after and method == "GET"):
            raise Lost(f"{method} {path}: the site is busy ({status})", _pause_in(after))
        if status >= 500:
            raise unknown(f"{method} {path}: the site failed ({status})")
        answer: Any = None
        with suppress(ValueError, RecursionError):
            answer = json.loads(data or b"{}")
        if status >= 300:
            texts = answer.get("error") if isinstance(answer, dict) else None
            texts = texts if isinstance(texts, dict) else {}
            raise SiteRefusal(status, *(one_line(str(texts.get(name, "")), 200) for name in ("code", "message")))
        if not isinstance(answer, dict):
            raise unknown(f"{method} {path}: an answer that is not a JSON object")
        return answer

    def _fetched(self, method: str, path: str, body: Json | None, headers: dict[str, str] | None) -> Reply:
        """Return a whole answer; raise httpx's errors, ValueError or Stopped.

        It waits for a thread, since a site that sends a byte a second could keep this one for ever.
        """
        answer: Future[Reply] = Future()

        def fetch() -> None:
            try:
                with self._client.stream(method, path, json=body, headers=headers) as response:
                    data = b""
                    for part in response.iter_raw():
                        data += part
                        if len(data) > MAX_BYTES or time.monotonic() > deadline:
                            raise ValueError(f"an answer of more than {MAX_BYTES} bytes or {WHOLE:g} seconds")
                data = _decoded(data, response.headers.get("Content-Encoding", ""))
                answer.set_result((response.status_code, response.headers.get("Retry-After", ""), data))
            except Exception as error:  # noqa: BLE001 - raised where somebody waits
                answer.set_exception(error)
            finally:
                self._awaited.discard(answer)

        deadline = time.monotonic() + WHOLE
        self._awaited.add(answer)
        threading.Thread(target=fetch, daemon=True).start()
        while time.monotonic() < deadline:
            self.pause(0)
            with suppress(TimeoutError):
                return answer.result(TICK)
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
    """Return the seconds that a header Retry-After demands, up to `LONGEST_PAUSE`; by default LONGEST_WAIT."""
    pause = LONGEST_WAIT
    if re.fullmatch("[0-9]{1,6}", text):
        pause = float(text)
    elif text:
        with suppress(ValueError, OverflowError):
            pause = parsedate_to_datetime(text).timestamp() - time.time()
    return min(max(pause, 0), LONGEST_PAUSE)


def address_of(address: str) -> str:
    """Return an address to which a token may be sent. Raise Refused if it is none, or others could read the token."""
    url = httpx.URL("")
    with suppress(httpx.InvalidURL, TypeError):
        url = httpx.URL(address)
    if url.scheme not in ("http", "https") or not url.host or url.userinfo or url.query or url.fragment:
        raise Refused(f"illegal site {quoted(address)}: it takes an address such as {SITE}.")
    if url.scheme == "http" and url.host not in ("127.0.0.1", "localhost", "::1"):
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
    if not path.exists():
        raise Refused(f"there is no token in '{path}'; `kriegbot online register` gets one.")
    with refusing(OSError, beginning=f"cannot read the token '{path}': "), path.open("rb") as file:
        # Windows knows no such modes (docs.python.org/3/library/os.html, os.chmod).
        if os.name == "posix" and os.fstat(file.fileno()).st_mode & 0o077:
            raise Refused(f"'{path}' can be read by others; make it yours alone: chmod 600 '{path}'.")
        token = file.read(1000).decode(errors="replace").strip()
    if not TOKEN.fullmatch(token):
        raise Refused(f"'{path}' holds no token; it takes one line, as `kriegbot online register` writes it.")
    return token


def _write(path: Path, text: str) -> None:
    with refusing(OSError, beginning=f"cannot save the token '{path}': "):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_secret(path, text.encode())
