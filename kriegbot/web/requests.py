"""Every message from browser to page: JSON objects of at most `MOST_BYTES`.

`do` names one of the classes of `ASKED`; `asked_by` checks what comes. Squares are written as "e4", men as letters as
in a FEN, sides as "white" and "black", tries in UCI notation. docs/web.md has the same in tables, which a test
compares. `web.replies` has the other direction.
"""

from __future__ import annotations

import dataclasses
import json
import math
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias, get_args, get_type_hints

MOST_BYTES = 4096
"""Of a message of the browser."""
MOST_TEXT = 20
"""Characters of a try; no notation is longer."""
MOST_CHOICES = 1000
"""Characters of what the page remembers."""
MOST_NAME = 200
"""Characters of a file's name."""
MOST_LOOKS = 16
"""Moments asked for at once."""
MOST_PACE = 10.0
"""The longest pause between two tries, in seconds."""


class BadMessage(ValueError):
    """What a browser asks for cannot be done; the message is a sentence for people."""


@dataclass(frozen=True, slots=True)
class New:
    """A new game against a program; `color` may be "random"; without a seed, a fresh one.

    clock: seconds at the start and for each move, as in "300+5"; null for none.
    """

    do: ClassVar = "new"
    takes: ClassVar = "A new game takes an opponent, a colour, rules, a seed and a clock."
    opponent: str
    color: str
    rules: str
    seed: str | None
    clock: str | None


@dataclass(frozen=True, slots=True)
class Invite:
    """A new game between two people; whoever asks gets a side and, for the other person, a link."""

    do: ClassVar = "invite"
    takes: ClassVar = "A game for two takes a colour, rules and a clock."
    color: str
    rules: str
    clock: str | None


@dataclass(frozen=True, slots=True)
class Watch:
    """A game between two programs, with at least `pace` seconds from try to try."""

    do: ClassVar = "watch"
    takes: ClassVar = f"To watch takes two players, rules, a seed and a pace from 0 to {MOST_PACE:g} seconds."
    white: str
    black: str
    rules: str
    seed: str | None
    pace: float


@dataclass(frozen=True, slots=True)
class Join:
    """An existing game, by its name in the address."""

    do: ClassVar = "join"
    takes: ClassVar = "To join takes the name of a game."
    game: str


@dataclass(frozen=True, slots=True)
class Curtain:
    """Both people are at this screen, and nothing more is told until one of their sides is joined."""

    do: ClassVar = "curtain"
    takes: ClassVar = ""


@dataclass(frozen=True, slots=True)
class Try:
    """The person's try, as people write it, in at most 20 characters."""

    do: ClassVar = "try"
    takes: ClassVar = f"A try takes a text of at most {MOST_TEXT} characters."
    text: str


@dataclass(frozen=True, slots=True)
class Resign:
    """The person gives up."""

    do: ClassVar = "resign"
    takes: ClassVar = ""


@dataclass(frozen=True, slots=True)
class Leave:
    """The game is abandoned."""

    do: ClassVar = "leave"
    takes: ClassVar = ""


@dataclass(frozen=True, slots=True)
class Draw:
    """The person offers the other person a draw, or accepts the one that is offered."""

    do: ClassVar = "draw"
    takes: ClassVar = ""


@dataclass(frozen=True, slots=True)
class TakeBack:
    """The person takes a move back, and with it the program's reply."""

    do: ClassVar = "takeback"
    takes: ClassVar = ""


@dataclass(frozen=True, slots=True)
class Hint:
    """The best tries by the search, from what the person knows."""

    do: ClassVar = "hint"
    takes: ClassVar = ""


@dataclass(frozen=True, slots=True)
class Rematch:
    """Another game of the same kind, with sides exchanged, once this one has ended."""

    do: ClassVar = "rematch"
    takes: ClassVar = ""


@dataclass(frozen=True, slots=True)
class Library:
    """Which games are saved."""

    do: ClassVar = "library"
    takes: ClassVar = ""


@dataclass(frozen=True, slots=True)
class Open:
    """A saved game, to look at; one that was broken off is marked, since both sides of it have been seen."""

    do: ClassVar = "open"
    takes: ClassVar = "To open a game takes the name of its file."
    file: str


@dataclass(frozen=True, slots=True)
class Resume:
    """A saved game that was broken off, to play on."""

    do: ClassVar = "resume"
    takes: ClassVar = "To resume a game takes the name of its file."
    file: str


@dataclass(frozen=True, slots=True)
class Delete:
    """A saved game, to be deleted."""

    do: ClassVar = "delete"
    takes: ClassVar = "To delete a game takes the name of its file."
    file: str


@dataclass(frozen=True, slots=True)
class Remember:
    """What was chosen on the page, as a text that only the page reads, for the next time."""

    do: ClassVar = "remember"
    takes: ClassVar = f"Choices are a text of at most {MOST_CHOICES} characters."
    choices: str


@dataclass(frozen=True, slots=True)
class Heat:
    """Whether to show where enemy men may be."""

    do: ClassVar = "heat"
    takes: ClassVar = "The map of enemy men takes on or off."
    on: bool


@dataclass(frozen=True, slots=True)
class Pause:
    """Whether the watched game pauses."""

    do: ClassVar = "pause"
    takes: ClassVar = "A pause takes on or off."
    on: bool


@dataclass(frozen=True, slots=True)
class Pace:
    """The least number of seconds from try to try in the watched game."""

    do: ClassVar = "pace"
    takes: ClassVar = f"A pace takes from 0 to {MOST_PACE:g} seconds."
    seconds: float


@dataclass(frozen=True, slots=True)
class Look:
    """What both sides believed at some moments, and what the mover's tries were worth; one answer for each."""

    do: ClassVar = "look"
    takes: ClassVar = f"To look takes a list of up to {MOST_LOOKS} numbers of moments."
    indexes: list[int]


@dataclass(frozen=True, slots=True)
class Turning:
    """The turning points of a game that has ended."""

    do: ClassVar = "turning"
    takes: ClassVar = "That takes nothing more."


Asked: TypeAlias = (
    New | Invite | Watch | Join | Curtain | Try | Resign | Leave | Draw | TakeBack | Hint | Rematch | Heat
) | (Pause | Pace | Look | Turning | Library | Open | Resume | Delete | Remember)
ASKED: dict[str, type[Asked]] = {kind.do: kind for kind in get_args(Asked)}


def asked_by(text: str | None) -> Asked:
    """What a message of a browser asks for; fields that its kind does not have are ignored.

    Args:
      text: the message; None for one that is not text.

    Raises:
      BadMessage: it is not a message of a known kind, or its fields are wrong.
    """
    try:
        message = json.loads(text) if text is not None else None
    except (ValueError, RecursionError):
        message = None
    if not isinstance(message, dict):
        raise BadMessage("That message cannot be read.")
    do = message.get("do")
    if not isinstance(do, str) or do not in ASKED:
        raise BadMessage("There is no such message.")
    kind = ASKED[do]
    types = get_type_hints(kind)
    names = [field.name for field in dataclasses.fields(kind)]
    if not all(name in message and _fits(message[name], types[name]) for name in names):
        raise BadMessage(kind.takes)
    asked = kind(**{name: message[name] for name in names})
    match asked:
        case Try(text=given) if len(given) > MOST_TEXT:
            raise BadMessage(kind.takes)
        case Remember(choices) if len(choices) > MOST_CHOICES:
            raise BadMessage(kind.takes)
        case Open(name) | Resume(name) | Delete(name) if len(name) > MOST_NAME:
            raise BadMessage(kind.takes)
        case Watch(pace=seconds) | Pace(seconds=seconds) if not 0 <= seconds <= MOST_PACE:
            raise BadMessage(kind.takes)
        case Look(indexes) if len(indexes) > MOST_LOOKS:
            raise BadMessage(kind.takes)
    return asked


def _fits(value: object, kind: Any) -> bool:
    """Whether a JSON value has the type of a field: a whole number is also a float; true is not a number."""
    if kind is float:
        return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < math.inf
    if kind is int:
        return isinstance(value, int) and not isinstance(value, bool)
    if kind == list[int]:
        return isinstance(value, list) and all(_fits(one, int) for one in value)
    return isinstance(value, kind)
