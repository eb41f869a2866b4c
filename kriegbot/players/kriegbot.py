"""The flagship and its levels: Parker, Nau and Subrahmanian's search (AAAI 2006) and what won matches beside it.

docs/strength.md has the matches, and what some ideas are worth. What differs from the paper:

- Belief and search expect moves as opponents of four types make them (`models.built_in`), and announcements tell the
  types apart. An inconsistent belief tries to recover, eight times.
- The first refused try costs no depth. After a capture a leaf plays out the exchange on that square, which both sides
  know. `evaluators.sound` values leaves.
- Values are bounded, as chances of winning are: it risks less when it is ahead, and more when it is behind.
- Half of a try's value is its perfect-information value. Predictable tries and repetition cost something
  (`search.adjustments`).
- Tries of the first plies are drawn by value. `kriegbot.endgames` mates bare kings. A budget is for a whole turn.

Weaker levels forget and overlook, and never play at random. Their belief expects any legal move, and no level below the
flagship has perfect-information values. The weaker, the fewer boards most of them remember; the weakest look less far,
overlook recaptures (`exchange`) and value leaves by KS. All take tries that look nearly as good (`temperature`, for
the first 12 plies and, but for master, later). Against few pieces they also consider that the king stands a step beside
where their few boards have it (`king_uncertainty`): else they would stalemate it. From casual up they favour
recaptures.
"""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from kriegbot.options import Option
from kriegbot.players.base import Player, PlayerKind
from kriegbot.players.search import search_player
from kriegbot.search.settings import DEFAULT_PARTICLES, OPTIONS, Settings

RESAMPLE = 100  # histories that a search by time adds after a refusal
MOST_PARTICLES = 400_000  # of a search by time, which `Belief` limits to what it can filter

FLAGSHIP = Settings(
    depth=2,
    backup="overconfident",
    evaluator="sound",
    opponent="opponent_types",
    belief_model="opponent_types",
    free_refusals=1,
    exchange=1.0,
    value_scale=2500.0,
    temperature=(10.0, 0.0),
    repetition_price=4.0,
    predictability=10.0,
    perfect_info_weight=0.5,
    recovery_attempts=8,
    is_for_turn=True,
    use_endings=True,
)


def _level(samples: int, particles: int, **weaker: Any) -> Settings:
    """Return a level that draws so many boards at a turn's first try, and adds a third as many after each refusal."""
    settings = replace(
        FLAGSHIP,
        opponent="fitted",
        belief_model="uniform",
        perfect_info_weight=0.0,
        predictability=0.0,
        king_uncertainty=0.4,
        samples=samples,
        resample=samples // 3,
        particles=particles,
        recovery_attempts=0,
        value_scale=0.0,
        repetition_price=20.0,
    )
    return replace(settings, **weaker)


_SHORT: dict[str, Any] = {"hopeless": 0.1, "depth": 1, "exchange": 0.0, "evaluator": "ks"}
_RECAPTURES: dict[str, Any] = {"hopeless": 0.06, "recapture_bonus": 100.0}

LEVELS: Mapping[str, Settings] = MappingProxyType(
    {
        "newcomer": _level(100, 100, temperature=(30.0, 70.0), repetition_price=60.0, **_SHORT),
        "novice": _level(100, 100, temperature=(18.0, 25.0), repetition_price=30.0, **_SHORT),
        "beginner": _level(100, 100, temperature=(10.0, 2.0), **_SHORT),
        "casual": _level(100, 200, temperature=(12.0, 10.0), depth=1, exchange=0.5, **_RECAPTURES),
        "club": _level(100, 300, temperature=(12.0, 10.0), exchange=0.5, **_RECAPTURES),
        "strong": _level(100, 1_000, temperature=(10.0, 4.0), **_RECAPTURES),
        "master": _level(200, 4_000, temperature=(10.0, 0.0), **_RECAPTURES),
    }
)
"""Levels for people by name, from the weakest."""
BEST = "best"  # the level above them: the flagship by time
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
"""Each level in words for people."""


def particles_beside(samples: int) -> int:
    """Return the most boards of a belief from which so many histories are drawn."""
    return min(2_000 + 100 * samples, DEFAULT_PARTICLES)


def _make(seed: int, time: float, samples: int | None = None, level: str = BEST, threads: int = 1) -> Player:
    settings = replace(LEVELS.get(level, FLAGSHIP), threads=threads)
    if level in LEVELS:
        return search_player(settings, seed)
    if samples is not None:
        particles, resample = particles_beside(samples), max(1, samples // 10)
        return search_player(replace(settings, samples=samples, particles=particles, resample=resample), seed)
    return search_player(replace(settings, time=time, particles=MOST_PARTICLES, resample=RESAMPLE), seed)


kriegbot = PlayerKind(
    "the strongest; expects sensible replies, and plays exchanges out",
    _make,
    (
        Option("time", float, "budget for a turn, all its tries together", 1.0, 0.01, 3600, unit="seconds"),
        Option("samples", int, "histories for a turn's first try, instead", None, 1, 100_000, default_text="by time"),
        Option(
            "level",
            str,
            "its strength, instead; best plays by time",
            BEST,
            choices=tuple(WORDS),
            words=tuple(WORDS.values()),
        ),
        OPTIONS["threads"],
    ),
    exclusive=("time", "samples", "level"),
    words="Expects you to play well; the strongest",
    rank=0,
    has_kernels=True,
    begins_early=True,
)
