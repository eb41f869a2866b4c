"""Levels of the flagship for people; docs/strength.md has matches between them.

The weaker ones err as people do. They look at fewer of the boards that may be, and forget more of them: `samples` and
`particles`. They look less far: `depth`. They miss that they can be taken back: `exchange`. None plays at random.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple


class Level(NamedTuple):
    """Settings of a level: see `search.settings.Method` and `search.sampled.SampledSearch`."""

    depth: int
    exchange: float
    evaluator: str
    samples: int
    particles: int


LEVELS: Mapping[str, Level] = MappingProxyType(
    {
        "beginner": Level(1, 0.0, "ks", samples=3, particles=60),
        "casual": Level(1, 0.5, "sound", samples=5, particles=100),
        "club": Level(2, 0.5, "sound", samples=10, particles=300),
        "strong": Level(2, 1.0, "sound", samples=28, particles=900),
        "master": Level(2, 1.0, "sound", samples=130, particles=4_000),
    }
)
"""By name, from the weakest."""
BEST = "best"
"""Above them: the flagship with its time."""
