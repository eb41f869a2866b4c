"""What help a person has had in a game, which its record tells in the header Help; a game without help has none."""

from __future__ import annotations

import re
from dataclasses import dataclass

from referee import GameRecord


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
