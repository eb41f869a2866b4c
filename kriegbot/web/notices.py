"""The messages from the server to a browser: JSON objects, encoded by msgspec, whose `is` names the message.

`side_view` makes the message on what one side knows, from its view, its diary and the clocks alone.
`kriegbot.web.requests` has the other direction, and the notation of squares, pieces and sides.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

import chess
import msgspec

from kriegbot.narration.diary import Entry, gathered
from kriegbot.narration.glance import captures_text, check_to_answer, lost_pieces, marks, own_men
from kriegbot.narration.helping import TryValued
from kriegbot.narration.results import ResultsRow, ToPractise
from kriegbot.narration.turning import TurningPoint
from kriegbot.players.human import try_name
from referee import OwnTry, View, open_tries

Men: TypeAlias = dict[str, str]  # square -> letter of the piece


class OptionOffered(msgspec.Struct):
    """An option of a player, as in its spec; `words` describes its choices."""

    name: str
    takes: str
    default: str
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
    """A side's belief beside the true board."""

    chances: list[list[float]]  # [6][64], to three places; [] without boards
    basis: str  # the boards behind it, in words
    right: list[str]  # squares that the side was sure are occupied, and are
    wrong: list[str]  # squares that it was sure are occupied, and are not
    missed: list[str]  # occupied squares that it was sure are empty
    placed: float  # expected number of pieces whose square and type it has right
    men: int  # number of enemy pieces


class Frame(msgspec.Struct):
    """A moment of a game."""

    title: str  # the try and its answer
    place: str  # number of the move
    name: str  # the try as on a score sheet, such as Qxf7#
    true: Men
    white: Men  # the pieces that White sees
    black: Men
    marks: list[str]  # square of a capture
    news: dict[str, list[str]]  # new lines for "referee", "white" and "black"
    turn: str | None  # None at the end
    mover: str | None
    move: str | None
    answer: str | None
    seconds: float | None  # thinking time of the turn, if measured


class Notice(msgspec.Struct, tag_field="is", tag=str.lower, rename="camel"):
    """A message to a browser."""


class Kept(Notice):
    """A message of which somebody who joins a game gets the last one, in the order of these classes."""


class Hello(Notice):
    """The choices on the page; the first message. A guest, who has a link to one game, gets none."""

    players: list[PlayerOffered]
    rules: list[RulesOffered]
    guest: bool


class Preparing(Notice):
    """Progress of compiling kernels: the current one, the number done, and the number of all."""

    what: str
    done: int
    total: int


class GameInfo(Kept, tag="game"):
    """An introduction to a game."""

    id: str
    kind: str  # play, watch or replay
    white: str
    black: str
    rules: str
    seed: str | None  # before the end only if the person chose it, since a program's moves follow from it
    you: str | None = None
    clock: str | None = None  # as in `New`
    two: bool = False  # true if two people play
    joined: bool = False  # true if the other one has a seat
    invitation: str | None = None  # path of the link for the other person, if this one may pass it on
    onlookers: str | None = None  # path of the link for others, who see the game after its end
    men: Men = {}  # pieces to show before the first view


class SideView(Kept, tag="view"):
    """Everything that the person's side knows."""

    turn: str
    ply: int
    move: int
    yours: bool  # true if the person is to try
    ended: bool  # true at the end of the game, for now or for good
    men: Men
    enemy_men: int
    tries: list[str]  # open tries; out of turn, those that may be prepared but for recaptures
    refused: list[str]  # names of this turn's refused tries
    log: list[LogEntry]
    marks: list[str]  # square of the enemy's last capture, and of the king in check
    check: dict[str, list[str]] | None  # `line`, where it may come from, and `idle`, tries that do not answer it
    clear: list[str]  # squares without an enemy piece after the side's last move, at ply `moved`
    moved: int
    last: list[str]  # origin and target of that move
    taken: str  # the side's captures, in words
    lost: str  # letters of its captured pieces
    pawn_tries: str | None  # their announcement, in words
    may_ask: bool  # true if the person may ask "Any?"
    clocks: Clocks


class Prepared(Notice):
    """A try that the person may prepare, in UCI or "any", and its name."""

    text: str
    name: str


class ClocksSet(Notice, tag="clocks"):
    """The clocks, now that the program is prepared and its own runs."""

    clocks: Clocks


class HeatMap(Kept, tag="heat"):
    """Chances of an enemy piece, and the boards behind them, in words."""

    on: bool
    ply: int
    chances: list[list[float]]  # [6][64], by type from pawn to king and by square; empty if unknown
    basis: str = ""


class CheckersFound(Kept, tag="checkers"):
    """The squares from which the check at a ply may come, by all that was announced."""

    ply: int
    squares: list[str]


class HintMessage(Notice, tag="hint"):
    """A hint for the position at a ply: `narration.helping.Hint`."""

    ply: int
    text: str
    ask: list[TryValued]
    tries: list[TryValued]


class DrawOffer(Kept, tag="offer"):
    """A side's offer of a draw. It stands until the opponent has moved; `ply` is the last at which it stands."""

    by: str
    ply: int


class Presence(Kept):
    """Between two people: true if the other is connected. Not sent when both first come."""

    here: bool


class Names(Kept):
    """Between two people: the names that they gave, or empty texts."""

    white: str
    black: str


class NetworkState(Notice, tag="network"):
    """This machine's addresses in networks, and the origin of links at which guests are let in; null if closed."""

    addresses: list[str]
    open: str | None


class Invited(Notice):
    """The terms of a game whose seat is free, and the name of the other person, if given. It holds no view."""

    game: str
    you: str
    rules: str
    clock: str | None
    by: str


class NotYet(Kept, tag="later"):
    """The reason why people with the link for others see nothing of the game yet."""

    text: str


class GameList(Notice, tag="library"):
    """The newest games saved in a folder, newest first."""

    folder: str
    games: list[SavedGame]
    passed_over: list[str]  # lines on other files there


class InProgress(Notice, tag="progress"):
    """The games in progress that belong to this browser: the players of each, by its id."""

    games: dict[str, str]


class PaceSet(Kept, tag="pace"):
    """The least number of seconds for each try of the watched game, and true if it is paused."""

    seconds: float
    paused: bool


class GameEnded(Kept, tag="over"):
    """The end of a game."""

    result: str
    text: str
    saved: str | None
    seed: str | None
    won: bool | None  # null: a draw, broken off, or no person
    resumable: bool = False  # true if the game can be continued; then there is no seed


class ResultsTable(Kept, tag="results"):
    """The results of whoever runs the server, for that person alone."""

    rows: list[ResultsRow]
    about: str  # rating and wins in a row
    practise: list[ToPractise]
    puzzles: str  # rating and right answers in a row
    game: str | None
    text: str  # what this game, just ended, means


class NextGame(Kept, tag="next"):
    """Another game, which the opponent or the person has asked for."""

    game: str


class Frames(Notice):
    """Moments from number `start` on, of a finished or watched game. live: true if more will come."""

    start: int
    frames: list[Frame]
    live: bool


class Analysis(Notice):
    """Both sides' beliefs at a moment, and the tries of the side to move."""

    white: BeliefShown
    black: BeliefShown
    mover: str | None
    by: str  # basis of the values
    tries: list[TryValued]  # best first
    index: int = 0  # number of the moment


class PointShown(TurningPoint):
    """A turning point, and the number of its moment."""

    index: int


class TurningPoints(Notice, tag="turning"):
    """The turning points of the sides analysed so far: each side's gravest first, its certain mate last."""

    points: list[PointShown]
    sides: list[str]


class Refusal(Notice, tag="refusal"):
    """A sentence that says what cannot be done, and the `do` of the refused message, if known."""

    text: str
    to: str | None = None


def side_view(view: View, entries: Sequence[Entry], clocks: Clocks) -> SideView:
    """Return the message on a view."""
    start, check = chess.Board(view.start), check_to_answer(view)
    is_ahead = view.turn != view.color and view.end is None  # the side may prepare a try
    ahead = open_tries(view.color, view.men, view.kingside, view.queenside) if is_ahead else []
    own = next((one for one in reversed(view.events) if isinstance(one, OwnTry) and one.announcement is not None), None)
    last, clear = [], chess.SquareSet()
    if own is not None and own.announcement is not None:
        last = [own.move.from_square, own.move.to_square]
        clear = chess.SquareSet(chess.between(*last)) | chess.BB_SQUARES[own.move.to_square]
        if own.announcement.captured_square is not None:
            clear.add(own.announcement.captured_square)
    return SideView(
        turn=chess.COLOR_NAMES[view.turn],
        ply=view.ply,
        move=start.fullmove_number + (view.ply + (0 if start.turn == chess.WHITE else 1)) // 2,
        yours=view.turn == view.color and view.end is None,
        ended=view.end is not None,
        men=letters(own_men(view)),
        enemy_men=view.opponent_men,
        tries=[move.uci() for move in view.tries() or ahead],
        refused=[try_name(move, view) for move in view.refused],
        log=[
            LogEntry(
                entry.place,
                line.removeprefix(entry.place).strip(),
                entry.subject.name.lower(),
                list(entry.means),
                square_names(entry.squares),
            )
            for entry, line in gathered(entries)
        ],
        marks=square_names(sorted(marks(view))),
        check={"line": square_names(check.sources), "idle": [move.uci() for move in check.idle]} if check else None,
        clear=square_names(clear),
        moved=0 if own is None else view.ply - (view.turn == view.color),
        last=square_names(last),
        taken=captures_text(view),
        lost="".join(chess.Piece(kind, view.color).symbol() for kind in lost_pieces(view)),
        pawn_tries=None if view.pawn_tries is None else view.pawn_tries.text(),
        may_ask=view.may_ask,
        clocks=clocks,
    )


def letters(men: Mapping[chess.Square, chess.Piece]) -> Men:
    """Return pieces as square names and letters."""
    return {chess.square_name(square): piece.symbol() for square, piece in sorted(men.items())}


def square_names(squares: Iterable[chess.Square]) -> list[str]:
    """Return "e4" and so on."""
    return [chess.square_name(square) for square in squares]
