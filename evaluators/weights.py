"""The weights of KS as data: named sets in one table, and changes to a set as they are written in specs.

    ks                     the set of that name in SETS
    ks:shield=30:threat=0  a set with some of its weights changed

The paper describes the terms of KS in words and prints no weights. The men's values stand in `evaluators.ks`. This file
is light: it imports no kernels, so that a spec can be checked without them.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple


class Weights(NamedTuple):
    """Weights of the terms of KS; those of the set `ks` by default.

    Attributes:
      protected: centipawns for an own man that is protected.
      shield: percent of that man's value, besides.
      attacked_only: 1 if protection counts only for men that the opponent attacks, 0 if for all.
      threat: percent of the value of an opponent's man that we attack.
      advance: percent of what `ks` adds for an advanced pawn: 2, 5, 12 and 30 centipawns on the fourth to seventh rank.
      check: centipawns that giving check without mate costs.
      mate: centipawns that mate is worth beside these weights. To the search it is always worth `WIN`, so the whole
        evaluation is multiplied by `WIN` / mate.
    """

    protected: int = 4
    shield: int = 0
    attacked_only: int = 0
    threat: int = 2
    advance: int = 100
    check: int = 15
    mate: int = 10_000


SETS: Mapping[str, Weights] = MappingProxyType({"ks": Weights(), "conservative": Weights(shield=30)})
"""Each is an evaluator by its name. What `conservative` changes stands in docs/reproduction/choices.md."""
RANGES: Mapping[str, tuple[float, float]] = MappingProxyType(
    {
        "protected": (0, 200),
        "shield": (0, 200),
        "attacked_only": (0, 1),
        "threat": (0, 200),
        "advance": (0, 2000),
        "check": (-200, 200),
        "mate": (500, 10_000),
    }
)
"""Least and greatest of each weight. Mate is worth 10,000 at most: beyond that, centipawns would be rounded away."""
