"""The help that a person may have in a game: hints, moves taken back, and what the game's record says of them.

A hint names the tries that the level `master` values most, from nothing but the person's own view.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TypedDict

from kriegbot.belief.timeline import BeliefSnapshot
from kriegbot.kernels import decode_move
from kriegbot.players.kriegbot import LEVELS
from kriegbot.players.notation import try_name
from kriegbot.search.information_set import InformationSet, are_open
from kriegbot.search.search import search_tries
from kriegbot.search.settings import Method
from referee import GameRecord

PARTICLES, SEED = 20_000, 0
"""Of the belief that a hint comes from: the most boards it holds, and the seed of its sampling."""
HINTS, HINT_SAMPLES, LIKELY = 3, 300, 0.05
"""Tries that a hint names, histories drawn for it, and how likely to be legal a try has to be."""
MASTER = LEVELS["master"]  # whose values hints are
BY = f"{HINT_SAMPLES} boards that may be, {MASTER.depth} plies ahead"  # how tries are valued, in words


class TryValued(TypedDict):
    """A try: its value in centipawns, and the chance that it is legal."""

    name: str
    uci: str
    value: float
    legal: float


class Hinted(TypedDict):
    """The best tries, best first, and how they were found."""

    by: str
    tries: list[TryValued]


def hint(held: BeliefSnapshot) -> Hinted:
    """The best tries of a side to move; of a belief that draws `HINT_SAMPLES`."""
    likely = [one for one in tries_valued(held) if one["legal"] >= LIKELY]
    best = sorted(likely, key=lambda one: (-one["value"], -one["legal"]))[:HINTS]
    return {"by": BY, "tries": best}


def tries_valued(held: BeliefSnapshot) -> list[TryValued]:
    """The open tries of a side to move that may be legal, as the level `master` values them, best first."""
    if not len(held.rows):
        return []
    view = held.view
    histories = InformationSet.of(view, held.rows, held.counts)
    found = search_tries(histories, Method.of(MASTER), may_prune=False)
    chosen = are_open(view, found.tries) & (found.legal > 0)
    moves = [decode_move(int(code)) for code in found.tries[chosen]]
    values = zip(moves, found.values[chosen].tolist(), found.legal[chosen].tolist(), strict=True)
    valued: list[TryValued] = [
        {"name": try_name(move, view), "uci": move.uci(), "value": round(value, 1), "legal": round(legal, 3)}
        for move, value, legal in values
    ]
    return sorted(valued, key=lambda one: -one["value"])


@dataclass(slots=True)
class Help:
    """The help that a person has had; a record's header Help tells of it."""

    hints: int = 0
    taken_back: int = 0
    has_looked: bool = False

    @classmethod
    def of(cls, record: GameRecord | None) -> Help:
        """As a record tells of it."""
        text = "" if record is None else record.headers.get("Help", "")
        counts = [re.search(rf"([0-9]{{1,6}}) {what}", text) for what in ("hint", "move")]
        hints, taken_back = (int(count[1]) if count else 0 for count in counts)
        return cls(hints, taken_back, "both sides" in text)

    def header(self) -> dict[str, str]:
        """The header, if there was any help."""
        parts = [f"{self.hints} hint{'s' * (self.hints != 1)}"] if self.hints else []
        if self.taken_back:
            parts.append(f"{self.taken_back} move{'s' * (self.taken_back != 1)} taken back")
        if self.has_looked:
            parts.append("both sides were looked at when it was broken off")
        return {"Help": ", ".join(parts)} if parts else {}
