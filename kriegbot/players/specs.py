"""Players by name: specs such as `overconfident:depth=2,time=1`, and the table of who takes what.

The table `PLAYERS` is data: `kriegbot players` prints it, and every refusal quotes it.
"""

from __future__ import annotations

import difflib
import re
import reprlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, TypeAlias

from evaluators import EVALUATORS
from kriegbot.players.base import Player

Value: TypeAlias = int | float | str
Progress: TypeAlias = Callable[[str, int, int], None]
"""Called with what is being prepared, how many are done, and how many there are."""

_WHOLE = re.compile(r"[+-]?[0-9]{1,18}")
_NUMBER = re.compile(r"[+-]?(?:[0-9]{1,18}(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?")
_KINDS = {int: "a whole number", float: "a number"}


class BadSpec(ValueError):
    """A text does not say which player is meant; the message is one line and names what would do."""


@dataclass(frozen=True, slots=True)
class Option:
    """One setting of a player.

    Attributes:
      name: as in specs.
      kind: int, float or str.
      help: what it does.
      default: its value unless given; None where `default_text` tells what happens instead.
      low: least value of a number.
      high: greatest value of a number.
      choices: the values of a str.
      unit: what a number counts, such as seconds.
      default_text: the default in words, where a value does not say it.
    """

    name: str
    kind: type[int] | type[float] | type[str]
    help: str
    default: Value | None = None
    low: float = 0
    high: float = 0
    choices: tuple[str, ...] = ()
    unit: str = ""
    default_text: str = ""

    @property
    def takes(self) -> str:
        """The values it takes: "1..4", "0.01..3600 seconds", "ks|material"."""
        if self.kind is str:
            return "|".join(self.choices)
        return f"{self.low:.15g}..{self.high:.15g}{' ' + self.unit if self.unit else ''}"

    @property
    def usual(self) -> str:
        """The default as text."""
        return self.default_text or value_text(self.default if self.default is not None else "")

    def read(self, text: str) -> Value:
        """The value that a text stands for.

        Raises:
          ValueError: the text is no such value, or it is out of range.
        """
        if self.kind is str:
            if text not in self.choices:
                raise ValueError
            return text
        if not (_WHOLE if self.kind is int else _NUMBER).fullmatch(text):
            raise ValueError
        number = int(text) if self.kind is int else float(text)
        if not self.low <= number <= self.high:
            raise ValueError
        return number


@dataclass(frozen=True, slots=True)
class PlayerKind:
    """One line of the table of players.

    Attributes:
      name: as in specs.
      summary: how it plays.
      options: what it takes.
      either: names of two options of which at most one may be given.
    """

    name: str
    summary: str
    options: tuple[Option, ...] = ()
    either: tuple[str, ...] = ()


SEARCH_OPTIONS = (
    Option("depth", int, "plies to look ahead", 2, 1, 4),
    Option("time", float, "budget for a turn's first try", 1.0, 0.01, 3600, unit="seconds"),
    Option("samples", int, "histories drawn per try, instead", None, 1, 1_000_000, default_text="by time"),
    Option(
        "extra",
        float,
        "budget for each further try",
        None,
        0.01,
        3600,
        unit="seconds",
        default_text="as time",
    ),
    Option(
        "further",
        int,
        "histories joined to those that a refusal leaves, instead",
        None,
        1,
        1_000_000,
        default_text="all drawn anew",
    ),
    Option(
        "particles",
        int,
        "most boards held in the belief",
        None,
        100,
        1_000_000,
        default_text="50000, fewer below half a second",
    ),
    Option("evaluator", str, "what values a leaf", "ks", choices=tuple(EVALUATORS)),
)

HS_OPTIONS = (
    Option("depth", int, "plies to look ahead, before quiescence", 2, 1, 4),
    Option("time", float, "budget for each try", 1.0, 0.01, 3600, unit="seconds"),
    Option("samples", int, "boards searched per try, instead", None, 1, 1_000_000, default_text="by time"),
    Option("pool", int, "most boards kept that fit everything", 1_000, 1, 1_000_000),
    Option("sampling", str, "where boards come from", "hs", choices=("hs", "los", "aos", "aosp")),
    Option("evaluator", str, "what values a leaf", "ks", choices=tuple(EVALUATORS)),
)

PLAYERS: Mapping[str, PlayerKind] = MappingProxyType(
    {
        kind.name: kind
        for kind in (
            PlayerKind(
                "hs",
                "searches boards as if both sides saw them (HS, IJCAI 2005)",
                HS_OPTIONS,
                ("time", "samples"),
            ),
            PlayerKind("human", "a person, at `kriegbot play`"),
            PlayerKind(
                "overconfident",
                "searches; its opponent moves at random (AAAI 2006, Eq. 2)",
                SEARCH_OPTIONS,
                ("time", "samples"),
            ),
            PlayerKind(
                "paranoid",
                "searches; its opponent sees everything (AAAI 2006, Eq. 3)",
                SEARCH_OPTIONS,
                ("time", "samples"),
            ),
            PlayerKind("rand", "any try that is open, all alike"),
        )
    }
)


@dataclass(frozen=True, slots=True)
class PlayerSpec:
    """A player and its settings.

    Attributes:
      name: one of `PLAYERS`.
      options: the options given, in the order of the table; the others have their defaults.
    """

    name: str
    options: Mapping[str, Value] = field(default_factory=dict)

    def __str__(self) -> str:
        given = ",".join(f"{name}={value_text(value)}" for name, value in self.options.items())
        return f"{self.name}:{given}" if given else self.name

    def __hash__(self) -> int:
        return hash(str(self))

    def get(self, option: str) -> Value | None:
        """The value of an option: given, or its default."""
        if option in self.options:
            return self.options[option]
        return next((known.default for known in PLAYERS[self.name].options if known.name == option), None)

    def having(self, option: str, text: str) -> PlayerSpec:
        """This player with one option set anew.

        Raises:
          BadSpec: the player has no such option, or the text is no value of it.
        """
        given = {name: value_text(value) for name, value in self.options.items()}
        return _spec(self.name, given | {option: text})


def parse_spec(text: str) -> PlayerSpec:
    """The player that a spec names.

    Raises:
      BadSpec: it names none; the message says what would do.
    """
    name, colon, rest = text.partition(":")
    if name not in PLAYERS:
        raise BadSpec(
            f"unknown player {quoted(name)}{did_you_mean(name, PLAYERS)} Known: {', '.join(sorted(PLAYERS))}."
        )
    given: dict[str, str] = {}
    for part in rest.split(",") if colon else ():
        option, equals, value = part.partition("=")
        if not option or not equals:
            raise BadSpec(f"illegal option {quoted(part)} of player '{name}': it takes name=value; {_takes(name)}.")
        if option in given:
            raise BadSpec(f"option {quoted(option)} of player '{name}' is given twice.")
        given[option] = value
    return _spec(name, given)


def make_player(spec: PlayerSpec, seed: int, report: Progress | None = None) -> Player:
    """A player that plays one game; with a fixed sample, the same seed plays the same game.

    Args:
      spec: who.
      seed: of its randomness, from 0.
      report: told how far the kernels are, if they have to be compiled first.

    Raises:
      BadSpec: the player is a person, who needs a console: see `kriegbot.players.human`.
    """
    if spec.name == "rand":
        from kriegbot.players.rand import RandPlayer

        return RandPlayer(seed)
    if spec.name == "human":
        programs = ", ".join(sorted(set(PLAYERS) - {"human"}))
        raise BadSpec(f"player 'human' plays at `kriegbot play` alone; here plays one of {programs}.")
    from kriegbot.kernels import prepare

    prepare(report)
    return _hs_player(spec, seed) if spec.name == "hs" else _search_player(spec, seed)


def _hs_player(spec: PlayerSpec, seed: int) -> Player:
    from kriegbot.players.hs import HSPlayer

    names = ("depth", "samples", "pool", "sampling", "evaluator")
    settings: dict[str, Any] = {name: spec.get(name) for name in names} | {"seconds": spec.get("time")}
    return HSPlayer(**settings, seed=seed)


def _search_player(spec: PlayerSpec, seed: int) -> Player:
    from kriegbot.players.searching import SearchPlayer
    from kriegbot.search.backup import OVERCONFIDENT, PARANOID

    names = ("depth", "samples", "extra", "further", "particles", "evaluator")
    settings: dict[str, Any] = {name: spec.get(name) for name in names} | {"seconds": spec.get("time")}
    return SearchPlayer({"overconfident": OVERCONFIDENT, "paranoid": PARANOID}[spec.name], **settings, seed=seed)


def value_text(value: Value) -> str:
    """A value as specs write it: 1.0 is 1."""
    return repr(value).removesuffix(".0") if isinstance(value, float) else str(value)


def quoted(text: str) -> str:
    """A text as messages quote it: on one line, and not for ever."""
    return reprlib.repr(text)


def did_you_mean(text: str, known: Mapping[str, object]) -> str:
    """The near miss as the rest of a sentence, or the sentence's end."""
    near = difflib.get_close_matches(text.lower(), known, n=1)
    return f"; did you mean '{near[0]}'?" if near else "."


def _spec(name: str, given: Mapping[str, str]) -> PlayerSpec:
    kind = PLAYERS[name]
    known = {option.name: option for option in kind.options}
    values: dict[str, Value] = {}
    for option, text in given.items():
        if option not in known:
            hint = did_you_mean(option, known)
            raise BadSpec(f"player '{name}' has no option {quoted(option)}{hint} {_sentence(_takes(name))}.")
        try:
            values[option] = known[option].read(text)
        except ValueError:
            takes = f"one of {', '.join(known[option].choices)}"
            if known[option].kind is not str:
                takes = f"{_KINDS[known[option].kind]}, {known[option].takes}"
            raise BadSpec(f"illegal {option} {quoted(text)} for player '{name}'; it takes {takes}.") from None
    if kind.either and all(option in values for option in kind.either):
        raise BadSpec(f"player '{name}' takes {' or '.join(kind.either)}, not both.")
    return PlayerSpec(name, {option.name: values[option.name] for option in kind.options if option.name in values})


def _takes(name: str) -> str:
    options = [f"{option.name} ({option.takes})" for option in PLAYERS[name].options]
    return "it takes " + (", ".join(options) or "no options")


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:]
