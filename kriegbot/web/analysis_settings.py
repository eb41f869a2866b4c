"""How tries are valued in a review: as the player whose turn it was values them, or nearly so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from kriegbot.players.specs import BadSpec, parse_spec
from referee import View

SAMPLES, MOST_DEPTH = 1000, 2
"""Histories drawn to value tries, and the most plies searched: a few hundredths of a second."""

Side: TypeAlias = tuple[View, int]
"""A side at a moment: a view of it then or later, and the number of events that it had heard by then."""


@dataclass(frozen=True, slots=True)
class Method:
    """How tries are valued: the rule, overconfident or paranoid, plies to look ahead, and the evaluator's name."""

    rule: str = "overconfident"
    depth: int = MOST_DEPTH
    evaluator: str = "ks"

    @classmethod
    def of(cls, player: str) -> Method:
        """As a player does it, up to `MOST_DEPTH` plies deep; for players that do not search like this, the default."""
        try:
            spec = parse_spec(player)
        except BadSpec:
            return cls()
        depth = spec.get("depth")
        if spec.name not in ("overconfident", "paranoid") or not isinstance(depth, int):
            return cls()
        return cls(spec.name, min(depth, MOST_DEPTH), str(spec.get("evaluator")))

    def text(self) -> str:
        """In words."""
        return f"{self.rule}, depth {self.depth}, {SAMPLES} histories"
