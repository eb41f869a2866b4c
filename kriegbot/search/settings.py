"""The settings of a search, each with what specs may say of it; a player, a level and an option is a choice of values.

A new setting is a field here, and a line where it is read. What the kernels read of them is in `Numbers`.
"""

from dataclasses import dataclass, field, fields
from functools import partial
from typing import Any, Literal, NamedTuple

from evaluators import EVALUATORS, load_evaluator
from evaluators.protocol import Evaluator
from kriegbot.models import OPPONENTS, load_opponent
from kriegbot.models.protocol import Opponent
from kriegbot.models.uniform import uniform
from kriegbot.options import Option
from kriegbot.search.backup import Backup
from kriegbot.search.rules import BACKUPS, load_backup


def setting(kind: type, help: str, default: Any = None, low: float = 0, high: float = 0, **more: Any) -> Any:
    """A field, and the option of its name that stands for it in specs; the arguments are those of `Option`."""
    option = partial(Option, kind=kind, help=help, default=default, low=low, high=high, **more)
    return field(default=default, metadata={"option": option})


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How a search values tries (see `Method`), what it values them on, and how it chooses; by default, as the paper.

    Attributes:
      time: seconds for the first try of a turn; not used if `samples` is given.
      samples: number of histories drawn for each search, instead of a time.
      extra: seconds for each further try of a turn; as `time` if None.
      further: number of histories drawn for each further try of a turn, added to those of the previous try in which it
        was illegal; None draws all anew.
      particles: the most boards that the belief holds; None leaves it to the player.
      filtering: the opponent model of the belief.
      repeated: centipawns that a try costs for each earlier turn with the placement of our men that it leads to;
        after many, the side ahead pays more (`search.sampled`).
      impatience: centipawns that a pawn's move gains for each of our turns since anything was taken or our pawns moved.
      retaking: centipawns that a try gains for taking where the opponent has just taken, times its probability of being
        legal.
      ties: which of the best tries: any, or always the first or last by the squares of its man.
      boards: what drawn histories fit: all that was heard, the last observation alone, or as much as the boards of a
        pool do (`belief.belief.RenewedPool`), which holds as many boards as are drawn.
      temperature: of the softmax by which a try is drawn, in centipawns: for the first 12 plies, and after them; 0
        plays the best try.
      hopeless: probability of being legal up to which a try is made only if there is no other.
      doubt: share of the weight that goes, with `samples`, to boards on which the king of an opponent with few men is
        a step from where the belief has him, unless the belief is all of the information set.
      foretold: centipawns that a try costs for each nat by which a model of us foretells it (`search.predictability`).
      opinion: share of a try's value that is its perfect-information value (`search.perfect_information`).
      retries: after each of how many of the opponent's next moves a belief that is astray tries to come back.
      is_for_turn: whether `time` is the budget of a whole turn, all its tries together.
      finishes: whether a bare king is left to `kriegbot.endgames`.
    """

    depth: int = setting(int, "plies to look ahead", 2, 1, 4)
    time: float | None = setting(float, "budget for a turn's first try", 1.0, 0.01, 3600, unit="seconds")
    samples: int | None = setting(int, "histories drawn per try, instead", None, 1, 1_000_000, default_text="by time")
    extra: float | None = setting(
        float, "budget for each further try", None, 0.01, 3600, unit="seconds", default_text="as time"
    )
    further: int | None = setting(
        int, "histories added to those that survive a refusal, instead", None, 1, 1_000_000, default_text="all redrawn"
    )
    particles: int | None = setting(
        int, "most boards held in the belief", None, 100, 1_000_000, default_text="50000, fewer below half a second"
    )
    evaluator: str = setting(str, "what values a leaf", "ks", parts=EVALUATORS)
    backup: str | Backup = setting(  # noqa: RUF009 - a field, though of a union
        str, "how values are combined, such as mixed:worst=0.3", "overconfident", parts=BACKUPS
    )
    opponent: str = setting(str, "what replies the search expects", "uniform", parts=OPPONENTS)
    filtering: str = setting(str, "what moves the belief expects", "uniform", parts=OPPONENTS)
    free: int = setting(int, "0: a refused try costs a ply; else none does, and so many in a row are followed", 0, 0, 3)
    insight: float = setting(float, "probability that the opponent's last reply is the worst for you", 0.0, 0, 1)
    scale: float = setting(
        float, "centipawns that count as a game nearly won; 0: values have no limit", 0.0, 0, 100_000
    )
    repeated: float = setting(
        float, "centipawns a try costs for each earlier turn with your men so placed", 0.0, 0, 1000
    )
    impatience: float = setting(float, "centipawns that each quiet turn adds to a pawn's move", 0.0, 0, 1000)
    exchange: float = setting(float, "share of exchanges after a capture that a leaf counts", 0.0, 0, 1)
    ties: Literal["random", "first", "last"] = setting(
        str, "which of the best tries is chosen", "random", choices=("random", "first", "last")
    )
    boards: Literal["all", "pool", "last"] = setting(
        str,
        "what drawn histories fit: all heard, the last of it, or as much as a pool does that ages",
        "all",
        choices=("all", "pool", "last"),
    )
    temperature: tuple[float, float] = (0.0, 0.0)
    hopeless: float = 0.0
    retaking: float = 0.0
    doubt: float = 0.0
    foretold: float = 0.0
    opinion: float = 0.0
    retries: int = 0
    is_for_turn: bool = False
    finishes: bool = False


OPTIONS: dict[str, Option] = {one.name: one.metadata["option"](one.name) for one in fields(Settings) if one.metadata}
"""The options that stand for settings, by name."""


class Numbers(NamedTuple):
    """What kernels read of a `Method`."""

    depth: int
    free: int
    exchange: float
    insight: float
    scale: float


@dataclass(frozen=True, slots=True)
class Method:
    """How tries are valued.

    Attributes:
      depth: plies below the root, >= 1; 1 is our try alone.
      backup: how values are combined.
      evaluator: E of the equations, from `evaluators.load_evaluator`.
      opponent: how likely each reply is, from `models.load_opponent`; the paper's replies are all equally likely.
      free: 0 if a refused try costs a ply, as in the paper: then a try that is surely illegal is valued as if the
        opponent had one reply fewer. If positive, refusals cost no depth: this many in a row are searched exactly, then
        a random legal move is assumed.
      exchange: share of an exchange on the square of the last capture, which both sides know, that is added to the
        value of a leaf; 0 in the paper, 1 for all that `kernels.exchange` finds.
      insight: probability with which the opponent, at its last reply, finds the one that is worst for us on that board;
        0 in the paper.
      scale: how many centipawns count as a game nearly won. Values x of leaves and of ends become
        x / sqrt(1 + (x / scale)^2), between -scale and scale, as chances of winning are: whoever is ahead takes fewer
        risks, whoever is behind more, and a draw costs the side that is ahead. 0 for x itself, as in the paper.
    """

    depth: int
    backup: Backup
    evaluator: Evaluator
    opponent: Opponent = uniform
    free: int = 0
    exchange: float = 0.0
    insight: float = 0.0
    scale: float = 0.0

    @classmethod
    def of(cls, settings: Settings) -> "Method":
        """The method of some settings; loads the parts that they name.

        Raises:
          kriegbot.parts.NotFound: a ValueError; there is no such part.
        """
        given = settings.backup
        return cls(
            backup=load_backup(given) if isinstance(given, str) else given,
            evaluator=load_evaluator(settings.evaluator),
            opponent=load_opponent(settings.opponent),
            **{name: getattr(settings, name) for name in Numbers._fields},
        )

    @property
    def numbers(self) -> Numbers:
        """What kernels read of it."""
        return Numbers(*(kind(getattr(self, name)) for name, kind in Numbers.__annotations__.items()))

    @property
    def is_papers(self) -> bool:
        """Whether refusals and leaves count as in the paper."""
        return self.free == 0 and self.exchange == self.insight == self.scale == 0.0
