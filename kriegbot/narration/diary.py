"""What one side has tried and heard, in words, from its views as they come."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum

import chess

import referee
from kriegbot.narration.meanings import kinds
from kriegbot.players.notation import try_name
from referee.history import views_until
from referee.men import moved

_ANSWERS = {
    referee.Answer.ILLEGAL: "No.",
    referee.Answer.IMPOSSIBLE: "Nonsense: impossible.",
    referee.Answer.REPEATED: "Nonsense: repeated.",
    referee.Answer.YES: "Yes.",
    referee.Answer.NO: "No.",
}


class Kind(Enum):
    """What an entry is about."""

    OWN = "own move"
    OWN_REFUSED = "own try refused"
    OPPONENT = "opponent's move"
    OPPONENT_REFUSED = "opponent's try refused"
    QUESTION = "question"
    END = "end"


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing tried or heard.

    Attributes:
      kind: what it is about.
      place: the number of the move: "12." of White's, "12..." of Black's.
      text: a sentence or two.
      announcement: what the referee announced, if anything.
      means: the kinds of announcement in it: `kriegbot.narration.meanings`.
      squares: those that it names: of an own try, and of a capture.
    """

    kind: Kind
    place: str
    text: str
    announcement: referee.Announcement | None = None
    means: tuple[str, ...] = ()
    squares: tuple[chess.Square, ...] = ()

    def line(self) -> str:
        """All of it on one line."""
        return f"{self.place} {self.text}" if self.place else self.text


class Diary:
    """Everything one side has tried and heard so far; shown each view before a try of its own, others at will.

    Args:
      for_person: whether whoever plays that side reads it: "Black took your knight on g4.", not "Capture on g4.".
    """

    def __init__(self, *, for_person: bool = False) -> None:
        self._for_person = for_person
        self._men: dict[chess.Square, chess.PieceType] = {}  # of the side, kept for a person alone
        self.entries: list[Entry] = []
        self.heard = 0
        self.last: referee.Event | None = None
        self._before: referee.View | None = None
        self._start = chess.Board()
        self._ply = 0

    def take(self, view: referee.View) -> list[Entry]:
        """Adds what is new in a view, and returns it; before the first view, that is all that led to it."""
        views = [view]
        if self._before is None:
            self._start = chess.Board(view.start)
            views = list(views_until(view))
        new: list[Entry] = []
        for each in views:
            new += self.hear(each.events[self.heard :], each)
            self._before, self._men = each, dict(each.men)
        return new

    def hear(self, events: Sequence[referee.Event], view: referee.View) -> list[Entry]:
        """The same for events that leave everything else in the last view as it is: refused tries."""
        new = [
            replace(self._entry(event, view), means=tuple(kinds(event, view.rules)), squares=tuple(_squares(event)))
            for event in events
        ]
        self.entries += new
        self.heard += len(events)
        self.last = events[-1] if events else self.last
        return new

    def verdicts(self) -> list[Entry]:
        """What was said since the side's last move, that included; of the tries refused since, the last at most."""
        own = max((at for at, entry in enumerate(self.entries) if entry.kind is Kind.OWN), default=0)
        since = self.entries[own:]
        return [entry for entry in since if entry.kind is not Kind.OWN_REFUSED or entry is since[-1]]

    def _entry(self, event: referee.Event, view: referee.View) -> Entry:
        plies = self._ply + (0 if self._start.turn == chess.WHITE else 1)
        place = f"{self._start.fullmove_number + plies // 2}{'...' if plies % 2 else '.'}"
        side = chess.COLOR_NAMES[not view.color].capitalize()
        match event:
            case referee.OwnTry(move, referee.Answer.ACCEPTED, announcement):
                self._ply += 1
                name = try_name(move, self._before or view)
                said = self._said_of_own(move, announcement) if self._for_person else _said(announcement)
                return Entry(Kind.OWN, place, f"{name}: yes. {said}".rstrip(), announcement)
            case referee.OwnTry(move, answer):
                return Entry(Kind.OWN_REFUSED, place, f"{try_name(move, self._before or view)}? {_ANSWERS[answer]}")
            case referee.OwnQuestion(answer):
                return Entry(Kind.QUESTION, place, f"Any? {_ANSWERS[answer]}")
            case referee.OpponentRefused():
                return Entry(Kind.OPPONENT_REFUSED, place, f"{side} tries something illegal.")
            case referee.OpponentAsked(answer):
                return Entry(Kind.QUESTION, place, f"{side} asks: Any? {_ANSWERS[answer]}")
            case referee.OpponentMoved(announcement):
                self._ply += 1
                said = self._said_of_other(side, announcement) if self._for_person else _said(announcement)
                return Entry(Kind.OPPONENT, place, said or f"{side} has moved.", announcement)
            case referee.GameOver(end):
                text = end.text()
                return Entry(Kind.END, "", text[0].upper() + text[1:] + ".")
        raise TypeError(f"unknown event {event!r}")

    def _said_of_own(self, move: chess.Move, announcement: referee.Announcement | None) -> str:
        """What was announced of the side's own move, with the man that took."""
        name = chess.piece_name(self._men[move.from_square])
        self._men = moved(self._men, move)
        if announcement is None or announcement.capture is None:
            return _said(announcement)
        what = f" a {announcement.captured.value}" if announcement.captured else ""
        passing = " en passant" if announcement.fell != move.to_square else ""
        return f"Your {name} took{what} on {chess.square_name(announcement.capture)}{passing}. {_rest(announcement)}"

    def _said_of_other(self, side: str, announcement: referee.Announcement) -> str:
        """What was announced of the other side's move, with the man that fell."""
        if announcement.fell is None or announcement.capture is None:
            return f"{side} has moved. {_rest(announcement)}".rstrip()
        name, passing = chess.piece_name(self._men[announcement.fell]), " en passant" * announcement.en_passant
        took = f"{side} took your {name} on {chess.square_name(announcement.capture)}{passing}."
        return f"{took} {_rest(announcement)}".rstrip()


def _squares(event: referee.Event) -> Iterator[chess.Square]:
    if isinstance(event, referee.OwnTry):
        yield from (event.move.from_square, event.move.to_square)
    announcement = event.announcement if isinstance(event, referee.OwnTry | referee.OpponentMoved) else None
    if announcement is not None and announcement.fell is not None:
        yield announcement.fell


def _said(announcement: referee.Announcement | None) -> str:
    """An announcement in words; nothing if it only says that there was a move."""
    if announcement is None or announcement == referee.Announcement():
        return ""
    return announcement.text()


def _rest(announcement: referee.Announcement) -> str:
    """An announcement in words without its capture."""
    return _said(replace(announcement, capture=None, captured=None, en_passant=False))


def gathered(entries: Sequence[Entry]) -> list[tuple[Entry, str]]:
    """Entries and their lines; repeated entries become one, with their number."""
    runs: list[tuple[Entry, int]] = []
    for entry in entries:
        if runs and runs[-1][0] == entry:
            runs[-1] = (entry, runs[-1][1] + 1)
        else:
            runs.append((entry, 1))
    return [(entry, entry.line() + (f" ({times} times)" if times > 1 else "")) for entry, times in runs]
