"""What a format is: how its text is told from others', cut into games, read and written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import chess

from referee.record import GameRecord
from referee.rules import RuleSet

Lost: TypeAlias = tuple[str, ...]
"""What was left out, such as "thinking times"."""

TIMES = "thinking times"
QUESTIONS = 'questions "Any?"'
RULED_OUT = "tries that the side's own men rule out"
REFUSED = "refused tries"
LEFT = "tries after the last move"
HEADERS = "headers but the names of the game and of its players"
COMMENTS = "comments"


@dataclass(frozen=True, slots=True)
class Format:
    """A format of games.

    Attributes:
      name: in commands.
      summary: one line for people.
      fits: whether a text looks like this format.
      games: the texts of a file's games, one after another.
      read: a game of a text, under the rule set that whoever asks has named, and what was lost.
      write: the text of a game as one side saw it, if a side is named, and what was lost.
      suffix: of files that are in this format and in no other.
    """

    name: str
    summary: str
    fits: Callable[[str], bool]
    games: Callable[[str], list[str]]
    read: Callable[[str, RuleSet | None], tuple[GameRecord, Lost]]
    write: Callable[[GameRecord, chess.Color | None], tuple[str, Lost]]
    suffix: str | None = None
