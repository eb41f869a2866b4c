"""Options of players: their names, their allowed values, and how specs write them."""

import re
from dataclasses import dataclass
from typing import TypeAlias

from kriegbot.parts import NotFound, Parts
from referee.text import unknown

Value: TypeAlias = int | float | str
_WHOLE = re.compile(r"[+-]?[0-9]{1,18}")
_NUMBER = re.compile(r"[+-]?(?:[0-9]{1,18}(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?")
_KINDS = {int: "a whole number", float: "a number"}


@dataclass(frozen=True, slots=True)
class Option:
    """One setting of a player, which specs write as `depth=2`.

    >>> depth = Option("depth", int, "plies of the search", default=1, low=1, high=4)
    >>> depth.read("2"), depth.takes, depth.sentence
    (2, '1..4', 'a whole number, 1..4')
    """

    name: str
    kind: type[int] | type[float] | type[str]
    help: str  # its effect, in a few words
    default: Value | None = None  # None where `default_text` describes it in words
    low: float = 0  # the least number
    high: float = 0
    choices: tuple[str, ...] = ()  # the texts that it takes
    unit: str = ""  # of a number, such as seconds
    default_text: str = ""
    parts: Parts | None = None  # instead of `choices`, the parts that a text may name
    words: tuple[str, ...] = ()  # a description of each choice
    is_experimental: bool = False  # only for Python, `kriegbot reproduce`, saved games and resumed tournaments

    def __post_init__(self) -> None:
        """Raise ValueError unless there are parts, left unchecked, or choices or bounds that allow the default."""
        if self.parts is not None:
            return
        if self.kind is not str and self.kind not in _KINDS:
            raise ValueError(f"option {self.name!r} is of {self.kind!r}; it takes int, float or str")
        if not (self.choices if self.kind is str else self.low < self.high):
            needed = "choices" if self.kind is str else "low and high"
            raise ValueError(f"option {self.name!r} takes no value; give it {needed}")
        default = self.default
        is_good = default in self.choices if self.kind is str else self.low <= float(default or 0) <= self.high
        if default is not None and not is_good:
            raise ValueError(f"option {self.name!r}: its default {default!r} is not {self.sentence}")

    @property
    def takes(self) -> str:
        """The allowed values, of parts those built in: "1..4", "0.01..3600 seconds", "ks|material"."""
        if self.kind is str:
            return "|".join(self._names())
        return f"{self.low:.15g}..{self.high:.15g}{' ' + self.unit if self.unit else ''}"

    @property
    def sentence(self) -> str:
        """The allowed values for use in a sentence: "a whole number, 1..4"."""
        if self.kind is str:
            outside = ", or FILE.py:NAME or MODULE:NAME" if self.parts is not None else ""
            return f"one of {', '.join(self._names())}{outside}"
        return f"{_KINDS[self.kind]}, {self.takes}"

    @property
    def usual(self) -> str:
        """The default as text."""
        return self.default_text or value_text(self.default if self.default is not None else "")

    def read(self, text: str) -> Value:
        """Return the value of a text; raise ValueError if it is not allowed."""
        if self.parts is not None:
            if not text.isprintable():  # a spec is one line
                raise ValueError
            self.parts.check(text)
            return text
        if self.kind is str:
            if text not in self.choices:
                raise NotFound(unknown(self.name, text, self.choices))
            return text
        is_number = (_WHOLE if self.kind is int else _NUMBER).fullmatch(text)
        if not (is_number and self.low <= float(text) <= self.high):
            raise ValueError
        return int(text) if self.kind is int else float(text)

    def _names(self) -> tuple[str, ...]:
        return self.choices if self.parts is None else self.parts.names()


def value_text(value: Value) -> str:
    """Return a value as specs write it: 1.0 as "1"."""
    return repr(value).removesuffix(".0") if isinstance(value, float) else str(value)
