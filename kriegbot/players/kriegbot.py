"""The flagship: what won matches (docs/strength.md), put together.

The sampled histories and their search are those of Parker, Nau and Subrahmanian (AAAI 2006). What differs: belief and
search expect moves as programs of several kinds make them (`models.kinds`), and what is heard tells the kinds apart;
after a capture the exchange on that square, which both sides know, is played out; leaves are valued by
`evaluators.sound`; the reply that is worst for us is more likely than the model says; a refused try costs no depth;
going in circles costs something, and the longer nothing happens, the more a pawn's move gains; values are squeezed, as
chances of winning are; the first plies are drawn by value; and bare kings are mated by `kriegbot.endgames`. A budget is
for a turn, all its tries together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kriegbot.players.base import Player
from kriegbot.players.levels import BEST, LEVELS
from kriegbot.players.options import Option, PlayerKind

if TYPE_CHECKING:
    from kriegbot.search.settings import Method

DEPTH, FURTHER = 2, 100
PARTICLES_PER_SECOND, MIN_PARTICLES, MAX_PARTICLES = 50_000, 2_000, 50_000


def method_of(level: str = BEST) -> Method:
    """How a level of the flagship values tries."""
    from evaluators import load_evaluator
    from kriegbot.models import load_opponent
    from kriegbot.search.rules import load_backup
    from kriegbot.search.settings import Method

    weaker = LEVELS.get(level)
    depth, exchange, evaluator = (DEPTH, 1.0, "sound") if weaker is None else weaker[:3]
    return Method(
        depth,
        load_backup("overconfident"),
        load_evaluator(evaluator),
        load_opponent("kinds" if weaker is None else "fitted"),
        free=1,
        exchange=exchange,
        insight=0.2,
        scale=2500.0,
    )


def _make(seed: int, time: float, samples: int | None = None, level: str = BEST) -> Player:
    from kriegbot.endgames.finishing import Finishing
    from kriegbot.models import load_opponent
    from kriegbot.players.searching import SearchPlayer
    from kriegbot.search.sampled import SampledSearch

    weaker = LEVELS.get(level)
    if weaker is not None:
        samples, particles = weaker.samples, weaker.particles
    elif samples is not None:
        particles = MIN_PARTICLES + 20 * samples
    else:
        particles = int(max(MIN_PARTICLES, min(MAX_PARTICLES, PARTICLES_PER_SECOND * time)))
    further = FURTHER if samples is None else max(1, samples // 10)
    filtering = load_opponent("kinds" if weaker is None else "uniform")
    search = SampledSearch(
        method_of(level),
        particles,
        samples,
        further,
        filtering,
        seed,
        opening=4.0,
        repeated=4.0,
        impatience=3.0,
    )
    return SearchPlayer(Finishing(search, seed), time if samples is None else None, seed=seed, is_for_turn=True)


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
)
