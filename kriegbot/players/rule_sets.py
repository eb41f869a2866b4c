"""Rule sets by name: ours, those of installed packages (`kriegbot.rules`), and FILE.py:NAME or MODULE:NAME."""

from __future__ import annotations

from kriegbot.parts import NotFound, Parts
from kriegbot.players.specs import BadSpec
from referee import RULE_SETS, RuleSet
from referee.text import quoted


class RuleSets(Parts):
    """Rule sets; ours stand in one file, `referee/rules.py`."""

    def names(self) -> tuple[str, ...]:
        """See `Parts.names`."""
        return tuple(RULE_SETS)


RULES = RuleSets("rule set", "referee", "kriegbot.rules")
"""Ours, and those from outside."""


def load_rules(name: str) -> RuleSet:
    """A rule set from outside; its file is run in this process.

    Raises:
      BadSpec: there is none, or its name is that of one of ours.
    """
    try:
        found = RULES.load(name)
    except NotFound as error:
        raise BadSpec(f"rule set {quoted(name)}: {error}") from None
    if not isinstance(found, RuleSet):
        raise BadSpec(f"rule set {quoted(name)} is a {type(found).__name__}; it takes a RuleSet.")
    if RULE_SETS.get(found.name, found) != found:
        raise BadSpec(f"rule set {quoted(name)}: the name {quoted(found.name)} is taken; it takes another one.")
    return found
