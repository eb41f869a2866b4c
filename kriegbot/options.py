"""Options: the settings of a player as specs write them, `depth=2`, with what each takes and does."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TypeAlias

from kriegbot.parts import Parts

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
      words: what each of `choices` is, for people choosing one; empty if the names will do.
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
    words: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Raises ValueError unless there are values that it takes, and its default is one of them."""
        if self.parts is not None:
            return
        if self.kind is not str and self.kind not in _KINDS:
            raise ValueError(f"option {self.name!r} is of {self.kind!r}; it takes int, float or str")
        if not (self.choices if self.kind is str else self.low < self.high):
            needed = "choices" if self.kind is str else "low and high"
            raise ValueError(f"option {self.name!r} takes no value; give it {needed}")
        if self.default is not None and (
            self.default not in self.choices if self.kind is str else not self.low <= float(self.default) <= self.high
        ):
            raise ValueError(f"option {self.name!r}: its default {self.default!r} is not {self.sentence}")

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


def value_text(value: Value) -> str:
    """A value as specs write it: 1.0 is 1."""
    return repr(value).removesuffix(".0") if isinstance(value, float) else str(value)
