"""The flagship and its levels: what won matches (docs/strength.md), put together.

The sampled histories and their search are those of Parker, Nau and Subrahmanian (AAAI 2006). What differs: belief and
search expect moves as programs of several kinds make them (`models.kinds`), and what is heard tells the kinds apart;
after a capture the exchange on that square, which both sides know, is played out; leaves are valued by
`evaluators.sound`; the reply that is worst for us is more likely than the model says; a refused try costs no depth;
going in circles costs something, and the longer nothing happens, the more a pawn's move gains; values are squeezed, as
chances of winning are; the first plies are drawn by value; and bare kings are mated by `kriegbot.endgames`. A budget is
for a turn, all its tries together.

The weaker levels err as people do. They look at fewer of the boards that may be, and forget more of them: `samples` and
`particles`. They look less far: `depth`. They miss that they can be taken back: `exchange`. None plays at random.
"""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from kriegbot.options import Option
from kriegbot.players.base import Player, PlayerKind
from kriegbot.players.searching import search_player
from kriegbot.search.settings import Settings

FURTHER = 100
PARTICLES_PER_SECOND, MIN_PARTICLES, MAX_PARTICLES = 50_000, 2_000, 50_000

FLAGSHIP = Settings(
    depth=2,
    backup="overconfident",
    evaluator="sound",
    opponent="kinds",
    filtering="kinds",
    free=1,
    exchange=1.0,
    insight=0.2,
    scale=2500.0,
    opening=4.0,
    repeated=4.0,
    impatience=3.0,
    is_for_turn=True,
    finishes=True,
)


def _level(samples: int, particles: int, **weaker: Any) -> Settings:
    settings = replace(FLAGSHIP, opponent="fitted", filtering="uniform", samples=samples, particles=particles)
    return replace(settings, further=max(1, samples // 10), **weaker)


LEVELS: Mapping[str, Settings] = MappingProxyType(
    {
        "beginner": _level(3, 60, depth=1, exchange=0.0, evaluator="ks"),
        "casual": _level(5, 100, depth=1, exchange=0.5),
        "club": _level(10, 300, exchange=0.5),
        "strong": _level(28, 900),
        "master": _level(130, 4_000),
    }
)
"""The flagship's settings for people, by name, from the weakest; docs/strength.md has matches between them."""
BEST = "best"
"""Above them: the flagship with its time."""


def _make(seed: int, time: float, samples: int | None = None, level: str = BEST) -> Player:
    if level in LEVELS:
        return search_player(LEVELS[level], seed)
    if samples is not None:
        particles, further = MIN_PARTICLES + 20 * samples, max(1, samples // 10)
        return search_player(replace(FLAGSHIP, samples=samples, particles=particles, further=further), seed)
    particles = int(max(MIN_PARTICLES, min(MAX_PARTICLES, PARTICLES_PER_SECOND * time)))
    return search_player(replace(FLAGSHIP, time=time, particles=particles, further=FURTHER), seed)


kriegbot = PlayerKind(
    "the strongest; expects sensible replies, and plays exchanges out",
    _make,
    (
        Option("time", float, "budget for a turn, all its tries together", 1.0, 0.01, 3600, unit="seconds"),
        Option("samples", int, "histories drawn per turn, instead", None, 1, 100_000, default_text="by time"),
        Option("level", str, "how well it plays, instead; best plays by time", BEST, choices=(*LEVELS, BEST)),
    ),
    either=("time", "samples", "level"),
    words="Expects you to play well; the strongest",
    rank=0,
    has_kernels=True,
    begins_early=True,
)
