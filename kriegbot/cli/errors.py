"""How a command refuses what it was given."""

from __future__ import annotations


class Refused(Exception):
    """One line: what was given, why it is refused, what would be accepted."""


def printable(text: str) -> str:
    """A message on one line, without what a terminal might take as an order."""
    return "".join(char if char.isprintable() else "?" for char in " ".join(text.split()))
