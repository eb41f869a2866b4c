"""docs/rules.md says what the rule sets say."""

from pathlib import Path

import pytest

from referee import RULE_SETS, RuleSet

PAGE = (Path(__file__).parents[1] / "docs" / "rules.md").read_text("utf-8")
_, _, *ROWS = [
    [cell.strip() for cell in line.strip("|").split(" | ")] for line in PAGE.splitlines() if line.startswith("|")
]


@pytest.mark.parametrize("rules", RULE_SETS.values(), ids=lambda rules: rules.name)
def test_the_table_says_who_hears_what(rules: RuleSet) -> None:
    facts = [(what, said) for what, said, under in ROWS if f"`{rules.name}`" in under.split(", ")]
    assert len(facts) == len(dict(facts))
    assert dict(facts) == rules.facts()
