"""Opponent models: the probability of each reply, one kernel a file (see `models.protocol`)."""

from typing import Any

from kriegbot.parts import Parts

OPPONENTS = Parts("opponent model", "kriegbot.models", "kriegbot.opponents")
"""Ours, each the function NAME in the file NAME.py of this folder, and installed ones."""


def load_opponent(name: str) -> Any:
    """Return the compiled opponent model of a name, or of FILE.py:NAME or MODULE:NAME; raise `NotFound`."""
    return OPPONENTS.load(name)
