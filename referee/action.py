"""What a side may answer when it is its turn: a try, a resignation, or the question "Any?".

"Any?" asks the referee whether any pawn capture is legal; only some rule sets have it. Players, records, pages and the
line protocol all carry an `Action`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import chess

from referee.errors import BadAction


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
