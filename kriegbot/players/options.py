"""How a player describes itself: its options, how it plays, and how it is made.

Each of our players is one file NAME.py in this folder that defines NAME, a `PlayerKind`. Such a file is light: slow
imports, above all kernels, happen when a player is made.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from kriegbot.parts import Parts
from kriegbot.players.base import Player

Value: TypeAlias = int | float | str

_WHOLE = re.compile(r"[+-]?[0-9]{1,18}")
_NUMBER = re.compile(r"[+-]?(?:[0-9]{1,18}(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?")
_KINDS = {int: "a whole number", float: "a number"}


@dataclass(frozen=True, slots=True)
class Option:
    """One setting of a player.

    Attributes:
      name: as in specs.
      kind: int, float or str.
      help: what it does.
      default: its default value; None where `default_text` says what happens instead.
      low: least value of a number.
      high: greatest value of a number.
      choices: the values of a str.
      unit: what a number counts, such as seconds.
      default_text: the default in words, if no value describes it.
      parts: instead of `choices`: the value names one of these parts, ours or from outside.
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
    parts: Parts | None = None

    @property
    def takes(self) -> str:
        """The values it takes: "1..4", "0.01..3600 seconds", "ks|material"."""
        if self.kind is str:
            return "|".join(self._names())
        return f"{self.low:.15g}..{self.high:.15g}{' ' + self.unit if self.unit else ''}"

    @property
    def sentence(self) -> str:
        """The same for use in a sentence: "a whole number, 1..4"."""
        if self.kind is str:
            outside = ", or FILE.py:NAME or MODULE:NAME" if self.parts is not None else ""
            return f"one of {', '.join(self._names())}{outside}"
        return f"{_KINDS[self.kind]}, {self.takes}"

    @property
    def usual(self) -> str:
        """The default as text."""
        return self.default_text or value_text(self.default if self.default is not None else "")

    def read(self, text: str) -> Value:
        """The value that a text stands for.

        Raises:
          ValueError: the text is no such value, or it is out of range.
        """
        if self.parts is not None:
            if not text.isprintable():  # a spec is one line
                raise ValueError
            self.parts.check(text)
            return text
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

    def _names(self) -> tuple[str, ...]:
        return self.choices if self.parts is None else self.parts.names()


@dataclass(frozen=True, slots=True)
class PlayerKind:
    """How a player describes itself.

    Attributes:
      summary: how it plays.
      make: called with a seed and all options by name; returns a player for one game. None for a person.
      options: what it takes.
      either: names of options of which at most one may be given.
      words: how it plays, for people choosing an opponent; empty if the summary will do.
      rank: its place in lists for people; 1 comes first.
      has_kernels: whether kernels have to be ready before it is made.
    """

    summary: str
    make: Callable[..., Player] | None
    options: tuple[Option, ...] = ()
    either: tuple[str, ...] = ()
    words: str = ""
    rank: int = 100
    has_kernels: bool = False


def value_text(value: Value) -> str:
    """A value as specs write it: 1.0 is 1."""
    return repr(value).removesuffix(".0") if isinstance(value, float) else str(value)
