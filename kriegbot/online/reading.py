"""One side's `View`, rebuilt from the state that kriegspiel.org gives it: the referee's log in the site's words.

The log holds each side's turns in order: our own tries with their moves, the announcements of the opponent's, and, if
the rule set has them, the pawn tries of the side to move in a line of their own. `referee.view` derives the rest of
the view. Our pieces must be those that the site shows. A log that does not fit raises `Unreadable`.

The log does not name the directions of a double check, and under English rules it does not say whether a capture is en
passant. The site's answers to our own moves name both, while this process remembers them. The opponent's capture is en
passant if none of our pieces stands on its square. For other double checks we assume one pair of directions after
another (`Reading.is_guessed`).

The site plays on with king and minor piece against the same. Our referee calls that a draw under `berkeley`, so a
belief may become inconsistent there.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, TypeAlias

import chess

import referee
from referee.announcement import NO_CHECK, Check, PawnTryInfo
from referee.pieces import men_of
from referee.rules import Audience, PawnTries
from referee.text import quoted
from referee.view import ViewBuilder

Json: TypeAlias = dict[str, Any]

LIMITS = referee.Limits(quiet_plies=2000)
DOUBLES = tuple(one | other for one, other in combinations(reversed(Check), 2))
"""Pairs of directions of a double check; most include a knight, so those come first."""
COLORS: dict[str, chess.Color] = {"white": chess.WHITE, "black": chess.BLACK}

NO_CAPTURES = "No pawn captures"
CHECKS = {
    "Check on rank": Check.RANK,
    "Check on file": Check.FILE,
    "Check on long diagonal": Check.LONG_DIAGONAL,
    "Check on short diagonal": Check.SHORT_DIAGONAL,
    "Check by knight": Check.KNIGHT,
}
CHECK_CODES = {f"CHECK_{check.name}": check for check in Check}
REFUSALS = {"Illegal move": referee.Answer.ILLEGAL, "Nonsense": referee.Answer.IMPOSSIBLE}
ANSWERS = {"Has pawn captures": referee.Answer.YES, NO_CAPTURES: referee.Answer.NO}
CAPTURE = re.compile(r"(Capture done|Pawn captured|Piece captured|En passant capture) at ([A-H][1-8])")
CAPTURED = {"Pawn captured": referee.CapturedKind.PAWN, "Piece captured": referee.CapturedKind.PIECE}
COUNT = re.compile(r"([1-9][0-9]?) pawn tr(?:y|ies)")
SQUARES = re.compile(r"Pawn tr(?:y|ies) from ([A-H][1-8](?:, [A-H][1-8])*)")


class Unreadable(ValueError):
    """A state or its log does not have the known form; the message says why."""


@dataclass(frozen=True, slots=True)
class Reading:
    """Our side's view of a state; `is_guessed` if the directions of a double check are a guess."""

    view: referee.View
    is_guessed: bool


def read_state(state: Json, rules: referee.RuleSet, answers: Mapping[int, Json], guess: int = 0) -> Reading:
    """Return our side's view of an unfinished game. Raise Unreadable if the state is malformed or contradicts itself.

    `answers` are the site's known answers to our moves, by the plies made before. `guess` is the index of the pair in
    `DOUBLES` to assume for a double check without known directions.
    """
    color, turn = color_of(state.get("your_color")), color_of(state.get("turn"))
    if color is None or turn is None:
        raise Unreadable(f"illegal colours: {quoted((state.get('your_color'), state.get('turn')))}")
    reader = _LogReader(color, rules, answers, guess)
    for entry in _entries(state):
        reader.read(entry)
    reader.close()
    view = reader.builder.view()
    if view.men != _own_men(state, color):
        raise Unreadable(f"our pieces by the log are not those of {quoted(state.get('your_fen'))}")
    if view.turn != turn:
        raise Unreadable(f"by the log {chess.COLOR_NAMES[view.turn]} is to move, not {quoted(state.get('turn'))}")
    return Reading(view, reader.is_guessed)


def color_of(name: object) -> chess.Color | None:
    """Return the colour of a name; None for any other value."""
    return COLORS.get(name) if isinstance(name, str) else None


@dataclass(slots=True)
class _Entry:
    """One line of the log: the side whose turn it is, its question, and the referee's messages."""

    color: chess.Color
    question: str
    messages: list[str]
    move: chess.Move | None

    def own_move(self) -> chess.Move:
        """Return the move of a try of ours."""
        if self.move is None or not self.move or self.move.drop is not None:
            raise Unreadable(f"a try of ours without its move: {quoted(self.messages)}")
        return self.move


class _LogReader:
    """A reader of the log, line by line; `builder` holds our side's view."""

    def __init__(self, color: chess.Color, rules: referee.RuleSet, answers: Mapping[int, Json], guess: int) -> None:
        self.builder, self.is_guessed = ViewBuilder(color, rules, LIMITS), False
        self._rules, self._answers, self._guess = rules, answers, guess

    def read(self, entry: _Entry) -> None:
        """Read a line."""
        if entry.color != self.builder.turn:
            raise Unreadable(f"a line out of turn at ply {self.builder.ply + 1}: {quoted(entry.messages)}")
        first, is_own = entry.messages[0], entry.color == self.builder.color
        if entry.question == "":
            self._add_pawn_tries(first)
        elif entry.question == "ASK_ANY":
            answer = ANSWERS.get(first)
            if answer is None:
                raise Unreadable(f'illegal answer to "Any?": {quoted(first)}')
            self.builder.apply(referee.OwnQuestion(answer) if is_own else referee.OpponentAsked(answer))
        else:
            self.close()
            if first not in REFUSALS:
                self._move(entry, is_own=is_own)
            elif is_own:
                self.builder.apply(referee.OwnTry(entry.own_move(), REFUSALS[first]))
            elif REFUSALS[first] is referee.Answer.ILLEGAL and self._rules.illegal_to is Audience.BOTH:
                self.builder.apply(referee.OpponentRefused())

    def close(self) -> None:
        """End a turn's lines. A move without a line of pawn tries announced that there are none."""
        events = self.builder.events
        is_after_try = bool(events) and isinstance(events[-1], referee.OwnTry | referee.OpponentMoved)
        if is_after_try and self.builder.pawn_tries is None:
            self._add_pawn_tries(NO_CAPTURES)

    def _move(self, entry: _Entry, *, is_own: bool) -> None:
        announcement, men = self._announcement(entry, is_own=is_own), self.builder.men
        if is_own:
            move = entry.own_move()
            if move.from_square not in men or move.to_square in men:
                raise Unreadable(f"a move that our pieces cannot have made: {move.uci()}")
            self.builder.apply(referee.OwnTry(move, referee.Answer.ACCEPTED, announcement))
        else:
            square = announcement.captured_square
            if square is not None and square not in men:
                raise Unreadable(f"a capture on {chess.square_name(square)}, where none of our pieces stands")
            self.builder.apply(referee.OpponentMoved(announcement))

    def _announcement(self, entry: _Entry, *, is_own: bool) -> referee.Announcement:
        answer = self._answers.get(self.builder.ply, {})
        capture, captured, checks, is_passing, is_double, promotion = None, None, NO_CHECK, False, False, False
        for message in entry.messages:
            if match := CAPTURE.fullmatch(message):
                capture, is_passing = chess.parse_square(match[2].lower()), match[1].startswith("En passant")
                captured = CAPTURED.get(match[1])
            elif message in CHECKS:
                checks |= CHECKS[message]
            elif message == "Double check":
                is_double = True
            elif message == "Promotion":
                promotion = True
            elif message != "Move complete":
                raise Unreadable(f"unknown message: {quoted(message)}")
        if is_double and len(checks) < 2:
            codes = answer.get("checks")
            named = codes if isinstance(codes, list) else []
            checks = Check(sum({CHECK_CODES.get(str(code), NO_CHECK) for code in named}))
            if len(checks) < 2:
                checks, self.is_guessed = DOUBLES[self._guess % len(DOUBLES)], True
        if capture is not None and is_own:
            is_passing |= answer.get("en_passant_announced") is True
        elif capture is not None:
            is_passing |= capture not in self.builder.men  # our pawn stood beside that square
        en_passant = is_passing and self._rules.en_passant_announced
        captured = captured if self._rules.captured_kind else None
        return referee.Announcement(capture, captured, checks, en_passant=en_passant, promotion=promotion)

    def _add_pawn_tries(self, message: str) -> None:
        """Add pawn tries to the announcement of the move before."""
        kind, events = self._rules.pawn_tries, self.builder.events
        if kind is PawnTries.NOTHING and message == NO_CAPTURES:
            return
        pawn_tries = _pawn_tries(message, kind)
        if pawn_tries is None:
            raise Unreadable(f"unknown message about pawn tries: {quoted(message)}")
        self.builder.pawn_tries = pawn_tries
        if not events:
            return
        match events[-1]:
            case referee.OwnTry(announcement=referee.Announcement() as before) | referee.OpponentMoved(before):
                events[-1] = replace(events[-1], announcement=replace(before, pawn_tries=pawn_tries))
            case _:
                raise Unreadable(f"pawn tries in the middle of a turn: {quoted(message)}")


def _entries(state: Json) -> Iterator[_Entry]:
    """Yield the lines of the log in order; it groups them by the number of the turn and by colour."""
    turns = state.get("referee_turns")
    try:
        for turn in sorted(turns or (), key=lambda turn: int(turn["turn"])):
            for name, color in COLORS.items():
                for line in turn.get(name) or ():
                    messages = [str(message) for message in line["messages"]]
                    uci = line.get("move_uci")
                    move = None if uci is None else chess.Move.from_uci(uci)
                    if not messages:
                        raise ValueError("a line without messages")
                    yield _Entry(color, str(line.get("question_type") or ""), messages, move)
    except (AttributeError, KeyError, OverflowError, TypeError, ValueError) as error:
        raise Unreadable(f"illegal referee_turns: {type(error).__name__} {quoted(str(error))}") from None


def _pawn_tries(message: str, kind: PawnTries) -> PawnTryInfo | None:
    """Return the pawn tries in a message; None if rules of this kind have no such message."""
    count, squares = COUNT.fullmatch(message), SQUARES.fullmatch(message)
    if kind is PawnTries.COUNT and (count or message == NO_CAPTURES):
        return referee.PawnTryCount(int(count[1]) if count else 0)
    if kind is PawnTries.YES_NO and message in (NO_CAPTURES, "Has pawn capture", "Has pawn captures"):
        return referee.PawnTryExists(message != NO_CAPTURES)
    if kind is PawnTries.SQUARES and (squares or message == NO_CAPTURES):
        names = squares[1].lower().split(", ") if squares else []
        return referee.PawnTrySquares(tuple(sorted(map(chess.parse_square, names))))
    return None


def _own_men(state: Json, color: chess.Color) -> dict[chess.Square, chess.PieceType]:
    """Return our pieces as the site shows them."""
    try:
        return men_of(chess.BaseBoard(str(state.get("your_fen")).split(" ")[0]), color)
    except ValueError:
        raise Unreadable(f"illegal your_fen: {quoted(state.get('your_fen'))}") from None
