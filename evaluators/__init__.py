"""Leaf evaluations of a position, one to a file, behind one protocol (see `evaluators.protocol`)."""

from typing import Any

from evaluators.ks import RANGES, SETS
from kriegbot.parts import PartsWithNumbers

WIN = 10_000.0
"""What a won game is worth in centipawns, U of the paper; a lost one is worth -WIN, a draw 0. More than the material of
any usual position, so that a sure mate is played, yet finite, so that a faint chance of mate is weighed against men."""


class Evaluators(PartsWithNumbers):
    """Evaluators; the sets of KS's weights are among them, and take weights as numbers."""

    def names(self) -> tuple[str, ...]:
        """See `Parts.names`."""
        return tuple(sorted({*super().names(), *SETS}))

    def load(self, name: str) -> Any:
        """See `Parts.load`; the compiled function."""
        self.check(name)
        part, numbers = self.split(name)
        if part not in SETS:
            return super().load(name)
        from evaluators.ks import with_weights

        return with_weights(SETS[part]._replace(**{weight: int(number) for weight, number in numbers.items()}))


EVALUATORS = Evaluators("evaluator", "evaluators", "kriegbot.evaluators", dict.fromkeys(SETS, RANGES), are_whole=True)
"""Ours, each the function NAME in the file NAME.py of this folder or a set of KS's weights; and those from outside."""


def load_evaluator(name: str) -> Any:
    """Return the compiled evaluator of a name such as `ks` or `ks:shield=30`, or of FILE.py:NAME or MODULE:NAME.

    Raises:
      kriegbot.parts.NotFound: a ValueError; there is none.
    """
    return EVALUATORS.load(name)
