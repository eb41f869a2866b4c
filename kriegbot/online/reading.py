"""One side's `View`, rebuilt from the state that kriegspiel.org gives it: the log of the referee in the site's words.

The log holds each side's turns in order: our own tries with their moves, what was heard of the opponent's, and, where
the rule set tells them, the pawn tries of the side to move as a line of their own. The rest of the view follows
(`referee.view`); our men are compared with those that the site shows. Whatever cannot be read is an `Unreadable`,
never a guess.

Two things the log may leave out. "Double check" comes without its directions, and under English rules a capture may not
be said to be en passant. Of our own moves the site's answers told both, as long as this process remembers them. The
opponent's en passant is seen from a capture where none of our men stands. For the directions of any other double check
one pair after another is taken (`Reading.is_guessed`).

The site's referee has no limit but 2,000 quiet plies, and lets king and minor piece play on against the same. Under
`berkeley` ours calls that a draw, so a belief may go astray there.
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
from referee.rules import IllegalHeard, PawnTries
from referee.text import quoted
from referee.view import ViewBuilder

Json: TypeAlias = dict[str, Any]

LIMITS = referee.Limits(quiet_plies=2000)
DOUBLES = tuple(one | other for one, other in combinations(reversed(Check), 2))
"""The directions that a double check may have; a knight is in most of them, so those come first."""
COLORS: dict[str, chess.Color] = {"white": chess.WHITE, "black": chess.BLACK}

NONE = "No pawn captures"
CHECKS = {
    "Check on rank": Check.RANK,
    "Check on file": Check.FILE,
    "Check on long diagonal": Check.LONG_DIAGONAL,
    "Check on short diagonal": Check.SHORT_DIAGONAL,
    "Check by knight": Check.KNIGHT,
}
CHECK_CODES = {f"CHECK_{check.name}": check for check in Check}
REFUSALS = {"Illegal move": referee.Answer.ILLEGAL, "Nonsense": referee.Answer.IMPOSSIBLE}
ANSWERS = {"Has pawn captures": referee.Answer.YES, NONE: referee.Answer.NO}
CAPTURE = re.compile(r"(Capture done|Pawn captured|Piece captured|En passant capture) at ([A-H][1-8])")
MEN = {"Pawn captured": referee.Man.PAWN, "Piece captured": referee.Man.PIECE}
COUNT = re.compile(r"([1-9][0-9]?) pawn tr(?:y|ies)")
SQUARES = re.compile(r"Pawn tr(?:y|ies) from ([A-H][1-8](?:, [A-H][1-8])*)")


class Unreadable(ValueError):
    """A state or its log is not what the site is known to give; the message says what."""


@dataclass(frozen=True, slots=True)
class Reading:
    """Our side's view of a state; `is_guessed` if the directions of a double check are a guess."""

    view: referee.View
    is_guessed: bool


def read_state(state: Json, rules: referee.RuleSet, answers: Mapping[int, Json], guess: int = 0) -> Reading:
    """Return our side's view of an unfinished game. Raise Unreadable for a state that makes no sense.

    Args:
      state: as the site gives it.
      rules: the rule set, which the state does not name.
      answers: those of the site to moves of ours, as far as they are known, by the plies made before.
      guess: which pair of directions to take for a double check of which they are not known.
    """
    color, turn = color_of(state.get("your_color")), color_of(state.get("turn"))
    if color is None or turn is None:
        raise Unreadable(f"illegal colours: {quoted((state.get('your_color'), state.get('turn')))}")
    reader = _Reader(color, rules, answers, guess)
    for entry in _entries(state):
        reader.read(entry)
    reader.close()
    view = reader.heard.view()
    if view.men != _shown(state, color):
        raise Unreadable(f"our men by the log are not those of {quoted(state.get('your_fen'))}")
    if view.turn != turn:
        raise Unreadable(f"by the log {chess.COLOR_NAMES[view.turn]} is to move, not {quoted(state.get('turn'))}")
    return Reading(view, reader.is_guessed)


def color_of(name: object) -> chess.Color | None:
    """The colour of a name; None if it is none."""
    return COLORS.get(name) if isinstance(name, str) else None


@dataclass(slots=True)
class _Entry:
    """One line of the log: whose turn it stands in, what was asked, and what was said."""

    color: chess.Color
    question: str
    messages: list[str]
    move: chess.Move | None

    def own_move(self) -> chess.Move:
        """The move of a try of ours."""
        if self.move is None or not self.move or self.move.drop is not None:
            raise Unreadable(f"a try of ours without its move: {quoted(self.messages)}")
        return self.move


class _Reader:
    """Takes in the log, line by line; `heard` is what our side knows by it."""

    def __init__(self, color: chess.Color, rules: referee.RuleSet, answers: Mapping[int, Json], guess: int) -> None:
        self.heard, self.is_guessed = ViewBuilder(color, rules, LIMITS), False
        self._rules, self._answers, self._guess = rules, answers, guess

    def read(self, entry: _Entry) -> None:
        """Takes in a line."""
        if entry.color != self.heard.turn:
            raise Unreadable(f"a line out of turn at ply {self.heard.ply + 1}: {quoted(entry.messages)}")
        first, is_own = entry.messages[0], entry.color == self.heard.color
        if entry.question == "":
            self._tell(first)
        elif entry.question == "ASK_ANY":
            answer = ANSWERS.get(first)
            if answer is None:
                raise Unreadable(f'illegal answer to "Any?": {quoted(first)}')
            self.heard.apply(referee.OwnQuestion(answer) if is_own else referee.OpponentAsked(answer))
        else:
            self.close()
            if first not in REFUSALS:
                self._move(entry, is_own=is_own)
            elif is_own:
                self.heard.apply(referee.OwnTry(entry.own_move(), REFUSALS[first]))
            elif REFUSALS[first] is referee.Answer.ILLEGAL and self._rules.illegal_heard is IllegalHeard.BOTH:
                self.heard.apply(referee.OpponentRefused())

    def close(self) -> None:
        """The end of a turn's lines: a move of which nothing more is said told that there are no pawn tries."""
        events = self.heard.events
        if self.heard.pawn_tries is None and events and isinstance(events[-1], referee.OwnTry | referee.OpponentMoved):
            self._tell(NONE)

    def _move(self, entry: _Entry, *, is_own: bool) -> None:
        announcement, men = self._announcement(entry, is_own=is_own), self.heard.men
        if is_own:
            move = entry.own_move()
            if move.from_square not in men or move.to_square in men:
                raise Unreadable(f"a move that our men cannot have made: {move.uci()}")
            self.heard.apply(referee.OwnTry(move, referee.Answer.ACCEPTED, announcement))
        else:
            fell = announcement.captured_square
            if fell is not None and fell not in men:
                raise Unreadable(f"a capture on {chess.square_name(fell)}, where none of our men stands")
            self.heard.apply(referee.OpponentMoved(announcement))

    def _announcement(self, entry: _Entry, *, is_own: bool) -> referee.Announcement:
        answer = self._answers.get(self.heard.ply, {})
        capture, captured, checks, is_passing, is_double, promotion = None, None, NO_CHECK, False, False, False
        for message in entry.messages:
            if found := CAPTURE.fullmatch(message):
                capture, is_passing = chess.parse_square(found[2].lower()), found[1].startswith("En passant")
                captured = MEN.get(found[1])
            elif message in CHECKS:
                checks |= CHECKS[message]
            elif message == "Double check":
                is_double = True
            elif message == "Promotion":
                promotion = True
            elif message != "Move complete":
                raise Unreadable(f"unknown words: {quoted(message)}")
        if is_double and len(checks) < 2:
            checks = _checks_in(answer)
            if len(checks) < 2:
                checks, self.is_guessed = DOUBLES[self._guess % len(DOUBLES)], True
        if capture is not None and is_own:
            is_passing |= answer.get("en_passant_announced") is True
        elif capture is not None:
            is_passing |= capture not in self.heard.men  # nothing of ours stands there: it fell beside
        return referee.Announcement(
            capture,
            captured if self._rules.captured_kind else None,
            checks,
            en_passant=is_passing and self._rules.en_passant_told,
            promotion=promotion,
        )

    def _tell(self, message: str) -> None:
        """Pawn tries, which belong to the announcement of the move before."""
        kind, events = self._rules.pawn_tries, self.heard.events
        if kind is PawnTries.NOTHING and message == NONE:
            return
        told = _pawn_tries(message, kind)
        if told is None:
            raise Unreadable(f"unknown words of pawn tries: {quoted(message)}")
        self.heard.pawn_tries = told
        if not events:
            return
        match events[-1]:
            case referee.OwnTry(announcement=referee.Announcement() as said) | referee.OpponentMoved(said):
                events[-1] = replace(events[-1], announcement=replace(said, pawn_tries=told))
            case _:
                raise Unreadable(f"pawn tries told in the middle of a turn: {quoted(message)}")


def _entries(state: Json) -> Iterator[_Entry]:
    """The lines of the log in order; those of a turn stand under its number and colour."""
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


def _checks_in(answer: Json) -> Check:
    """The directions of a double check that the site's answer to a move of ours names."""
    codes = answer.get("checks")
    return Check(sum({CHECK_CODES.get(str(code), NO_CHECK) for code in codes} if isinstance(codes, list) else ()))


def _pawn_tries(message: str, kind: PawnTries) -> PawnTryInfo | None:
    """Return the pawn tries that a line announces; None if it is no such announcement under rules of this kind."""
    count, squares = COUNT.fullmatch(message), SQUARES.fullmatch(message)
    if kind is PawnTries.COUNT and (count or message == NONE):
        return referee.PawnTryCount(int(count[1]) if count else 0)
    if kind is PawnTries.YES_NO and message in (NONE, "Has pawn capture", "Has pawn captures"):
        return referee.PawnTryExists(message != NONE)
    if kind is PawnTries.SQUARES and (squares or message == NONE):
        names = squares[1].lower().split(", ") if squares else []
        return referee.PawnTrySquares(tuple(sorted(map(chess.parse_square, names))))
    return None


def _shown(state: Json, color: chess.Color) -> dict[chess.Square, chess.PieceType]:
    """Our men as the site shows them."""
    try:
        return men_of(chess.BaseBoard(str(state.get("your_fen")).split(" ")[0]), color)
    except ValueError:
        raise Unreadable(f"illegal your_fen: {quoted(state.get('your_fen'))}") from None
