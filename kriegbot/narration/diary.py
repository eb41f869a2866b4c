"""What one side has tried and heard, in words, from its views as they come."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import chess

import referee
from kriegbot.players.notation import try_name
from referee.history import views_until

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
    """

    kind: Kind
    place: str
    text: str
    announcement: referee.Announcement | None = None

    def line(self) -> str:
        """All of it on one line."""
        return f"{self.place} {self.text}" if self.place else self.text


class Diary:
    """Everything one side has tried and heard so far; shown each view before a try of its own, others at will."""

    def __init__(self) -> None:
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
            self._before = each
        return new

    def hear(self, events: Sequence[referee.Event], view: referee.View) -> list[Entry]:
        """The same for events that leave everything else in the last view as it is: refused tries."""
        new = [self._entry(event, view) for event in events]
        self.entries += new
        self.heard += len(events)
        self.last = events[-1] if events else self.last
        return new

    def _entry(self, event: referee.Event, view: referee.View) -> Entry:
        plies = self._ply + (0 if self._start.turn == chess.WHITE else 1)
        place = f"{self._start.fullmove_number + plies // 2}{'...' if plies % 2 else '.'}"
        side = chess.COLOR_NAMES[not view.color].capitalize()
        match event:
            case referee.OwnTry(move, referee.Answer.ACCEPTED, announcement):
                self._ply += 1
                name = try_name(move, self._before or view)
                return Entry(Kind.OWN, place, f"{name}: yes. {_said(announcement)}".rstrip(), announcement)
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
                return Entry(Kind.OPPONENT, place, _said(announcement) or f"{side} has moved.", announcement)
            case referee.GameOver(end):
                text = end.text()
                return Entry(Kind.END, "", text[0].upper() + text[1:] + ".")
        raise TypeError(f"unknown event {event!r}")


def _said(announcement: referee.Announcement | None) -> str:
    """An announcement in words; nothing if it only says that there was a move."""
    if announcement is None or announcement == referee.Announcement():
        return ""
    return announcement.text()


def gathered(entries: Sequence[Entry]) -> list[tuple[Entry, str]]:
    """Entries and their lines; repeated entries become one, with their number."""
    runs: list[tuple[Entry, int]] = []
    for entry in entries:
        if runs and runs[-1][0] == entry:
            runs[-1] = (entry, runs[-1][1] + 1)
        else:
            runs.append((entry, 1))
    return [(entry, entry.line() + (f" ({times} times)" if times > 1 else "")) for entry, times in runs]
