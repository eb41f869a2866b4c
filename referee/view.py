"""A side's view: everything that it knows at one moment, built event by event.

A player learns about its game from views, apart from its clock. `ViewBuilder` plays a side's events on a board that
holds only its own pieces. So no view is built from the true board, every earlier view can be rebuilt (`views_until`),
and a side can follow a game that another program referees.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import islice, takewhile
from typing import TypeAlias, TypeVar, overload

import chess

from referee.announcement import Announcement, End, PawnTryExists, PawnTryInfo, pawn_try_info
from referee.pieces import Men, is_pawn_capture, men_of, open_tries
from referee.rules import NO_LIMITS, Asking, KriegspielError, Limits, RuleSet

T = TypeVar("T")


class BadAction(KriegspielError, ValueError):
    """A text is not the code of an action."""


@dataclass(frozen=True, slots=True)
class Resign:
    """The action of giving up the game."""


@dataclass(frozen=True, slots=True)
class AskAny:
    """The question "Any?": is any pawn capture legal?"""


Action: TypeAlias = chess.Move | Resign | AskAny


def action_code(action: Action) -> str:
    """Return an action as one word: a try in UCI notation, "resign" or "any"."""
    return action.uci() if isinstance(action, chess.Move) else "any" if isinstance(action, AskAny) else "resign"


def parse_action(code: str) -> Action:
    """Return the action of an `action_code`. Raises BadAction, a ValueError, if the text is none."""
    if code in ("resign", "any"):
        return Resign() if code == "resign" else AskAny()
    try:
        move = chess.Move.from_uci(code)
    except ValueError:
        move = chess.Move.null()
    if not move or move.drop is not None:
        raise BadAction(f"illegal action: {code[:80]!r}; it takes a try such as 'e2e4' or 'e7e8q', 'resign' or 'any'")
    return move


class Answer(Enum):
    """The referee's answer to a try or to "Any?".

    IMPOSSIBLE and REPEATED are nonsense: the side could have known the answer. Rule sets without nonsense answer such
    a try ILLEGAL, except while "Any?" obliges the side to capture with a pawn.
    """

    ACCEPTED = "accepted"
    ILLEGAL = "illegal"
    IMPOSSIBLE = "impossible"
    REPEATED = "repeated"
    YES = "yes"
    NO = "no"


@dataclass(frozen=True, slots=True)
class OwnTry:
    """A try of the side itself and its answer. Only an accepted one has an announcement."""

    move: chess.Move
    answer: Answer
    announcement: Announcement | None = None


@dataclass(frozen=True, slots=True)
class OwnQuestion:
    """The side's own question "Any?" and its answer: YES, NO or nonsense."""

    answer: Answer


@dataclass(frozen=True, slots=True)
class OpponentRefused:
    """An illegal try of the opponent, which the rule set announces to both sides."""


@dataclass(frozen=True, slots=True)
class OpponentAsked:
    """The opponent's question "Any?" and its answer, YES or NO."""

    answer: Answer


@dataclass(frozen=True, slots=True)
class OpponentMoved:
    """An accepted try of the opponent. The referee announces its effects, not the move."""

    announcement: Announcement


@dataclass(frozen=True, slots=True)
class GameOver:
    """The end of a game that no move ended: resignation, forfeit, agreement or abandonment."""

    end: End


Event: TypeAlias = OwnTry | OwnQuestion | OpponentRefused | OpponentAsked | OpponentMoved | GameOver


class Prefix(Sequence[T]):
    """The items that a growing list holds now, without a copy. It equals the tuple of them, and is pickled as that."""

    __slots__ = ("_count", "_items")

    def __init__(self, items: list[T]) -> None:
        self._items, self._count = items, len(items)

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[T]:
        return islice(self._items, self._count)

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[T, ...]: ...
    def __getitem__(self, index: int | slice) -> T | tuple[T, ...]:
        return tuple(self)[index] if isinstance(index, slice) else self._items[range(self._count)[index]]

    def __eq__(self, other: object) -> bool:
        return tuple(self) == tuple(other) if isinstance(other, Prefix | tuple) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # a View has no hash either: its pieces are a dict

    def __repr__(self) -> str:
        return repr(tuple(self))

    def __reduce__(self) -> tuple[type[tuple[T, ...]], tuple[tuple[T, ...]]]:
        return tuple, (tuple(self),)


@dataclass(frozen=True, slots=True)
class View:
    """Everything that one side knows at one moment.

    >>> from referee import Referee
    >>> referee = Referee("berkeley")
    >>> referee.try_move(chess.Move.from_uci("e2e4"))
    <Answer.ACCEPTED: 'accepted'>
    >>> view = referee.view(chess.BLACK)
    >>> view.last_announcement.text()
    'A move was made.'
    >>> len(view.men), view.opponent_men, len(view.tries())
    (16, 16, 34)

    Attributes:
      start: FEN of the starting position.
      men: the side's own pieces, square -> `chess.PAWN` to `chess.KING`. Changing it changes nothing else.
      kingside, queenside: True if the side may still castle with the rook on the h-file, on the a-file.
      ply: moves made so far, by both sides together.
      opponent_men: number of pieces that the opponent has left, by the announced captures.
      events: the side's tries and questions, and everything that the referee announced to it, in order.
      refused: own tries refused this turn, each once, whatever the answer; online also those that the server does not
        allow. Under `Asking.OBLIGES_ONCE` tries that were impossible while "Any?" obliged the side are left out, since
        it may try most of them afterwards.
      pawn_tries: the announced pawn captures of this side; None if it is not to move or nothing was announced.
      obliged: True if the side may try only pawn captures, since the referee answered YES to "Any?".
    """

    color: chess.Color
    rules: RuleSet
    limits: Limits
    start: str
    men: Men
    kingside: bool
    queenside: bool
    turn: chess.Color
    ply: int
    opponent_men: int
    events: Sequence[Event]
    refused: Sequence[chess.Move]
    pawn_tries: PawnTryInfo | None
    obliged: bool
    end: End | None

    @property
    def last_announcement(self) -> Announcement | None:
        """The announcement of the opponent's last move; None before it has moved."""
        moves = (event.announcement for event in reversed(self.events) if isinstance(event, OpponentMoved))
        return next(moves, None)

    @property
    def illegal(self) -> list[chess.Move]:
        """Own tries answered ILLEGAL since the opponent's last move, latest first. Nonsense tells nothing."""
        turn = takewhile(lambda event: not isinstance(event, OpponentMoved), reversed(self.events))
        return [event.move for event in turn if isinstance(event, OwnTry) and event.answer is Answer.ILLEGAL]

    @property
    def may_ask(self) -> bool:
        """True if "Any?" makes sense now; at another time of the side's turn it is nonsense."""
        is_answered = self.rules.asking is Asking.NONSENSE or self.pawn_tries is not None
        return not is_answered and self.turn == self.color and self.end is None

    def tries(self) -> list[chess.Move]:
        """Return the tries still open this turn, in the order of `open_tries`; none out of turn or after the end."""
        refused = set(self.refused)
        return [move for move in self._possible() if move not in refused]

    def is_open(self, move: chess.Move) -> bool:
        """Return True if a move is among `tries`, without listing them."""
        return move not in self.refused and self.is_possible(move)

    def is_possible(self, move: chess.Move) -> bool:
        """Return True if a move is among `tries`, or would be had it not been refused this turn."""
        return move in self._possible(move.from_square)

    def _possible(self, origin: chess.Square | None = None) -> list[chess.Move]:
        if self.end is not None or self.turn != self.color:
            return []
        tries = open_tries(self.color, self.men, self.kingside, self.queenside, self.pawn_tries, origin)
        return [move for move in tries if is_pawn_capture(move, self.men)] if self.obliged else tries


class ViewBuilder:
    """One side of a game, built event by event; `view()` returns its view at the moment."""

    def __init__(
        self, color: chess.Color, rules: RuleSet, limits: Limits = NO_LIMITS, start: str = chess.STARTING_FEN
    ) -> None:
        self.color = color
        self.events: list[Event] = []
        self._rules, self._limits, self._start = rules, limits, start
        self._own = chess.Board(start)
        self.turn, self.ply = self._own.turn, 0
        self.pawn_tries = pawn_try_info(self._own, rules.pawn_tries)
        self.end: End | None = None
        self._obliged: bool
        opponents = chess.SquareSet(self._own.occupied_co[not color])
        self._opponent_men = len(opponents)
        for square in opponents:
            self._own.remove_piece_at(square)
        self._begin_turn()

    @property
    def men(self) -> dict[chess.Square, chess.PieceType]:
        """The side's own pieces."""
        return men_of(self._own, self.color)

    def apply(self, event: Event) -> None:
        """Update the side by one event. Events that cannot follow give a senseless view or AssertionError."""
        self.events.append(event)
        is_obliged_once = self._rules.asking is Asking.OBLIGES_ONCE
        match event:
            case OwnTry(move, Answer.ACCEPTED, Announcement() as announcement):
                self._own.turn, self._own.ep_square = self.color, None  # this board does not see the opponent move
                self._own.push(move)
                self._opponent_men -= announcement.capture is not None
                self._end_turn(announcement)
            case OwnTry(_, Answer.IMPOSSIBLE) if self._obliged and is_obliged_once:
                pass
            case OwnTry(move, answer):
                if answer is Answer.ILLEGAL and is_obliged_once:
                    self._obliged = False
                if move not in self.refused:
                    self.refused.add(move)
                    self._refused.append(move)
            case OwnQuestion(Answer.YES | Answer.NO as answer):
                self._obliged = answer is Answer.YES
                self.pawn_tries = PawnTryExists(self._obliged)
            case OpponentMoved(announcement):
                if announcement.captured_square is not None:
                    self._own.remove_piece_at(announcement.captured_square)
                    self._own.castling_rights &= ~chess.BB_SQUARES[announcement.captured_square]
                self._end_turn(announcement)
            case GameOver(end):
                self.end = end

    def view(self) -> View:
        """Return everything that the side knows now."""
        is_to_move = self.turn == self.color and self.end is None
        return View(
            color=self.color,
            rules=self._rules,
            limits=self._limits,
            start=self._start,
            men=self.men,
            kingside=self._own.has_kingside_castling_rights(self.color),
            queenside=self._own.has_queenside_castling_rights(self.color),
            turn=self.turn,
            ply=self.ply,
            opponent_men=self._opponent_men,
            events=Prefix(self.events),
            refused=Prefix(self._refused) if is_to_move else (),
            pawn_tries=self.pawn_tries if is_to_move else None,
            obliged=self._obliged and is_to_move,
            end=self.end,
        )

    def _end_turn(self, announcement: Announcement) -> None:
        self.turn, self.ply = not self.turn, self.ply + 1
        self.pawn_tries, self.end = announcement.pawn_tries, announcement.end
        self._begin_turn()

    def _begin_turn(self) -> None:
        self.refused: set[chess.Move] = set()
        self._refused: list[chess.Move] = []  # the same in order
        self._obliged = False  # under OBLIGES_ONCE only until a pawn capture was tried


def views_until(view: View) -> Iterator[View]:
    """Yield the side's views before the first event and after each; the last equals `view`, online except `refused`."""
    builder = ViewBuilder(view.color, view.rules, view.limits, view.start)
    yield builder.view()
    for event in view.events:
        builder.apply(event)
        yield builder.view()


def may_be_en_passant(view: View, capture: Announcement) -> bool:
    """Return True if a capture by the opponent in this view may have been en passant, of a pawn that had just moved."""
    events = takewhile(lambda one: getattr(one, "announcement", None) is not capture, view.events)
    own = [one.move for one in events if isinstance(one, OwnTry) and one.announcement is not None]
    if view.rules.en_passant_announced or not own or own[-1].to_square != capture.captured_square:
        return capture.en_passant
    origin, is_pawn = own[-1].from_square, chess.Board(view.start).piece_type_at(own[-1].from_square) == chess.PAWN
    is_first = not any(origin in (move.from_square, move.to_square) for move in own[:-1])
    return is_pawn and is_first and abs(own[-1].to_square - origin) == 16
