"""The flagship and its levels: what won matches (docs/strength.md), put together.

The sampled histories and their search are those of Parker, Nau and Subrahmanian (AAAI 2006). What differs: belief and
search expect moves as programs of several types make them (`models.opponent_types`), and announcements tell the types
apart; an inconsistent belief tries to come back, eight times; after a capture the exchange on that square, which both
sides know, is played out; leaves are valued by `evaluators.active`; half of a try's
value is its perfect-information value (`search.perfect_information`); the reply that is worst for us is more likely
than the model says; a try that a model of us predicts costs something (`search.predictability`); a refused try
costs no depth; going in circles costs something, and the longer nothing happens, the more a pawn's move gains; values
are squeezed, as chances of winning are; the first plies are drawn by value; and bare kings are mated by
`kriegbot.endgames`. A budget is for a turn, all its tries together.

The weaker levels err as people do. They forget: `particles`. They look less far: `depth`. They miss that they can be
taken back: `exchange`. They take a try that looks nearly as good: `temperature`. None plays at random. Each looks at as
many boards as it remembers, up to its `samples`, and makes no try that it holds for hopeless. When few men are left, it
reckons with a king a step from where it has him: `doubt`; its few boards may be wrong, and stalemate him. From casual
up they retake where that costs nothing: `retaking`.
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
    evaluator="active",
    opponent="opponent_types",
    filtering="opponent_types",
    free=1,
    exchange=1.0,
    insight=0.2,
    scale=2500.0,
    temperature=(10.0, 0.0),
    repeated=4.0,
    impatience=3.0,
    foretold=10.0,
    opinion=0.5,
    retries=8,
    is_for_turn=True,
    finishes=True,
)


def _level(samples: int, particles: int, **weaker: Any) -> Settings:
    """A level; it draws so many boards for each try, a third of them anew after a refusal."""
    simpler = replace(FLAGSHIP, opponent="fitted", filtering="uniform", evaluator="sound", opinion=0.0, foretold=0.0)
    settings = replace(simpler, doubt=0.4, samples=samples, further=samples // 3, particles=particles, retries=0)
    return replace(settings, **{"repeated": 20.0, **weaker})


_SHORT: dict[str, Any] = {"hopeless": 0.1, "depth": 1, "exchange": 0.0, "evaluator": "ks"}
_RETAKES: dict[str, Any] = {"hopeless": 0.06, "retaking": 100.0}

LEVELS: Mapping[str, Settings] = MappingProxyType(
    {
        "newcomer": _level(100, 100, temperature=(30.0, 70.0), repeated=60.0, **_SHORT),
        "novice": _level(100, 100, temperature=(18.0, 25.0), repeated=30.0, **_SHORT),
        "beginner": _level(100, 100, temperature=(10.0, 2.0), **_SHORT),
        "casual": _level(100, 200, temperature=(12.0, 10.0), depth=1, exchange=0.5, **_RETAKES),
        "club": _level(100, 300, temperature=(12.0, 10.0), exchange=0.5, **_RETAKES),
        "strong": _level(100, 1_000, temperature=(10.0, 4.0), **_RETAKES),
        "master": _level(200, 4_000, temperature=(10.0, 0.0), **_RETAKES),
    }
)
"""The flagship's settings for people, by name, from the weakest; docs/strength.md has matches between them."""
BEST = "best"
"""Above them: the flagship with its time."""
WORDS = {
    "newcomer": "for a first game: misses much, and sometimes plays a poor move",
    "novice": "for your next games: captures what it sees, and often leaves pieces hanging",
    "beginner": "seldom plays a poor move, but forgets announcements and overlooks your recaptures",
    "casual": "recaptures, and usually checks whether you can recapture",
    "club": "considers your reply to each of its moves",
    "strong": "remembers more announcements, and calculates exchanges to the end",
    "master": "remembers nearly all announcements, and seldom errs",
    BEST: "the strongest: thinks as long as you let it",
}
"""What to expect of each, for people."""


def particles_beside(samples: int) -> int:
    """How many boards the belief holds at most if so many histories are drawn from it."""
    return min(MIN_PARTICLES + 100 * samples, MAX_PARTICLES)


def _make(seed: int, time: float, samples: int | None = None, level: str = BEST) -> Player:
    if level in LEVELS:
        return search_player(LEVELS[level], seed)
    if samples is not None:
        particles, further = particles_beside(samples), max(1, samples // 10)
        return search_player(replace(FLAGSHIP, samples=samples, particles=particles, further=further), seed)
    particles = int(max(MIN_PARTICLES, min(MAX_PARTICLES, PARTICLES_PER_SECOND * time)))
    return search_player(replace(FLAGSHIP, time=time, particles=particles, further=FURTHER), seed)


kriegbot = PlayerKind(
    "the strongest; expects sensible replies, and plays exchanges out",
    _make,
    (
        Option("time", float, "budget for a turn, all its tries together", 1.0, 0.01, 3600, unit="seconds"),
        Option("samples", int, "histories drawn per turn, instead", None, 1, 100_000, default_text="by time"),
        Option(
            "level",
            str,
            "how well it plays, instead; best plays by time",
            BEST,
            choices=tuple(WORDS),
            words=tuple(WORDS.values()),
        ),
    ),
    either=("time", "samples", "level"),
    words="Expects you to play well; the strongest",
    rank=0,
    has_kernels=True,
    begins_early=True,
)
