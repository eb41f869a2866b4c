"""Every message between page and browser, in both directions: JSON objects of at most `MOST_BYTES`.

From the browser: `do` names one of the classes of `ASKED`; `asked_by` checks what comes. To the browser: `is` names one
of the types of `TOLD`. Squares are written as "e4", men as letters as in a FEN, sides as "white" and "black", tries in
UCI notation. docs/web.md has the same in tables, which a test compares.
"""

from __future__ import annotations

import dataclasses
import json
import math
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias, TypedDict, get_args, get_type_hints

MOST_BYTES = 4096
"""Of a message of the browser."""
MOST_TEXT = 20
"""Characters of a try; no notation is longer."""
MOST_CHOICES = 1000
"""Characters of what the page remembers."""
MOST_NAME = 200
"""Characters of a file's name."""
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
    """What both sides believed at a moment, and what the mover's tries were worth."""

    do: ClassVar = "look"
    takes: ClassVar = "To look takes the number of a moment."
    index: int


Asked: TypeAlias = (
    New | Invite | Watch | Join | Curtain | Try | Resign | Leave | Draw | TakeBack | Hint | Rematch | Heat
) | (Pause | Pace | Look | Library | Open | Resume | Delete | Remember)
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
    return asked


def _fits(value: object, kind: Any) -> bool:
    """Whether a JSON value has the type of a field: a whole number is also a float; true is not a number."""
    if kind is float:
        return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    if kind is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, kind)


Men: TypeAlias = dict[str, str]
"""Square -> letter of the man."""


class OptionOffered(TypedDict):
    """An option of a player, as in its spec."""

    name: str
    takes: str
    default: str
    help: str


class PlayerOffered(TypedDict):
    """A player that can be chosen."""

    name: str
    summary: str
    options: list[OptionOffered]


class RulesOffered(TypedDict):
    """A rule set that can be chosen, and what it is about, in two lines."""

    name: str
    title: str
    about: list[str]


class LogEntry(TypedDict):
    """What was tried or heard: the number of the move, the words, the kind (one of `kriegbot.telling.diary.Kind`)."""

    move: str
    text: str
    kind: str


class Clear(TypedDict):
    """Squares that were free of enemy men at a ply."""

    ply: int
    squares: list[str]


class Clocks(TypedDict):
    """Seconds used by each side, or `left` to each; and whose clock runs."""

    white: float
    black: float
    running: str | None
    left: bool


class SavedGame(TypedDict):
    """A saved game: its file, the tags of its record, how it ended, and whether it can be played on."""

    file: str
    date: str
    white: str
    black: str
    rules: str
    result: str
    how: str
    help: str
    resumable: bool


class Believed(TypedDict):
    """A side's belief beside the truth: `kriegbot.web.analysis.believed`."""

    chances: list[list[float]]
    boards: int
    exact: bool
    fits: bool
    right: list[str]
    wrong: list[str]
    missed: list[str]
    placed: float
    men: int


class TryValued(TypedDict):
    """A try: its value in centipawns, and the chance that it is legal."""

    name: str
    uci: str
    value: float
    legal: float


class News(TypedDict):
    """New lines of each side and of the referee."""

    referee: list[str]
    white: list[str]
    black: list[str]


class Frame(TypedDict):
    """A moment of a game.

    title: what was tried, and the answer. place: the number of the move. true, white, black: the men that the referee,
    White and Black see. marks: where a man has just fallen. turn: None at the end. mover, move, answer: who tried
    what, and the answer. seconds: taken for the turn, if measured.
    """

    title: str
    place: str
    true: Men
    white: Men
    black: Men
    marks: list[str]
    news: News
    turn: str | None
    mover: str | None
    move: str | None
    answer: str | None
    seconds: float | None


_Told = TypedDict("_Told", {"is": str})


class Hello(_Told):
    """What can be chosen; the first message of all. Nothing is offered to a guest, who has a link to one game.

    choices: what the page has asked to be remembered.
    """

    players: list[PlayerOffered]
    rules: list[RulesOffered]
    guest: bool
    choices: str


class Preparing(_Told):
    """Kernels are being compiled: which, how many are done, and how many there are."""

    what: str
    done: int
    total: int


class Game(_Told):
    """What game this is: its name, its kind (play, watch or replay), the person's side, the players, the rules.

    A seed that was chosen is told; a fresh one is not, since a program's moves follow from it. clock: as in `new`. two:
    whether two people play; then invitation is the path of the link for the other, if the person may pass it on.
    """

    id: str
    kind: str
    you: str | None
    white: str
    black: str
    rules: str
    seed: str | None
    clock: str | None
    two: bool
    invitation: str | None


class Known(_Told):
    """Everything that the person's side knows.

    turn, ply, move: whose turn it is, plies played, and the number of the move. yours: whether a try is asked for. men:
    the side's own. enemyMen: how many the enemy has left. tries: those open. refused: names of this turn's refused
    tries. marks: where the enemy has just captured, and the own king in check. clear: squares that were free of enemy
    men when the side had made its last move. last: from where to where that went. taken: what the side captured, in
    words. lost: letters of its own men that fell. pawnTries: what was told of them, in words, or null. mayAsk: whether
    "any" is an answer, too. clocks: as the person sees them.
    """

    turn: str
    ply: int
    move: int
    yours: bool
    men: Men
    enemyMen: int  # noqa: N815 - as JavaScript writes it
    tries: list[str]
    refused: list[str]
    log: list[LogEntry]
    marks: list[str]
    clear: Clear
    last: list[str]
    taken: str
    lost: str
    pawnTries: str | None  # noqa: N815
    mayAsk: bool  # noqa: N815
    clocks: Clocks


class HeatMap(_Told):
    """For each kind of man, pawn to king, and each square the chance that an enemy stands there; empty if unknown."""

    on: bool
    ply: int
    chances: list[list[float]]


class Hinted(TypedDict):
    """The best tries, best first, and how they were found."""

    by: str
    tries: list[TryValued]


class HintGiven(_Told, Hinted):
    """The best tries at a ply, best first, and how they were found."""

    ply: int


class DrawOffered(_Told):
    """A side offers a draw; the offer lapses with the other side's next move."""

    by: str
    ply: int


class NextGame(_Told):
    """Another game, which the opponent or the person has asked for."""

    game: str


class SavedGames(_Told):
    """The games saved in a folder, newest first."""

    folder: str
    games: list[SavedGame]


class Over(_Told):
    """The end: the result, its reason, the file, the seed, whether the person won (null: a draw, or no person).

    resumable: whether the game was broken off and can be played on; then neither seed nor moves are told.
    """

    result: str
    text: str
    saved: str | None
    resumable: bool
    seed: str | None
    won: bool | None


class Frames(_Told):
    """Moments from number `start` on, after the end or of a watched game, and whether more will come."""

    start: int
    frames: list[Frame]
    live: bool


class Paced(_Told):
    """The least number of seconds from try to try in the watched game, and whether it is paused."""

    seconds: float
    paused: bool


class Looked(TypedDict):
    """Both sides' beliefs at a moment; the side to move, how its tries were valued, and all of them, best first."""

    white: Believed
    black: Believed
    mover: str | None
    by: str
    tries: list[TryValued]


class Analysis(_Told, Looked):
    """Both sides' beliefs at a moment; the side to move, how its tries were valued, and all of them, best first."""

    index: int


class Refusal(_Told):
    """A refusal: a sentence that says what cannot be done, and which message had asked for it, if known."""

    text: str
    to: str | None


Told: TypeAlias = (
    Hello | Preparing | Game | Known | HeatMap | HintGiven | DrawOffered | Over | NextGame | SavedGames
) | (Frames | Paced | Analysis | Refusal)
TOLD: dict[str, type[Told]] = {
    "hello": Hello,
    "preparing": Preparing,
    "game": Game,
    "view": Known,
    "heat": HeatMap,
    "hint": HintGiven,
    "offer": DrawOffered,
    "over": Over,
    "next": NextGame,
    "library": SavedGames,
    "frames": Frames,
    "pace": Paced,
    "analysis": Analysis,
    "refusal": Refusal,
}


def refusal(text: str, to: str | None = None) -> Refusal:
    """A refusal as a message."""
    return {"is": "refusal", "text": text, "to": to}
