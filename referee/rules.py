"""Rule sets and limits, as data: who hears what, and when a game is drawn.

A rule set is what players agree on before the game (Berkeley, ICC's Wild 16); its facts follow the
published rules. Limits belong to one game, not to a rule set: Berkeley's rules suspend the fifty-move rule
and repetition, and the experiment of Parker, Nau and Subrahmanian (AAAI 2006) adds two limits of its own,
`PAPER_LIMITS`.

Draws for want of material: under every rule set the usual dead positions end the game, those that
`chess.Board.is_insufficient_material` knows. Berkeley's text draws more: also when neither side has more
than its king and one minor piece, although king and knight against king and bishop can still be mated with
the other side's help. `one_minor_each_draws` says so for `BERKELEY`; `WILD16` knows the dead positions
alone. The referee of kriegspiel.org (PyPI package `kriegspiel` 1.7.3) plays on in such a position under
both.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType

from referee.errors import UnknownRuleSet


class IllegalHeard(Enum):
    """Who hears that a try was illegal."""

    BOTH = "both"
    MOVER = "mover"


class PawnTries(Enum):
    """What is announced about the legal pawn captures of the side to move."""

    NOTHING = "nothing"
    COUNT = "count"


@dataclass(frozen=True, slots=True)
class RuleSet:
    """Who hears what.

    Attributes:
      name: as in specs and records.
      title: as in sentences.
      illegal_heard: who hears of an illegal try.
      nonsense: True: a try that is impossible on the mover's own board, or repeated in the same turn, is
        answered "nonsense", heard by the mover alone. False: it is answered as an illegal try.
      captured_kind: whether a capture announcement says if a pawn or a piece fell.
      pawn_tries: what is announced about the pawn captures of the side to move.
      one_minor_each_draws: whether it is a draw once neither side has more than king and one minor piece.
    """

    name: str
    title: str
    illegal_heard: IllegalHeard
    nonsense: bool
    captured_kind: bool
    pawn_tries: PawnTries
    one_minor_each_draws: bool


@dataclass(frozen=True, slots=True)
class Limits:
    """When a game that nobody has won is called a draw; None is no limit.

    Mate, stalemate and dead positions come before either limit.

    Attributes:
      plies: draw once this many moves were made, both sides together.
      quiet_plies: draw once this many moves in a row were made without a pawn move or a capture.
    """

    plies: int | None = None
    quiet_plies: int | None = None

    def __post_init__(self) -> None:
        for what, value in (("plies", self.plies), ("quiet_plies", self.quiet_plies)):
            if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < 1):
                raise ValueError(
                    f"illegal limit {what}={value!r}: it takes a whole number from 1, or None for no limit"
                )


NO_LIMITS = Limits()
PAPER_LIMITS = Limits(plies=160, quiet_plies=50)

BERKELEY = RuleSet(
    name="berkeley",
    title="Berkeley",
    illegal_heard=IllegalHeard.BOTH,
    nonsense=True,
    captured_kind=False,
    pawn_tries=PawnTries.NOTHING,
    one_minor_each_draws=True,
)
WILD16 = RuleSet(
    name="wild16",
    title="Wild 16 (ICC)",
    illegal_heard=IllegalHeard.MOVER,
    nonsense=False,
    captured_kind=True,
    pawn_tries=PawnTries.COUNT,
    one_minor_each_draws=False,
)

RULE_SETS: Mapping[str, RuleSet] = MappingProxyType({rules.name: rules for rules in (BERKELEY, WILD16)})


def rule_set(name: str) -> RuleSet:
    """The rule set of this name.

    Raises:
      UnknownRuleSet: a ValueError that names near misses and all known rule sets.
    """
    if name in RULE_SETS:
        return RULE_SETS[name]
    near = difflib.get_close_matches(str(name), RULE_SETS, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else "."
    raise UnknownRuleSet(f"unknown rule set {name!r}{hint} Known: {', '.join(sorted(RULE_SETS))}.")
