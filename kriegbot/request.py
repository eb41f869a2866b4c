"""Reads what people ask for, in a command or on the page: a player, rules, a seed, a side, a game to be played on.

Bad input is refused in one line.

Heavy imports are within the functions, since every command imports this.
"""

from __future__ import annotations

import random
import secrets
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import chess

    from kriegbot.players.specs import PlayerSpec
    from referee import GameRecord, RuleSet

SEED_BITS = 128
"""Of a fresh seed: too many to try them all."""
MOST_DIGITS = 40
COLORS = ("white", "black", "random")
PERSON = "human"
"""In records, the name of a person's side."""
BROKEN_OFF = ("abandoned", "unterminated")
"""In records, the tag Termination of a game that may be played on."""


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


def is_resumable(record: GameRecord) -> bool:
    """Whether a person can play a game on: it was broken off, and its program is one of those installed."""
    from referee import Reason

    names = [record.headers[color] for color in ("White", "Black")]
    is_over = record.end is not None and record.end.reason is not Reason.ABANDONED
    return not is_over and can_sit(names)


def can_sit(names: Sequence[str]) -> bool:
    """Whether a person and whoever else is named can play here, going by what a record says alone."""
    try:
        for name in names:
            if name != PERSON:
                program_of(name, is_remote=True)
    except Refused:
        return False
    return PERSON in names


def program_in(record: GameRecord) -> tuple[PlayerSpec | None, list[chess.Color]]:
    """The program of a game to be played on, None between people; and the people's sides."""
    names = {True: record.headers["White"], False: record.headers["Black"]}
    people = [color for color, name in names.items() if name == PERSON]
    programs = [program_of(name, is_remote=True) for name in names.values() if name != PERSON]
    return (programs[0] if programs else None), people
