"""Text from elsewhere, made fit for one line of a terminal, a record or a message."""

from __future__ import annotations


def one_line(text: str, most: int | None = None) -> str:
    """A text on one line, without what a terminal might take as an order, and with at most so many characters."""
    line = "".join(char if char.isprintable() else "?" for char in " ".join(text.split()))
    return line if most is None or len(line) <= most else line[: most - 3] + "..."
