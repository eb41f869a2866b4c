"""One side's `View`, rebuilt from the state that kriegspiel.org gives it: the referee's log in the site's words.

The log holds each side's turns in order: our own tries with their moves, the announcements of the opponent's, and, if
the rule set has them, the pawn tries of the side to move in a line of their own. Our pieces must be those that the site
shows. A log that does not fit raises `Unreadable`.

The log does not name the directions of a double check, nor under English rules an en passant capture. The site's
answers to our own moves name both, while this process remembers them. There the opponent's capture is en passant if
none of our pieces stands on its square. For other double checks we assume one pair of directions after another.

The site plays on with king and minor piece against the same. Our referee calls that a draw under `berkeley` and
`berkeley_any`, so a belief may become inconsistent there.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations

import chess

import referee
from kriegbot.online.site import Json
from referee.announcement import NO_CHECK, Check, PawnTryInfo
from referee.pieces import men_of
from referee.rules import Audience, PawnTries
from referee.text import quoted
from referee.view import ViewBuilder

LIMITS = referee.Limits(quiet_plies=2000)
DOUBLES = tuple(one | other for one, other in combinations(reversed(Check), 2))
"""Pairs of directions of a double check, those with a knight first."""
COLORS: dict[str, chess.Color] = {"white": chess.WHITE, "black": chess.BLACK}

NO_CAPTURES, HAS_CAPTURES = "No pawn captures", ("Has pawn capture", "Has pawn captures")
CHECKS = {f"Check on {check.name}".replace("_", " ").lower(): check for check in Check}
CHECKS["check by knight"] = Check.KNIGHT
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
    color, turn, fen = color_of(state.get("your_color")), color_of(state.get("turn")), state.get("your_fen")
    if color is None or turn is None:
        raise Unreadable(f"illegal colours: {quoted((state.get('your_color'), state.get('turn')))}")
    reader = _LogReader(color, rules, answers, guess)
    try:
        for entries in sorted(state.get("referee_turns") or (), key=lambda entries: int(entries["turn"])):
            for name, side in COLORS.items():
                for line in entries.get(name) or ():
                    reader.read(side, line)
    except Unreadable:
        raise
    except (AttributeError, LookupError, OverflowError, TypeError, ValueError) as error:
        raise Unreadable(f"illegal referee_turns: {type(error).__name__} {quoted(str(error))}") from None
    reader.close()
    try:
        men = men_of(chess.BaseBoard(str(fen).split(" ")[0]), color)
    except ValueError:
        raise Unreadable(f"illegal your_fen: {quoted(fen)}") from None
    view = reader.builder.view()
    if view.men != men:
        raise Unreadable(f"our pieces by the log are not those of {quoted(fen)}")
    if view.turn != turn:
        raise Unreadable(f"by the log {chess.COLOR_NAMES[view.turn]} is to move, not {quoted(state.get('turn'))}")
    return Reading(view, reader.is_guessed)


def color_of(name: object) -> chess.Color | None:
    """Return the colour of a name; None for any other value."""
    return COLORS.get(name) if isinstance(name, str) else None


class _LogReader:
    """A reader of the log, line by line; `builder` holds our side's view."""

    def __init__(self, color: chess.Color, rules: referee.RuleSet, answers: Mapping[int, Json], guess: int) -> None:
        self.builder, self.is_guessed = ViewBuilder(color, rules, LIMITS), False
        self._rules, self._answers, self._guess = rules, answers, guess

    def read(self, color: chess.Color, line: Json) -> None:
        """Read a line of the side whose turn it is: its question, and the referee's messages."""
        messages, builder = [str(message) for message in line["messages"]], self.builder
        first, is_own, question = messages[0], color == builder.color, line.get("question_type")
        if color != builder.turn:
            raise Unreadable(f"a line out of turn at ply {builder.ply + 1}: {quoted(messages)}")
        if not question:
            self._add_pawn_tries(first)
        elif question == "ASK_ANY":
            if first not in ANSWERS:
                raise Unreadable(f'illegal answer to "Any?": {quoted(first)}')
            builder.apply(referee.OwnQuestion(ANSWERS[first]) if is_own else referee.OpponentAsked(ANSWERS[first]))
        else:
            self.close()
            answer = REFUSALS.get(first, referee.Answer.ACCEPTED)
            if is_own:
                self._own_try(answer, messages, line.get("move_uci"))
            elif answer is referee.Answer.ACCEPTED:
                announcement = self._announcement(messages, is_own=False)
                square = announcement.captured_square
                if square is not None and square not in builder.men:
                    raise Unreadable(f"a capture on {chess.square_name(square)}, where none of our pieces stands")
                builder.apply(referee.OpponentMoved(announcement))
            elif answer is referee.Answer.ILLEGAL and self._rules.illegal_to is Audience.BOTH:
                builder.apply(referee.OpponentRefused())

    def close(self) -> None:
        """End a turn's lines. A move without a line of pawn tries announced that there are none."""
        events = self.builder.events
        is_after_try = bool(events) and isinstance(events[-1], referee.OwnTry | referee.OpponentMoved)
        if is_after_try and self.builder.pawn_tries is None:
            self._add_pawn_tries(NO_CAPTURES)

    def _own_try(self, answer: referee.Answer, messages: list[str], uci: str | None) -> None:
        move, men = chess.Move.from_uci(uci) if uci else chess.Move.null(), self.builder.men
        if not move or move.drop is not None:
            raise Unreadable(f"a try of ours without its move: {quoted(messages)}")
        announcement = None
        if answer is referee.Answer.ACCEPTED:
            announcement = self._announcement(messages, is_own=True)
            if move.from_square not in men or move.to_square in men:
                raise Unreadable(f"a move that our pieces cannot have made: {move.uci()}")
        self.builder.apply(referee.OwnTry(move, answer, announcement))

    def _announcement(self, messages: list[str], *, is_own: bool) -> referee.Announcement:
        answer = self._answers.get(self.builder.ply, {})
        capture, captured, checks, is_en_passant = None, None, NO_CHECK, False
        for message in messages:
            if match := CAPTURE.fullmatch(message):
                capture, is_en_passant = chess.parse_square(match[2].lower()), match[1].startswith("En passant")
                captured = CAPTURED.get(match[1])
            elif message.lower() in CHECKS:
                checks |= CHECKS[message.lower()]
            elif message not in ("Move complete", "Promotion", "Double check"):
                raise Unreadable(f"unknown message: {quoted(message)}")
        if "Double check" in messages and len(checks) < 2:
            codes = answer.get("checks")
            named = codes if isinstance(codes, list) else []
            checks = Check(sum({CHECK_CODES.get(str(code), NO_CHECK) for code in named}))
            if len(checks) < 2:
                checks, self.is_guessed = DOUBLES[self._guess % len(DOUBLES)], True
        if capture is not None:  # an opponent's en passant: our pawn stood beside that square
            is_en_passant |= answer.get("en_passant_announced") is True if is_own else capture not in self.builder.men
        en_passant = is_en_passant and self._rules.en_passant_announced
        captured = captured if self._rules.captured_kind else None
        return referee.Announcement(capture, captured, checks, en_passant=en_passant, promotion="Promotion" in messages)

    def _add_pawn_tries(self, message: str) -> None:
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


def _pawn_tries(message: str, kind: PawnTries) -> PawnTryInfo | None:
    """Return the pawn tries in a message; None if rules of this kind have no such message."""
    count, squares, is_none = COUNT.fullmatch(message), SQUARES.fullmatch(message), message == NO_CAPTURES
    if kind is PawnTries.COUNT and (count or is_none):
        return referee.PawnTryCount(int(count[1]) if count else 0)
    if kind is PawnTries.YES_NO and (is_none or message in HAS_CAPTURES):
        return referee.PawnTryExists(not is_none)
    if kind is PawnTries.SQUARES and (squares or is_none):
        names = squares[1].lower().split(", ") if squares else []
        return referee.PawnTrySquares(tuple(sorted(map(chess.parse_square, names))))
    return None
