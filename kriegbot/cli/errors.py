"""How a command refuses what it was given."""

from __future__ import annotations


class Refused(Exception):
    """One line: what was given, why it is refused, what would be accepted."""
