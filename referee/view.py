"""All that one side knows: its own men, what it tried, and what it heard.

A `View` is the only thing a player is ever handed. It holds nothing of the opponent's men but their number,
which both sides can count from the captures announced.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

import chess

from referee.announcement import Announcement, End
from referee.rules import Limits, RuleSet
from referee.tries import open_tries


class Answer(Enum):
    """The referee's answer to a try.

    IMPOSSIBLE and REPEATED are what people call "nonsense"; rule sets without it answer ILLEGAL instead.
    """

    ACCEPTED = "accepted"
    ILLEGAL = "illegal"
    IMPOSSIBLE = "impossible"
    REPEATED = "repeated"


@dataclass(frozen=True, slots=True)
class OwnTry:
    """A try of one's own and its answer; an accepted one carries the announcement."""

    move: chess.Move
    answer: Answer
    announcement: Announcement | None = None


@dataclass(frozen=True, slots=True)
class OpponentRefused:
    """The opponent tried something illegal, and the rule set lets both sides hear it."""


@dataclass(frozen=True, slots=True)
class OpponentMoved:
    """The opponent's try was accepted; which one it was is not told."""

    announcement: Announcement


@dataclass(frozen=True, slots=True)
class GameOver:
    """The game ended without a move: by resignation, forfeit or abandonment."""

    end: End


Event: TypeAlias = OwnTry | OpponentRefused | OpponentMoved | GameOver


@dataclass(frozen=True, slots=True)
class View:
    """What one side knows at one moment.

    Attributes:
      color: whose view it is.
      rules: the rule set of the game.
      limits: its limits.
      start: FEN of the first position, which both sides know.
      men: the side's own men; a mapping of this view alone, changing it changes nothing else.
      kingside: whether the side may still castle with the rook on the h-file.
      queenside: the same on the a-file.
      turn: the side to move.
      ply: moves made so far, both sides together.
      opponent_men: how many men the opponent has left.
      events: everything tried and heard, in order.
      refused: own tries refused this turn, each once, whatever the answer was.
      pawn_tries: the number of pawn tries announced for this side's turn; None if none was or out of turn.
      end: the end of the game, or None while it goes on.
    """

    color: chess.Color
    rules: RuleSet
    limits: Limits
    start: str
    men: Mapping[chess.Square, chess.PieceType]
    kingside: bool
    queenside: bool
    turn: chess.Color
    ply: int
    opponent_men: int
    events: tuple[Event, ...]
    refused: tuple[chess.Move, ...]
    pawn_tries: int | None
    end: End | None

    def tries(self) -> list[chess.Move]:
        """The tries still open this turn, in the order of `open_tries`; none after the end or out of turn."""
        if self.end is not None or self.turn != self.color:
            return []
        tries = open_tries(self.color, self.men, self.kingside, self.queenside, self.pawn_tries)
        if not self.refused:
            return tries
        refused = set(self.refused)
        return [move for move in tries if move not in refused]
