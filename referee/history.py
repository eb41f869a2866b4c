"""A game as one side follows it: its view, rebuilt from what it tried and heard, now and at every earlier moment.

A side remembers everything. Its events, played on a board with only its own men, give the rest of its view. So a
`Referee` need not show its board to anybody, the views that led to a view can be had again (`views_until`), and a side
can follow a game that another program referees.
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TypeVar, overload

import chess

from referee.announcement import Announcement, End, PawnTryExists, pawn_try_info
from referee.men import men_of
from referee.rules import NO_LIMITS, Asking, Limits, RuleSet
from referee.view import Answer, Event, GameOver, OpponentMoved, OwnQuestion, OwnTry, View

T = TypeVar("T")


class Prefix(Sequence[T]):
    """The items that a sequence holds now; it equals the tuple of them, and is pickled as that.

    A view of every moment of a game needs no copy of all that came before.

    Args:
      items: a sequence to which items may be added, but in which none may change.
    """

    __slots__ = ("_count", "_items")

    def __init__(self, items: Sequence[T]) -> None:
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
        places = range(self._count)[index]
        return self._items[places] if isinstance(places, int) else tuple(self._items[place] for place in places)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Prefix | tuple):
            return NotImplemented
        return len(self) == len(other) and all(one == two for one, two in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(self[:])

    def __reduce__(self) -> tuple[type[tuple[T, ...]], tuple[tuple[T, ...]]]:
        return tuple, (self[:],)


class ViewBuilder:
    """One side of a game, hearing event by event.

    Attributes:
      color: the side.
      events: everything tried and heard so far.
      men: its own men.
      turn: the side to move.
      ply: moves made so far, both sides together.
      pawn_tries: what was told of the pawn captures of the side to move.
      end: the end of the game, or None.
    """

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
        self._is_postponing: bool
        others = chess.SquareSet(self._own.occupied_co[not color])
        self._opponent_men = len(others)
        for square in others:
            self._own.remove_piece_at(square)
        self._begin_turn()

    @property
    def men(self) -> dict[chess.Square, chess.PieceType]:
        """The side's own men."""
        return men_of(self._own, self.color)

    def apply(self, event: Event) -> None:
        """Takes in what happened next; what the side cannot have tried or heard gives nonsense."""
        self.events.append(event)
        match event:
            case OwnTry(move, Answer.ACCEPTED, Announcement() as announcement):
                self._own.turn, self._own.ep_square = self.color, None  # who falls en passant is not on this board
                self._own.push(move)
                self._opponent_men -= announcement.capture is not None
                self._moved(announcement)
            case OwnTry(_, Answer.IMPOSSIBLE) if self._is_postponing:
                pass
            case OwnTry(move, answer):
                self._is_postponing = self._is_postponing and answer is not Answer.ILLEGAL
                if move not in self._is_refused:
                    self._is_refused.add(move)
                    self._refused.append(move)
            case OwnQuestion(Answer.YES | Answer.NO as answer):
                self.pawn_tries = PawnTryExists(answer is Answer.YES)
                self._is_postponing = self.pawn_tries.exists and self._rules.asking is Asking.OBLIGES_ONCE
            case OpponentMoved(announcement):
                if announcement.captured_square is not None:
                    self._own.remove_piece_at(announcement.captured_square)
                    self._own.castling_rights &= ~chess.BB_SQUARES[announcement.captured_square]
                self._moved(announcement)
            case GameOver(end):
                self.end = end

    def view(self) -> View:
        """All that the side knows now."""
        is_ours = self.turn == self.color and self.end is None
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
            refused=Prefix(self._refused) if is_ours else (),
            pawn_tries=self.pawn_tries if is_ours else None,
            end=self.end,
        )

    def _moved(self, announcement: Announcement) -> None:
        self.turn, self.ply = not self.turn, self.ply + 1
        self.pawn_tries, self.end = announcement.pawn_tries, announcement.end
        self._begin_turn()

    def _begin_turn(self) -> None:
        self._refused: list[chess.Move] = []  # each once
        self._is_refused: set[chess.Move] = set()
        self._is_postponing = False  # "Any?" obliges to one pawn capture; all else may be tried after it


def views_until(view: View) -> Iterator[View]:
    """Every view that the side has had: before the first event, and after each; the last one equals `view`."""
    listener = ViewBuilder(view.color, view.rules, view.limits, view.start)
    yield listener.view()
    for event in view.events:
        listener.apply(event)
        yield listener.view()
