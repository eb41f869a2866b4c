"""Statistics that a player reports of a choice: searches fill them in, and games and tournaments keep them."""

from dataclasses import dataclass

MAX_LENGTHS = {"rescue": 40, "why": 200}
"""Characters that each text of a report may have."""


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
      astray: True if the belief contradicts an earlier announcement. The word of the line protocol and of tournament
        files.
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
    astray: bool = False
    why: str = ""
    seconds: float = 0.0
    overrun: bool = False
