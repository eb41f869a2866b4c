"""Reads what people ask for, in a command or on the page: a player, rules, a seed, a side.

Bad input is refused in one line.

Heavy imports are within the functions, since every command imports this.
"""

from __future__ import annotations

import random
import secrets
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import chess

    from kriegbot.players.specs import PlayerSpec
    from referee import RuleSet

SEED_BITS = 128
"""Of a fresh seed: too many to try them all."""
MOST_DIGITS = 40
COLORS = ("white", "black", "random")


class Refused(Exception):
    """One line: what was given, why it is refused, what would be accepted."""


def program_of(text: str, *, sandbox: bool = True, is_remote: bool = False) -> PlayerSpec:
    """A player that is a program.

    Args:
      text: its spec.
      sandbox: see `PlayerSpec`.
      is_remote: whether who asks may not run any file and any command of this machine.
    """
    from kriegbot.players.specs import BadSpec, parse_spec, players, programs
    from referee.text import quoted

    try:
        spec = parse_spec(text, sandbox=sandbox)
    except BadSpec as error:
        raise Refused(str(error)) from None
    if not spec.is_outside and players()[spec.name].make is None:
        raise Refused(
            f"player {spec.name!r} cannot be asked here: `kriegbot play` is for people; programs are {programs()}."
        )
    if is_remote and any(":" in str(part) for part in (spec.name, *spec.options.values())):
        raise Refused(f"player {quoted(text)} cannot be asked here: from outside, only what is installed.")
    return spec


def rules_of(text: str) -> RuleSet:
    """A rule set by its name."""
    from referee import UnknownRuleSet, rule_set

    try:
        return rule_set(text)
    except UnknownRuleSet as error:
        raise Refused(str(error)) from None


def color_of(text: str, seed: int) -> chess.Color:
    """White, Black, or either by the seed."""
    from referee.text import did_you_mean, quoted

    if text == "random":
        return random.Random(seed).random() < 0.5
    if text not in COLORS:
        raise Refused(f"unknown colour {quoted(text)}{did_you_mean(text, COLORS)} Known: {', '.join(COLORS)}.")
    return text == "white"


def seed_of(text: str | None) -> int:
    """A seed; a fresh one if none is given."""
    return secrets.randbits(SEED_BITS) if text is None else whole_of(text, "seed", 0, 2**SEED_BITS - 1)


def whole_of(text: str, what: str, low: int, high: int) -> int:
    """A whole number within bounds."""
    from referee.text import quoted

    if not (text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS and low <= int(text) <= high):
        raise Refused(f"illegal {what} {quoted(text)}: it takes a whole number, {low}..{high}.")
    return int(text)
