"""docs/rules.md says what the rule sets say."""

from pathlib import Path

import pytest

from referee import RULE_SETS, RuleSet

PAGE = (Path(__file__).parents[1] / "docs" / "rules.md").read_text("utf-8")
HEAD, _, *ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")] for line in PAGE.splitlines() if line.startswith("|")
]


def test_every_rule_set_has_a_column() -> None:
    assert HEAD[1:] == [f"`{name}`" for name in RULE_SETS]


@pytest.mark.parametrize("rules", RULE_SETS.values(), ids=lambda rules: rules.name)
def test_its_column_says_who_hears_what(rules: RuleSet) -> None:
    column = HEAD.index(f"`{rules.name}`")
    assert {row[0]: row[column] for row in ROWS} == rules.facts()
