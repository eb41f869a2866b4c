"""Every message from page to browser: JSON objects whose `is` names one of the types of `TOLD`, in small letters.

Written as those of `web.requests` are, which has the other direction.
"""

from __future__ import annotations

from typing import TypeAlias, TypedDict

from kriegbot.narration.helping import Hint, TryValued
from kriegbot.narration.results import ResultsRow, ToPractise
from kriegbot.narration.turning import TurningPoint
from kriegbot.web.requests import Request, tag_of

Men: TypeAlias = dict[str, str]  # square -> letter of the man


class OptionOffered(TypedDict):
    """An option of a player, as in its spec, and what each of its choices is, in words."""

    name: str
    takes: str
    default: str
    help: str
    words: tuple[str, ...]


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
    """What was tried or heard, as `kriegbot.narration.diary.Entry`: move is its place, means has the page's texts."""

    move: str
    text: str
    kind: str
    means: list[str]
    squares: list[str]


class CheckShown(TypedDict):
    """A check to be answered: the squares that it may come from, and the open tries that do not answer it."""

    line: list[str]
    idle: list[str]


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


class BeliefShown(TypedDict):
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


_Reply = TypedDict("_Reply", {"is": str})


class Hello(_Reply):
    """What can be chosen; the first message of all. Nothing is offered to a guest, who has a link to one game.

    choices: what the page has asked to be remembered.
    """

    players: list[PlayerOffered]
    rules: list[RulesOffered]
    guest: bool
    choices: str


class Preparing(_Reply):
    """Kernels are being compiled: which, how many are done, and how many there are."""

    what: str
    done: int
    total: int


class GameInfo(_Reply):
    """What game this is: its name, its kind (play, watch or replay), the person's side, the players, the rules.

    A seed that was chosen is told; a fresh one is not, since a program's moves follow from it. clock: as in `new`. two:
    whether two people play; then invitation is the path of the link for the other, if the person may pass it on;
    onlookers is the path of the link for others, who see the game after its end. men: those that may be shown until
    more is told: the person's own, or all of a game to watch.
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
    onlookers: str | None
    men: Men


class SideView(_Reply):
    """Everything that the person's side knows.

    turn, ply, move: whose turn it is, plies played, and the number of the move. yours: whether a try is asked for. men:
    the side's own. enemyMen: how many the enemy has left. tries: those open, out of turn those that may be prepared.
    refused: names of this turn's refused tries. marks: where the enemy has just captured, and the own king in check.
    check: the one to be answered, or null. clear: squares that were free of enemy men when the side had made its last
    move. last: from where to where that went. taken: what the side captured, in words. lost: letters of its own men
    that fell. pawnTries: what was told of them, in words, or null. mayAsk: whether "any" is an answer, too. clocks: as
    the person sees them.
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
    check: CheckShown | None
    clear: Clear
    last: list[str]
    taken: str
    lost: str
    pawnTries: str | None  # noqa: N815
    mayAsk: bool  # noqa: N815
    clocks: Clocks


class HeatMap(_Reply):
    """For each kind of man, pawn to king, and each square the chance that an enemy stands there; empty if unknown."""

    on: bool
    ply: int
    chances: list[list[float]]


class HintFound(_Reply, Hint):
    """The best tries at a ply, best first, and how they were found."""

    ply: int


class DrawOffer(_Reply):
    """A side offers a draw; it lapses with the other side's next move, and `ply` is the last at which it stands."""

    by: str
    ply: int


class Presence(_Reply):
    """Between two people: whether the other is connected; not told when both first come."""

    here: bool


class NotYet(_Reply):
    """To those who have the link for others: why nothing of the game is shown yet."""

    text: str


class NextGame(_Reply):
    """Another game, which the opponent or the person has asked for."""

    game: str


class GameList(_Reply):
    """The games saved in a folder, newest first."""

    folder: str
    games: list[SavedGame]


class GameOver(_Reply):
    """The end: the result, its reason, the file, the seed, whether the person won (null: a draw, or no person).

    resumable: whether the game was broken off and can be played on; then neither seed nor moves are told.
    """

    result: str
    text: str
    saved: str | None
    resumable: bool
    seed: str | None
    won: bool | None


class ResultsTable(_Reply):
    """A person's results, for that person alone.

    about: rating and wins in a row. practise: skills to practise. text: what the game `game`, just ended, means.
    """

    rows: list[ResultsRow]
    about: str
    practise: list[ToPractise]
    game: str | None
    text: str


class Frames(_Reply):
    """Moments from number `start` on, after the end or of a watched game, and whether more will come."""

    start: int
    frames: list[Frame]
    live: bool


class PaceSet(_Reply):
    """The least number of seconds from try to try in the watched game, and whether it is paused."""

    seconds: float
    paused: bool


class MomentAnalysis(TypedDict):
    """Both sides' beliefs at a moment; who is to move, how tries are valued, its own that may be legal, best first."""

    white: BeliefShown
    black: BeliefShown
    mover: str | None
    by: str
    tries: list[TryValued]


class Analysis(_Reply, MomentAnalysis):
    """The same, and the number of the moment."""

    index: int


class PointShown(TurningPoint):
    """A turning point, and the number of its moment."""

    index: int


class TurningPoints(_Reply):
    """The turning points of both sides, White's first, each side's gravest first."""

    points: list[PointShown]


class Refusal(_Reply):
    """A refusal: a sentence that says what cannot be done, and which message had asked for it, if known."""

    text: str
    to: str | None


Reply: TypeAlias = (
    Hello | Preparing | GameInfo | SideView | HeatMap | HintFound | DrawOffer | Presence | GameOver | ResultsTable
) | (NextGame | NotYet | GameList | Frames | PaceSet | Analysis | TurningPoints | Refusal)


def refusal(text: str, to: Request | type[Request] | None = None) -> Refusal:
    """Return a refusal as a message; `to` is the message that is refused, if known."""
    return {"is": "refusal", "text": text, "to": None if to is None else tag_of(to)}
