"""Every message from browser to page: JSON objects of at most `MOST_BYTES`.

`do` names one of the classes of `ASKED`; `asked_by` checks what comes. Squares are written as "e4", men as letters as
in a FEN, sides as "white" and "black", tries in UCI notation. `web.replies` has the other direction.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, ClassVar, dataclass_transform, get_type_hints

from kriegbot.request import Refused

MOST_BYTES = 4096  # of a message of the browser
MOST_TEXT = 20  # characters of a try; no notation is longer
MOST_CHOICES = 1000  # characters of what the page remembers
MOST_NAME = 200  # characters of a file's name
MOST_LOOKS = 16  # moments asked for at once
LONGEST = {"text": MOST_TEXT, "choices": MOST_CHOICES, "file": MOST_NAME, "indexes": MOST_LOOKS}
"""By the name of a field."""
MOST_PACE = 10.0  # the longest pause between two tries, in seconds


@dataclass_transform(frozen_default=True)
class Asked:
    """A message, as a frozen dataclass; the name of its class in small letters is its `do`.

    Attributes:
      takes: what is said if its fields are wrong.
      is_for_host: whether guests, who have a link to one game, may not ask for it.
    """

    do: ClassVar[str]
    takes: ClassVar[str]
    is_for_host: ClassVar[bool]
    __match_args__: ClassVar[tuple[str, ...]]

    def __init_subclass__(cls, takes: str = "", is_for_host: bool = False) -> None:
        cls.do, cls.takes, cls.is_for_host = cls.__name__.lower(), takes, is_for_host
        dataclass(frozen=True)(cls)


class New(Asked, takes="A new game takes an opponent, a colour, rules, a seed and a clock.", is_for_host=True):
    """A new game against a program; `color` may be "random"; without a seed, a fresh one.

    clock: seconds at the start and for each move, as in "300+5"; null for none.
    """

    opponent: str
    color: str
    rules: str
    seed: str | None
    clock: str | None


class Invite(Asked, takes="A game for two takes a colour, rules and a clock.", is_for_host=True):
    """A new game between two people; whoever asks gets a side and, for the other person, a link."""

    color: str
    rules: str
    clock: str | None


class Watch(
    Asked,
    takes=f"To watch takes two players, rules, a seed and a pace from 0 to {MOST_PACE:g} seconds.",
    is_for_host=True,
):
    """A game between two programs, with at least `pace` seconds from try to try."""

    white: str
    black: str
    rules: str
    seed: str | None
    pace: float


class Join(Asked, takes="To join takes the name of a game."):
    """An existing game, by its name in the address."""

    game: str


class Curtain(Asked, is_for_host=True):
    """Both people are at this screen, and nothing more is told until one of their sides is joined."""


class Try(Asked, takes=f"A try takes a text of at most {MOST_TEXT} characters."):
    """The person's try, as people write it, in at most 20 characters."""

    text: str


class Resign(Asked):
    """The person gives up."""


class Leave(Asked):
    """The game is abandoned."""


class Draw(Asked):
    """The person offers the other person a draw, or accepts the one that is offered."""


class TakeBack(Asked):
    """The person takes a move back, and with it the program's reply."""


class Hint(Asked):
    """The best tries by the search, from what the person knows."""


class Rematch(Asked):
    """Another game of the same kind, with sides exchanged, once this one has ended."""


class Library(Asked, is_for_host=True):
    """Which games are saved."""


class Open(Asked, takes="To open a game takes the name of its file.", is_for_host=True):
    """A saved game, to look at; one that was broken off is marked, since both sides of it have been seen."""

    file: str


class Resume(Asked, takes="To resume a game takes the name of its file.", is_for_host=True):
    """A saved game that was broken off, to play on."""

    file: str


class Delete(Asked, takes="To delete a game takes the name of its file.", is_for_host=True):
    """A saved game, to be deleted."""

    file: str


class Remember(Asked, takes=f"Choices are a text of at most {MOST_CHOICES} characters.", is_for_host=True):
    """What was chosen on the page, as a text that only the page reads, for the next time."""

    choices: str


class Heat(Asked, takes="The map of enemy men takes on or off."):
    """Whether to show where enemy men may be."""

    on: bool


class Pause(Asked, takes="A pause takes on or off."):
    """Whether the watched game pauses."""

    on: bool


class Pace(Asked, takes=f"A pace takes from 0 to {MOST_PACE:g} seconds."):
    """The least number of seconds from try to try in the watched game."""

    seconds: float


class Look(Asked, takes=f"To look takes a list of up to {MOST_LOOKS} numbers of moments."):
    """What both sides believed at some moments, and what the mover's tries were worth; one answer for each."""

    indexes: list[int]


class Turning(Asked):
    """The turning points of a game that has ended."""


ASKED = {kind.do: kind for kind in Asked.__subclasses__()}


def asked_by(text: str | None) -> Asked:
    """What a message of a browser asks for; fields that its kind does not have are ignored. None is no text."""
    try:
        message = json.loads(text) if text is not None else None
    except (ValueError, RecursionError):
        message = None
    if not isinstance(message, dict):
        raise Refused("That message cannot be read.")
    do = message.get("do")
    if not isinstance(do, str) or do not in ASKED:
        raise Refused("There is no such message.")
    kind = ASKED[do]
    types = get_type_hints(kind)
    names = list(kind.__match_args__)
    if not all(name in message and _fits(message[name], types[name], LONGEST.get(name, MOST_BYTES)) for name in names):
        raise Refused(kind.takes)
    return kind(**{name: message[name] for name in names})


def _fits(value: object, kind: Any, longest: int) -> bool:
    """Whether a JSON value has the type and the length of a field; true is not a number, and every float is a pace."""
    if kind is float:
        return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= MOST_PACE
    if kind == list[int]:
        return isinstance(value, list) and len(value) <= longest and all(type(one) is int for one in value)
    return isinstance(value, kind) and (not isinstance(value, str) or len(value) <= longest)
