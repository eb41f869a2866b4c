"""Statistics that a player reports of a choice: searches fill them in, and games and tournaments keep them."""

from dataclasses import dataclass
from typing import Any

MAX_LENGTHS = {"rescue": 40, "why": 200}  # characters that each text of a report may have
WRITTEN = {"belief_inconsistent": "astray"}
"""Fields whose names differ in the line protocol, in JSON and in tournament files."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Statistics of one choice, all of them optional."""

    samples: int = 0  # histories searched
    depth: int = 0  # plies searched; 0 without a search
    leaves: int = 0  # positions evaluated
    particles: int = 0  # distinct boards in the belief
    effective: float = 0.0  # effective sample size of the belief
    rescue: str = ""  # gravest rescue of the belief for this try: "replay", "perturbed" or "blind"
    belief_inconsistent: bool = False  # True if the belief may contradict an announcement
    why: str = ""  # one line for people
    seconds: float = 0.0  # time taken
    overrun: bool = False  # True if the choice took longer than its budget, by a tolerance

    def written(self) -> dict[str, Any]:
        """Return the fields under the names that files and programs use."""
        return {WRITTEN.get(name, name): getattr(self, name) for name in self.__slots__}
