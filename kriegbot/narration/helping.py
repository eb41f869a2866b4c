"""Help for a person: hints, moves taken back, and the note on them in the game's record.

A hint names the tries with the highest values at the level `master`, from nothing but the person's own view.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TypedDict

from kriegbot.belief.timeline import BeliefSnapshot
from kriegbot.kernels import decode_move
from kriegbot.players.human import try_name
from kriegbot.players.kriegbot import LEVELS
from kriegbot.search.information_set import InformationSet, are_open
from kriegbot.search.search import search_tries
from kriegbot.search.settings import Method
from referee import GameRecord
from referee.text import counted

PARTICLES, SEED = 20_000, 0  # of the belief behind hints
HINTS, HINT_SAMPLES, MIN_LEGAL = 3, 200, 0.05
"""Tries that a hint names, histories sampled for it, and the least chance that a named try is legal."""
MASTER = LEVELS["master"]
BY = f"from {HINT_SAMPLES} possible positions, {MASTER.depth} plies deep"  # the basis of the values, for people


class TryValued(TypedDict):
    """A try with its value in centipawns and the chance that it is legal."""

    name: str
    uci: str
    value: float
    legal: float


class Hint(TypedDict):
    """The best tries, best first, and the basis of their values."""

    by: str
    tries: list[TryValued]


def hint(belief: BeliefSnapshot) -> Hint:
    """Return the best tries of the side to move. The belief must sample `HINT_SAMPLES` histories."""
    likely = [one for one in value_tries(belief) if one["legal"] >= MIN_LEGAL]
    best: dict[str, TryValued] = {}  # one promotion of each pawn move
    for one in sorted(likely, key=lambda one: (-one["value"], -one["legal"])):
        best.setdefault(one["uci"][:4], one)
    return {"by": BY, "tries": [*best.values()][:HINTS]}


def value_tries(belief: BeliefSnapshot) -> list[TryValued]:
    """Return all open tries that may be legal, with their values at the level `master`, best first."""
    if not len(belief.rows):
        return []
    view = belief.view
    histories = InformationSet.of(view, belief.rows, belief.counts)
    result = search_tries(histories, Method.of(MASTER), may_prune=False)
    chosen = are_open(view, result.tries) & (result.legal > 0)
    moves = [decode_move(int(code)) for code in result.tries[chosen]]
    values = zip(moves, result.values[chosen].tolist(), result.legal[chosen].tolist(), strict=True)
    valued: list[TryValued] = [
        {"name": try_name(move, view), "uci": move.uci(), "value": round(value, 1), "legal": round(legal, 3)}
        for move, value, legal in values
    ]
    return sorted(valued, key=lambda one: -one["value"])


@dataclass(slots=True)
class Help:
    """The help that a person has had in a game. The record notes it in its header Help."""

    hints: int = 0
    taken_back: int = 0
    has_looked: bool = False

    @classmethod
    def of(cls, record: GameRecord | None) -> Help:
        """Return the help that a record notes."""
        text = "" if record is None else record.headers.get("Help", "")
        counts = [re.search(rf"([0-9]{{1,6}}) {noun}", text) for noun in ("hint", "move")]
        hints, taken_back = (int(count[1]) if count else 0 for count in counts)
        return cls(hints, taken_back, "both sides" in text)

    def header(self) -> dict[str, str]:
        """Return the header; empty if there was no help."""
        parts = [
            counted(self.hints, "hint") if self.hints else "",
            f"{counted(self.taken_back, 'move')} taken back" if self.taken_back else "",
            "both sides were looked at when it was broken off" if self.has_looked else "",
        ]
        return {"Help": text} if (text := ", ".join(filter(None, parts))) else {}
