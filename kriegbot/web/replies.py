"""The messages from the server to a browser: JSON objects, encoded by msgspec, whose `is` names the message.

`kriegbot.web.requests` has the other direction, and the notation of squares, pieces and sides.
"""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from kriegbot.narration.helping import TryValued
from kriegbot.narration.results import ResultsRow, ToPractise
from kriegbot.narration.turning import TurningPoint
from kriegbot.web.requests import Request, tag_of

Men: TypeAlias = dict[str, str]  # square -> letter of the piece


class OptionOffered(msgspec.Struct):
    """An option of a player, as in its spec; `words` describes its choices."""

    name: str
    takes: str
    default: str
    help: str
    words: tuple[str, ...]


class PlayerOffered(msgspec.Struct):
    """A player to choose."""

    name: str
    summary: str
    options: list[OptionOffered]


class RulesOffered(msgspec.Struct):
    """A rule set to choose, and two lines about it."""

    name: str
    title: str
    about: list[str]


class LogEntry(msgspec.Struct):
    """An entry of a `Diary`; `move` is its place, and `means` has keys of texts on the page."""

    move: str
    text: str
    kind: str
    means: list[str]
    squares: list[str]


class CheckShown(msgspec.Struct):
    """A check to answer: the squares that it may come from, and the open tries that do not answer it."""

    line: list[str]
    idle: list[str]


class Clear(msgspec.Struct):
    """Squares without enemy pieces at a ply."""

    ply: int
    squares: list[str]


class Clocks(msgspec.Struct):
    """Seconds that each side has used or, if `left`, has left; and the side whose clock runs."""

    white: float
    black: float
    running: str | None
    left: bool


class SavedGame(msgspec.Struct):
    """A saved game: its file, tags of its record, the way it ended, and `resumable` if it can be continued."""

    file: str
    date: str
    white: str
    black: str
    rules: str
    result: str
    how: str
    help: str
    resumable: bool


class BeliefShown(msgspec.Struct):
    """A side's belief beside the true board.

    chances: [6][64], to three places. boards: number of boards. exact: true if these are all possible boards. fits:
    true if they are consistent with all announcements. right: squares that the side was sure are occupied, and are.
    wrong: squares that it was sure are occupied, and are not. missed: occupied squares that it was sure are empty.
    placed: expected number of pieces whose square and type it has right. men: number of enemy pieces.
    """

    chances: list[list[float]]
    boards: int
    exact: bool
    fits: bool
    right: list[str]
    wrong: list[str]
    missed: list[str]
    placed: float
    men: int


class News(msgspec.Struct):
    """New lines for each side and for the referee."""

    referee: list[str]
    white: list[str]
    black: list[str]


class Frame(msgspec.Struct):
    """A moment of a game.

    title: the try and its answer. place: the number of the move. true, white, black: the pieces that the referee, White
    and Black see. marks: the square of a capture. turn: None at the end. mover, move, answer: the last try. seconds:
    thinking time of the turn, if measured.
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


class Reply(msgspec.Struct, tag_field="is", tag=str.lower, rename="camel"):
    """A message to a browser."""


class Hello(Reply):
    """The choices on the page; the first message. A guest, who has a link to one game, gets none.

    choices: the text of the last `Remember`.
    """

    players: list[PlayerOffered]
    rules: list[RulesOffered]
    guest: bool
    choices: str


class Preparing(Reply):
    """Progress of compiling kernels: the current one, the number done, and the number of all."""

    what: str
    done: int
    total: int


class GameInfo(Reply, tag="game"):
    """An introduction to a game: its id, its kind (play, watch or replay), the person's side, players and rules.

    seed: only if the person chose it, since a program's moves follow from it. clock: as in `New`. two: true if two
    people play. invitation: path of the link for the other person, if this one may pass it on. onlookers: path of the
    link for others, who see the game after its end. men: the pieces to show before the first view.
    """

    id: str
    kind: str
    white: str
    black: str
    rules: str
    seed: str | None
    you: str | None = None
    clock: str | None = None
    two: bool = False
    invitation: str | None = None
    onlookers: str | None = None
    men: Men = {}


class SideView(Reply, tag="view"):
    """Everything that the person's side knows.

    turn, ply, move: side to move, plies played, number of the move. yours: true if the person is to try. men: the
    side's pieces. enemy_men: number of enemy pieces. tries: the open tries; out of turn, those that may be prepared.
    refused: names of this turn's refused tries. marks: the square of the enemy's last capture, and the king in check.
    check: the check to answer, or null. clear: squares that the side's last move showed to be empty. last: origin and
    target of that move. taken: the side's captures, in words. lost: letters of its captured pieces. pawn_tries: their
    announcement, in words, or null. may_ask: true if the person may ask "Any?". clocks: as the person sees them.
    """

    turn: str
    ply: int
    move: int
    yours: bool
    men: Men
    enemy_men: int
    tries: list[str]
    refused: list[str]
    log: list[LogEntry]
    marks: list[str]
    check: CheckShown | None
    clear: Clear
    last: list[str]
    taken: str
    lost: str
    pawn_tries: str | None
    may_ask: bool
    clocks: Clocks


class HeatMap(Reply, tag="heat"):
    """Chances [6][64] of an enemy piece, by type from pawn to king and by square; empty if unknown."""

    on: bool
    ply: int
    chances: list[list[float]]


class HintMessage(Reply, tag="hint"):
    """A hint for the position at a ply: the basis of the values, and the best tries, best first."""

    ply: int
    by: str
    tries: list[TryValued]


class DrawOffer(Reply, tag="offer"):
    """A side's offer of a draw. It stands until the opponent has moved; `ply` is the last at which it stands."""

    by: str
    ply: int


class Presence(Reply):
    """Between two people: true if the other is connected. Not sent when both first come."""

    here: bool


class NotYet(Reply, tag="later"):
    """The reason why people with the link for others see nothing of the game yet."""

    text: str


class NextGame(Reply, tag="next"):
    """Another game, which the opponent or the person has asked for."""

    game: str


class GameList(Reply, tag="library"):
    """The games saved in a folder, newest first."""

    folder: str
    games: list[SavedGame]


class GameEnded(Reply, tag="over"):
    """The end of a game: result, reason, file, seed, and true if the person won (null: a draw, or no person).

    resumable: true if the game can be continued; then the message has no seed.
    """

    result: str
    text: str
    saved: str | None
    seed: str | None
    won: bool | None
    resumable: bool = False


class ResultsTable(Reply, tag="results"):
    """A person's results, for that person alone.

    about: rating and wins in a row. practise: skills to practise. text: what the game `game`, just ended, means.
    """

    rows: list[ResultsRow]
    about: str
    practise: list[ToPractise]
    game: str | None
    text: str


class Frames(Reply):
    """Moments from number `start` on, of a finished or watched game. live: true if more will come."""

    start: int
    frames: list[Frame]
    live: bool


class PaceSet(Reply, tag="pace"):
    """The least number of seconds for each try of the watched game, and true if it is paused."""

    seconds: float
    paused: bool


class Analysis(Reply):
    """Both sides' beliefs at a moment, the side to move, the basis of values, and its tries, best first.

    index: number of the moment.
    """

    white: BeliefShown
    black: BeliefShown
    mover: str | None
    by: str
    tries: list[TryValued]
    index: int = 0


class PointShown(TurningPoint):
    """A turning point, and the number of its moment."""

    index: int


class TurningPoints(Reply, tag="turning"):
    """The turning points of both sides, White's first, each side's gravest first."""

    points: list[PointShown]


class RefusalMessage(Reply, tag="refusal"):
    """A sentence that says what cannot be done, and the `do` of the refused message, if known."""

    text: str
    to: str | None


def refusal(text: str, to: Request | type[Request] | None = None) -> RefusalMessage:
    """Return a refusal; `to` is the refused message, if known."""
    return RefusalMessage(text, None if to is None else tag_of(to))
