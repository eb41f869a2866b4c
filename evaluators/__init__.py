"""Leaf evaluations of a position, one to a file, behind one protocol (see `evaluators.protocol`)."""

from typing import Any

from kriegbot.finding import Parts

WIN = 10_000.0
"""What a won game is worth in centipawns, U of the paper; a lost one is worth -WIN, a draw 0. More than the material of
any usual position, so that a sure mate is played, yet finite, so that a faint chance of mate is weighed against men."""

EVALUATORS = Parts("evaluator", "evaluators", "kriegbot.evaluators")
"""Ours, each the function NAME in the file NAME.py of this folder, and those from outside."""


def load_evaluator(name: str) -> Any:
    """Return the compiled evaluator of a name, or of FILE.py:NAME or MODULE:NAME.

    Raises:
      kriegbot.finding.NotFound: a ValueError; there is none.
    """
    return EVALUATORS.load(name)
