"""What a side may do, what it then hears, and everything that it knows at a moment: its view.

A `View` is the only thing a player ever gets. Of the opponent's men it holds only their number, which both sides can
count from the captures announced.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import takewhile
from typing import TypeAlias

import chess

from referee.announcement import Announcement, End, PawnTryExists, PawnTryInfo
from referee.errors import BadAction
from referee.men import Men, is_open, is_pawn_capture, open_tries
from referee.rules import Asking, Limits, RuleSet


@dataclass(frozen=True, slots=True)
class Resign:
    """The side gives up the game."""


@dataclass(frozen=True, slots=True)
class AskAny:
    """The side asks whether any of its pawn captures is legal."""


Action: TypeAlias = chess.Move | Resign | AskAny


def action_code(action: Action) -> str:
    """An action as one word: a try in UCI notation, "resign" or "any"."""
    match action:
        case Resign():
            return "resign"
        case AskAny():
            return "any"
        case chess.Move():
            return action.uci()


def parse_action(code: str) -> Action:
    """The inverse of `action_code`.

    Raises:
      BadAction: a ValueError; the text is no such word.
    """
    if code == "resign":
        return Resign()
    if code == "any":
        return AskAny()
    try:
        move = chess.Move.from_uci(code)
    except ValueError:
        move = chess.Move.null()
    if not move or move.drop is not None:
        raise BadAction(f"illegal action: {code[:80]!r}; it takes a try such as 'e2e4' or 'e7e8q', 'resign' or 'any'")
    return move


class Answer(Enum):
    """The referee's answer to a try, or to the question "Any?".

    IMPOSSIBLE and REPEATED are what people call "nonsense"; rule sets without it answer a try ILLEGAL instead, except
    while "Any?" obliges to something else.
    """

    ACCEPTED = "accepted"
    ILLEGAL = "illegal"
    IMPOSSIBLE = "impossible"
    REPEATED = "repeated"
    YES = "yes"
    NO = "no"


@dataclass(frozen=True, slots=True)
class OwnTry:
    """A try of one's own and its answer; an accepted one carries the announcement."""

    move: chess.Move
    answer: Answer
    announcement: Announcement | None = None


@dataclass(frozen=True, slots=True)
class OwnQuestion:
    """The question "Any?" of one's own, and its answer: YES, NO, or nonsense."""

    answer: Answer


@dataclass(frozen=True, slots=True)
class OpponentRefused:
    """The opponent tried something illegal, and the rule set lets both sides hear it."""


@dataclass(frozen=True, slots=True)
class OpponentAsked:
    """The opponent asked "Any?", and both sides hear the answer: YES or NO."""

    answer: Answer


@dataclass(frozen=True, slots=True)
class OpponentMoved:
    """The opponent's try was accepted; which one it was is not told."""

    announcement: Announcement


@dataclass(frozen=True, slots=True)
class GameOver:
    """The game ended without a move: by resignation, forfeit or abandonment."""

    end: End


Event: TypeAlias = OwnTry | OwnQuestion | OpponentRefused | OpponentAsked | OpponentMoved | GameOver


@dataclass(frozen=True, slots=True)
class View:
    """What one side knows at one moment.

    Attributes:
      color: whose view it is.
      rules: the rule set of the game.
      limits: its limits.
      start: FEN of the first position, which both sides know.
      men: the side's own men, square -> `chess.PAWN` to `chess.KING`; changing this mapping changes nothing else.
      kingside: whether the side may still castle with the rook on the h-file.
      queenside: the same on the a-file.
      turn: the side to move.
      ply: moves made so far, both sides together.
      opponent_men: how many men the opponent has left.
      events: everything tried and heard, in order.
      refused: own tries refused this turn, each once, whatever the answer was; not those that were impossible while
        "Any?" obliged to try one pawn capture, which may be tried after it.
      pawn_tries: what is told of this side's legal pawn captures this turn, as in `Announcement`; None out of turn.
      end: the end of the game, or None.
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
    end: End | None

    @property
    def last_reply(self) -> Announcement | None:
        """What was announced of the opponent's last move; None before it has moved."""
        moves = (event.announcement for event in reversed(self.events) if isinstance(event, OpponentMoved))
        return next(moves, None)

    @property
    def illegal(self) -> list[chess.Move]:
        """Own tries that are known to be illegal, since they were refused this turn; not mere nonsense."""
        turn = takewhile(lambda event: not isinstance(event, OpponentMoved), reversed(self.events))
        return [event.move for event in turn if isinstance(event, OwnTry) and event.answer is Answer.ILLEGAL]

    @property
    def may_ask(self) -> bool:
        """Whether "Any?" may be asked now; asked at another time it is nonsense."""
        is_asked = self.rules.asking is Asking.NONSENSE or self.pawn_tries is not None
        return not is_asked and self.turn == self.color and self.end is None

    @property
    def obliged(self) -> bool:
        """Whether the side may try nothing but pawn captures, since "Any?" was answered yes."""
        if self.rules.asking is Asking.NONSENSE or self.pawn_tries != PawnTryExists(True):
            return False
        if self.rules.asking is Asking.OBLIGES:
            return True
        for event in reversed(self.events):  # what was illegal after the answer was a pawn capture
            if isinstance(event, OwnQuestion) and event.answer is Answer.YES:
                return True
            if isinstance(event, OwnTry) and event.answer is Answer.ILLEGAL:
                return False
        return False

    def tries(self) -> list[chess.Move]:
        """The tries still open this turn, in the order of `open_tries`; none after the end or out of turn."""
        if self.end is not None or self.turn != self.color:
            return []
        tries = open_tries(self.color, self.men, self.kingside, self.queenside, self.pawn_tries)
        if self.obliged:
            tries = [move for move in tries if is_pawn_capture(move, self.men)]
        refused = set(self.refused)
        return [move for move in tries if move not in refused]

    def is_open(self, move: chess.Move) -> bool:
        """Whether a move is among `tries`, without listing them."""
        return move not in self.refused and self.is_possible(move)

    def is_possible(self, move: chess.Move) -> bool:
        """The same of a move that may have been refused this turn."""
        if self.end is not None or self.turn != self.color:
            return False
        if self.obliged and not is_pawn_capture(move, self.men):
            return False
        return is_open(move, self.color, self.men, self.kingside, self.queenside, self.pawn_tries)
