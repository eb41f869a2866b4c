"""What a search did, in numbers; imports nothing, so that reports of it can be read without kernels."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Searched:
    """What a search did for one try.

    Attributes:
      samples: histories searched.
      depth: plies searched, 0 if none.
      leaves: positions evaluated.
      particles: distinct boards in the belief.
      effective: its effective sample size.
      rescue: "" or the gravest of "replay", "last observation", "blind" that the belief needed for this try.
      astray: whether the belief, after a rescue, no longer fits everything heard.
      why: a line for people, "" for none.
    """

    samples: int = 0
    depth: int = 0
    leaves: int = 0
    particles: int = 0
    effective: float = 0.0
    rescue: str = ""
    astray: bool = False
    why: str = ""
