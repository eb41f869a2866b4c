"""What both file formats have in common: how deep a tree may be, and numbers as text, exact both ways."""

from __future__ import annotations

import re
from fractions import Fraction

from kriegbot.trees.tree import Number, Tree, TreeError
from referee.text import quoted

MOST_DEPTH = 200
"""Moves in a row in a file; a deeper tree is refused."""
NUMBER = re.compile(r"[+-]?(\d+/\d+|(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?)", re.ASCII)
MOST_DIGITS = 1000
"""Longer numbers are refused before they fill the memory."""
MOST_EXPONENT = 1000


def check_depth(tree: Tree) -> None:
    """Refuse to write what could not be read back.

    Raises:
      TreeError: the tree is too deep.
    """
    if tree.depth > MOST_DEPTH:
        raise TreeError(f"the tree is {tree.depth} moves deep, and a file holds at most {MOST_DEPTH}")


def number_of(text: str) -> int | Fraction:
    """An integer where the number is written as one, otherwise a Fraction: 0.1 is 1/10.

    Raises:
      ValueError: it is not a number, is too long, or divides by 0.
    """
    match = NUMBER.fullmatch(text) if len(text) <= MOST_DIGITS else None
    if match is None:
        raise ValueError(
            f"{quoted(text)} is not a number such as 3, -1/3, 0.25 or 1e-3, of at most {MOST_DIGITS} digits"
        )
    if match[3] is not None and abs(int(match[3][1:])) > MOST_EXPONENT:
        raise ValueError(f"number {quoted(text)} has an exponent beyond {MOST_EXPONENT}")
    if "/" in text and int(text.split("/")[1]) == 0:
        raise ValueError(f"number {quoted(text)} divides by 0")
    return Fraction(text) if re.search("[./eE]", text) else int(text)


def text_of(number: Number) -> str:
    """A number as `number_of` reads it, without rounding."""
    return repr(number) if isinstance(number, float) else str(number)
