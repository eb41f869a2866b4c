"""Opponent models: the probability of each reply, a kernel each (see `models.protocol`)."""

from typing import Any

from kriegbot.parts import Parts

OPPONENTS = Parts(
    "opponent model",
    "kriegbot.models.built_in",
    "kriegbot.opponents",
    ("fitted", "opponent_types", "recapturing", "uniform"),
)
"""Ours, and installed ones."""


def load_opponent(name: str) -> Any:
    """Return the opponent model of a name, or of FILE.py:NAME or MODULE:NAME; raise `NotFound`."""
    return OPPONENTS.load(name)
