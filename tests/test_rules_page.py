"""docs/rules.md, and the page's plain words for players, say what the rule sets say."""

from html import unescape
from pathlib import Path

import pytest

from kriegbot.web.catalogue import rules_html
from referee import RULE_SETS, RuleSet

PAGE = (Path(__file__).parents[1] / "docs" / "rules.md").read_text("utf-8")
HEAD, _, *ROWS = [
    [cell.strip() for cell in line.strip("|").split(" | ")] for line in PAGE.splitlines() if line.startswith("|")
]


@pytest.mark.parametrize("rules", RULE_SETS.values(), ids=lambda rules: rules.name)
def test_the_table_says_who_hears_what(rules: RuleSet) -> None:
    column = HEAD.index(f"`{rules.name}`")
    assert {row[0]: row[column] for row in ROWS} == rules.facts()


PLAIN = {
    "illegal try": {
        '"no", to both': "Both sides hear when a try",
        '"no", to the mover': "Only the player who tried hears",
    },
    "impossible or repeated try": {
        '"nonsense", to the mover': "is called nonsense, and only you hear it",
        '"no", to both': "is answered like any other illegal one",
        '"no", to the mover': "is answered like any other illegal one",
    },
    "capture": {
        "square": "names the square of each capture.",
        "square, pawn or piece": "whether a pawn or a piece was taken",
    },
    "en passant": {"announced, square of arrival": "en passant, the referee names the square on which the pawn lands"},
    "check": {"nothing": "The referee does not announce checks."},
    "pawn tries": {
        "nothing": "",
        "how many, to both": "how many pawn captures the side to move has.",
        "how many, counting each promotion piece separately, to both": "each promotion counted apart",
        "whether there is any, to both": "whether the side to move has any pawn capture",
        "from which squares, to both": "which pawns of the side to move can capture",
    },
    '"Any?"': {
        '"yes" or "no", to both; "yes" obliges to capture with a pawn': "nonsense until a pawn has captured",
        '"yes" or "no", to both; "yes" obliges to try one pawn capture': "nonsense until you have tried a pawn capture",
    },
    "promotion": {"announced, but not to what": "promoted, but not to which piece"},
    "stalemate": {"loss": "Stalemate loses."},
    "king and one minor each": {"draw": "more than the king and one knight or bishop"},
}
"""The page's text on a rule set; on other facts its text on all sets holds."""


@pytest.mark.parametrize("rules", RULE_SETS.values(), ids=lambda rules: rules.name)
def test_the_plain_words_on_the_page_leave_nothing_out(rules: RuleSet) -> None:
    words = unescape(rules_html().split(f'<h3 id="rules-{rules.name}">')[1].split("<h3")[0])
    for what, value in rules.facts().items():
        for other, said in PLAIN[what].items():
            assert not said or (said in words) == (said == PLAIN[what].get(value)), (what, value, other)
