"""The settings of the bot: one TOML file. docs/online.md shows it with every key; each has a default."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from datetime import time
from pathlib import Path
from typing import Any

from kriegbot.online.site import SITE, checked_address
from kriegbot.players.specs import PlayerSpec, parse_spec
from kriegbot.request import Refused, program_of
from referee import RULE_SETS, RuleSet
from referee.text import did_you_mean, one_line, quoted

PLAYER = "kriegbot:time=5"
MOST_GAMES = 20
WHO = ("humans", "bots", "anyone", "nobody")
_HOURS = re.compile(r"([01][0-9]|2[0-3]):([0-5][0-9])-([01][0-9]|2[0-4]):([0-5][0-9])")

SITE_RULES = {name: RULE_SETS[name] for name in ("berkeley", "wild16", "cincinnati", "berkeley_any", "rand", "english")}
"""The rule sets that the site has, by the names that it shares with us."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What the bot does.

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
        """Whether new games begin at a time of day."""
        if self.hours is None:
            return True
        first, last = self.hours
        return first <= now < last if first < last else now >= first or now < last


def load_settings(path: Path) -> Settings:
    """The settings in a file.

    Raises:
      Refused: it cannot be read, or something in it is not known; the message says what would be.
    """
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise Refused(f"cannot read the settings '{path}': {error.strerror or error}.") from None
    except ValueError as error:
        raise Refused(f"'{path}' is no file of settings: {one_line(str(error), 200)}; it takes TOML.") from None
    return read_settings(data, str(path))


def read_settings(data: dict[str, Any], where: str) -> Settings:
    """The settings in a table; raises Refused as `load_settings`."""
    known = [one.name for one in fields(Settings)]
    values = {}
    for name, value in data.items():
        if name not in known:
            hint = did_you_mean(name, known)
            raise Refused(f"unknown setting {quoted(name)} in '{where}'{hint} Known: {', '.join(known)}.")
        values[name] = _READERS[name](name, value)
    return Settings(**values)


def _illegal(name: str, value: object, takes: str) -> Refused:
    return Refused(f"illegal setting {name} = {quoted(value)}: it takes {takes}.")


def _text(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise _illegal(name, value, "a text in quotation marks")
    return value


def _names(name: str, value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise _illegal(name, value, "a list of names, such as ['alice', 'bob']")
    return tuple(value)


def _rules(name: str, value: object) -> tuple[RuleSet, ...]:
    names = _names(name, value)
    known = ", ".join(SITE_RULES)
    if not names:
        raise _illegal(name, value, f"at least one of {known}")
    for one in names:
        if one not in SITE_RULES:
            hint = did_you_mean(one, SITE_RULES)
            raise Refused(f"illegal setting {name}: unknown rule set {quoted(one)}{hint} The site's: {known}.")
    return tuple(SITE_RULES[one] for one in dict.fromkeys(names))


def _games(name: str, value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= MOST_GAMES:
        raise _illegal(name, value, f"a whole number, 1..{MOST_GAMES}")
    return value


def _who(name: str, value: object) -> str:
    if value not in WHO:
        raise _illegal(name, value, f"one of {', '.join(WHO)}")
    return str(value)


def _yes_no(name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise _illegal(name, value, "true or false")
    return value


def _hours(name: str, value: object) -> tuple[time, time] | None:
    found = _HOURS.fullmatch(value) if isinstance(value, str) else None
    if found is None or found[3] + found[4] > "2400":
        raise _illegal(name, value, "two times, such as '08:00-22:30'")
    first, last = (int(found[1]), int(found[2])), (int(found[3]) % 24, int(found[4]))
    return None if first == last else (time(*first), time(*last))


_READERS: dict[str, Callable[[str, object], Any]] = {
    "site": lambda name, value: checked_address(_text(name, value)),
    "player": lambda name, value: program_of(_text(name, value)),
    "rules": _rules,
    "games": _games,
    "opponents": _who,
    "allow": _names,
    "block": _names,
    "hours": _hours,
    "create": _yes_no,
    "join": _yes_no,
    "records": lambda name, value: Path(_text(name, value)).expanduser(),
}
