"""Rule sets and limits, as data: who hears what, and when a game is drawn.

A rule set is what players agree on before the game (Berkeley, ICC's Wild 16, RAND); its facts follow the
published rules. Limits belong to one game, not to a rule set: Berkeley's rules suspend the fifty-move rule
and repetition, and the experiment of Parker, Nau and Subrahmanian (AAAI 2006) adds two limits of its own,
`PAPER_LIMITS`.

Draws by insufficient material: under every rule set the usual dead positions end the game, those that
`chess.Board.is_insufficient_material` knows. Berkeley's text goes further: it is also a draw when neither side has
more than its king and one minor piece, although king and knight against king and bishop can still be mated with
the other side's help. `one_minor_each_draws` says so for `BERKELEY`; others, such as `WILD16`, know the
dead positions alone. The referee of kriegspiel.org (PyPI package `kriegspiel` 1.7.3) plays on in such a position under
all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum
from types import MappingProxyType

from referee.errors import UnknownRuleSet
from referee.text import did_you_mean, quoted


class IllegalHeard(Enum):
    """Who hears that a try was illegal; the values are the words of `facts`, here and below."""

    BOTH = "no, to both"
    MOVER = "no, to the mover"


class PawnTries(Enum):
    """What is told of the legal pawn captures of the side to move. Told that there is none, it may try none."""

    NOTHING = "nothing"
    COUNT = "how many, to both"
    COUNT_EACH = "how many, each promotion apart, to both"
    YES_NO = "whether there is any, to both"
    SQUARES = "from which squares, to both"


class Asking(Enum):
    """The effect of the question "Any?": whether any pawn capture is legal, asked once a turn by the side to move."""

    NONSENSE = "nonsense, to the mover"
    OBLIGES = "yes or no, to both; yes obliges to capture with a pawn"
    OBLIGES_ONCE = "yes or no, to both; yes obliges to try one pawn capture"


@dataclass(frozen=True, slots=True)
class RuleSet:
    """Who hears what.

    Attributes:
      name: in specs and records.
      title: in sentences.
      illegal_heard: who hears of an illegal try.
      nonsense: True: a try that is impossible on the mover's own board, or repeated in the same turn, is
        answered "nonsense", heard by the mover alone. False: it is answered as an illegal try.
      captured_kind: whether a capture announcement says if a pawn or a piece fell.
      pawn_tries: what is told of the pawn captures of the side to move.
      one_minor_each_draws: whether it is a draw once neither side has more than king and one minor piece.
      asking: the effect of the question "Any?".
      en_passant_told: whether a capture en passant is said to be one; it is then announced where the pawn lands.
      promotion_told: whether both sides hear that a pawn was promoted, though not to what.
      stalemate_loses: whether a side without a legal move loses, also when it is not in check.
      checks_told: whether checks are announced; one that is not may show when the king's tries are refused.
    """

    name: str
    title: str
    illegal_heard: IllegalHeard
    nonsense: bool
    captured_kind: bool
    pawn_tries: PawnTries = PawnTries.NOTHING
    one_minor_each_draws: bool = False
    asking: Asking = Asking.NONSENSE
    en_passant_told: bool = False
    promotion_told: bool = False
    stalemate_loses: bool = False
    checks_told: bool = True

    def facts(self) -> dict[str, str]:
        """Who hears what in words, the same questions for every rule set."""
        return {
            "illegal try": self.illegal_heard.value,
            "impossible or repeated try": "nonsense, to the mover" if self.nonsense else self.illegal_heard.value,
            "capture": "square, pawn or piece" if self.captured_kind else "square",
            "en passant": "told, square of arrival" if self.en_passant_told else "square of the captured pawn",
            "check": "rank, file, long or short diagonal, knight" if self.checks_told else "nothing",
            "pawn tries": self.pawn_tries.value,
            '"Any?"': self.asking.value,
            "promotion": "told, but not to what" if self.promotion_told else "nothing",
            "stalemate": "loss" if self.stalemate_loses else "draw",
            "king and one minor each": "draw" if self.one_minor_each_draws else "play on, unless mate is impossible",
        }


@dataclass(frozen=True, slots=True)
class Limits:
    """When an undecided game is called a draw; None for no limit.

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
                    f"illegal limit {what}={quoted(value)}: it takes a whole number from 1, or None for no limit"
                )


NO_LIMITS = Limits()
PAPER_LIMITS = Limits(plies=160, quiet_plies=50)

BERKELEY = RuleSet(
    "berkeley", "Berkeley", IllegalHeard.BOTH, nonsense=True, captured_kind=False, one_minor_each_draws=True
)
BERKELEY_ANY = replace(BERKELEY, name="berkeley_any", title='Berkeley with "Any?"', asking=Asking.OBLIGES)
WILD16 = RuleSet(
    "wild16", "Wild 16 (ICC)", IllegalHeard.MOVER, nonsense=False, captured_kind=True, pawn_tries=PawnTries.COUNT
)
CINCINNATI = RuleSet(
    "cincinnati", "Cincinnati", IllegalHeard.BOTH, nonsense=True, captured_kind=True, pawn_tries=PawnTries.YES_NO
)
RAND = replace(
    CINCINNATI, name="rand", title="RAND", pawn_tries=PawnTries.SQUARES, promotion_told=True, stalemate_loses=True
)
ENGLISH = RuleSet(
    "english",
    "English",
    IllegalHeard.BOTH,
    nonsense=False,
    captured_kind=False,
    asking=Asking.OBLIGES_ONCE,
    en_passant_told=True,
)
OPENSPIEL = RuleSet(
    "openspiel",
    "OpenSpiel",
    IllegalHeard.BOTH,
    nonsense=False,
    captured_kind=True,
    pawn_tries=PawnTries.COUNT_EACH,
    checks_told=False,
)

_KNOWN = {rules.name: rules for rules in (BERKELEY, WILD16, CINCINNATI, BERKELEY_ANY, RAND, ENGLISH, OPENSPIEL)}
RULE_SETS: Mapping[str, RuleSet] = MappingProxyType(_KNOWN)
"""Every rule set that commands, records and the page know, by name."""


def register(rules: RuleSet) -> None:
    """Registers a rule set under its name, in this process.

    Raises:
      ValueError: another one has this name.
    """
    if _KNOWN.setdefault(rules.name, rules) != rules:
        raise ValueError(f"illegal rule set: the name {quoted(rules.name)} is taken; it takes another one")


def rule_set(name: str) -> RuleSet:
    """The rule set of this name.

    Raises:
      UnknownRuleSet: a ValueError that names near misses and all known rule sets.
    """
    if name in RULE_SETS:
        return RULE_SETS[name]
    hint = did_you_mean(str(name), RULE_SETS)
    raise UnknownRuleSet(f"unknown rule set {quoted(name)}{hint} Known: {', '.join(sorted(RULE_SETS))}.")
