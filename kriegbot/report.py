"""Statistics that a player reports of a choice; searches fill them in, and games and tournaments keep them."""

from dataclasses import dataclass

WORDS = {"rescue": 40, "why": 200}
"""Most characters of each text in a report."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Statistics of one choice; all of them optional.

    Attributes:
      samples: histories searched.
      depth: plies searched, 0 if none.
      leaves: positions evaluated.
      particles: distinct boards in the belief.
      effective: effective sample size of the belief.
      rescue: "" or the gravest of "replay", "last observation", "blind" that the belief needed for this try.
      astray: True if the belief contradicts an earlier announcement; the word of the line protocol and of tournament
        files.
      why: a line for people, "" for none.
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
