"""`kriegbot rules`: the rule sets, and what is heard under each."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from referee import RuleSet


def rules() -> None:
    """List the rule sets and what is announced under each."""
    from referee import RULE_SETS

    if sys.stdout.isatty():
        _table()
        return
    for rule_set in RULE_SETS.values():
        print(f"{rule_set.name}: {rule_set.title}")
        for what, how in facts(rule_set):
            print(f"  {what}: {how}")


def facts(rule_set: RuleSet) -> list[tuple[str, str]]:
    """What is heard, as pairs of a question and its answer."""
    from referee import IllegalHeard, PawnTries

    to_mover = "nonsense, to the mover" if rule_set.nonsense else "no, to the mover"
    return [
        ("illegal try", "no, to both" if rule_set.illegal_heard is IllegalHeard.BOTH else "no, to the mover"),
        ("impossible or repeated try", to_mover),
        ("capture", "square, pawn or piece" if rule_set.captured_kind else "square"),
        ("check", "rank, file, long or short diagonal, knight"),
        ("pawn tries", "how many, to both" if rule_set.pawn_tries is PawnTries.COUNT else "nothing"),
        ("king and one minor each", "draw" if rule_set.one_minor_each_draws else "play on, unless mate is impossible"),
    ]


def _table() -> None:
    from rich.console import Console
    from rich.table import Table

    from referee import RULE_SETS

    sets = list(RULE_SETS.values())
    table = Table("heard", *(rule_set.name for rule_set in sets), box=None, padding=(0, 2), header_style="bold")
    table.add_row("", *(f"[dim]{rule_set.title}[/dim]" for rule_set in sets))
    for answers in zip(*(facts(rule_set) for rule_set in sets), strict=True):
        table.add_row(answers[0][0], *(answer for _, answer in answers))
    Console(highlight=False).print(table)
