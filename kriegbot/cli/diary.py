"""What one side has tried and heard, in words, from its views as they come."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import chess

from kriegbot.players.notation import try_name
from referee import Announcement, Answer, GameOver, OpponentMoved, OpponentRefused, OwnTry, View


class Kind(Enum):
    """What an entry is about."""

    OWN = "own move"
    OWN_REFUSED = "own try refused"
    OPPONENT = "opponent's move"
    OPPONENT_REFUSED = "opponent's try refused"
    END = "end"


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing tried or heard.

    Attributes:
      kind: what it is about.
      place: the number of the move: "12." of White's, "12..." of Black's.
      text: a sentence or two.
      announcement: what the referee announced, if it did.
    """

    kind: Kind
    place: str
    text: str
    announcement: Announcement | None = None

    def line(self) -> str:
        """All of it on one line."""
        return f"{self.place} {self.text}" if self.place else self.text


class Diary:
    """Everything one side has tried and heard so far; shown each view before a try of its own, and others at will."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self._before: View | None = None
        self._ply = 0

    def take(self, view: View) -> list[Entry]:
        """Writes down what is new in a view, and returns that."""
        heard = len(self._before.events) if self._before is not None else 0
        new = [self._entry(event, view) for event in view.events[heard:]]
        self._before = view
        self.entries += new
        return new

    def _entry(self, event: object, view: View) -> Entry:
        start = chess.Board(view.start)
        plies = self._ply + (0 if start.turn == chess.WHITE else 1)
        place = f"{start.fullmove_number + plies // 2}{'...' if plies % 2 else '.'}"
        match event:
            case OwnTry(move, Answer.ACCEPTED, announcement):
                self._ply += 1
                name = try_name(move, self._before or view)
                return Entry(Kind.OWN, place, f"{name}: yes. {_said(announcement)}".rstrip(), announcement)
            case OwnTry(move, answer):
                said = "No." if answer is Answer.ILLEGAL else f"Nonsense: {answer.value}."
                return Entry(Kind.OWN_REFUSED, place, f"{try_name(move, self._before or view)}? {said}")
            case OpponentRefused():
                side = chess.COLOR_NAMES[not view.color].capitalize()
                return Entry(Kind.OPPONENT_REFUSED, place, f"{side} tries something illegal.")
            case OpponentMoved(announcement):
                self._ply += 1
                side = chess.COLOR_NAMES[not view.color].capitalize()
                return Entry(Kind.OPPONENT, place, _said(announcement) or f"{side} has moved.", announcement)
            case GameOver(end):
                text = end.text()
                return Entry(Kind.END, "", text[0].upper() + text[1:] + ".")
        raise TypeError(f"unknown event {event!r}")


def _said(announcement: Announcement | None) -> str:
    """An announcement in words; nothing if it says no more than that there was a move."""
    if announcement is None or announcement == Announcement():
        return ""
    return announcement.text()


def gathered(entries: Sequence[Entry]) -> list[tuple[Entry, str]]:
    """Entries and their lines; what repeats itself stands there once, with its number."""
    runs: list[tuple[Entry, int]] = []
    for entry in entries:
        if runs and runs[-1][0] == entry:
            runs[-1] = (entry, runs[-1][1] + 1)
        else:
            runs.append((entry, 1))
    return [(entry, entry.line() + (f" ({times} times)" if times > 1 else "")) for entry, times in runs]
