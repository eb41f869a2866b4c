"""Statistics that a player reports of a choice: searches fill them in, and games and tournaments keep them."""

from dataclasses import dataclass
from typing import Any

MAX_LENGTHS = {"rescue": 40, "why": 200}
"""Characters that each text of a report may have."""
WRITTEN = {"belief_inconsistent": "astray"}
"""Fields whose names differ in the line protocol, in JSON and in tournament files."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Statistics of one choice, all of them optional.

    Attributes:
      samples: histories searched.
      depth: plies searched; 0 without a search.
      leaves: positions evaluated.
      particles: distinct boards in the belief.
      effective: effective sample size of the belief.
      rescue: the last resort with which the belief found boards for this try: "replay", "last observation", "blind", or
        "" for none.
      belief_inconsistent: True if the belief contradicts an earlier announcement.
      why: one line for people; "" for none.
      seconds: time taken.
      overrun: True if the choice took longer than its budget.
    """

    samples: int = 0
    depth: int = 0
    leaves: int = 0
    particles: int = 0
    effective: float = 0.0
    rescue: str = ""
    belief_inconsistent: bool = False
    why: str = ""
    seconds: float = 0.0
    overrun: bool = False

    def written(self) -> dict[str, Any]:
        """Return the fields under the names that files and programs use."""
        return {WRITTEN.get(name, name): getattr(self, name) for name in self.__slots__}
