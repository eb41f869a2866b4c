"""One side of a game for people: its tries and announcements in words, and their meanings (`meanings.toml`)."""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cache
from itertools import groupby
from pathlib import Path

import chess

import referee
from kriegbot.players.human import try_name
from referee.pieces import moved
from referee.text import counted
from referee.view import may_be_en_passant, views_until

_ANSWER_TEXTS = {
    referee.Answer.ILLEGAL: "No.",
    referee.Answer.IMPOSSIBLE: "Nonsense: impossible.",
    referee.Answer.REPEATED: "Nonsense: repeated.",
    referee.Answer.YES: "Yes.",
    referee.Answer.NO: "No.",
}
_OBLIGED = {referee.Asking.OBLIGES: "obliged", referee.Asking.OBLIGES_ONCE: "obliged_once"}
_MEANINGS = Path(__file__).parent / "meanings.toml"


class Subject(Enum):
    """The subject of an entry."""

    OWN = "own move"
    OWN_REFUSED = "own try refused"
    OPPONENT = "opponent's move"
    OPPONENT_REFUSED = "opponent's try refused"
    QUESTION = "question"
    END = "end"


@dataclass(frozen=True, slots=True)
class Entry:
    """One event of a diary."""

    subject: Subject
    place: str  # number of the move: "12." for White, "12..." for Black; empty at the end
    text: str  # a sentence or two
    event: referee.Event
    means: tuple[str, ...]  # keys into `meanings`, one for each part of the announcement

    @property
    def squares(self) -> list[chess.Square]:
        """The squares of an own try, and of a capture."""
        event, announcement = self.event, getattr(self.event, "announcement", None)
        squares = [event.move.from_square, event.move.to_square] if isinstance(event, referee.OwnTry) else []
        captured = None if announcement is None else announcement.captured_square
        return squares if captured is None else [*squares, captured]

    def line(self) -> str:
        """Return the whole entry on one line."""
        return f"{self.place} {self.text}" if self.place else self.text


class Diary:
    """The tries of one side and the announcements to it. It must take every view in which the side is to move.

    For a person who plays that side it says "Black took your knight on g4.", otherwise "Capture on g4.".
    """

    def __init__(self, *, for_person: bool = False) -> None:
        self._for_person = for_person
        self._men: dict[chess.Square, chess.PieceType] = {}  # the side's pieces
        self.entries: list[Entry] = []  # one for each event
        self._before: referee.View | None = None
        self._ply = 0  # since move 1

    def take(self, view: referee.View) -> list[Entry]:
        """Add the new events of a view, and return their entries."""
        is_first, new = self._before is None, list[Entry]()
        if is_first:
            self._ply = chess.Board(view.start).ply()
        for each in views_until(view) if is_first else [view]:
            new += self.add(each.events[len(self.entries) :], each)
            self._before, self._men = each, dict(each.men)
        return new

    def add(self, events: Sequence[referee.Event], view: referee.View) -> list[Entry]:
        """Add events, and return their entries. But for `take` they must move nothing, as refused tries do."""
        new = [self._entry(event, view) for event in events]
        self.entries += new
        return new

    def latest(self) -> list[Entry]:
        """Return the entries from the side's last move on, without its refused tries before the last entry."""
        own = max((at for at, entry in enumerate(self.entries) if entry.subject is Subject.OWN), default=0)
        since = self.entries[own:]
        return [entry for entry in since if entry.subject is not Subject.OWN_REFUSED or entry is since[-1]]

    def _entry(self, event: referee.Event, view: referee.View) -> Entry:
        subject, text = self._words(event, view)
        place = "" if subject is Subject.END else f"{self._ply // 2 + 1}{'...' if self._ply % 2 else '.'}"
        self._ply += subject in (Subject.OWN, Subject.OPPONENT)
        means = list(meaning_keys(event, view.rules))
        if isinstance(event, referee.OpponentMoved) and not may_be_en_passant(view, event.announcement):
            means = ["fell_here" if key == "fell" else key for key in means]
        return Entry(subject, place, text, event, tuple(means))

    def _words(self, event: referee.Event, view: referee.View) -> tuple[Subject, str]:
        side = side_name(not view.color)
        match event:
            case referee.OwnTry(move, answer, announcement):
                name = try_name(move, self._before or view)
                if answer is not referee.Answer.ACCEPTED:
                    return Subject.OWN_REFUSED, f"{name}? {_ANSWER_TEXTS[answer]}"
                text = self._own_text(move, announcement) if self._for_person else _text(announcement)
                return Subject.OWN, f"{name}: yes. {text}".rstrip()
            case referee.OwnQuestion(answer):
                return Subject.QUESTION, f"Any? {_ANSWER_TEXTS[answer]}"
            case referee.OpponentRefused():
                return Subject.OPPONENT_REFUSED, f"{side} tries something illegal."
            case referee.OpponentAsked(answer):
                return Subject.QUESTION, f"{side} asks: Any? {_ANSWER_TEXTS[answer]}"
            case referee.OpponentMoved(announcement):
                text = self._opponent_text(side, announcement) if self._for_person else _text(announcement)
                return Subject.OPPONENT, text or f"{side} has moved."
            case referee.GameOver(end):
                text = end.text()
                return Subject.END, text[0].upper() + text[1:] + "."

    def _own_text(self, move: chess.Move, announcement: referee.Announcement | None) -> str:
        name = chess.piece_name(self._men[move.from_square])
        self._men = moved(self._men, move)
        if announcement is None or announcement.capture is None:
            return _text(announcement)
        what = f" a {announcement.captured.value}" if announcement.captured else ""
        return f"Your {name} took{what}{_where(announcement, announcement.captured_square != move.to_square)}"

    def _opponent_text(self, side: str, announcement: referee.Announcement) -> str:
        if announcement.captured_square is None:
            return f"{side} has moved. {_text(announcement)}".rstrip()
        name = chess.piece_name(self._men[announcement.captured_square])
        return f"{side} took your {name}{_where(announcement, announcement.en_passant)}"


def score_name(name: str, announcement: referee.Announcement) -> str:
    """Return a move as on a score sheet, with x for a capture, + for a check and # for mate.

    >>> from referee import Announcement
    >>> score_name("Nd5", Announcement(capture=chess.D5))
    'Nxd5'
    """
    if announcement.capture is not None and "x" not in name:
        name = re.sub(r"(?=[a-h][1-8](?:=[QRBN])?$)", "x", name)
    is_mate = announcement.end is not None and announcement.end.reason is referee.Reason.CHECKMATE
    return name + ("#" if is_mate else "+" * bool(announcement.checks))


def certain_text(moves: int) -> str:
    """Return the sentence on a mate that `kriegbot.endgames` proves."""
    return f"Mate in at most {counted(moves, 'move')}, whatever the king does."


def side_name(color: chess.Color) -> str:
    """Return "White" or "Black"."""
    return chess.COLOR_NAMES[color].capitalize()


def _text(announcement: referee.Announcement | None) -> str:
    """Return an announcement in words; empty if it only says that there was a move."""
    return "" if announcement in (None, referee.Announcement()) else announcement.text()


def _where(announcement: referee.Announcement, is_en_passant: bool) -> str:
    """Return the rest of a sentence about a capture, and of the announcement."""
    rest = _text(replace(announcement, capture=None, captured=None, en_passant=False))
    return f" on {chess.square_name(announcement.capture or 0)}{' en passant' * is_en_passant}. {rest}".rstrip()


def gathered(entries: Sequence[Entry]) -> list[tuple[Entry, str]]:
    """Return entries with their lines. A repeated entry becomes one: "White tries something illegal (3 times)."."""
    runs = [(entry, entry.line(), len(list(run))) for entry, run in groupby(entries)]
    return [(entry, line if times == 1 else f"{line.rstrip('.')} ({times} times).") for entry, line, times in runs]


@cache
def meanings() -> Mapping[str, tuple[str, str]]:
    """Return the title and the sentence of each key in `meanings.toml`."""
    return {key: (one["title"], one["text"]) for key, one in tomllib.loads(_MEANINGS.read_text("utf-8")).items()}


def meaning(keys: Iterable[str]) -> list[str]:
    """Return the sentences of keys, each once."""
    return [meanings()[key][1] for key in dict.fromkeys(keys)]


def meaning_keys(event: referee.Event, rules: referee.RuleSet) -> Iterator[str]:
    """Yield the keys in `meanings.toml` for an event."""
    match event:
        case referee.OwnTry(_, referee.Answer.ACCEPTED, announcement):
            yield "yes"
            if announcement is not None:
                yield from _parts_of(announcement, rules, "took_kind" if rules.captured_kind else "took")
        case referee.OwnTry(_, referee.Answer.ILLEGAL):
            yield "no" if rules.illegal_to is referee.Audience.BOTH else "no_alone"
        case referee.OwnTry(_, answer):
            yield answer.value
        case referee.OwnQuestion(answer) | referee.OpponentAsked(answer):
            yield "any"
            is_yes, is_no = answer is referee.Answer.YES, answer is referee.Answer.NO
            yield _OBLIGED[rules.asking] if is_yes else "none" if is_no else answer.value
        case referee.OpponentRefused():
            yield "their_no"
        case referee.OpponentMoved(announcement):
            if announcement.capture is None:
                yield "moved"
            yield from _parts_of(announcement, rules, "fell_here" if rules.en_passant_announced else "fell")
        case referee.GameOver(end):
            yield _end(end)


def _parts_of(announcement: referee.Announcement, rules: referee.RuleSet, capture: str) -> Iterator[str]:
    if announcement.capture is not None:
        yield capture
    if announcement.en_passant:
        yield "en_passant"
    if announcement.promotion:
        yield "promotion"
    yield from (str(check.name).lower() for check in referee.Check if check & announcement.checks)
    if announcement.checks.bit_count() > 1:
        yield "double"
    if announcement.pawn_tries is not None:
        yield rules.pawn_tries.name.lower()
    if announcement.end is not None:
        yield _end(announcement.end)


def _end(end: referee.End) -> str:
    is_lost = end.reason is referee.Reason.STALEMATE and end.winner is not None
    return "stalemate_lost" if is_lost else str(end.reason.name).lower()
