"""How near our results come to the paper's, over some of its cells."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from typing import NamedTuple

from tournaments.paper import SHORT, Cell
from tournaments.reproduce import Result
from tournaments.statistics import NORMAL_95

GROUPS = ("Figures 2 and 5, 30 s", "Figure 3 and 90 s")
"""The cells by which a choice may be made, and those that only test it."""


class Agreement(NamedTuple):
    """What some cells say together.

    Attributes:
      cells: how many.
      distance: mean absolute difference of EU, ours from the paper's, in percent.
      by_chance: what it would be on the average if nothing but chance made a difference.
      within: cells in which the difference lies within its 95 % interval.
      alike: cells in which overconfident meets paranoid search, and the same of the two is ahead.
      meetings: all cells in which they meet.
    """

    cells: int
    distance: float
    by_chance: float
    within: int
    alike: int
    meetings: int


def group_of(cell: Cell) -> str:
    """The group of a cell."""
    return GROUPS[0] if cell.figure != 3 and cell.seconds == SHORT else GROUPS[1]


def agreement(results: Sequence[Result]) -> Agreement:
    """How near some results, each with games, come to the paper's."""
    differences, halves, alike, meetings = [], [], 0, 0
    for result in results:
        ours = result.ours.utility or 0.0
        differences.append(abs(ours - result.cell.eu))
        low, high = result.ours.utility_interval or (0.0, 0.0)
        paper_low, paper_high = result.paper_interval
        halves.append(math.hypot((high - low) / 2, (paper_high - paper_low) / 2))
        if result.cell.opponent == "paranoid":
            meetings += 1
            alike += ours * result.cell.eu > 0
    return Agreement(
        len(results),
        statistics.mean(differences),
        statistics.mean(halves) / NORMAL_95 * math.sqrt(2 / math.pi),  # the mean of |x|, x normal
        sum(difference <= half for difference, half in zip(differences, halves, strict=True)),
        alike,
        meetings,
    )
