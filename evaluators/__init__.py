"""Leaf evaluations of a position, one to a file, behind one protocol (see `evaluators.protocol`)."""

from typing import Any

from kriegbot.parts import Parts

WIN = 10_000.0
"""Centipawns of a won game, U of the paper; a lost one is -WIN, a draw 0. It exceeds usual material, so that a
sure mate is played, yet is finite, so that a faint chance of mate is weighed against material."""

EVALUATORS = Parts("evaluator", "evaluators", "kriegbot.evaluators")
"""Our evaluators, each the function NAME in the file NAME.py of this folder, and those from outside."""


def load_evaluator(name: str) -> Any:
    """Return the evaluator of a name such as `ks`, or of FILE.py:NAME or MODULE:NAME; raise `NotFound`."""
    return EVALUATORS.load(name)
