"""Rule sets and limits, as data: what the referee announces to whom, and when a game is drawn.

Players agree on a rule set before the game (Berkeley, ICC's Wild 16, RAND). Its facts follow the published rules.
Limits belong to one game. Berkeley's rules suspend the fifty-move rule and repetition. The experiment of Parker, Nau
and Subrahmanian (AAAI 2006) adds two limits of its own, `PAPER_LIMITS`.

Every rule set draws the dead positions of `chess.Board.is_insufficient_material`. Berkeley's text also draws once
neither side has more than its king and one minor piece, although king and knight against king and bishop can still be
mated with the other side's help (`one_minor_each_draws`).
"""

import re
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields, replace
from enum import Enum
from types import MappingProxyType
from typing import Any, get_type_hints

from referee.text import quoted, unknown


class KriegspielError(Exception):
    """Base of the referee's own errors. The message is one line: what is wrong, and usually what would be accepted."""


class UnknownRuleSet(KriegspielError, ValueError):
    """A text neither names nor describes a rule set."""


class Audience(Enum):
    """The sides that receive an announcement. Here and below, a value is the phrase that `RuleSet.facts` returns."""

    BOTH = '"no", to both'
    MOVER = '"no", to the mover'


class PawnTries(Enum):
    """The announcement of legal pawn captures. If it says that there is none, the side may not try one."""

    NOTHING = "nothing"
    COUNT = "how many, to both"
    COUNT_EACH = "how many, counting each promotion piece separately, to both"
    YES_NO = "whether there is any, to both"
    SQUARES = "from which squares, to both"


class Asking(Enum):
    """The effect of the question "Any?": is any pawn capture legal? It gets "yes" or "no" at most once a turn."""

    NONSENSE = '"nonsense", to the mover'
    OBLIGES = '"yes" or "no", to both; "yes" obliges to capture with a pawn'
    OBLIGES_ONCE = '"yes" or "no", to both; "yes" obliges to try one pawn capture'


_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,39}")
_TITLE = re.compile(r"[^\W_](?:[^\s_]| (?! )){0,79}(?<! )")


@dataclass(frozen=True, slots=True)
class RuleSet:
    """The announcements that players agree on, and a few rules that differ.

    >>> RULE_SETS["wild16"].pawn_tries
    <PawnTries.COUNT: 'how many, to both'>
    >>> replace(BERKELEY, name="private", title="Private Berkeley", illegal_to=Audience.MOVER).facts()["illegal try"]
    '"no", to the mover'

    Attributes:
      name: in specs and records: up to 40 letters, digits and _ . - that begin with a letter or digit
      title: in sentences: up to 80 characters without _ and double spaces, the first a letter or digit
      illegal_to: the sides to which the referee announces an illegal try.
      nonsense: True if the referee answers "nonsense", to the mover alone, to a try that is impossible on the mover's
        own board or repeated in the same turn. Otherwise, unless "Any?" obliges, it answers as to an illegal try.
      captured_kind: True if a capture announcement tells a pawn from a piece.
      one_minor_each_draws: True if it is a draw once neither side has more than king and one minor piece.
      asking: the effect of "Any?".
      en_passant_announced: True if a capture en passant is announced as one, at the square where the pawn lands.
      promotion_announced: True if promotions are announced, though not to which piece.
      source: file and hash of a rule set from outside.
    """

    name: str
    title: str
    illegal_to: Audience
    nonsense: bool
    captured_kind: bool
    pawn_tries: PawnTries = PawnTries.NOTHING
    one_minor_each_draws: bool = False
    asking: Asking = Asking.NONSENSE
    en_passant_announced: bool = False
    promotion_announced: bool = False
    stalemate_loses: bool = False
    checks_announced: bool = True
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
        """One line that `rule_set` reads: the name alone for one of `RULE_SETS`, else all values but `source`."""
        if RULE_SETS.get(self.name) == self:
            return self.name
        facts = {_WORDS.get(name, name): getattr(self, name) for name in _KINDS if name not in ("name", "source")}
        return " ".join([self.name, *(f"{word}={_word(value)}" for word, value in facts.items())])

    @property
    def has_any(self) -> bool:
        """True if "Any?" may be asked: it has its answer where pawn tries are announced."""
        return self.asking is not Asking.NONSENSE and self.pawn_tries is PawnTries.NOTHING

    def facts(self) -> dict[str, str]:
        """Return the announcements in words: a dict from question to answer, with the same questions for all."""
        en_passant = "announced, square of arrival" if self.en_passant_announced else "square of the captured pawn"
        return {
            "illegal try": self.illegal_to.value,
            "impossible or repeated try": Asking.NONSENSE.value if self.nonsense else self.illegal_to.value,
            "capture": "square, pawn or piece" if self.captured_kind else "square",
            "en passant": en_passant,
            "check": "rank, file, long or short diagonal, knight" if self.checks_announced else "nothing",
            "pawn tries": self.pawn_tries.value,
            '"Any?"': self.asking.value,
            "promotion": "announced, but not to what" if self.promotion_announced else "nothing",
            "stalemate": "loss" if self.stalemate_loses else "draw",
            "king and one minor each": "draw" if self.one_minor_each_draws else "play on, unless mate is impossible",
        }


_KINDS: Mapping[str, Any] = get_type_hints(RuleSet)
_TEXTS = {"name": _NAME, "title": _TITLE}
_WORDS = {
    "illegal_to": "illegal_heard",
    "en_passant_announced": "en_passant_told",
    "promotion_announced": "promotion_told",
    "checks_announced": "checks_told",
}
"""Words of records and of the line protocol that differ from the fields."""
_FIELDS = {_WORDS.get(name, name): name for name in _KINDS}


def _word(value: str | bool | Enum) -> str:
    if isinstance(value, str):
        return value.replace(" ", "_")
    return value.name.lower() if isinstance(value, Enum) else "yes" if value else "no"


@dataclass(frozen=True, slots=True)
class Limits:
    """The numbers of moves after which a game is drawn; None for no limit. Other ends come first.

    `plies` counts moves of both sides, `quiet_plies` those in a row without a pawn move or a capture.
    """

    plies: int | None = None
    quiet_plies: int | None = None

    def __post_init__(self) -> None:
        for name, value in (("plies", self.plies), ("quiet_plies", self.quiet_plies)):
            if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < 1):
                takes = "a whole number from 1, or None for no limit"
                raise ValueError(f"illegal limit {name}={quoted(value)}: it takes {takes}")


NO_LIMITS = Limits()
PAPER_LIMITS = Limits(plies=160, quiet_plies=50)

BERKELEY = RuleSet("berkeley", "Berkeley", Audience.BOTH, nonsense=True, captured_kind=False, one_minor_each_draws=True)
BERKELEY_ANY = replace(BERKELEY, name="berkeley_any", title='Berkeley with "Any?"', asking=Asking.OBLIGES)
WILD16 = RuleSet(
    "wild16", "Wild 16 (ICC)", Audience.MOVER, nonsense=False, captured_kind=True, pawn_tries=PawnTries.COUNT
)
CINCINNATI = RuleSet(
    "cincinnati", "Cincinnati", Audience.BOTH, nonsense=True, captured_kind=True, pawn_tries=PawnTries.YES_NO
)
RAND = replace(
    CINCINNATI, name="rand", title="RAND", pawn_tries=PawnTries.SQUARES, promotion_announced=True, stalemate_loses=True
)
ENGLISH = RuleSet(
    "english",
    "English",
    Audience.BOTH,
    nonsense=False,
    captured_kind=False,
    asking=Asking.OBLIGES_ONCE,
    en_passant_announced=True,
)
OPENSPIEL = RuleSet(
    "openspiel",
    "OpenSpiel",
    Audience.BOTH,
    nonsense=False,
    captured_kind=True,
    pawn_tries=PawnTries.COUNT_EACH,
    checks_announced=False,
)

RULE_SETS: Mapping[str, RuleSet] = MappingProxyType(
    {rules.name: rules for rules in (BERKELEY, WILD16, CINCINNATI, BERKELEY_ANY, RAND, ENGLISH, OPENSPIEL)}
)
"""Rule sets known by name, in the order in which the page lists them."""


def rule_set(rules: RuleSet | str) -> RuleSet:
    """Return the rule set of a name or of a `RuleSet.text`, or a rule set as it is.

    Raises UnknownRuleSet, a ValueError, which names similar and all known rule sets or says what is wrong.
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
    for word, _, value in (fact.partition("=") for fact in words):
        fact = _FIELDS.get(word, "source")
        if fact == "source" or fact in values:
            raise UnknownRuleSet(f"illegal rule set {quoted(name)}: {quoted(word)} is no fact of one, or given twice.")
        values[fact] = _value(_KINDS[fact], value)
    needed = [one.name for one in fields(RuleSet) if one.default is MISSING]
    if lacks := ", ".join(_WORDS.get(fact, fact) for fact in needed if fact not in values):
        raise UnknownRuleSet(f"illegal rule set {quoted(name)}: it lacks {lacks}.")
    try:
        return RuleSet(**values)
    except ValueError as error:
        raise UnknownRuleSet(f"{error}.") from None


def _value(kind: Any, word: str) -> Any:
    """Return the value that `_word` writes as this word, or the word itself if there is none."""
    if kind is str:
        return word.replace("_", " ")
    return next((value for value in _values(kind) if _word(value) == word), word)


def _values(kind: Any) -> list[Any]:
    return [True, False] if kind is bool else list(kind)
