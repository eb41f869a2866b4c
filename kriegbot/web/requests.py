"""The messages from a browser to the server: JSON objects of at most `MAX_BYTES`, checked by msgspec.

`do` names the message. Squares are written as "e4", pieces as letters as in a FEN, sides as "white" and "black"; tries
as people write them here, in UCI notation in `kriegbot.web.notices`, which has the other direction.
"""

from typing import Annotated, ClassVar, Literal, get_args, get_type_hints

import msgspec

from kriegbot.narration.names import MAX_NAME
from kriegbot.request import Refused

IS_GUEST = "kriegbot.guest"  # in the scope of a connection: True if it comes by a link to one game
MAX_BYTES = 4096  # of a message from a browser
MAX_TRY = 20  # characters of a try; no notation is longer
MAX_MOMENTS = 16  # moments in one request for beliefs
MAX_PACE = 10.0  # seconds for each try

BROKEN_LINK = (
    "This link is incomplete or no longer valid. Ask for the whole link, or open the address that kriegbot prints."
)

FileName = Annotated[str, msgspec.Meta(max_length=200)]
Name = Annotated[str, msgspec.Meta(max_length=MAX_NAME)]
Seconds = Annotated[float, msgspec.Meta(ge=0, le=MAX_PACE)]

FOR_HOST = {"new", "invite", "newlink", "freeseat", "watch", "privacyscreen", "network"}
FOR_HOST |= {"library", "open", "resume", "delete"}
"""Requests that guests, who have a link to one game, may not send."""


class Request(msgspec.Struct):
    """A message from a browser."""

    usage: ClassVar[str] = "A field of that message is missing or wrong."  # the refusal if its fields are wrong


class Detailed(Request, tag_field="do", tag=str.lower):
    """A request with fields of its own."""


class Act(Request):
    """A request that needs no more than its name."""

    do: Literal[
        "resign",
        "leave",  # abandon the game
        "draw",  # offer the other person a draw, or accept its offer
        "claimwin",  # or a draw, of a game that the other person has left
        "claimdraw",
        "progress",  # the games in progress that belong to this browser
        "takeback",  # of the last move and the program's reply
        "hint",  # the computer's best tries, from what the person knows
        "rematch",  # another game of the same kind with sides exchanged, once this one has ended
        "newlink",  # a new game with a new link, in place of one that somebody else has joined
        "freeseat",  # of the other person, who has lost the browser it joined in
        "privacyscreen",  # two people share this browser: send nothing of their game until it joins a side again
        "library",  # the list of saved games
        "turning",  # the turning points of a game that has ended
    ]


class New(Detailed):
    """A new game against a program."""

    opponent: str
    color: str  # "white", "black" or "random"
    rules: str
    seed: str | None  # digits, since JavaScript would round a number; null for a fresh one
    clock: str | None  # seconds at the start and for each move, as in "300+5"; null for none
    limits: str = "none"  # as of commands


class Invite(Detailed):
    """A new game between two people. The sender gets one side, and a link for the other person."""

    color: str
    rules: str
    clock: str | None
    name: Name = ""  # of the sender
    limits: str = "none"


class Watch(Detailed):
    """A game between two programs, with at least `pace` seconds for each try."""

    usage = f"Choose two players, rules, a seed, and from 0 to {MAX_PACE:g} seconds per try."
    white: str
    black: str
    rules: str
    seed: str | None
    pace: Seconds


class WithGame(Request):
    """A game and a seat in it, if it has a free one, or the game in the address."""

    usage = f"A name has at most {MAX_NAME} characters."
    do: Literal["join", "visit"]  # a visit takes no free seat: a preview of a link must not
    game: str
    name: Name = ""


class OpenNetwork(Detailed, tag="network"):
    """Let guests in from a network, at one of this machine's addresses; null closes it."""

    usage = "Choose one of this machine's addresses, or null."
    address: Annotated[str, msgspec.Meta(max_length=40)] | None


class Rename(Detailed):
    """The person's name, for the other person."""

    usage = f"A name has at most {MAX_NAME} characters."
    name: Name


class WithTry(Request):
    """A try, as people write it, or "any": for now, or prepared for the person's turn while the opponent thinks."""

    usage = f"A try has at most {MAX_TRY} characters."
    do: Literal["try", "prepare"]
    text: Annotated[str, msgspec.Meta(max_length=MAX_TRY)]


class WithFile(Request):
    """A saved game to look at (an unfinished one gets a mark, since both sides are shown), to play on or to delete."""

    do: Literal["open", "resume", "delete"]
    file: FileName


class Switch(Request):
    """Turn the map of enemy pieces on or off, or pause the watched game or go on with it."""

    do: Literal["heat", "pause"]
    on: bool


class SetPace(Detailed, tag="pace"):
    """The least number of seconds for each try in the watched game."""

    usage = f"Choose from 0 to {MAX_PACE:g} seconds per try."
    seconds: Seconds


class Look(Detailed):
    """Both sides' beliefs at some moments, and the values of the mover's tries; one reply for each moment."""

    usage = f"A request for analysis has a list of up to {MAX_MOMENTS} numbers of moments."
    indexes: Annotated[list[int], msgspec.Meta(max_length=MAX_MOMENTS)]


def tag_of(request: Request) -> str:
    """Return the `do` of a message."""
    return str(getattr(request, "do", request.__struct_config__.tag))


REQUESTS: dict[str, type[Request]] = {str(kind.__struct_config__.tag): kind for kind in Detailed.__subclasses__()}
for _kind in (Act, WithGame, WithTry, WithFile, Switch):
    REQUESTS |= dict.fromkeys(get_args(get_type_hints(_kind)["do"]), _kind)


class _Tagged(msgspec.Struct):
    do: str


def read_request(text: str | None) -> Request:
    """Decode a message; ignore fields that its class does not have. Raise Refused unless it is one of `REQUESTS`."""
    try:
        kind = REQUESTS.get(msgspec.json.decode(text or "", type=_Tagged).do)
    except (msgspec.DecodeError, RecursionError):
        raise Refused("That message cannot be read.") from None
    if kind is None:
        raise Refused("There is no such message.")
    try:
        return msgspec.json.decode(text or "", type=kind)
    except msgspec.DecodeError:
        raise Refused(kind.usage) from None
