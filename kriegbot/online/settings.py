"""The bot's configuration: its settings, in one TOML file, and a token for each site, which only its owner can read."""

import os
import re
import tomllib
from contextlib import ExitStack
from datetime import time
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias, get_type_hints
from urllib.parse import urlsplit

import msgspec
from msgspec import Meta

from kriegbot.folders import config_folder
from kriegbot.online.site import SITE, checked_address
from kriegbot.request import Refused, program_of, refusing
from referee import RULE_SETS
from referee.text import one_line, quoted, read_text, unknown

MAX_GAMES = 20
MAX_BYTES = 100_000  # of the file of settings
HOUR = "([01][0-9]|2[0-3]):[0-5][0-9]"
TOKEN = re.compile(r"[!-~]{1,500}")

SITE_RULES = {name: RULE_SETS[name] for name in ("berkeley", "wild16", "cincinnati", "berkeley_any", "rand", "english")}
"""The rule sets that the site has, under the names that it shares with us."""

Text: TypeAlias = Annotated[str, Meta(description="a text in quotation marks")]
YesNo: TypeAlias = Annotated[bool, Meta(description="true or false")]
Names: TypeAlias = Annotated[tuple[str, ...], Meta(description="a list of names, such as ['alice', 'bob']")]


class BotSettings(msgspec.Struct, frozen=True):
    """The bot's settings. docs/online.md explains every key; a description says which values it accepts.

    Raises:
      Refused: the site, player or rule set does not exist.
    """

    site: Text = SITE
    player: Text = "kriegbot:time=5"
    rules: Annotated[
        tuple[str, ...], Meta(min_length=1, description=f"a list with at least one of {', '.join(SITE_RULES)}")
    ] = tuple(SITE_RULES)
    games: Annotated[int, Meta(ge=1, le=MAX_GAMES, description=f"a whole number, 1..{MAX_GAMES}")] = 3
    opponents: Annotated[
        Literal["humans", "bots", "anyone", "nobody"], Meta(description="one of humans, bots, anyone, nobody")
    ] = "anyone"
    allow: Names = ()
    block: Names = ()
    hours: Annotated[
        str, Meta(pattern=rf"\A{HOUR}-({HOUR}|24:00)\Z", description="two times, such as '08:00-22:30'")
    ] = "00:00-24:00"
    create: YesNo = True
    join: YesNo = False
    records: Text = ""

    def __post_init__(self) -> None:
        """Raise Refused if the site, the player or a rule set does not exist."""
        checked_address(self.site)
        program_of(self.player)
        for name in self.rules:
            if name not in SITE_RULES:
                raise Refused(f"illegal setting rules: {unknown('rule set', name, SITE_RULES)}")

    def why_not(self, opponent: str, role: str) -> str:
        """Return why the bot does not play an opponent; empty if it does."""
        kind = "bots" if role == "bot" else "humans"
        allowed, blocked = ({name.lower() for name in names} for names in (self.allow, self.block))
        if opponent.lower() in blocked:
            return f"{opponent} is blocked"
        if allowed and opponent.lower() not in allowed:
            return f"{opponent} is not among those allowed"
        if self.opponents not in ("anyone", kind):
            return f"opponents are {self.opponents}, not {kind}"
        return ""

    def is_open(self, now: time) -> bool:
        """Return True if new games may begin at a time of day."""
        first, last = (time.fromisoformat(text.replace("24:", "00:")) for text in self.hours.split("-"))
        if first == last:
            return True
        return first <= now < last if first < last else now >= first or now < last


def load_settings(path: Path) -> BotSettings:
    """Read settings from a file. Raise Refused, with what the key accepts, if a value is wrong."""
    try:
        data = tomllib.loads(read_text(path, MAX_BYTES))
    except ValueError as error:
        raise Refused(f"cannot use {quoted(str(path))} as settings: {one_line(str(error), 200)}.") from None
    return read_settings(data, str(path))


def read_settings(data: dict[str, Any], where: str) -> BotSettings:
    """Read settings from a table; see `load_settings`."""
    types = get_type_hints(BotSettings, include_extras=True)
    for name, value in data.items():
        if name not in types:
            raise Refused(f"'{where}': {unknown('setting', name, types)}")
        try:
            msgspec.convert(value, types[name])
        except msgspec.ValidationError:
            (meta,) = types[name].__metadata__
            raise Refused(f"'{where}': illegal {name} = {quoted(value)}: it takes {meta.description}.") from None
    with refusing(Refused, beginning=f"'{where}': "):
        return msgspec.convert(data, BotSettings)


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
