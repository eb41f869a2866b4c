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

import re
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields, replace
from enum import Enum
from types import MappingProxyType
from typing import Any, get_type_hints

from referee.errors import UnknownRuleSet
from referee.text import quoted, unknown


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


_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,39}")
_TITLE = re.compile(r"[^\W_](?:[^\s_]| (?! )){0,79}(?<! )")


@dataclass(frozen=True, slots=True)
class RuleSet:
    """Who hears what.

    Attributes:
      name: in specs and records: up to 40 letters, digits and _ . -
      title: in sentences: up to 80 characters, without _
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
      source: of a rule set from outside, its file and the hash of that.

    Raises:
      ValueError: a value is none of these.
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
    source: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        for name, kind in _KINDS.items():
            value = getattr(self, name)
            is_good = isinstance(value, kind)
            if is_good and kind is str:
                is_good = value.isprintable() and (name not in _TEXTS or _TEXTS[name].fullmatch(value) is not None)
            if not is_good:
                known = "text in one line" if kind is str else ", ".join(map(_word, _values(kind)))
                raise ValueError(f"illegal {name} {quoted(value)} of a rule set: it takes {known}")

    @property
    def text(self) -> str:
        """All of it in one line, which `rule_set` reads: the name of one of `RULE_SETS`; of others every fact, too."""
        if RULE_SETS.get(self.name) == self:
            return self.name
        facts = {name: getattr(self, name) for name in _KINDS if name not in ("name", "source")}
        return " ".join([self.name, *(f"{name}={_word(value)}" for name, value in facts.items())])

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


_KINDS: Mapping[str, Any] = get_type_hints(RuleSet)
_TEXTS = {"name": _NAME, "title": _TITLE}


def _word(value: str | bool | Enum) -> str:
    """A value as one word."""
    if isinstance(value, str):
        return value.replace(" ", "_")
    return value.name.lower() if isinstance(value, Enum) else "yes" if value else "no"


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

RULE_SETS: Mapping[str, RuleSet] = MappingProxyType(
    {rules.name: rules for rules in (BERKELEY, WILD16, CINCINNATI, BERKELEY_ANY, RAND, ENGLISH, OPENSPIEL)}
)
"""Every rule set that commands, records and the page know by name alone."""


def rule_set(rules: RuleSet | str) -> RuleSet:
    """The rule set of a name, or of the `text` of a rule set; a rule set itself as it is.

    Raises:
      UnknownRuleSet: a ValueError that names near misses and all known rule sets, or what is wrong with the text.
    """
    if isinstance(rules, RuleSet):
        return rules
    name, *words = rules.split(" ")
    if not words and name in RULE_SETS:
        return RULE_SETS[name]
    if not words:
        raise UnknownRuleSet(unknown("rule set", name, sorted(RULE_SETS)))
    if name in RULE_SETS:
        raise UnknownRuleSet(f"illegal rule set {quoted(rules)}: the name {quoted(name)} is taken.")
    values: dict[str, Any] = {"name": name}
    for fact, _, value in (word.partition("=") for word in words):
        if fact not in _KINDS or fact == "source" or fact in values:
            raise UnknownRuleSet(f"illegal rule set {quoted(name)}: {quoted(fact)} is no fact of one, or given twice.")
        values[fact] = _value(_KINDS[fact], value)
    missing = [one.name for one in fields(RuleSet) if one.default is MISSING and one.name not in values]
    if missing:
        raise UnknownRuleSet(f"illegal rule set {quoted(name)}: it lacks {', '.join(missing)}.")
    try:
        return RuleSet(**values)
    except ValueError as error:
        raise UnknownRuleSet(f"{error}.") from None


def _value(kind: Any, word: str) -> Any:
    """The inverse of `_word`; the word itself where it is none."""
    if kind is str:
        return word.replace("_", " ")
    return next((value for value in _values(kind) if _word(value) == word), word)


def _values(kind: Any) -> list[Any]:
    return [True, False] if kind is bool else list(kind)
