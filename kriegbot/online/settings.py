"""The bot's configuration: its settings, in one TOML file, and its token.

docs/online.md shows the settings with every key; each has a default. There is a token for each site, readable by its
owner alone.
"""

import os
import re
import tomllib
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field, fields
from datetime import time
from functools import partial
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

import platformdirs

from kriegbot.online.site import SITE, checked_address
from kriegbot.players.specs import PlayerSpec, parse_spec
from kriegbot.request import Refused, program_of
from referee import RULE_SETS, RuleSet
from referee.text import did_you_mean, one_line, quoted, read_text

T = TypeVar("T")

PLAYER = "kriegbot:time=5"
MOST_GAMES = 20
MOST_BYTES = 100_000  # of the file of settings
WHO = ("humans", "bots", "anyone", "nobody")
HOURS = re.compile(r"([01][0-9]|2[0-3]):([0-5][0-9])-([01][0-9]|2[0-4]):([0-5][0-9])")
TOKEN = re.compile(r"[!-~]{1,500}")

SITE_RULES = {name: RULE_SETS[name] for name in ("berkeley", "wild16", "cincinnati", "berkeley_any", "rand", "english")}
"""The rule sets that the site has, by the names that it shares with us."""


@dataclass(frozen=True, slots=True)
class BotSettings:
    """The bot's settings.

    Attributes:
      site: address of the API.
      player: who plays.
      rules: the rule sets it plays; of the games that it creates, in turn.
      games: how many games at once.
      opponents: against whom: humans, bots, anyone, or nobody for no new games.
      allow: names of the only opponents, if there are any.
      block: names of those never played.
      hours: when new games begin, by the local clock; from the first time until before the second, also past midnight.
      create: whether it offers games in the lobby, one at a time.
      join: whether it joins games of other bots in the lobby; people's games are not open to bots.
      records: the folder of the games' records; None for one in the user's data.
    """

    site: str = SITE
    player: PlayerSpec = field(default_factory=lambda: parse_spec(PLAYER))
    rules: tuple[RuleSet, ...] = tuple(SITE_RULES.values())
    games: int = 3
    opponents: str = "anyone"
    allow: tuple[str, ...] = ()
    block: tuple[str, ...] = ()
    hours: tuple[time, time] | None = None
    create: bool = True
    join: bool = False
    records: Path | None = None

    def plays(self, opponent: str, role: str) -> str:
        """Why an opponent is not played; empty if it is."""
        kind = "bots" if role == "bot" else "humans"
        names = {name.lower() for name in self.allow}
        if opponent.lower() in {name.lower() for name in self.block}:
            return f"{opponent} is blocked"
        if names and opponent.lower() not in names:
            return f"{opponent} is not among those allowed"
        if self.opponents not in ("anyone", kind):
            return f"opponents are {self.opponents}, not {kind}"
        return ""

    def is_open(self, now: time) -> bool:
        """Return True if new games may begin at a time of day."""
        if self.hours is None:
            return True
        first, last = self.hours
        return first <= now < last if first < last else now >= first or now < last


def load_settings(path: Path) -> BotSettings:
    """The settings in a file; raises Refused with what would be accepted."""
    try:
        data = tomllib.loads(read_text(path, MOST_BYTES))
    except ValueError as error:
        why = one_line(str(error), 200)
        raise Refused(f"{quoted(str(path))} is no file of settings: {why}; it takes TOML.") from None
    return read_settings(data, str(path))


def read_settings(data: dict[str, Any], where: str) -> BotSettings:
    """The settings in a table; raises Refused as `load_settings`."""
    known = [one.name for one in fields(BotSettings)]
    values = {}
    for name, value in data.items():
        if name not in known:
            hint = did_you_mean(name, known)
            raise Refused(f"unknown setting {quoted(name)} in '{where}'{hint} Known: {', '.join(known)}.")
        try:
            values[name] = READERS[name](value)
        except _Takes as takes:
            raise Refused(f"illegal setting {name} = {quoted(value)}: it takes {takes}.") from None
    return BotSettings(**values)


class _Takes(ValueError):
    """A value is not one of its setting; the message says what would be."""


def _taken(kind: type[T], takes: str, is_good: Callable[[T], bool] = lambda _: True) -> Callable[[object], T]:
    """A reader of values of a type, and of no others; if they are none, it raises _Takes."""

    def read(value: object) -> T:
        if type(value) is not kind or not is_good(value):
            raise _Takes(takes)
        return value

    return read


def _rules(value: object) -> tuple[RuleSet, ...]:
    names, known = _names(value), ", ".join(SITE_RULES)
    if not names:
        raise _Takes(f"at least one of {known}")
    for one in names:
        if one not in SITE_RULES:
            hint = did_you_mean(one, SITE_RULES)
            raise Refused(f"illegal setting rules: unknown rule set {quoted(one)}{hint} The site's: {known}.")
    return tuple(SITE_RULES[one] for one in dict.fromkeys(names))


def _hours(value: object) -> tuple[time, time] | None:
    found = HOURS.fullmatch(value) if isinstance(value, str) else None
    if found is None or found[3] + found[4] > "2400":
        raise _Takes("two times, such as '08:00-22:30'")
    first, last = (int(found[1]), int(found[2])), (int(found[3]) % 24, int(found[4]))
    return None if first == last else (time(*first), time(*last))


_text, _yes_no = _taken(str, "a text in quotation marks"), _taken(bool, "true or false")
_names = _taken(
    list, "a list of names, such as ['alice', 'bob']", lambda names: all(isinstance(one, str) for one in names)
)
READERS: dict[str, Callable[[object], Any]] = {
    "site": lambda value: checked_address(_text(value)),
    "player": lambda value: program_of(_text(value)),
    "rules": _rules,
    "games": _taken(int, f"a whole number, 1..{MOST_GAMES}", lambda games: 1 <= games <= MOST_GAMES),
    "opponents": _taken(str, f"one of {', '.join(WHO)}", WHO.__contains__),
    "allow": lambda value: tuple(_names(value)),
    "block": lambda value: tuple(_names(value)),
    "hours": _hours,
    "create": _yes_no,
    "join": _yes_no,
    "records": lambda value: Path(_text(value)).expanduser(),
}


def token_path(address: str) -> Path:
    """Return the file of the token for a site."""
    host = re.sub("[^a-z0-9.]+", "-", urlsplit(address).netloc.lower())
    return platformdirs.user_config_path("kriegbot") / f"token-{host}"


def check_free(path: Path) -> None:
    """Raises Refused unless a token can be saved there: before a bot is registered, whose token is told only once."""
    if path.exists():
        raise Refused(f"'{path}' already holds a token; remove it to register another bot.")
    _write(path, "")
    path.unlink()


def save_token(path: Path, token: str) -> None:
    """Saves a token in a file that only its owner can ever read; raises Refused if it is none or cannot be saved."""
    if not TOKEN.fullmatch(token):
        raise Refused("illegal token: it takes printable characters without spaces.")
    _write(path, f"{token}\n")


def load_token(path: Path) -> str:
    """The token; raises Refused if there is none, or others can read it."""
    try:
        with path.open(encoding="ascii", errors="replace") as file:
            if os.fstat(file.fileno()).st_mode & 0o077:
                raise Refused(f"'{path}' can be read by others; it takes a token of yours alone: chmod 600 '{path}'.")
            token = file.read(1000).strip()
    except FileNotFoundError:
        raise Refused(f"there is no token in '{path}'; `kriegbot online register` gets one.") from None
    except OSError as error:
        raise Refused(f"cannot read the token '{path}': {error.strerror or error}.") from None
    if not TOKEN.fullmatch(token):
        raise Refused(f"'{path}' holds no token; it takes one line, as `kriegbot online register` writes it.")
    return token


def _write(path: Path, text: str) -> None:
    """Writes a new file, whole or not at all."""
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
