"""Leaf evaluations of a position, one to a file, behind one protocol (see `evaluators.protocol`)."""

from importlib import import_module
from typing import Any

EVALUATORS = {"ks": "evaluators.ks", "material": "evaluators.material"}
"""Name of each evaluator, and the module that holds a function of that name; imported only when asked for."""


def load_evaluator(name: str) -> Any:
    """Return the compiled evaluator of a name.

    Raises:
      ValueError: the name is not in EVALUATORS.
    """
    if name not in EVALUATORS:
        raise ValueError(f"unknown evaluator {name!r}; known: {', '.join(sorted(EVALUATORS))}")
    return getattr(import_module(EVALUATORS[name]), name)
