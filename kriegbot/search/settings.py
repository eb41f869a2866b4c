"""Settings of a search: one field each, most of them with an option for specs.

Players, levels and options of a spec set them. `Method` holds the settings that determine a try's searched
value; `search.adjustments` applies others to it.
"""

import math
from dataclasses import dataclass, field, fields
from typing import Any, Literal

from evaluators import EVALUATORS, load_evaluator
from evaluators.protocol import Evaluator
from kriegbot.models import OPPONENTS, load_opponent
from kriegbot.models.built_in import uniform
from kriegbot.models.protocol import Opponent
from kriegbot.options import Option
from kriegbot.search.backup import BACKUPS, Backup, load_backup
from kriegbot.threads import MOST_THREADS

DEFAULT_PARTICLES = 50_000
"""Boards in the belief by default."""


def particles_within(seconds: float) -> int:
    """Return the default size of a belief for a budget: 100,000 boards per second, 500 to DEFAULT_PARTICLES."""
    return int(max(500, min(DEFAULT_PARTICLES, 100_000 * seconds)))


def setting(kind: type, help: str, default: Any = None, low: float = 0, high: float = 0, **more: Any) -> Any:
    """Return a field that has an option of its name; the arguments are those of `Option`."""
    return field(default=default, metadata=dict(kind=kind, help=help, default=default, low=low, high=high, **more))


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Settings of a searching player. By default it plays Eq. 2 of Parker, Nau and Subrahmanian (AAAI 2006), by time.

    >>> Settings(depth=3, samples=67).backup
    'overconfident'
    """

    depth: int = setting(int, "plies to look ahead", 2, 1, 4)
    time: float | None = setting(float, "budget for a turn's first try", 1.0, 0.01, 3600, unit="seconds")
    # histories drawn at a turn's first try, and at later ones unless `resample` says otherwise
    samples: int | None = setting(int, "histories drawn per try, instead", None, 1, 1_000_000, default_text="by time")
    retry_time: float | None = setting(
        float, "budget for each later try of a turn", None, 0.01, 3600, unit="seconds", default_text="as time"
    )
    # number of histories that join, after a refusal, those in which the try was illegal; None draws all again
    resample: int | None = setting(
        int, "histories drawn after a refusal, beside those kept", None, 1, 1_000_000, default_text="all redrawn"
    )
    particles: int | None = setting(
        int, "most boards held in the belief", None, 100, 1_000_000, default_text="50000, fewer below half a second"
    )
    threads: int = setting(int, "threads of a turn", 1, 1, MOST_THREADS, default_text="1, or all cores for a person")
    evaluator: str | Evaluator = setting(str, "evaluator of leaves", "ks", parts=EVALUATORS)  # noqa: RUF009 - a field
    backup: str | Backup = setting(str, "backup rule", "overconfident", parts=BACKUPS)  # noqa: RUF009 - a field
    opponent: str = setting(str, "replies that the search expects", "uniform", parts=OPPONENTS)
    belief_model: str = setting(str, "moves that the belief expects", "uniform", parts=OPPONENTS)
    # 0 as in the paper: every refused try costs a ply. Otherwise the first n in a row cost none, and one more counts as
    # a random legal move
    free_refusals: int = setting(int, "refusals in a row that cost no depth; 0: each costs a ply", 0, 0, 3)
    repetition_price: float = setting(float, "centipawns off for each earlier turn with pieces so placed", 0.0, 0, 1000)
    # on the square of the last capture, which both sides know; 1 counts all that `kernels.exchange` finds
    exchange: float = setting(float, "share of exchanges after a capture that a leaf counts", 0.0, 0, 1)
    # values x become x / sqrt(1 + (x / value_scale)^2), as chances of winning flatten: the side ahead takes fewer
    # risks, the side behind more
    value_scale: float = setting(float, "centipawns of a game nearly won; 0: values have no limit", 0.0, 0, 100_000)
    ties: Literal["random", "first", "last"] = setting(
        str, "which of the best tries is chosen, king's tries first", "random", choices=("random", "first", "last")
    )
    # "pool" draws from a renewed `belief.pool.Pool` of as many boards as are drawn
    boards: Literal["all", "pool", "last"] = setting(
        str,
        "histories fit all announcements, those since they entered a pool, or the last observation",
        "all",
        choices=("all", "pool", "last"),
    )
    # softmax by which a try is drawn, in centipawns: for the first 12 plies, and after them; 0 plays the best try
    temperature: tuple[float, float] = (0.0, 0.0)
    # with `free_refusals`: a try no likelier to be legal than this is chosen only if there is no other
    hopeless: float = 0.0
    # centipawns for a recapture, times its probability of being legal
    recapture_bonus: float = 0.0
    # share of the weight for boards on which the opponent's king stands a step beyond its squares in the belief; counts
    # with `samples`, against few pieces, unless the belief is exact
    king_uncertainty: float = 0.0
    # centipawns off a try for each nat by which the opponent's model of us finds it likelier than a random one
    predictability: float = 0.0
    # share of a try's value that is its perfect-information value
    perfect_info_weight: float = 0.0
    # N: an inconsistent belief attempts a replay after each of the opponent's next N moves
    recovery_attempts: int = 0
    # True if `time` is the budget of a whole turn, all its tries together
    is_for_turn: bool = False
    # True if `kriegbot.endgames` plays against a bare king
    use_endings: bool = False

    @property
    def most_particles(self) -> int:
        """`particles`, or their default number for the shortest budget."""
        budgets = [one for one in (self.time, self.retry_time) if one is not None and self.samples is None]
        return self.particles or particles_within(min(budgets, default=math.inf))


OFFERED = {"depth", "time", "samples", "particles", "threads", "evaluator", "backup", "opponent", "belief_model"}
OFFERED |= {"free_refusals"}
"""Settings in specs that people type. Python, `kriegbot reproduce`, saved games and tournaments may hold the others."""
OPTIONS: dict[str, Option] = {
    one.name: Option(one.name, is_experimental=one.name not in OFFERED, **one.metadata)
    for one in fields(Settings)
    if one.metadata
}
"""Options that stand for settings, by name."""


@dataclass(frozen=True, slots=True)
class Method:
    """Settings that determine a try's searched value, with their parts loaded; `Settings` describes each.

    >>> Method.of(Settings(depth=3)).depth
    3
    """

    depth: int
    backup: Backup
    evaluator: Evaluator
    opponent: Opponent = uniform
    free_refusals: int = 0
    exchange: float = 0.0
    value_scale: float = 0.0
    threads: int = 1  # which change no value

    @classmethod
    def of(cls, settings: Settings) -> "Method":
        """Return the method of some settings; raise `kriegbot.parts.NotFound` if a part does not exist."""
        backup, evaluator = settings.backup, settings.evaluator
        return cls(
            backup=load_backup(backup) if isinstance(backup, str) else backup,
            evaluator=load_evaluator(evaluator) if isinstance(evaluator, str) else evaluator,
            opponent=load_opponent(settings.opponent),
            depth=settings.depth,
            free_refusals=settings.free_refusals,
            exchange=settings.exchange,
            value_scale=settings.value_scale,
            threads=settings.threads,
        )

    @property
    def is_paper_method(self) -> bool:
        """True if refusals and leaves count as in the paper."""
        return self.free_refusals == 0 and self.exchange == self.value_scale == 0.0
